//! Saved views: named queries of the list. The page can store them.

mod model;

use booking_ui::prelude::*;
use web_sys::HtmlElement;

use super::query::query_state::ListQuery;
use crate::components::command_palette::Command;
use crate::components::{
    Shape, StatusLine, TextField, button, focus::focus_id_soon, use_status_line,
};
use crate::i18n::{Key, Translations};
use crate::page::stored_state::{StoredViews, use_stored_views};
use model::{
    ActiveView, SavedView, ViewNameError, active_view as active_view_of, add, overwrite,
    parse_views, rename, to_json,
};

/// Id of the name field.
const NAME_ID: &str = "view-name";

/// Saved views of a list.
#[derive(Clone, Copy)]
struct SavedViews {
    texts: Translations,
    query: ListQuery,
    status_line: StatusLine,
    stored: StoredViews,
    /// Name of the view that was selected or saved last.
    selected: RwSignal<Option<String>>,
    /// View that the list currently shows.
    active: Signal<ActiveView>,
    name: RwSignal<String>,
    /// View to be renamed; `None` creates a new one.
    renamed: RwSignal<Option<String>>,
    name_error: RwSignal<Option<ViewNameError>>,
}

/// Provides the saved views of a list as a context.
pub(super) fn provide(texts: Translations, query: ListQuery) {
    let stored = use_stored_views();
    let selected = RwSignal::new(None::<String>);
    let active = Signal::memo(move || {
        let text = query.text();
        let selected = selected.get();
        let mut views = stored.views.with(parse_views);
        for view in &mut views {
            // Pages may write them differently.
            view.query = query.normalize(&view.query);
        }
        active_view_of(&views, selected.as_deref(), &text)
    });
    provide_context(SavedViews {
        texts,
        query,
        status_line: use_status_line(),
        stored,
        selected,
        active,
        name: RwSignal::new(String::new()),
        renamed: RwSignal::new(None),
        name_error: RwSignal::new(None),
    });
}

/// Label of the button that opens the views: the active view.
pub(super) fn active_view() -> Node {
    let Some(SavedViews { texts, active, .. }) = use_context() else {
        return fragment();
    };
    fragment().text_with(move || {
        let (key, name) = match active.get() {
            ActiveView::None => return texts.get(Key::Views).to_owned(),
            ActiveView::View(name) => (Key::ViewHeld, name),
            ActiveView::Changed(name) => (Key::ViewChanged, name),
        };
        texts.fill(key, &[("name", &name)])
    })
}

/// List of views, with a form to create and rename them.
pub(super) fn views() -> Node {
    use_context::<SavedViews>().map_or_else(fragment, SavedViews::view)
}

/// Returns the commands of a palette that apply the views.
pub(super) fn view_commands() -> impl Fn() -> Vec<Command> {
    let saved = use_context::<SavedViews>();
    move || {
        let commands = saved.into_iter().flat_map(|saved| {
            let views = saved.stored.views.with(parse_views).into_iter();
            views.map(move |view| Command {
                note: saved.texts.get(Key::Views).to_owned(),
                ..Command::new(view.name.clone(), Shape::Bookmark, move || {
                    saved.select(&view)
                })
            })
        });
        commands.collect()
    }
}

impl SavedViews {
    fn views(self) -> Vec<SavedView> {
        self.stored.views.with_untracked(parse_views)
    }

    fn store(self, views: Vec<SavedView>) {
        self.stored.store(to_json(&views));
    }

    fn announce(self, key: Key, name: &str) {
        self.status_line
            .set_text(self.texts.fill(key, &[("name", name)]));
    }

    fn select(self, view: &SavedView) {
        self.selected.set(Some(view.name.clone()));
        self.query.apply_text(&view.query);
    }

    /// Resets the form, to rename a view or to create one.
    fn reset_form(self, renamed: Option<String>) {
        self.name_error.set(None);
        self.name.set(renamed.clone().unwrap_or_default());
        self.renamed.set(renamed);
    }

    /// Saves the view under the typed name.
    fn save(self) {
        let mut views = self.views();
        let name = self.name.get_untracked();
        let renamed = self.renamed.get_untracked();
        let result = match &renamed {
            Some(before) => rename(&mut views, before, &name),
            None => add(&mut views, &name, untrack(|| self.query.text())),
        };
        match result {
            Err(error) => self.name_error.set(Some(error)),
            Ok(name) => {
                let is_selected = self
                    .selected
                    .with_untracked(|selected| *selected == renamed);
                if renamed.is_none() || is_selected {
                    self.selected.set(Some(name.clone()));
                }
                self.reset_form(None);
                self.store(views);
                self.announce(Key::ViewSaved, &name);
            }
        }
    }

