//! Connect screen: the demo account or the person's own. Credentials stay in memory, unless the tab is to
//! stay connected.

use leptos::prelude::*;

use super::connection::{Account, Connection, is_private};
use super::shell::Navigation;
use crate::components::{Shape, SwitchField, TextField, TextKind, button, icon};
use crate::dom::{Html, el, nothing};
use crate::i18n::{Key, Translations, use_texts};
use crate::signal::{RwSignal, Signal};

/// Id of the form with a client's credentials.
const CLIENT_FORM: &str = "client-form";

/// Screen that connects the app to a service.
pub(super) fn connect(connection: Connection, navigation: Navigation) -> Html {
    let texts = use_texts();
    let state = move || {
        connection.is_connected().then(|| {
            el("div")
                .class("card")
                .add(
                    el("p")
                        .class("connected")
                        .attr("role", "status")
                        .add(icon(Shape::Check))
                        .add(texts.get(Key::Connected)),
                )
                .add(
                    button("button", move || connection.disconnect())
                        .add(texts.get(Key::Disconnect)),
                )
        })
    };
    let demo = move || {
        let demo = connection
            .demo
            .get()
            .filter(|_| !connection.is_connected())?;
        let press = button("button-primary", move || {
            connection.connect_demo(demo.clone());
            navigation.go("/bookings");
        });
        Some(
            el("section")
                .class("card")
                .add(
                    el("h2")
                        .class("connect-title")
                        .add(texts.get(Key::DemoTitle)),
                )
                .add(el("p").class("connect-text").add(texts.get(Key::DemoText)))
                .add(press.add(texts.get(Key::UseDemo))),
        )
    };
    nothing()
        .add(el("h1").class("app-title").add(texts.get(Key::Connect)))
        .add(
            el("div")
                .class("connect")
                .show(state)
                .show(demo)
                .show(move || {
                    (!connection.is_connected()).then(|| own_account(texts, connection, navigation))
                })
                .show(move || (!connection.is_connected()).then(|| stay(texts, connection))),
        )
}

/// Switch to stay connected, with an explanation: off by default.
fn stay(texts: Translations, connection: Connection) -> Html {
    let stays = connection.stays;
    let field = view! {
        <SwitchField
            id="stay-connected"
            label=texts.get(Key::StayConnected)
            hint=texts.get(Key::StayConnectedText)
            value=Signal::derive(move || stays.get())
            on_change=move |is_on: bool| stays.set(is_on)
        />
    };
    el("section").class("card").add(field)
}

fn own_account(texts: Translations, connection: Connection, navigation: Navigation) -> Html {
    let [
        base_url,
        token,
        client_id,
        client_secret,
        org_id,
        team_id,
        username,
    ] = std::array::from_fn(|_| RwSignal::new(String::new()));
    // Field id and message.
    let complaint = RwSignal::new(None::<(&'static str, String)>);
    let submit = move |event: web_sys::Event| {
        event.prevent_default();
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
            let words = texts.get(Key::CredentialsMissing).to_owned();
            complaint.set(Some(("token", words)));
            return;
        }
        if !is_private(&account.base_url) {
            let words = texts.get(Key::AddressInsecure).to_owned();
            complaint.set(Some(("base-url", words)));
            return;
        }
        connection.connect(account);
        // Only the session holds the secret now.
        token.set(String::new());
        client_secret.set(String::new());
        navigation.go("/bookings");
    };
    let field = move |id: &'static str, label: Key, kind: TextKind, value: RwSignal<String>| {
        let error = Signal::derive(move || {
            let complaint = complaint.get().filter(|(field, _)| *field == id);
            complaint.map(|(_, words)| words)
        });
        view! {
            <TextField
                id
                label=texts.get(label)
                kind
                value
                error
                on_input=move |text| {
                    complaint.set(None);
                    value.set(text);
                }
            />
        }
    };
    let pair = |one, other| el("div").class("connect-pair").add(one).add(other);
    // A client's id and secret have their own form: password managers keep one secret for each.
    let of_client = |field: View<Html>| {
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
        .add(el("button").attr("type", "submit"))
        .on("submit", submit);
    let form = el("form")
        .class("card")
        .attr("autocomplete", "off")
        .on("submit", submit)
        .add(
            el("h2")
                .class("connect-title")
                .add(texts.get(Key::OwnAccountTitle)),
        )
        .add(
            el("p")
                .class("connect-text")
                .add(texts.get(Key::OwnAccountText)),
        )
        .add(field(
            "base-url",
            Key::ServiceAddress,
            TextKind::Url,
            base_url,
        ))
        .add(field("token", Key::TokenOrKey, TextKind::Password, token))
        .add(pair(
            of_client(field("client-id", Key::ClientId, TextKind::Line, client_id)),
            of_client(field(
                "client-secret",
                Key::ClientSecret,
                TextKind::Password,
                client_secret,
            )),
        ))
        .add(pair(
            field("org-id", Key::OrganisationId, TextKind::Number, org_id).into_inner(),
            field("team-id", Key::TeamId, TextKind::Number, team_id).into_inner(),
        ))
        .add(field("username", Key::Username, TextKind::Line, username))
        .add(
            el("button")
                .class("button-primary")
                .attr("type", "submit")
                .add(texts.get(Key::Connect)),
        );
    form.followed_by(client)
}
