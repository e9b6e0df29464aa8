//! Elements, made once and kept current by effects.
//!
//! Leptos' `view!` gives each element a type of its own, with code to build, compare and update
//! it. In a widget that every visitor downloads that is most of the bytes: the booking flow in
//! `view!` was 224 KB (brotli), here it is less than half of it. So components compose with
//! `view!`, and what they compose is made here, where an element is one type whatever is in it.
//! Texts and attributes never pass through a parser of markup, as Trusted Types demand.

use leptos::prelude::*;
use leptos::tachys::html::attribute::Attribute;
use leptos::tachys::html::attribute::any_attribute::AnyAttribute;
use leptos::tachys::hydration::Cursor;
use leptos::tachys::view::add_attr::AddAnyAttr;
use leptos::tachys::view::{Mountable, Position, PositionState, Render, RenderHtml};
use send_wrapper::SendWrapper;
use wasm_bindgen::prelude::*;
use web_sys::{Element, Event, EventTarget, HtmlElement, HtmlInputElement, Node};

/// An element with its content, or several in a row. A clone is the same element.
#[derive(Clone)]
pub struct Html(Node);

/// An element of HTML.
pub fn el(tag: &str) -> Html {
    make(document().create_element(tag))
}

/// An element of SVG.
pub fn svg(tag: &str) -> Html {
    make(document().create_element_ns(Some("http://www.w3.org/2000/svg"), tag))
}

/// Several in a row.
pub fn row(children: impl IntoIterator<Item = Html>) -> Html {
    let row = nothing();
    for child in children {
        row.append(&child.0);
    }
    row
}

/// No element at all; a start for [`Html::add`] and [`Html::show`].
pub fn nothing() -> Html {
    Html(document().create_document_fragment().into())
}

/// A text.
pub fn text(text: &str) -> Html {
    Html(document().create_text_node(text).into())
}

fn make(element: Result<Element, JsValue>) -> Html {
    // Only an impossible name is refused, and names are constants.
    element.map_or_else(|_| nothing(), |element| Html(element.into()))
}

/// What can stand in an element.
pub trait Child {
    /// Appends itself.
    fn append_to(self, parent: &Html);
}

impl Child for Html {
    fn append_to(self, parent: &Html) {
        parent.append(&self.0);
    }
}

impl Child for &str {
    fn append_to(self, parent: &Html) {
        parent.append(&text(self).0);
    }
}

impl Child for String {
    fn append_to(self, parent: &Html) {
        self.as_str().append_to(parent);
    }
}

/// A component's output.
impl Child for View<Html> {
    fn append_to(self, parent: &Html) {
        self.into_inner().append_to(parent);
    }
}

impl<T: Child> Child for Option<T> {
    fn append_to(self, parent: &Html) {
        if let Some(child) = self {
            child.append_to(parent);
        }
    }
}

impl Html {
    /// The element; a detached one if this is not an element.
    pub fn element(&self) -> HtmlElement {
        self.0.clone().unchecked_into()
    }

    /// Another one that looks the same. What follows signals or events here does not there.
    pub fn copy(&self) -> Self {
        // Refused only for a shadow root.
        let copy = self.0.clone_node_with_deep(true);
        copy.map_or_else(|_| nothing(), Self)
    }

    /// The first child; nothing if there is none.
    pub fn first(&self) -> Self {
        self.0.first_child().map_or_else(nothing, Self)
    }

    /// What stands behind it; nothing if it is the last.
    pub fn next(&self) -> Self {
        self.0.next_sibling().map_or_else(nothing, Self)
    }

    /// Sets the text that it consists of.
    pub fn say(self, words: &str) -> Self {
        self.0.set_text_content(Some(words));
        self
    }

    /// Sets the classes, and where no other parts are named, parts of the same names: a page can style
    /// every element.
    pub fn class(self, class: &str) -> Self {
        let element: &Element = self.0.unchecked_ref();
        if !element.has_attribute("part") {
            set_attribute(&self.0, "part", Some(class));
        }
        self.attr("class", class)
    }

    /// Sets an attribute.
    pub fn attr(self, name: &str, value: &str) -> Self {
        set_attribute(&self.0, name, Some(value));
        self
    }

    /// Sets an attribute, if there is a value.
    pub fn attr_if(self, name: &str, value: Option<&str>) -> Self {
        set_attribute(&self.0, name, value);
        self
    }

