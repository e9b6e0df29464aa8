//! Roles of a team or an organisation: the list, a form that creates and changes them, and a
//! comparison.

mod chunk;
mod color_field;
mod comparison;
pub mod dependencies;
mod difference;
mod draft;
mod editor;
mod labels;
mod list;
mod list_focus;
mod matrix;
pub mod model;
mod panel;
pub mod permission_set;
pub mod presets;
pub mod role_color;
mod roles_state;
mod saving;

use booking_wire::Role;
use leptos::prelude::*;

use crate::client::query::{Load, latest, on_failure};
use crate::client::roles::RolesPath;
use crate::client::session::use_session;
use crate::client::{ApiError, DeclineReason};
use crate::components::{Shape, button, heading, icon, use_status_line};
use crate::element::attributes::Config;
use crate::element::events::use_page;
use crate::element::settings::use_settings;
use crate::element::team_events::TeamEvent;
use crate::features::shared::error_notice::{
    card, is_noticed, notice, notice_card, problem, session_notice,
};
use crate::features::shared::lazy_view::lazy_view;
use crate::i18n::{Key, localized, use_formats, use_texts};
use crate::ui::dom::{Node, el, fragment};
use crate::ui::lazy::{ChunkSource, LazyChunk};
use crate::ui::signal::{RwSignal, Signal, StoredValue, follow};
use crate::ui::theme;

pub use chunk::{Tools, tools};
use draft::Draft;
use list::{role_list, waiting_roles};
use permission_set::Level;
use roles_state::{RolesContext, RolesState, View};

/// Exports of this lazy chunk, which a page with a booking list does not load.
pub struct ChunkExports {
    screen: fn(&Config, LazyChunk<Tools>) -> Node,
    css: &'static str,
}

/// Returns the chunk exports for binaries and the app.
pub fn exports() -> &'static ChunkExports {
    static EXPORTS: ChunkExports = ChunkExports {
        screen: opened,
        css: theme::ROLES,
    };
    &EXPORTS
}

/// Lists and edits the roles of the team or organisation that the page names.
#[component]
pub fn Roles(
    /// Page options.
    config: Config,
    /// Screen chunk.
    after: ChunkSource<ChunkExports>,
    /// Chunk of the tools.
    tools: ChunkSource<Tools>,
) -> Node {
    let page = use_page();
    let part = LazyChunk::new(after);
    let styled = page.clone();
    part.on_load(move |exports: &ChunkExports| styled.add_style(1, exports.css));
    let tools = LazyChunk::new(tools);
    tools.on_load(move |tools: &Tools| page.add_style(2, tools.css));
    lazy_view(
        part,
        |content| card().child(content),
        move |exports| untrack(|| (exports.screen)(&config, tools)),
    )
}

fn opened(config: &Config, tools: LazyChunk<Tools>) -> Node {
    let texts = use_texts();
    let instead = |shape: Shape, title, text| {
        localized(move || notice_card(shape, texts.get(title), texts.get(text)))
    };
    let team_id = config.team_id;
    let path = config.org_id.map(|org_id| RolesPath { org_id, team_id });
    match (use_settings().has_session, path) {
        (false, _) => instead(Shape::Lock, Key::NoSessionTitle, Key::NoSessionText),
        (true, None) => instead(Shape::People, Key::NoTeamTitle, Key::NoTeamText),
        (true, Some(path)) => roles_of(path, tools),
    }
}

/// State of the list.
#[derive(Clone, PartialEq)]
enum ScreenState {
    Waiting,
    Failed(ApiError),
    Empty,
    Shown,
}

