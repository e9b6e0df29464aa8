//! Element builder: elements are created once and updated by effects.
//!
//! Methods set a fixed value; those that end in `_with` take a function, which runs again when a signal that it
//! read changes. `child_with` renders its content again as a whole; lists whose items come and go are in
//! [`keyed`](mod@super::keyed).
//!
//! Leptos' `view!` gives each element its own type, with code to build, compare and update it: the same elements
//! cost four to five times the bytes (`docs/performance.md`). So `view!` calls components with props, and their
//! elements are built here, where all have the same type. Text and attributes never pass through an HTML parser, as
//! Trusted Types require.
//!
//! Only elements have attributes and values. Setting them on a text or a fragment has no effect; debug builds stop.

use std::rc::Rc;

use js_sys::{Function, Object, Reflect};
use leptos::prelude::{Owner, RenderEffect, View, document, on_cleanup, window};
use leptos::tachys::html::attribute::Attribute;
use leptos::tachys::html::attribute::any_attribute::AnyAttribute;
use leptos::tachys::hydration::Cursor;
use leptos::tachys::view::add_attr::AddAnyAttr;
use leptos::tachys::view::{Mountable, Position, PositionState, Render, RenderHtml};
use send_wrapper::SendWrapper;
use wasm_bindgen::prelude::*;
use web_sys::{
    Element, Event, EventTarget, HtmlElement, HtmlInputElement, Node as DomNode, ResizeObserver,
};

use super::task::request_animation_frame;

/// A node with its content, or a fragment of several nodes. A clone is the same node.
#[derive(Clone)]
pub struct Node(pub(super) DomNode);

/// Creates an HTML element.
pub fn el(tag: &str) -> Node {
    make(document().create_element(tag))
}

/// Creates an SVG element.
pub fn svg(tag: &str) -> Node {
    make(document().create_element_ns(Some("http://www.w3.org/2000/svg"), tag))
}

/// Group of radio buttons with a name of its own: buttons with the same name in one root exclude each other.
pub struct RadioGroup(String);

impl RadioGroup {
    /// Starts a group.
    pub fn unique() -> Self {
        let number = (js_sys::Math::random() * f64::from(u32::MAX)) as u32;
        Self(number.to_string())
    }

    /// Creates a radio button of the group.
    pub fn button(&self) -> Node {
        el("input").attr("type", "radio").attr("name", &self.0)
    }
}

/// Creates a fragment of `children`.
pub fn fragment_of(children: impl IntoIterator<Item = Node>) -> Node {
    let group = fragment();
    for child in children {
        group.append(&child.0);
    }
    group
}

/// Creates an empty fragment, to be filled with [`Node::child`] and [`Node::child_with`].
pub fn fragment() -> Node {
    Node(document().create_document_fragment().into())
}

/// Creates a text node.
pub fn text(text: &str) -> Node {
    Node(document().create_text_node(text).into())
}

fn make(element: Result<Element, JsValue>) -> Node {
    // Fails only for invalid names, and names are constants.
    debug_assert!(element.is_ok(), "invalid element name");
    element.map_or_else(|_| fragment(), |element| Node(element.into()))
}

/// Content of an element.
pub trait Child {
    /// Appends itself to `parent`.
    fn append_to(self, parent: &Node);
}

impl Child for Node {
    fn append_to(self, parent: &Node) {
        parent.append(&self.0);
    }
}

impl Child for &str {
    fn append_to(self, parent: &Node) {
        parent.append(&text(self).0);
    }
}

impl Child for String {
    fn append_to(self, parent: &Node) {
        self.as_str().append_to(parent);
    }
}

/// Output of a component.
impl Child for View<Node> {
    fn append_to(self, parent: &Node) {
        self.into_inner().append_to(parent);
    }
}

impl<T: Child> Child for Option<T> {
    fn append_to(self, parent: &Node) {
        if let Some(child) = self {
            child.append_to(parent);
        }
    }
}