    fn overwrite(self, name: &str) {
        let mut views = self.views();
        overwrite(&mut views, name, untrack(|| self.query.text()));
        self.store(views);
        self.announce(Key::ViewSaved, name);
    }

    fn delete(self, name: &str) {
        let mut views = self.views();
        views.retain(|view| view.name != name);
        self.reset_form(None);
        self.store(views);
        self.announce(Key::ViewDeleted, name);
    }

    fn view(self) -> Node {
        let texts = self.texts;
        let panel = el("div").class("views");
        let root = panel.element();
        let list = move || {
            let views = self.stored.views.with(parse_views);
            if views.is_empty() {
                return el("p").class("filter-note").child(texts.get(Key::NoViews));
            }
            let items = views.into_iter().enumerate();
            el("ul")
                .class("views-list")
                .attr("aria-label", texts.get(Key::Views))
                .child(fragment_of(
                    items.map(|(index, view)| self.item(index, view, root.clone())),
                ))
        };
        panel.child_with(list).child(self.form())
    }

    /// View with its buttons.
    fn item(self, index: usize, view: SavedView, root: HtmlElement) -> Node {
        let texts = self.texts;
        let name = view.name.clone();
        let id = format!("view-{index}");
        let (active_name, changed_name) = (name.clone(), name.clone());
        let is_active = move || self.active.get() == ActiveView::View(active_name.clone());
        let select = button("view-pick", move || self.select(&view))
            .attr("id", &id)
            .attr("dir", "auto")
            .attr_with("aria-pressed", move || Some(is_active().to_string()))
            .child(name.as_str());
        // All views have the same labels: the description names the view.
        let labelled_button = |key: Key, on_click: Box<dyn Fn()>| {
            button("button-quiet", on_click)
                .attr("aria-describedby", &id)
                .child(texts.get(key))
        };
        let overwritten = name.clone();
        let update = move || {
            let is_changed = self.active.get() == ActiveView::Changed(changed_name.clone());
            let name = overwritten.clone();
            is_changed.then(|| {
                button("button", move || self.overwrite(&name)).child(texts.get(Key::UpdateView))
            })
        };
        let (renamed, deleted, form_root) = (name.clone(), name, root.clone());
        let rename = labelled_button(
            Key::RenameView,
            Box::new(move || {
                self.reset_form(Some(renamed.clone()));
                focus_id_soon(&root, NAME_ID);
            }),
        );
        let delete = labelled_button(
            Key::DeleteView,
            Box::new(move || {
                self.delete(&deleted);
                // The button is removed.
                focus_id_soon(&form_root, NAME_ID);
            }),
        );
        el("li")
            .class("view-line")
            .child(select)
            .child_with(update)
            .child(rename)
            .child(delete)
    }

    fn form(self) -> Node {
        let texts = self.texts;
        let Self {
            name,
            renamed,
            name_error,
            ..
        } = self;
        let error = move || {
            let key = match name_error.get()? {
                ViewNameError::Missing => Key::ViewNameMissing,
                ViewNameError::Taken => Key::ViewNameTaken,
            };
            Some(texts.get(key).to_owned())
        };
        let field = view! {
            <TextField
                id=NAME_ID
                label=texts.get(Key::ViewName)
                value=Signal::derive(move || name.get())
                on_input=move |typed: String| {
                    name_error.set(None);
                    name.set(typed);
                }
                error=Signal::derive(error)
            />
        };
        let submit_label = move || {
            let is_new = renamed.with(Option::is_none);
            let key = if is_new {
                Key::SaveView
            } else {
                Key::RenameView
            };
            texts.get(key).to_owned()
        };
        let cancel = move || {
            renamed.with(Option::is_some).then(|| {
                button("button-quiet", move || self.reset_form(None))
                    .child(texts.get(Key::CloseForm))
            })
        };
        el("form")
            .class("view-form")
            .attr("novalidate", "")
            .on("submit", move |event| {
                event.prevent_default();
                self.save();
            })
            .child(field)
            .child(
                el("button")
                    .class("button")
                    .attr("type", "submit")
                    .text_with(submit_label),
            )
            .child_with(cancel)
    }
}
