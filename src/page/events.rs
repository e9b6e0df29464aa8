//! Events for the embedding page: they bubble, cross the shadow root and carry plain data.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use booking_ui::prelude::*;
use js_sys::{Array, Function, Object, Promise, Reflect};
use send_wrapper::SendWrapper;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{CustomEvent, CustomEventInit, Element, EventTarget};

/// A value in the detail of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Text, date or instant.
    Text(String),
    /// Count or id.
    Number(i64),
    /// Boolean.
    Flag(bool),
    /// List of texts.
    List(Vec<String>),
}

/// An event for the page. Each bundle contains only the events of its own screens.
pub trait PageEvent {
    /// Name of the event.
    fn name(&self) -> &'static str;

    /// Keys and values of the event's detail.
    fn detail(&self) -> Vec<(&'static str, Detail)>;

    /// True if it ends the visitor's flow.
    fn is_ending(&self) -> bool {
        false
    }
}

/// The page's response to an event that announces an action.
pub enum HookResponse {
    /// Lets the action continue.
    Go,
    /// Lets it continue with an object of the page.
    With(Object),
    /// Prevents it.
    Stop,
    /// Failed, with the page's error text, if any.
    Failed(Option<String>),
}

/// Event target of a mounted root; none in tests without one.
#[derive(Clone)]
pub struct Page(SendWrapper<Option<Rc<EventDispatcher>>>);

/// Version of the event format.
const SCHEMA: f64 = 1.0;

struct EventDispatcher {
    target: EventTarget,
    /// Id of the element in its page.
    instance: String,
    /// Number of the current flow. A flow is one visit of a view, up to a final event.
    flow: Cell<u32>,
    has_ended: Cell<bool>,
    /// Number of events so far.
    count: Cell<u32>,
    /// Style sheets of chunks, in the element's root.
    styles: RefCell<Vec<&'static str>>,
}

impl EventDispatcher {
    /// Adds the properties of every event. A final event ends the flow: the next event starts another.
    fn sign(&self, detail: &Object, is_ending: bool) {
        if self.has_ended.replace(is_ending) {
            self.flow.set(self.flow.get() + 1);
        }
        self.count.set(self.count.get() + 1);
        let mut flow = self.instance.clone();
        flow.push('-');
        flow.push_str(&self.flow.get().to_string());
        for (name, value) in [
            ("instanceId", JsValue::from_str(&self.instance)),
            ("flowId", JsValue::from_str(&flow)),
            ("seq", self.count.get().into()),
            ("schema", SCHEMA.into()),
        ] {
            // Setting a key of a fresh plain object cannot fail.
            let _ = Reflect::set(detail, &name.into(), &value);
        }
    }
}

impl Default for Page {
    fn default() -> Self {
        Self(SendWrapper::new(None))
    }
}

impl Page {
    /// Dispatches at `element`.
    pub fn of(element: EventTarget) -> Self {
        let instance = (js_sys::Math::random() * f64::from(u32::MAX)) as u32;
        Self(SendWrapper::new(Some(Rc::new(EventDispatcher {
            target: element,
            instance: instance.to_string(),
            flow: Cell::new(1),
            has_ended: Cell::new(false),
            count: Cell::new(0),
            styles: RefCell::default(),
        }))))
    }

    /// Assigns later events to another flow.
    pub fn begin(&self) {
        if let Some(dispatcher) = self.0.as_ref() {
            dispatcher.has_ended.set(dispatcher.count.get() > 0);
        }
    }

    /// The element.
    pub fn element(&self) -> Option<Element> {
        self.0.as_ref()?.target.dyn_ref::<Element>().cloned()
    }

    /// Adds the style sheet of a chunk to the element's root, unless an earlier view has added it.
    pub fn add_style(&self, css: &'static str) {
        let Some(dispatcher) = self.0.as_ref() else {
            return;
        };
        let mut added = dispatcher.styles.borrow_mut();
        if added.contains(&css) {
            return;
        }
        added.push(css);
        let element = dispatcher.target.dyn_ref::<Element>();
        if let Some(root) = element.and_then(Element::shadow_root) {
            add_style_sheet(&root, css);
        }
    }

    /// Dispatches `event`. Returns false if the page cancels it: the widget then shows nothing more.
    pub fn emit(&self, event: &dyn PageEvent) -> bool {
        self.emit_with(event, &Object::new())
    }