    /// Keeps an attribute equal to what `value` says; absent while it says nothing.
    pub fn attr_with(
        self,
        name: &'static str,
        value: impl Fn() -> Option<String> + 'static,
    ) -> Self {
        let node = self.0.clone();
        watch(Box::new(move || {
            set_attribute(&node, name, value().as_deref())
        }));
        self
    }

    /// Keeps an attribute `true` while the claim holds, else absent.
    pub fn flag_with(self, name: &'static str, holds: impl Fn() -> bool + 'static) -> Self {
        let node = self.0.clone();
        watch(Box::new(move || {
            set_attribute(&node, name, holds().then_some("true"))
        }));
        self
    }

    /// Keeps the value of a control.
    pub fn value_with(self, value: impl Fn() -> String + 'static) -> Self {
        let node = self.0.clone();
        watch(Box::new(move || {
            let control: &HtmlInputElement = node.unchecked_ref();
            let value = value();
            // Writing an equal value would move the caret.
            if control.value() != value {
                control.set_value(&value);
            }
        }));
        self
    }

    /// Keeps a tick box or radio button ticked while the claim holds.
    pub fn checked_with(self, holds: impl Fn() -> bool + 'static) -> Self {
        let node = self.0.clone();
        watch(Box::new(move || {
            node.unchecked_ref::<HtmlInputElement>()
                .set_checked(holds())
        }));
        self
    }

    /// Calls `handler` on each event, as long as the view lives.
    pub fn on(self, event: &str, handler: impl FnMut(Event) + 'static) -> Self {
        listen(&self.0, event, Box::new(handler));
        self
    }

    /// Appends a child.
    #[expect(
        clippy::should_implement_trait,
        reason = "it reads as what it does, and `+` would not"
    )]
    pub fn add(self, child: impl Child) -> Self {
        child.append_to(&self);
        self
    }

    /// Appends a text that follows what `words` says.
    pub fn text_with(self, words: impl Fn() -> String + 'static) -> Self {
        let node = document().create_text_node("");
        self.append(&node);
        watch(Box::new(move || node.set_data(&words())));
        self
    }

    /// Appends what `view` makes, and replaces it when a signal that it read changes.
    pub fn show<C: Child>(self, view: impl Fn() -> C + 'static) -> Self {
        show(
            &self,
            Box::new(move || {
                let content = nothing();
                view().append_to(&content);
                content
            }),
        );
        self
    }

    /// This and then another, in a row.
    pub fn followed_by(self, next: Html) -> Self {
        row([self, next])
    }

    /// Puts it behind an element that stands somewhere.
    pub fn stand_behind(self, before: &Element) {
        // Refused only where there is no parent.
        let _ = before.after_with_node_1(&self.0);
    }

    fn append(&self, child: &Node) {
        // Refused only for a child that contains its parent, which cannot be built with this.
        let _ = self.0.append_child(child);
    }
}

fn set_attribute(node: &Node, name: &str, value: Option<&str>) {
    let element: &Element = node.unchecked_ref();
    // Refused only for impossible names, and names are constants.
    let _ = match value {
        Some(value) => element.set_attribute(name, value),
        None => element.remove_attribute(name),
    };
}

/// Runs `act` now and whenever a signal that it read changes, until the view is gone.
pub fn watch(mut act: Box<dyn FnMut()>) {
    let effect = SendWrapper::new(RenderEffect::new(move |_| act()));
    on_cleanup(move || drop(effect));
}

fn listen(node: &EventTarget, event: &str, handler: Box<dyn FnMut(Event)>) {
    let handler = Closure::wrap(handler);
    // Refused only for a missing callback.
    let _ = node.add_event_listener_with_callback(event, handler.as_ref().unchecked_ref());
    let held = SendWrapper::new((node.clone(), event.to_owned(), handler));
    on_cleanup(move || {
        // Taken off before it is dropped: a control that is removed while it has the focus may
        // still tell that it lost it.
        let (node, event, handler) = held.take();
        let _ = node.remove_event_listener_with_callback(&event, handler.as_ref().unchecked_ref());
    });
}

fn show(parent: &Html, view: Box<dyn Fn() -> Html>) {
    let start = document().create_comment("");
    let end = document().create_comment("");
    parent.append(&start);
    parent.append(&end);
    watch(Box::new(move || {
        let content = view();
        let Some(parent) = end.parent_node() else {
            return;
        };
        while let Some(old) = start
            .next_sibling()
            .filter(|old| !old.is_same_node(Some(&end)))
        {
            // It is a child: it was found there.
            let _ = parent.remove_child(&old);
        }
        // The end is a child too.
        let _ = parent.insert_before(&content.0, Some(&end));
    }));
}

