//! Lazy chunk with the team's screens and the sign-in: visitors do not load them.

use booking_ui::prelude::*;

use super::connection::Connection;
use super::connection::account::Team;
use super::frames::staff_frame::{provide_commands, staff_head};
use super::language::choice::LanguageChoice;
use super::navigation::{Navigation, SIGN_IN, link};
use super::route::Route;
use super::sign_in::connect;
use crate::components::Shape;
use crate::features::booking_list::{self, BookingList};
use crate::features::roles::{self, Roles, RolesFrame, VIEW_QUERY};
use crate::features::shared::error_notice::notice;
use crate::i18n::{Key, Translations, use_texts};
use crate::page::attributes::Config;
use crate::page::step_history::go;
use crate::page::stored_state::{StoredQuery, StoredViews};
use crate::styles;

/// Exports of this chunk.
pub struct StaffExports {
    /// Screen of a route of the team.
    pub(super) screen: fn(Route, StaffContext) -> Node,
    /// Head with the navigation.
    pub(super) head: fn(Signal<Route>, Connection, Navigation, Node) -> Node,
    /// Style sheet of the screens.
    pub(super) css: &'static str,
}

/// Exports of this chunk. A direct reference to them puts the code into the referring bundle.
pub fn exports() -> &'static StaffExports {
    &StaffExports {
        screen,
        head: staff_head,
        css: styles::APP_STAFF,
    }
}

/// Dependencies of the screens.
#[derive(Clone, Copy)]
pub(super) struct StaffContext {
    pub(super) connection: Connection,
    pub(super) languages: LanguageChoice,
    pub(super) navigation: Navigation,
}

fn screen(route: Route, context: StaffContext) -> Node {
    let texts = use_texts();
    let StaffContext {
        connection,
        languages,
        navigation,
    } = context;
    match route {
        Route::Bookings => with_account(
            texts,
            Key::Bookings,
            Key::ConnectFirstTitle,
            connection,
            navigation,
            move || bookings(connection, navigation),
        ),
        Route::Roles | Route::OrganizationRoles => with_account(
            texts,
            Key::TeamAndRoles,
            Key::ConnectFirstRolesTitle,
            connection,
            navigation,
            move || roles(&route, texts, connection, navigation),
        ),
        Route::Connect => connect(connection, languages, navigation),
        // Pages of visitors.
        Route::EventTypes
        | Route::Owner(_)
        | Route::Book(_)
        | Route::Booking { .. }
        | Route::Unknown => fragment(),
    }
}

fn bookings(connection: Connection, navigation: Navigation) -> Node {
    let views = StoredViews::new(connection.views, move |views| connection.store_views(views));
    provide_context(views);
    let write_query = move |query: &str, is_step| navigation.write_query(query, is_step);
    provide_context(StoredQuery::new(navigation.query, write_query));
    provide_commands(use_texts(), navigation);
    let config = team_config(connection);
    view! { <BookingList config chunk=ChunkSource::Linked(booking_list::exports()) /> }.into_inner()
}

/// Roles of the team or, by `route`, of its organisation.
fn roles(
    route: &Route,
    texts: Translations,
    connection: Connection,
    navigation: Navigation,
) -> Node {
    let mut config = team_config(connection);
    let has_both = config.org_id.is_some() && config.team_id.is_some();
    if *route == Route::OrganizationRoles {
        config.team_id = None;
    }
    // A reload starts with the list.
    if untrack(|| navigation.query.with(|query| query.starts_with(VIEW_QUERY))) {
        navigation.write_query("", false);
        navigation.query.set(String::new());
    }
    let is_forbidden = match config.team_id {
        Some(_) => RwSignal::new(false),
        None => connection.has_no_org_roles,
    };
    provide_context(RolesFrame {
        query: navigation.query,
        push: Callback::new(move |query: &'static str| navigation.set_query(query)),
        back: Callback::new(|()| {
            go(-1);
        }),
        is_forbidden,
    });
    let roles = view! {
        <Roles
            config
            chunk=ChunkSource::Linked(roles::exports())
            tools=ChunkSource::Linked(roles::role_tools_exports())
        />
    };
    fragment()
        .child(has_both.then(|| role_links(route, texts, connection, navigation)))
        .child(roles)
}

/// Options of a staff screen. Only these screens track the team: a demo account that is found late must not
/// restart a booking.
fn team_config(connection: Connection) -> Config {
    let Team {
        org_id, team_id, ..
    } = connection.team.get();
    Config {
        org_id,
        team_id,
        ..Config::default()
    }
}

/// Links between the roles of the team and those of the organisation, unless the latter are known to be forbidden:
/// then only the way back from them.
fn role_links(
    current: &Route,
    texts: Translations,
    connection: Connection,
    navigation: Navigation,
) -> Node {
    let current = current.clone();
    let content = move || {
        let has_no_org_roles = connection.has_no_org_roles.get();
        if has_no_org_roles && current == Route::Roles {
            return fragment();
        }
        let team = (Route::Roles, "/roles", Key::ResourceTeam);
        let organization = (
            Route::OrganizationRoles,
            "/roles/organization",
            Key::ResourceOrganization,
        );
        let links = [Some(team), (!has_no_org_roles).then_some(organization)];
        let links = links.into_iter().flatten().map(|(route, path, name)| {
            let is_current = current == route;
            let link = link(navigation, path).attr_if("aria-current", is_current.then_some("page"));
            el("li").child(link.child(texts.get(name)))
        });
        el("nav")
            .class("app-ways")
            .attr("aria-label", texts.get(Key::Roles))
            .child(el("ul").class("role-nav").child(fragment_of(links)))
    };
    fragment().child_with(content)
}

/// Screen that needs an account, or a notice with a link to the sign-in screen.
fn with_account(
    texts: Translations,
    title: Key,
    notice_title: Key,
    connection: Connection,
    navigation: Navigation,
    screen: impl FnOnce() -> Node,
) -> Node {
    if connection.is_connected() {
        return screen();
    }
    let head = fragment().child(el("h1").class("app-title").child(texts.get(title)));
    navigation.want_account();
    let connect = link(navigation, SIGN_IN)
        .class("button-primary")
        .child(texts.get(Key::Connect));
    let connect_notice = notice(
        Shape::Lock,
        texts.get(notice_title),
        texts.get(Key::ConnectFirstText),
    )
    .child(connect);
    head.child(el("div").class("card").child(connect_notice))
}
