//! Sign-in screen: the demo account, or an access token. Once signed in, the account. Credentials stay in memory,
//! unless the tab is to stay signed in.

use booking_ui::prelude::*;

use super::connection::Connection;
use super::connection::account::{Account, is_safe_address};
use super::frames::staff_frame::account_lines;
use super::language::choice::LanguageChoice;
use super::navigation::Navigation;
use crate::components::{Shape, SwitchField, TextField, TextKind, button, icon};
use crate::i18n::{Key, Translations, localized, use_texts};

/// Id of the form with a client's credentials.
const CLIENT_FORM: &str = "client-form";

/// Input of the form for a token, which outlives a change of the language.
#[derive(Clone, Copy)]
struct TypedAccount {
    base_url: RwSignal<String>,
    token: RwSignal<String>,
    client_id: RwSignal<String>,
    client_secret: RwSignal<String>,
    org_id: RwSignal<String>,
    team_id: RwSignal<String>,
    username: RwSignal<String>,
}

impl TypedAccount {
    fn new() -> Self {
        let empty = || RwSignal::new(String::new());
        Self {
            base_url: empty(),
            token: empty(),
            client_id: empty(),
            client_secret: empty(),
            org_id: empty(),
            team_id: empty(),
            username: empty(),
        }
    }
}

/// Screen that signs in to a service, or shows the account in use. The choice of the language keeps its element, and
/// so the focus, when the language changes.
pub(super) fn connect(
    connection: Connection,
    languages: LanguageChoice,
    navigation: Navigation,
) -> Node {
    let texts = use_texts();
    let typed = TypedAccount::new();
    let content = move || match connection.is_connected() {
        true => account(texts, connection),
        false => sign_in(texts, typed, connection, navigation),
    };
    fragment()
        .child(localized(move || fragment().child_with(content)))
        .child(el("div").class("connect-language").child(languages.view()))
}

/// Account in use.
fn account(texts: Translations, connection: Connection) -> Node {
    // The frame loads it.
    let person = move || {
        let name = connection.profile.with(|profile| profile.name.clone());
        (!name.is_empty()).then(|| el("span").class("connected-person").child(name))
    };
    let signed_in = el("p")
        .class("connected")
        .attr("role", "status")
        .child(icon(Shape::Check))
        .child(el("span").child(texts.get(Key::Connected)))
        .child_with(person);
    let lines = account_lines(texts, connection)
        .into_iter()
        .map(|line| el("li").child(line));
    let card = el("section")
        .class("card")
        .child(signed_in)
        .child(el("ul").class("connect-account").child(fragment_of(lines)))
        .child(button("button", move || connection.disconnect()).child(texts.get(Key::Disconnect)));
    fragment()
        .child(el("h1").class("app-title").child(texts.get(Key::Account)))
        .child(el("div").class("connect").child(card))
}

/// Ways to sign in, the simplest first. The choice to stay signed in applies to all and comes before them.
fn sign_in(
    texts: Translations,
    typed: TypedAccount,
    connection: Connection,
    navigation: Navigation,
) -> Node {
    // The form waits for the demo account above it, which would move it.
    let is_known =
        Signal::memo(move || connection.demo.get().is_some() || connection.has_no_demo.get());
    let form = move || {
        let is_known = is_known.get();
        is_known.then(|| access_token(texts, typed, connection, navigation))
    };
    let ways = el("div")
        .class("connect")
        .child(stay_connected_field(texts, connection))
        .child_with(move || demo_account(texts, connection, navigation))
        .child_with(form);
    fragment()
        .child(el("h1").class("app-title").child(texts.get(Key::Connect)))
        .child(ways)
}

/// The demo account, if the service has one.
fn demo_account(
    texts: Translations,
    connection: Connection,
    navigation: Navigation,
) -> Option<Node> {
    let demo = connection.demo.get()?;
    let use_demo = button("button-primary connect-main", move || {
        connection.connect_demo(demo.clone());
        navigation.go_on_signed_in();
    });
    let title = el("h2").class("connect-title");
    let text = el("p").class("connect-text");
    let card = el("section")
        .class("card connect-demo")
        .child(title.child(texts.get(Key::DemoTitle)))
        .child(text.child(texts.get(Key::DemoText)))
        .child(use_demo.child(texts.get(Key::UseDemo)));
    Some(card)
}

/// Form for an access token. Folded, unless it is known to be the only way.
fn access_token(
    texts: Translations,
    typed: TypedAccount,
    connection: Connection,
    navigation: Navigation,
) -> Node {
    // In another language it stays open.
    let was_used = [typed.base_url, typed.token, typed.client_id]
        .iter()
        .any(|field| !field.get_untracked().is_empty());
    let is_open = move || (was_used || connection.has_no_demo.get()).then(String::new);
    el("details")
        .class("card connect-token")
        .attr_with("open", is_open)
        .child(el("summary").child(texts.get(Key::OwnAccountTitle)))
        .child(own_account(texts, typed, connection, navigation))
}

