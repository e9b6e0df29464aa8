//! Views: named queries of the list. The page can store them.

mod model;

use leptos::prelude::*;
use web_sys::HtmlElement;

use super::list_state::List;
use crate::components::{StatusLine, TextField, button, focus::focus_id_soon, use_status_line};
use crate::element::stored_state::{KeptViews, use_kept_views};
use crate::i18n::Key;
use crate::ui::context::{provide_context, use_context};
use crate::ui::dom::{Node, el, fragment, fragment_of};
use crate::ui::signal::{RwSignal, Signal};
use model::{ActiveView, View, ViewNameError, add, held, overwrite, read, rename, written};

/// Id of the name field.
const NAME_ID: &str = "view-name";

/// Views of a list.
#[derive(Clone, Copy)]
pub(super) struct Shelf {
    list: List,
    status: StatusLine,
    kept: KeptViews,
    /// Name of the view that was selected or saved last.
    picked: RwSignal<Option<String>>,
    /// View that the list currently shows.
    held: Signal<ActiveView>,
    name: RwSignal<String>,
    /// View to be renamed; `None` creates a new one.
    renamed: RwSignal<Option<String>>,
    complaint: RwSignal<Option<ViewNameError>>,
}

/// Provides the views of `list` as a context.
pub(super) fn provide(list: List) {
    let kept = use_kept_views();
    let picked = RwSignal::new(None::<String>);
    let held = Signal::memo(move || {
        let query = list.wish.text();
        let picked = picked.get();
        let mut views = kept.given.with(read);
        for view in &mut views {
            // Pages may write them differently.
            view.query = list.wish.normal(&view.query);
        }
        held(&views, picked.as_deref(), &query)
    });
    provide_context(Shelf {
        list,
        status: use_status_line(),
        kept,
        picked,
        held,
        name: RwSignal::new(String::new()),
        renamed: RwSignal::new(None),
        complaint: RwSignal::new(None),
    });
}

/// Label of the button that opens the views: the active view.
pub(super) fn view_held() -> Node {
    let Some(Shelf { list, held, .. }) = use_context() else {
        return fragment();
    };
    fragment().text_with(move || {
        let (key, name) = match held.get() {
            ActiveView::None => return list.texts.get(Key::Views).to_owned(),
            ActiveView::View(name) => (Key::ViewHeld, name),
            ActiveView::Changed(name) => (Key::ViewChanged, name),
        };
        list.texts.fill(key, &[("name", &name)])
    })
}

/// List of views, with a form to create and rename them.
pub(super) fn views() -> Node {
    use_context::<Shelf>().map_or_else(fragment, Shelf::view)
}

impl Shelf {
    fn views(self) -> Vec<View> {
        self.kept.given.with_untracked(read)
    }

    fn keep(self, views: Vec<View>) {
        self.kept.keep(written(&views));
    }

    fn say(self, key: Key, name: &str) {
        self.status
            .set_text(self.list.texts.fill(key, &[("name", name)]));
    }

    fn pick(self, view: &View) {
        self.picked.set(Some(view.name.clone()));
        self.list.wish.read(&view.query);
    }

    /// Resets the form, to rename a view or to create one.
    fn begin(self, renamed: Option<String>) {
        self.complaint.set(None);
        self.name.set(renamed.clone().unwrap_or_default());
        self.renamed.set(renamed);
    }

    /// Saves the view under the typed name.
    fn save(self) {
        let mut views = self.views();
        let name = self.name.get_untracked();
        let renamed = self.renamed.get_untracked();
        let outcome = match &renamed {
            Some(before) => rename(&mut views, before, &name),
            None => add(&mut views, &name, untrack(|| self.list.wish.text())),
        };
        match outcome {
            Err(complaint) => self.complaint.set(Some(complaint)),
            Ok(name) => {
                let is_picked = self.picked.with_untracked(|picked| *picked == renamed);
                if renamed.is_none() || is_picked {
                    self.picked.set(Some(name.clone()));
                }
                self.begin(None);
                self.keep(views);
                self.say(Key::ViewSaved, &name);
            }
        }
    }

    fn overwrite(self, name: &str) {
        let mut views = self.views();
        overwrite(&mut views, name, untrack(|| self.list.wish.text()));
        self.keep(views);
        self.say(Key::ViewSaved, name);
    }

    fn delete(self, name: &str) {
        let mut views = self.views();
        views.retain(|view| view.name != name);
        self.begin(None);
        self.keep(views);
        self.say(Key::ViewDeleted, name);
    }

    fn view(self) -> Node {
        let texts = self.list.texts;
        let place = el("div").class("views");
        let root = place.element();
        let list = move || {
            let views = self.kept.given.with(read);
            if views.is_empty() {
                return el("p").class("filter-note").child(texts.get(Key::NoViews));
            }
            let lines = views.into_iter().enumerate();
            el("ul")
                .class("views-list")
                .attr("aria-label", texts.get(Key::Views))
                .child(fragment_of(
                    lines.map(|(place, view)| self.line(place, view, root.clone())),
                ))
        };
        place.child_with(list).child(self.form())
    }

    /// View with its buttons.
    fn line(self, place: usize, view: View, root: HtmlElement) -> Node {
        let texts = self.list.texts;
        let name = view.name.clone();
        let id = format!("view-{place}");
        let (held_name, changed_name) = (name.clone(), name.clone());
        let holds = move || self.held.get() == ActiveView::View(held_name.clone());
        let pick = button("view-pick", move || self.pick(&view))
            .attr("id", &id)
            .attr("dir", "auto")
            .attr_with("aria-pressed", move || Some(holds().to_string()))
            .child(name.as_str());
        // All views have the same labels: the description names the view.
        let act = |key: Key, act: Box<dyn Fn()>| {
            button("button-quiet", act)
                .attr("aria-describedby", &id)
                .child(texts.get(key))
        };
        let overwritten = name.clone();
        let update = move || {
            let is_changed = self.held.get() == ActiveView::Changed(changed_name.clone());
            let name = overwritten.clone();
            is_changed.then(|| {
                button("button", move || self.overwrite(&name)).child(texts.get(Key::UpdateView))
            })
        };
        let (renamed, deleted, after) = (name.clone(), name, root.clone());
        let rename = act(
            Key::RenameView,
            Box::new(move || {
                self.begin(Some(renamed.clone()));
                focus_id_soon(&root, NAME_ID);
            }),
        );
        let delete = act(
            Key::DeleteView,
            Box::new(move || {
                self.delete(&deleted);
                // The button is removed.
                focus_id_soon(&after, NAME_ID);
            }),
        );
        el("li")
            .class("view-line")
            .child(pick)
            .child_with(update)
            .child(rename)
            .child(delete)
    }

    fn form(self) -> Node {
        let texts = self.list.texts;
        let Self {
            name,
            renamed,
            complaint,
            ..
        } = self;
        let error = move || {
            let key = match complaint.get()? {
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
                    complaint.set(None);
                    name.set(typed);
                }
                error=Signal::derive(error)
            />
        };
        let words = move || {
            let is_new = renamed.with(Option::is_none);
            let key = if is_new {
                Key::SaveView
            } else {
                Key::RenameView
            };
            texts.get(key).to_owned()
        };
        let back = move || {
            renamed.with(Option::is_some).then(|| {
                button("button-quiet", move || self.begin(None)).child(texts.get(Key::CloseForm))
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
                    .text_with(words),
            )
            .child_with(back)
    }
}
