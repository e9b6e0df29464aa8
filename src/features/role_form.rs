//! The team's roles: what there is, and a form that makes new ones.

mod form;
mod list;
pub mod model;
mod words;

use booking_wire::{NewRole, Role};
use leptos::prelude::*;
use leptos::task::spawn_local;
use send_wrapper::SendWrapper;

use crate::api::{Abort, ApiError, Refusal};
use crate::components::focus::focus_first_soon;
use crate::components::{Shape, button, heading, icon, live_region};
use crate::dom::{Html, el};
use crate::embed::Config;
use crate::embed::events::use_page;
use crate::features::team_news::TeamNews;
use crate::features::use_settings;
use crate::i18n::{Key, Texts, spoken, use_texts};
use crate::load::{Latest, Load, latest};
use crate::parts::{Part, Source};
use crate::problem::{card, notice, notice_card, problem, words};
use crate::session::use_session;
use crate::signal::{RwSignal, Signal};
use crate::theme;

use form::{Draft, RoleForm, Setback};
use list::{role_list, waiting_roles};

/// How long making a role may take before its outcome counts as unknown.
const CREATE_TIMEOUT_MS: u64 = 30_000;

/// The way to all of it, which is a part of its own: a page with a list need not pay for it.
pub struct Doors {
    screen: fn(&Config) -> Html,
    css: &'static str,
}

/// The doors to the roles. Only programs name them.
pub fn doors() -> &'static Doors {
    static DOORS: Doors = Doors {
        screen,
        css: theme::ROLES,
    };
    &DOORS
}

/// Lists the roles of the team that the page names and makes new ones.
#[component]
pub fn Roles(
    /// What the page set.
    config: Config,
    /// Where they are.
    after: Source<Doors>,
) -> Html {
    let page = use_page();
    let part = Part::new(after);
    part.on_arrival(move |doors: &Doors| page.add_style(doors.css));
    part.show(
        |content| card().add(content),
        move |doors| untrack(|| (doors.screen)(&config)),
    )
}

fn screen(config: &Config) -> Html {
    let texts = use_texts();
    let instead = |shape: Shape, title, text| {
        spoken(move || notice_card(shape, texts.get(title), texts.get(text)))
    };
    let team = config.org_id.zip(config.team_id);
    match (use_settings().has_session, team) {
        (false, _) => instead(Shape::Lock, Key::NoSessionTitle, Key::NoSessionText),
        (true, None) => instead(Shape::People, Key::NoTeamTitle, Key::NoTeamText),
        (true, Some((org_id, team_id))) => team_roles(org_id, team_id),
    }
}