/// Switch to stay signed in, with an explanation: off by default.
fn stay_connected_field(texts: Translations, connection: Connection) -> Node {
    let stays_connected = connection.stays_connected;
    let field = view! {
        <SwitchField
            id="stay-connected"
            label=texts.get(Key::StayConnected)
            hint=texts.get(Key::StayConnectedText)
            value=Signal::derive(move || stays_connected.get())
            on_change=move |is_on: bool| stays_connected.set(is_on)
        />
    };
    el("div").child(field)
}

fn own_account(
    texts: Translations,
    typed: TypedAccount,
    connection: Connection,
    navigation: Navigation,
) -> Node {
    let TypedAccount {
        base_url,
        token,
        client_id,
        client_secret,
        org_id,
        team_id,
        username,
    } = typed;
    // Field id and message.
    let field_error = RwSignal::new(None::<(&'static str, String)>);
    let is_busy = RwSignal::new(false);
    let submit = move |event: web_sys::Event| {
        event.prevent_default();
        if is_busy.get_untracked() {
            return;
        }
        let text = |signal: RwSignal<String>| signal.get_untracked().trim().to_owned();
        let account = Account {
            base_url: text(base_url),
            token: text(token),
            client_id: text(client_id),
            client_secret: text(client_secret),
            org_id: text(org_id).parse().ok(),
            team_id: text(team_id).parse().ok(),
            username: text(username),
        };
        let has_credentials = !account.token.is_empty()
            || !(account.client_id.is_empty() || account.client_secret.is_empty());
        if !has_credentials {
            let message = texts.get(Key::CredentialsMissing).to_owned();
            field_error.set(Some(("token", message)));
            return;
        }
        if !is_safe_address(&account.base_url) {
            let message = texts.get(Key::AddressInsecure).to_owned();
            field_error.set(Some(("base-url", message)));
            return;
        }
        is_busy.set(true);
        spawn_local(async move {
            let is_accepted = connection.accepts(&account).await;
            // Absent if the person has left the screen.
            if is_busy.try_get_untracked().is_none() {
                return;
            }
            is_busy.set(false);
            if !is_accepted {
                let message = texts.get(Key::CredentialsRefused).to_owned();
                field_error.set(Some(("token", message)));
                return;
            }
            connection.connect(account);
            // Only the session holds the secret now.
            token.set(String::new());
            client_secret.set(String::new());
            navigation.go_on_signed_in();
        });
    };
    let field = move |id: &'static str, label: Key, kind: TextKind, value: RwSignal<String>| {
        let error = Signal::derive(move || {
            let error = field_error.get().filter(|(field, _)| *field == id);
            error.map(|(_, message)| message)
        });
        view! {
            <TextField
                id
                label=texts.get(label)
                kind
                value
                error
                on_input=move |text| {
                    field_error.set(None);
                    value.set(text);
                }
            />
        }
    };
    let pair = |first, second| el("div").class("connect-pair").child(first).child(second);
    // A client's id and secret have their own form: password managers keep one secret for each.
    let in_client_form = |field: View<Node>| {
        let field = field.into_inner();
        if let Ok(Some(input)) = field.element().query_selector("input") {
            // Constant names cannot fail.
            let _ = input.set_attribute("form", CLIENT_FORM);
        }
        field
    };
    let client = el("form")
        .attr("id", CLIENT_FORM)
        .attr("hidden", "")
        // Required for submission with Enter.
        .child(el("button").attr("type", "submit"))
        .on("submit", submit);
    let form = el("form")
        .class("connect-form")
        .attr("autocomplete", "off")
        .on("submit", submit)
        .child(
            el("p")
                .class("connect-text")
                .child(texts.get(Key::OwnAccountText)),
        )
        .child(field(
            "base-url",
            Key::ServiceAddress,
            TextKind::Url,
            base_url,
        ))
        .child(field("token", Key::TokenOrKey, TextKind::Password, token))
        .child(pair(
            in_client_form(field("client-id", Key::ClientId, TextKind::Line, client_id)),
            in_client_form(field(
                "client-secret",
                Key::ClientSecret,
                TextKind::Password,
                client_secret,
            )),
        ))
        .child(pair(
            field("org-id", Key::OrganisationId, TextKind::Number, org_id).into_inner(),
            field("team-id", Key::TeamId, TextKind::Number, team_id).into_inner(),
        ))
        .child(field("username", Key::Username, TextKind::Line, username))
        .child(
            el("button")
                .class("button-primary")
                .attr("type", "submit")
                .flag_with("aria-busy", move || is_busy.get())
                .child(texts.get(Key::Connect)),
        );
    form.with_sibling(client)
}