    /// The same, in addition to `detail`.
    pub fn emit_with(&self, event: &dyn PageEvent, detail: &Object) -> bool {
        let Some(dispatcher) = self.0.as_ref() else {
            return true;
        };
        dispatcher.dispatch(&dispatcher.event(event, detail))
    }

    /// Dispatches an event of another element at this one.
    pub fn forward(&self, event: &CustomEvent) {
        if let Some(dispatcher) = self.0.as_ref() {
            dispatcher.dispatch(&custom_event(
                &event.type_(),
                event.detail().unchecked_ref(),
            ));
        }
    }

    /// Dispatches an event by its name and detail.
    pub fn emit_plain(&self, name: &str, detail: &Object) -> bool {
        let Some(dispatcher) = self.0.as_ref() else {
            return true;
        };
        dispatcher.sign(detail, false);
        dispatcher.dispatch(&custom_event(name, detail))
    }

    /// Asks the page before an action: the event has `respondWith(response)`, which accepts a promise. Without a
    /// listener the action continues; an event that is only cancelled stops it. No response within `timeout_ms` counts
    /// as a failure; `None` sets no limit.
    pub async fn ask(
        &self,
        event: &dyn PageEvent,
        detail: &Object,
        timeout_ms: Option<i32>,
    ) -> HookResponse {
        let Some(dispatcher) = self.0.as_ref() else {
            return HookResponse::Go;
        };
        let event = dispatcher.event(event, detail);
        // Responses are collected in a list; `respondWith` is its bound `push`.
        let responses = Array::new();
        if let (Some(event), Ok(push)) = (&event, Reflect::get(&responses, &"push".into())) {
            let respond = push.unchecked_into::<Function>().bind0(&responses);
            // Setting a key of our own event cannot fail.
            let _ = Reflect::set(event, &"respondWith".into(), &respond);
        }
        let is_allowed = dispatcher.dispatch(&event);
        if responses.length() == 0 {
            return if is_allowed {
                HookResponse::Go
            } else {
                HookResponse::Stop
            };
        }
        let mut response = Promise::resolve(&responses.get(0));
        if let Some(timeout_ms) = timeout_ms {
            response = Promise::race(&Array::of2(&response, &reject_after(timeout_ms)));
        }
        match JsFuture::from(response).await {
            Ok(response) if response == false => HookResponse::Stop,
            // Also objects of other frames, whose classes are different.
            Ok(response) if response.is_object() => HookResponse::With(response.unchecked_into()),
            Ok(_) => HookResponse::Go,
            Err(error) => {
                let message = Reflect::get(&error, &"message".into()).ok();
                let message = message.and_then(|message| message.as_string());
                HookResponse::Failed(message.filter(|message| !message.trim().is_empty()))
            }
        }
    }
}

impl EventDispatcher {
    fn event(&self, event: &dyn PageEvent, detail: &Object) -> Option<CustomEvent> {
        self.sign(detail, event.is_ending());
        for (name, value) in event.detail() {
            // Setting a key of a fresh plain object cannot fail.
            let _ = Reflect::set(detail, &name.into(), &js_value(value));
        }
        custom_event(event.name(), detail)
    }

    fn dispatch(&self, event: &Option<CustomEvent>) -> bool {
        let event = event.as_ref();
        event.is_none_or(|event| self.target.dispatch_event(event).unwrap_or(true))
    }
}

/// Rejects after `delay_ms`.
fn reject_after(delay_ms: i32) -> Promise {
    Promise::new(&mut |_, reject| {
        // Fails only where there is no page.
        let _ = window().set_timeout_with_callback_and_timeout_and_arguments_0(&reject, delay_ms);
    })
}

fn custom_event(name: &str, detail: &Object) -> Option<CustomEvent> {
    let init = CustomEventInit::new();
    init.set_bubbles(true);
    init.set_composed(true);
    init.set_cancelable(true);
    init.set_detail(detail);
    CustomEvent::new_with_event_init_dict(name, &init).ok()
}

fn js_value(detail: Detail) -> JsValue {
    match detail {
        Detail::Text(text) => JsValue::from_str(&text),
        Detail::Number(number) => JsValue::from_f64(number as f64),
        Detail::Flag(flag) => JsValue::from_bool(flag),
        Detail::List(texts) => {
            let list: Array = texts.iter().map(|text| JsValue::from_str(text)).collect();
            list.into()
        }
    }
}

/// Returns the page of the mounted root.
pub fn use_page() -> Page {
    use_context().unwrap_or_default()
}