fn roles_of(path: RolesPath, tools: LazyChunk<Tools>) -> Node {
    let session = use_session();
    let texts = use_texts();
    let formats = use_formats();
    let page = use_page();

    let answer = {
        let session = session.clone();
        latest(
            move || Some(path),
            move |path, abort| {
                let session = session.clone();
                async move { session.roles(path, abort).await }
            },
        )
    };
    let known = RwSignal::new(Vec::<Role>::new());
    let told = answer.signal();
    let telling = page.clone();
    on_failure(told, move |code| {
        let what = "roles";
        // No default action follows that the page could prevent.
        let _ = telling.emit(&TeamEvent::LoadFailed { code, what });
    });
    follow(move || {
        if let Some(roles) = told.with(|told| told.ready().cloned()) {
            known.set(roles);
        }
    });
    let stage = Signal::memo(move || {
        told.with(|told| match told {
            Load::Pending => ScreenState::Waiting,
            Load::Failed(error) => ScreenState::Failed(error.clone()),
            Load::Ready(roles) if roles.is_empty() => ScreenState::Empty,
            Load::Ready(_) => ScreenState::Shown,
        })
    });
    let level = match path.team_id {
        Some(_) => Level::Team,
        None => Level::Organization,
    };
    let root = el("section")
        .class("card roles")
        .attr("part", "card")
        .attr("aria-labelledby", "roles-title");
    let desk = RolesState {
        texts,
        formats,
        line: use_status_line(),
        settings: use_settings(),
        path,
        answer,
        roles: known,
        holders: RwSignal::new(None),
        me: RwSignal::new(None),
        view: RwSignal::new(View::List),
        draft: Draft::new(level),
        opened: RwSignal::new(Vec::new()),
        adding: RwSignal::default(),
        step: RwSignal::new(None),
        busy: RwSignal::new(Vec::new()),
        asked: RwSignal::new(None),
        refused: RwSignal::new(None),
        lost: RwSignal::new(None),
        picked: RwSignal::new(Vec::new()),
        marked: RwSignal::new(None),
        search: RwSignal::new(String::new()),
        is_compact: RwSignal::new(false),
        permission_search: RwSignal::new(String::new()),
        only_differences: RwSignal::new(false),
        next_focus: StoredValue::new(None),
        tools,
        world: StoredValue::new(RolesContext {
            session,
            page,
            root: root.element(),
        }),
    };
    desk.read_holders();
    follow(move || {
        if stage.get() == ScreenState::Shown {
            tools.fetch_after_paint();
        }
    });
    // Deleted roles cannot be compared.
    follow(move || {
        let picked = desk.picked.get();
        let is_there = |id: &String| known.with(|roles| roles.iter().any(|role| role.id == *id));
        if !picked.iter().all(is_there) {
            desk.picked.update(|picked| picked.retain(is_there));
        }
    });
    // The marked role takes the focus once it is listed.
    follow(move || {
        let marked = desk.marked.get();
        let is_listed =
            known.with(|roles| roles.iter().any(|role| marked.as_ref() == Some(&role.id)));
        if is_listed && desk.view.get() == View::List {
            desk.focus_marked();
        }
    });
    root.child(localized(move || screen(desk, stage)))
}

fn screen(desk: RolesState, stage: Signal<ScreenState>) -> Node {
    let texts = desk.texts;
    let body = move || match desk.view.get() {
        View::Editor => with_tools(desk, move |tools| {
            desk.focus_next();
            (tools.editor)(desk)
        }),
        View::Comparison => with_tools(desk, move |tools| {
            desk.focus_next();
            (tools.comparison)(desk)
        }),
        View::List => match stage.get() {
            ScreenState::Waiting => waiting_roles(texts),
            ScreenState::Failed(error) if is_noticed(&error, &desk.session()) => fragment(),
            ScreenState::Failed(error) => failure(&error, desk),
            ScreenState::Empty => notice(
                Shape::People,
                texts.get(Key::NoRolesTitle),
                texts.get(Key::NoRolesText),
            ),
            ScreenState::Shown => role_list(desk),
        },
    };
    let is_reading = desk.answer.is_busy();
    let title = heading(0)
        .class("roles-title")
        .attr("id", "roles-title")
        .attr("part", "title")
        .child(texts.get(Key::Roles));
    let is_away = move || desk.view.get() != View::List;
    let new = button("button roles-new", move || desk.make())
        .attr("part", "new-role")
        .flag_with("hidden", is_away)
        .child(icon(Shape::Add))
        .child(texts.get(Key::NewRole));
    let body = el("div")
        .class("roles-body")
        .flag_with("aria-busy", move || is_reading.get())
        .child_with(body);
    fragment()
        .child(el("div").class("roles-head").child(title).child(new))
        .child(session_notice())
        .child(body)
}

/// Renders `view` with the tools, and a back button until they are loaded.
fn with_tools(desk: RolesState, view: impl Fn(&Tools) -> Node + 'static) -> Node {
    let around = move |content| {
        let back = button("button", move || desk.close());
        el("div")
            .class("role-away")
            .child(content)
            .child(back.child(desk.texts.get(Key::BackToRoles)))
    };
    lazy_view(desk.tools, around, move |tools| untrack(|| view(tools)))
}

/// Error notice, worded for the team if it concerns the team.
fn failure(error: &ApiError, desk: RolesState) -> Node {
    let texts = use_texts();
    let instead = match error {
        ApiError::Declined(DeclineReason::NotFound) => {
            Some((Shape::People, Key::TeamNotFoundTitle, Key::TeamNotFoundText))
        }
        ApiError::Declined(DeclineReason::NotPublic) => {
            Some((Shape::Lock, Key::NoSessionTitle, Key::NoSessionText))
        }
        _ => None,
    };
    if let Some((shape, title, text)) = instead {
        return notice(shape, texts.get(title), texts.get(text));
    }
    problem(error, move || {
        desk.answer.again();
        // The focused button disappears.
        desk.focus(".roles-new");
    })
}