impl Node {
    /// Returns the node as an element; debug builds check that it is one.
    pub fn element(&self) -> HtmlElement {
        debug_assert_eq!(self.0.node_type(), DomNode::ELEMENT_NODE, "no element");
        self.0.clone().unchecked_into()
    }

    /// Returns one node: the content of a fragment in a `div`, as a fragment itself cannot be moved or removed.
    pub(super) fn into_single(self) -> DomNode {
        if self.0.node_type() == DomNode::DOCUMENT_FRAGMENT_NODE {
            el("div").class("contents").child(self).0
        } else {
            self.0
        }
    }

    /// Returns a deep copy, which has no event listeners and follows no signals.
    pub fn deep_clone(&self) -> Self {
        // Fails only for a shadow root.
        let copy = self.0.clone_node_with_deep(true);
        copy.map_or_else(|_| fragment(), Self)
    }

    /// Returns the first child; empty if there is none.
    pub fn first_child(&self) -> Self {
        self.0.first_child().map_or_else(fragment, Self)
    }

    /// Returns the next sibling; empty if there is none.
    pub fn next_sibling(&self) -> Self {
        self.0.next_sibling().map_or_else(fragment, Self)
    }

    /// Sets the text content.
    pub fn set_text(self, text: &str) -> Self {
        self.0.set_text_content(Some(text));
        self
    }

    /// Sets the classes and, unless `part` is set already, the same names as parts, so that a page can style
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

    /// Sets an attribute if there is a value.
    pub fn attr_if(self, name: &str, value: Option<&str>) -> Self {
        if value.is_some() {
            set_attribute(&self.0, name, value);
        }
        self
    }

    /// Removes an attribute.
    pub fn remove_attr(self, name: &str) -> Self {
        set_attribute(&self.0, name, None);
        self
    }

    /// Keeps an attribute equal to the result of `value`; absent while that is `None`.
    pub fn attr_with(
        self,
        name: &'static str,
        value: impl Fn() -> Option<String> + 'static,
    ) -> Self {
        keep_attribute(&self, name, Box::new(value));
        self
    }

    /// Keeps an attribute `"true"` while `is_set` is true, otherwise absent.
    pub fn flag_with(self, name: &'static str, is_set: impl Fn() -> bool + 'static) -> Self {
        let value = move || is_set().then(|| "true".to_owned());
        keep_attribute(&self, name, Box::new(value));
        self
    }

    /// Keeps a control's value equal to `value`.
    pub fn value_with(self, value: impl Fn() -> String + 'static) -> Self {
        let node = self.0.clone();
        render_effect(Box::new(move || {
            let control: &HtmlInputElement = node.unchecked_ref();
            let value = value();
            // Setting an equal value would move the caret.
            if control.value() != value {
                control.set_value(&value);
            }
        }));
        self
    }

    /// Keeps a checkbox or radio button checked while `is_set` is true.
    pub fn checked_with(self, is_set: impl Fn() -> bool + 'static) -> Self {
        let node = self.0.clone();
        render_effect(Box::new(move || {
            node.unchecked_ref::<HtmlInputElement>()
                .set_checked(is_set())
        }));
        self
    }

    /// Calls `handler` on each event until the view is disposed.
    pub fn on(self, event: &str, handler: impl FnMut(Event) + 'static) -> Self {
        listen(&self.0, event, Box::new(handler));
        self
    }

    /// Calls `submit` when this form is submitted, also on a sandboxed page that may not submit forms: there, browsers fire
    /// no `submit` event. Enter in a field clicks the form's submit button.
    pub fn on_submit(self, submit: impl Fn() + 'static) -> Self {
        let submit = Rc::new(submit);
        let on_click = Rc::clone(&submit);
        self.on("submit", move |event| {
            event.prevent_default();
            submit();
        })
        .on("click", move |event| {
            let target = event
                .target()
                .and_then(|target| target.dyn_into::<Element>().ok());
            let button = target.and_then(|target| target.closest("[type=submit]").ok().flatten());
            if button.is_some() {
                // Without it, both events would follow.
                event.prevent_default();
                on_click();
            }
        })
    }

