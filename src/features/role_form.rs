//! Roles of a team or an organisation: the list, a form that creates and changes them, and a
//! comparison.

pub mod color;
mod color_field;
mod comparison;
mod desk;
mod difference;
mod draft;
mod editor;
mod list;
mod matrix;
pub mod model;
mod panel;
pub mod presets;
pub mod rules;
mod saving;
pub mod set;
mod spot;
mod tools;
mod words;

use booking_wire::Role;
use leptos::prelude::*;

use crate::api::roles::RolesPath;
use crate::api::{ApiError, DeclineReason};
use crate::components::{Shape, button, heading, icon, use_status_line};
use crate::dom::{Html, el, nothing};
use crate::embed::Config;
use crate::embed::events::use_page;
use crate::features::team_news::TeamEvent;
use crate::features::use_settings;
use crate::i18n::{Key, spoken, use_formats, use_texts};
use crate::load::{Load, latest, on_failure};
use crate::parts::{ChunkSource, LazyChunk};
use crate::problem::{card, is_noticed, notice, notice_card, problem, session_notice};
use crate::session::use_session;
use crate::signal::{RwSignal, Signal, StoredValue, follow};
use crate::theme;

use desk::{RolesContext, RolesState, View};
use draft::Draft;
use list::{role_list, waiting_roles};
use set::Level;
pub use tools::{Tools, tools};

/// Exports of this lazy chunk, which a page with a booking list does not load.
pub struct ChunkExports {
    screen: fn(&Config, LazyChunk<Tools>) -> Html,
    css: &'static str,
}

/// Returns the chunk exports for binaries and the app.
pub fn doors() -> &'static ChunkExports {
    static DOORS: ChunkExports = ChunkExports {
        screen: opened,
        css: theme::ROLES,
    };
    &DOORS
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
) -> Html {
    let page = use_page();
    let part = LazyChunk::new(after);
    let styled = page.clone();
    part.on_arrival(move |doors: &ChunkExports| styled.add_style(1, doors.css));
    let tools = LazyChunk::new(tools);
    tools.on_arrival(move |tools: &Tools| page.add_style(2, tools.css));
    part.show(
        |content| card().add(content),
        move |doors| untrack(|| (doors.screen)(&config, tools)),
    )
}

fn opened(config: &Config, tools: LazyChunk<Tools>) -> Html {
    let texts = use_texts();
    let instead = |shape: Shape, title, text| {
        spoken(move || notice_card(shape, texts.get(title), texts.get(text)))
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

fn roles_of(path: RolesPath, tools: LazyChunk<Tools>) -> Html {
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
        let _ = telling.tell(&TeamEvent::LoadFailed { code, what });
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
            tools.fetch_soon();
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
    root.add(spoken(move || screen(desk, stage)))
}

fn screen(desk: RolesState, stage: Signal<ScreenState>) -> Html {
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
            ScreenState::Failed(error) if is_noticed(&error, &desk.session()) => nothing(),
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
        .add(texts.get(Key::Roles));
    let is_away = move || desk.view.get() != View::List;
    let new = button("button roles-new", move || desk.make())
        .attr("part", "new-role")
        .flag_with("hidden", is_away)
        .add(icon(Shape::Add))
        .add(texts.get(Key::NewRole));
    let body = el("div")
        .class("roles-body")
        .flag_with("aria-busy", move || is_reading.get())
        .show(body);
    nothing()
        .add(el("div").class("roles-head").add(title).add(new))
        .add(session_notice())
        .add(body)
}

/// Renders `view` with the tools, and a back button until they are loaded.
fn with_tools(desk: RolesState, view: impl Fn(&Tools) -> Html + 'static) -> Html {
    let around = move |content| {
        let back = button("button", move || desk.close());
        el("div")
            .class("role-away")
            .add(content)
            .add(back.add(desk.texts.get(Key::BackToRoles)))
    };
    desk.tools
        .show(around, move |tools| untrack(|| view(tools)))
}

/// Error notice, worded for the team if it concerns the team.
fn failure(error: &ApiError, desk: RolesState) -> Html {
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
