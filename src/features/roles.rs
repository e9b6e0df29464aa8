//! Roles of a team or an organisation: the list, a form that creates and changes them, and a
//! comparison.

mod chunk;
mod comparison;
mod form;
mod list;
pub mod model;
mod permission_panel;
pub mod permissions;
mod requests;
pub mod role_color;
mod save_hook;
mod state;
mod swatch;
mod texts;
mod tool_exports;

use booking_ui::prelude::*;
use booking_wire::Role;

use crate::client::operations::roles::RolesPath;
use crate::client::query::{Latest, Load, latest, on_failure};
use crate::client::session::use_session;
use crate::client::{ApiError, DeclineReason};
use crate::components::{Shape, button, heading, icon};
use crate::features::shared::error_notice::{
    card, error_notice, is_noticed, notice, notice_card, session_notice,
};
use crate::features::shared::lazy_view::lazy_view;
use crate::features::shared::unsaved_changes::report_unsaved_changes;
use crate::i18n::{Key, Translations, localized, use_texts};
use crate::page::attributes::Config;
use crate::page::events::use_page;
use crate::page::settings::use_settings;
use crate::page::team_events::TeamEvent;
use crate::styles;

pub use chunk::role_tools_exports;
use list::{role_list, role_list_skeleton};
use state::context::RolesContext;
use state::list_state::ListState;
use state::navigation::{Navigation, RolesView};
pub use state::navigation::{RolesFrame, VIEW_QUERY};
use state::role_store::RoleStore;
pub use tool_exports::RoleToolsExports;

/// Exports of this lazy chunk, which a page with a booking list does not load.
pub struct ChunkExports {
    screen: fn(&Config, LazyChunk<RoleToolsExports>) -> Node,
    css: &'static str,
}

/// Returns the chunk exports for binaries and the app.
pub fn exports() -> &'static ChunkExports {
    static EXPORTS: ChunkExports = ChunkExports {
        screen: roles_or_notice,
        css: styles::ROLES,
    };
    &EXPORTS
}

/// Lists and edits the roles of the team or organisation that the page names.
#[component]
pub fn Roles(
    /// Page options.
    config: Config,
    /// Chunk of the screen.
    chunk: ChunkSource<ChunkExports>,
    /// Chunk of the role tools.
    tools: ChunkSource<RoleToolsExports>,
) -> Node {
    let page = use_page();
    let chunk = LazyChunk::new(chunk);
    let page_of_chunk = page.clone();
    chunk.on_load(move |exports: &ChunkExports| page_of_chunk.add_style(exports.css));
    let tools = LazyChunk::new(tools);
    tools.on_load(move |exports: &RoleToolsExports| page.add_style(exports.css));
    lazy_view(
        chunk,
        |content| card().child(content),
        move |exports| untrack(|| (exports.screen)(&config, tools)),
    )
}

/// Roles, or a notice if the page sets no session or no team.
fn roles_or_notice(config: &Config, tools: LazyChunk<RoleToolsExports>) -> Node {
    let texts = use_texts();
    let notice = |shape: Shape, title, text| {
        localized(move || notice_card(shape, texts.get(title), texts.get(text)))
    };
    let team_id = config.team_id;
    let path = config.org_id.map(|org_id| RolesPath { org_id, team_id });
    match (use_settings().has_session, path) {
        (false, _) => notice(Shape::Lock, Key::NoSessionTitle, Key::NoSessionText),
        (true, None) => notice(Shape::People, Key::NoTeamTitle, Key::NoTeamText),
        (true, Some(path)) => roles(path, tools),
    }
}

/// State of the list.
#[derive(Clone, PartialEq)]
enum LoadState {
    Loading,
    Failed(ApiError),
    Empty,
    Loaded,
}

impl LoadState {
    fn is_forbidden(&self) -> bool {
        let forbidden = ApiError::Declined(DeclineReason::Forbidden);
        matches!(self, Self::Failed(error) if *error == forbidden)
    }
}