    /// Appends a child.
    pub fn child(self, child: impl Child) -> Self {
        child.append_to(&self);
        self
    }

    /// Appends a text node and keeps it equal to `text`.
    pub fn text_with(self, text: impl Fn() -> String + 'static) -> Self {
        let node = document().create_text_node("");
        self.append(&node);
        render_effect(Box::new(move || node.set_data(&text())));
        self
    }

    /// Appends the content of `view`, and renders it again when a signal that it read changes.
    pub fn child_with<C: Child>(self, view: impl Fn() -> C + 'static) -> Self {
        replace_children_with(
            &self,
            Box::new(move || {
                let content = fragment();
                view().append_to(&content);
                content
            }),
        );
        self
    }

    /// Returns a fragment of this and `next`.
    pub fn with_sibling(self, next: Node) -> Self {
        fragment().child(self).child(next)
    }

    /// Inserts this after `element`.
    pub fn insert_after(self, element: &Element) {
        // Fails only for a hierarchy that the DOM forbids.
        let _ = element.after_with_node_1(&self.0);
    }

    fn append(&self, child: &DomNode) {
        // Fails only for a child that contains its parent, which cannot be built with this.
        let _ = self.0.append_child(child);
    }
}

fn keep_attribute(node: &Node, name: &'static str, value: Box<dyn Fn() -> Option<String>>) {
    let node = node.0.clone();
    let mut is_set = false;
    render_effect(Box::new(move || {
        let value = value();
        // Most are absent at first, and removing them would be a call for nothing.
        if value.is_some() || is_set {
            set_attribute(&node, name, value.as_deref());
        }
        is_set = value.is_some();
    }));
}

fn set_attribute(node: &DomNode, name: &str, value: Option<&str>) {
    debug_assert_eq!(
        node.node_type(),
        DomNode::ELEMENT_NODE,
        "attribute {name} of a node that is no element"
    );
    let element: &Element = node.unchecked_ref();
    let done = match value {
        Some(value) => element.set_attribute(name, value),
        None => element.remove_attribute(name),
    };
    // Fails only for invalid names, and names are constants.
    debug_assert!(done.is_ok(), "invalid attribute name {name}");
}

/// Render effect: runs `run` now and whenever a signal that it read changes, until the view is disposed.
pub fn render_effect(mut run: Box<dyn FnMut()>) {
    let effect = SendWrapper::new(RenderEffect::new(move |_| run()));
    on_cleanup(move || drop(effect));
}

fn listen(node: &EventTarget, event: &str, handler: Box<dyn FnMut(Event)>) {
    let handler = Closure::wrap(handler);
    // Fails only without a callback.
    let _ = node.add_event_listener_with_callback(event, handler.as_ref().unchecked_ref());
    let listener = SendWrapper::new((node.clone(), event.to_owned(), handler));
    on_cleanup(move || {
        // Removed before it is dropped: a control that is removed while it has the focus may still dispatch
        // `blur`.
        let (node, event, handler) = listener.take();
        let _ = node.remove_event_listener_with_callback(&event, handler.as_ref().unchecked_ref());
    });
}

fn replace_children_with(parent: &Node, view: Box<dyn Fn() -> Node>) {
    let start = document().create_comment("");
    let end = document().create_comment("");
    parent.append(&start);
    parent.append(&end);
    render_effect(Box::new(move || {
        let content = view();
        let Some(parent) = end.parent_node() else {
            return;
        };
        while let Some(old) = start
            .next_sibling()
            .filter(|old| !old.is_same_node(Some(&end)))
        {
            // Cannot fail: it was found as a child.
            let _ = parent.remove_child(&old);
        }
        // Cannot fail: the end is a child too.
        let _ = parent.insert_before(&content.0, Some(&end));
    }));
}

/// Calls `handler` on each event of a target that is not an element, such as the window, until the view is
/// disposed.
pub fn listen_to(target: &EventTarget, event: &str, handler: impl FnMut(Event) + 'static) {
    listen(target, event, Box::new(handler));
}