fn team_roles(org_id: i64, team_id: i64) -> Html {
    let session = use_session();
    let texts = use_texts();
    let page = use_page();

    let draft = Draft::new();
    let is_open = RwSignal::new(false);
    let is_busy = RwSignal::new(false);
    let setback = RwSignal::new(None::<Setback>);
    let news = RwSignal::new(String::new());
    // The role just made: it takes the focus once it is in the list.
    let newest = RwSignal::new(None::<String>);

    let roles = {
        let session = session.clone();
        latest(
            move || Some((org_id, team_id)),
            move |(org_id, team_id), abort| {
                let session = session.clone();
                async move { session.roles(org_id, team_id, abort).await }
            },
        )
    };
    let answer = roles.signal();
    let taken = Signal::memo(move || {
        answer.with(|answer| {
            let roles = answer.ready().map(Vec::as_slice).unwrap_or_default();
            roles
                .iter()
                .map(|role| role.name.clone())
                .collect::<Vec<_>>()
        })
    });

    spoken(move || {
        let root = el("section")
            .class("card roles")
            .attr("part", "card")
            .attr("aria-labelledby", "roles-title");
        let node = root.element();
        Effect::new({
            let node = node.clone();
            move |_| {
                let is_listed = answer.with(|answer| {
                    let roles = answer.ready().map(Vec::as_slice).unwrap_or_default();
                    newest.with(|newest| roles.iter().any(|role| newest.as_ref() == Some(&role.id)))
                });
                if is_listed {
                    focus_first_soon(node.clone(), "[data-new]");
                }
            }
        });
        let open = {
            let node = node.clone();
            move || {
                is_open.set(true);
                focus_first_soon(node.clone(), "#role-name");
            }
        };
        let close = SendWrapper::new(move || {
            is_open.set(false);
            focus_first_soon(node.clone(), ".roles-new");
        });
        let (session, page) = (session.clone(), page.clone());
        let create = SendWrapper::new(move |role: NewRole| {
            is_busy.set(true);
            setback.set(None);
            let session = session.clone();
            let page = page.clone();
            spawn_local(async move {
                let abort = Abort::after(CREATE_TIMEOUT_MS);
                let outcome = session.create_role(org_id, team_id, role, abort).await;
                is_busy.set(false);
                match outcome {
                    Ok(role) => {
                        page.tell(&TeamNews::RoleCreated {
                            id: role.id.clone(),
                        });
                        news.set(texts.fill(Key::RoleCreated, &[("name", &role.name)]));
                        newest.set(Some(role.id));
                        is_open.set(false);
                        draft.clear();
                    }
                    Err(error) => setback.set(Some(setback_of(&error, texts))),
                }
                // After a failure too: it shows whether the name was taken meanwhile, or whether the
                // role was made although no answer came.
                roles.again();
            });
        });

        let body = move || {
            answer.with(|answer| match answer {
                Load::Pending => waiting_roles(texts),
                Load::Failed(error) => failure(error, roles, texts),
                Load::Ready(roles) if roles.is_empty() => notice(
                    Shape::People,
                    texts.get(Key::NoRolesTitle),
                    texts.get(Key::NoRolesText),
                ),
                Load::Ready(roles) => {
                    newest.with(|newest| role_list(roles, newest.as_deref(), texts))
                }
            })
        };
        let is_reading = roles.is_busy();
        let title = heading(0)
            .class("roles-title")
            .attr("id", "roles-title")
            .attr("part", "title")
            .add(texts.get(Key::Roles));
        let new = button("button roles-new", open)
            .attr("part", "new-role")
            .attr("aria-controls", "role-form")
            .attr_with("aria-expanded", move || Some(is_open.get().to_string()))
            .flag_with("hidden", move || is_open.get())
            .add(icon(Shape::Add))
            .add(texts.get(Key::NewRole));
        let form = view! {
            <RoleForm
                draft
                taken
                is_busy
                setback
                on_submit=move |role: NewRole| (*create)(role)
                on_close=move |()| (*close)()
            />
        };
        let form = el("div")
            .class("role-form")
            .attr("id", "role-form")
            .flag_with("hidden", move || !is_open.get())
            .add(form);
        let body = el("div")
            .class("roles-body")
            .flag_with("aria-busy", move || is_reading.get())
            .show(body);

        root.add(el("div").class("roles-head").add(title).add(new))
            .add(form)
            .add(body)
            .add(live_region(move || news.get()))
    })
}

fn setback_of(error: &ApiError, texts: Texts) -> Setback {
    let (title, text) = match error {
        ApiError::Declined(Refusal::Invalid(message)) => {
            (texts.get(Key::RoleRefusedTitle).to_owned(), message.clone())
        }
        ApiError::Declined(_) => {
            let (reason, text) = words(error, texts);
            let title = texts.get(Key::RoleRefusedTitle);
            (title.to_owned(), format!("{reason}. {text}"))
        }
        ApiError::Unreachable | ApiError::Unexpected { .. } => (
            texts.get(Key::RoleUnknownTitle).to_owned(),
            texts.get(Key::RoleUnknownText).to_owned(),
        ),
    };
    Setback { title, text }
}

/// A refusal that has to do with the team is worded for the team.
fn failure(error: &ApiError, roles: Latest<Vec<Role>>, texts: Texts) -> Html {
    if *error == ApiError::Declined(Refusal::NotFound) {
        let (title, text) = (Key::TeamNotFoundTitle, Key::TeamNotFoundText);
        return notice(Shape::People, texts.get(title), texts.get(text));
    }
    problem(error, move || roles.again())
}
