//! Dependencies of the views: texts, settings, session and page.

use booking_ui::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::super::permissions::permission_set::RoleScope;
use super::list_focus::restore_list_focus;
use crate::client::operations::roles::RolesPath;
use crate::client::session::{Session, use_session};
use crate::components::focus::focus_first_soon;
use crate::components::{StatusLine, use_status_line};
use crate::i18n::{Translations, use_formats, use_texts};
use crate::page::events::{Page, use_page};
use crate::page::settings::{Settings, use_settings};
use crate::time::Formats;

/// Dependencies of the views.
#[derive(Clone, Copy)]
pub(crate) struct RolesContext {
    pub(crate) texts: Translations,
    pub(crate) formats: Formats,
    pub(crate) settings: Settings,
    pub(crate) status_line: StatusLine,
    pub(crate) path: RolesPath,
    handles: StoredValue<Handles>,
}

/// Dependencies that cannot be copied.
struct Handles {
    session: Session,
    page: Page,
    /// Root element of the screen.
    root: HtmlElement,
}

impl RolesContext {
    /// Reads the contexts of the mounted root.
    pub(crate) fn new(path: RolesPath, root: HtmlElement) -> Self {
        Self {
            texts: use_texts(),
            formats: use_formats(),
            settings: use_settings(),
            status_line: use_status_line(),
            path,
            handles: StoredValue::new(Handles {
                session: use_session(),
                page: use_page(),
                root,
            }),
        }
    }

    /// API session.
    pub(crate) fn session(self) -> Session {
        self.handles.with_value(|handles| handles.session.clone())
    }

    /// Embedding page.
    pub(crate) fn page(self) -> Page {
        self.handles.with_value(|handles| handles.page.clone())
    }

    /// Scope of the roles.
    pub(crate) fn scope(self) -> RoleScope {
        match self.path.team_id {
            Some(_) => RoleScope::Team,
            None => RoleScope::Organization,
        }
    }

    /// True once the screen is disposed, as the page may do during a request.
    pub(crate) fn is_disposed(self) -> bool {
        self.handles.is_disposed()
    }

    /// Focuses the first match of `selector` after the next render.
    pub(crate) fn focus(self, selector: &'static str) {
        self.handles
            .with_value(|handles| focus_first_soon(handles.root.clone(), selector));
    }

    /// Scrolls the first match of `selector` into view.
    pub(crate) fn reveal(self, selector: &'static str) {
        request_animation_frame(move || {
            if let Some(element) = self.find(selector) {
                element.scroll_into_view();
            }
        });
    }

    /// Returns the first match of `selector`; `None` once the screen is disposed.
    pub(crate) fn find(self, selector: &str) -> Option<HtmlElement> {
        let element = self
            .handles
            .try_with_value(|handles| handles.root.query_selector(selector))?;
        Some(element.ok()??.unchecked_into())
    }

    /// Restores the focus in the list after its next render, if the focused element is removed.
    pub(crate) fn keep_list_focus(self) {
        self.handles
            .with_value(|handles| restore_list_focus(&handles.root));
    }
}