/// Calls `handler` in the frame after each change of the size of `element`, until the view is disposed.
pub fn on_resize(element: &Element, handler: impl Fn() + Clone + 'static) {
    // In the frame after it: a change of the layout during the notification would be an error of the page.
    let notify = Closure::<dyn FnMut()>::new(move || request_animation_frame(handler.clone()));
    let observer = ResizeObserver::new(notify.as_ref().unchecked_ref());
    if let Ok(observer) = &observer {
        observer.observe(element);
    }
    let observer = SendWrapper::new((observer, notify));
    on_cleanup(move || {
        let (observer, _notify) = observer.take();
        if let Ok(observer) = observer {
            observer.disconnect();
        }
    });
}

/// Scrolls no further than it takes to see `element`.
pub fn scroll_into_view(element: &Element) {
    let options = Object::new();
    // Setting a key of a fresh plain object cannot fail; a failed scroll is harmless.
    let _ = Reflect::set(&options, &"block".into(), &"nearest".into());
    let scroll = Reflect::get(element, &"scrollIntoView".into());
    if let Some(scroll) = scroll
        .ok()
        .and_then(|scroll| scroll.dyn_into::<Function>().ok())
    {
        let _ = scroll.call1(element, &options);
    }
}

/// True if text in `element` runs from right to left.
pub fn is_right_to_left(element: &HtmlElement) -> bool {
    window()
        .get_computed_style(element)
        .ok()
        .flatten()
        .and_then(|style| style.get_property_value("direction").ok())
        .is_some_and(|direction| direction == "rtl")
}

/// Returns the value of the event's control.
pub fn value_of(event: &Event) -> String {
    control_of(event)
        .map(|control| control.value())
        .unwrap_or_default()
}

/// True if the event's control is checked.
pub fn is_checked(event: &Event) -> bool {
    control_of(event).is_some_and(|control| control.checked())
}

fn control_of(event: &Event) -> Option<HtmlInputElement> {
    // Text areas and selects have the same `value`.
    event.current_target().map(JsCast::unchecked_into)
}

/// A mounted view with its own owner. Unmounts when dropped.
pub struct Root {
    owner: Owner,
    container: Element,
}

impl Root {
    /// Mounts `view` as the only content of `container`.
    pub fn mount(container: &Element, view: impl FnOnce() -> Node) -> Self {
        // An error means that it is already initialised.
        let _ = any_spawner::Executor::init_wasm_bindgen();
        let owner = Owner::new();
        let content = owner.with(view);
        container.replace_children_with_node_1(&content.0);
        Self {
            owner,
            container: container.clone(),
        }
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        self.container.replace_children_with_node_0();
        // Explicitly, because a pending task holds the owner too.
        self.owner.cleanup();
    }
}

/// Makes `Node` a Leptos view.
impl Render for Node {
    type State = NodeState;

    fn build(self) -> Self::State {
        NodeState(self.into_single())
    }

    fn rebuild(self, state: &mut Self::State) {
        let mut fresh = self.build();
        state.insert_before_this(&mut fresh);
        state.unmount();
        *state = fresh;
    }
}

/// A mounted `Node` among Leptos views.
pub struct NodeState(DomNode);

impl Mountable for NodeState {
    fn unmount(&mut self) {
        if let Some(parent) = self.0.parent_node() {
            // Cannot fail: it is a child of its parent.
            let _ = parent.remove_child(&self.0);
        }
    }

    fn mount(&mut self, parent: &Element, marker: Option<&DomNode>) {
        // Leptos passes a marker inside the parent.
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

impl AddAnyAttr for Node {
    type Output<SomeNewAttr: Attribute> = Self;

    /// Not supported: a component declares its attributes as props.
    fn add_any_attr<NewAttr: Attribute>(self, _attr: NewAttr) -> Self::Output<NewAttr> {
        debug_assert!(false, "attribute of a component in `view!`");
        self
    }
}

/// Client-side rendering only: no HTML output and no hydration.
impl RenderHtml for Node {
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