/// Calls `handler` on each event of something that is no element, such as the window, as long as the
/// view lives.
pub fn listen_to(target: &EventTarget, event: &str, handler: impl FnMut(Event) + 'static) {
    listen(target, event, Box::new(handler));
}

/// Whether lines of text in `element` begin at the right.
pub fn is_right_to_left(element: &HtmlElement) -> bool {
    window()
        .get_computed_style(element)
        .ok()
        .flatten()
        .and_then(|style| style.get_property_value("direction").ok())
        .is_some_and(|direction| direction == "rtl")
}

/// What is in the control that an event came from.
pub fn value_of(event: &Event) -> String {
    control_of(event)
        .map(|control| control.value())
        .unwrap_or_default()
}

/// Whether the control that an event came from is ticked.
pub fn is_checked(event: &Event) -> bool {
    control_of(event).is_some_and(|control| control.checked())
}

fn control_of(event: &Event) -> Option<HtmlInputElement> {
    // Text areas and lists have the same `value`.
    event.current_target().map(JsCast::unchecked_into)
}

/// A view in a root of its own. Ends when dropped.
pub struct Root {
    owner: Owner,
    place: Element,
}

impl Root {
    /// Shows what `view` makes as the only content of `place`.
    pub fn mount(place: &Element, view: impl FnOnce() -> Html) -> Self {
        // An error means that it runs already.
        let _ = any_spawner::Executor::init_wasm_bindgen();
        let owner = Owner::new();
        let content = owner.with(view);
        place.replace_children_with_node_1(&content.0);
        Self {
            owner,
            place: place.clone(),
        }
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        self.place.replace_children_with_node_0();
        // By hand: a task that is still pending holds the owner too.
        self.owner.cleanup();
    }
}

/// Lets `Html` stand wherever Leptos expects a view.
impl Render for Html {
    type State = HtmlState;

    fn build(self) -> Self::State {
        // A row has no node of its own to move or remove.
        let node = if self.0.node_type() == Node::DOCUMENT_FRAGMENT_NODE {
            el("div").class("contents").add(self).0
        } else {
            self.0
        };
        HtmlState(node)
    }

    fn rebuild(self, state: &mut Self::State) {
        let mut fresh = self.build();
        state.insert_before_this(&mut fresh);
        state.unmount();
        *state = fresh;
    }
}

/// Where an `Html` stands among Leptos views.
pub struct HtmlState(Node);

impl Mountable for HtmlState {
    fn unmount(&mut self) {
        if let Some(parent) = self.0.parent_node() {
            // It is a child of its parent.
            let _ = parent.remove_child(&self.0);
        }
    }

    fn mount(&mut self, parent: &Element, marker: Option<&Node>) {
        // Leptos gives a marker inside the parent.
        let _ = parent.insert_before(&self.0, marker);
    }

    fn insert_before_this(&self, child: &mut dyn Mountable) -> bool {
        match self
            .0
            .parent_node()
            .and_then(|parent| parent.dyn_into::<Element>().ok())
        {
            Some(parent) => {
                child.mount(&parent, Some(&self.0));
                true
            }
            None => false,
        }
    }

    fn elements(&self) -> Vec<Element> {
        self.0.dyn_ref::<Element>().cloned().into_iter().collect()
    }
}

impl AddAnyAttr for Html {
    type Output<SomeNewAttr: Attribute> = Self;

    fn add_any_attr<NewAttr: Attribute>(self, _attr: NewAttr) -> Self::Output<NewAttr> {
        self
    }
}

/// Client-side rendering only: nothing is written as text or hydrated.
impl RenderHtml for Html {
    type AsyncOutput = Self;
    type Owned = Self;

    const MIN_LENGTH: usize = 0;

    fn dry_resolve(&mut self) {}

    async fn resolve(self) -> Self {
        self
    }

    fn to_html_with_buf(
        self,
        _buf: &mut String,
        _position: &mut Position,
        _escape: bool,
        _mark_branches: bool,
        _extra_attrs: Vec<AnyAttribute>,
    ) {
    }

    fn hydrate<const FROM_SERVER: bool>(
        self,
        _cursor: &Cursor,
        _position: &PositionState,
    ) -> Self::State {
        self.build()
    }

    fn into_owned(self) -> Self {
        self
    }
}