fn roles(path: RolesPath, tools: LazyChunk<RoleToolsExports>) -> Node {
    let root = el("section")
        .class("card roles")
        .attr("part", "card")
        .attr("aria-labelledby", "roles-title");
    let context = RolesContext::new(path, root.element());
    let store = RoleStore::new(roles_query(path));
    let list = ListState::new();
    let navigation = Navigation::new(context);

    let loaded = store.query.signal();
    let load_state = Signal::memo(move || {
        loaded.with(|loaded| match loaded {
            Load::Pending => LoadState::Loading,
            Load::Failed(error) => LoadState::Failed(error.clone()),
            Load::Ready(roles) if roles.is_empty() => LoadState::Empty,
            Load::Ready(_) => LoadState::Loaded,
        })
    });

    let page = context.page();
    on_failure(loaded, move |code| {
        let what = "roles";
        // No default action follows that the page could prevent.
        let _ = page.emit(&TeamEvent::LoadFailed { code, what });
    });
    effect(move || {
        if let Some(roles) = loaded.with(|loaded| loaded.ready().cloned()) {
            store.roles.set(roles);
        }
    });
    store.read_members(context);
    effect(move || {
        if load_state.get() == LoadState::Loaded {
            tools.fetch_after_paint();
        }
    });
    report_unsaved_changes(move || navigation.draft.has_any_unsaved());
    navigation.follow_history(move || list.selected.with(|selected| selected.len() > 1));
    let is_forbidden = Signal::memo(move || load_state.with(LoadState::is_forbidden));
    effect(move || {
        if let Some(frame) = navigation.frame.filter(|_| is_forbidden.get()) {
            frame.is_forbidden.set(true);
        }
    });
    // Deleted roles cannot be compared.
    effect(move || {
        let selected = list.selected.get();
        let exists = |id: &String| store.contains(id);
        if !selected.iter().all(exists) {
            list.selected.update(|selected| selected.retain(exists));
        }
    });
    // The role to focus takes the focus once it is listed.
    effect(move || {
        let id = navigation.role_to_focus.get();
        let is_listed = store
            .roles
            .with(|roles| roles.iter().any(|role| id.as_ref() == Some(&role.id)));
        if is_listed && navigation.view.get() == RolesView::List {
            navigation.focus_role();
        }
    });
    root.child(localized(move || {
        fragment()
            .child(head(context.texts, navigation, is_forbidden))
            .child(session_notice())
            .child(body(context, store, list, navigation, load_state, tools))
    }))
}

fn roles_query(path: RolesPath) -> Latest<Vec<Role>> {
    let session = use_session();
    latest(
        move || Some(path),
        move |path, abort| {
            let session = session.clone();
            async move { session.roles(path, abort).await }
        },
    )
}

/// Title and the button for a new role, which is hidden from those who may not see the roles.
fn head(texts: Translations, navigation: Navigation, is_forbidden: Signal<bool>) -> Node {
    let title = heading(0)
        .class("roles-title")
        .attr("id", "roles-title")
        .attr("part", "title")
        .child(texts.get(Key::Roles));
    let is_hidden = move || navigation.view.get() != RolesView::List || is_forbidden.get();
    let create = button("button roles-new", move || navigation.create())
        .attr("part", "new-role")
        .flag_with("hidden", is_hidden)
        .child(icon(Shape::Add))
        .child(texts.get(Key::NewRole));
    el("div").class("roles-head").child(title).child(create)
}

/// Current view.
fn body(
    context: RolesContext,
    store: RoleStore,
    list: ListState,
    navigation: Navigation,
    load_state: Signal<LoadState>,
    tools: LazyChunk<RoleToolsExports>,
) -> Node {
    let texts = context.texts;
    let view = move || match navigation.view.get() {
        RolesView::Editor => with_tools(texts, navigation, tools, move |tools| {
            (tools.editor)(context, store, list, navigation)
        }),
        RolesView::Comparison => with_tools(texts, navigation, tools, move |tools| {
            (tools.comparison)(context, store, list, navigation)
        }),
        RolesView::List => match load_state.get() {
            LoadState::Loading => role_list_skeleton(texts),
            LoadState::Failed(error) if is_noticed(&error, &context.session()) => fragment(),
            LoadState::Failed(error) => load_error(&error, context, store),
            LoadState::Empty => notice(
                Shape::People,
                texts.get(Key::NoRolesTitle),
                texts.get(Key::NoRolesText),
            ),
            LoadState::Loaded => role_list(context, store, list, navigation, tools),
        },
    };
    let is_busy = store.query.is_busy();
    el("div")
        .class("roles-body")
        .flag_with("aria-busy", move || is_busy.get())
        .child_with(view)
}

/// Renders `view` with the tools, and a back button until they are loaded.
fn with_tools(
    texts: Translations,
    navigation: Navigation,
    tools: LazyChunk<RoleToolsExports>,
    view: impl Fn(&RoleToolsExports) -> Node + 'static,
) -> Node {
    let around = move |content| {
        let back = button("button", move || navigation.close_editor());
        el("div")
            .class("role-away")
            .child(content)
            .child(back.child(texts.get(Key::BackToRoles)))
    };
    lazy_view(tools, around, move |tools| {
        untrack(|| {
            navigation.apply_focus();
            view(tools)
        })
    })
}

/// Error notice, worded for the team if it concerns the team.
fn load_error(error: &ApiError, context: RolesContext, store: RoleStore) -> Node {
    let texts = context.texts;
    let team_notice = match error {
        ApiError::Declined(DeclineReason::NotFound) => {
            Some((Shape::People, Key::TeamNotFoundTitle, Key::TeamNotFoundText))
        }
        ApiError::Declined(DeclineReason::NotPublic) => {
            Some((Shape::Lock, Key::NoSessionTitle, Key::NoSessionText))
        }
        _ => None,
    };
    if let Some((shape, title, text)) = team_notice {
        return notice(shape, texts.get(title), texts.get(text));
    }
    error_notice(error, move || {
        store.reload();
        // The focused button disappears.
        context.focus(".roles-new");
    })
}
