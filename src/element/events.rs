//! Events for the embedding page: they bubble, cross the shadow root and carry plain data.

use std::cell::Cell;
use std::rc::Rc;

use crate::ui::context::use_context;
use js_sys::{Array, Function, Object, Promise, Reflect};
use leptos::prelude::window;
use send_wrapper::SendWrapper;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{CustomEvent, CustomEventInit, Element, EventTarget};

use crate::ui::theme;

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
pub enum Answer {
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
    /// Counts the flows, each from a first look to an ending.
    flow: Cell<u32>,
    has_ended: Cell<bool>,
    /// Counts the events.
    told: Cell<u32>,
}

impl EventDispatcher {
    /// Adds the properties of every event. A final event ends the flow: the next event starts another.
    fn sign(&self, detail: &Object, is_ending: bool) {
        if self.has_ended.replace(is_ending) {
            self.flow.set(self.flow.get() + 1);
        }
        self.told.set(self.told.get() + 1);
        let mut flow = self.instance.clone();
        flow.push('-');
        flow.push_str(&self.flow.get().to_string());
        for (name, value) in [
            ("instanceId", JsValue::from_str(&self.instance)),
            ("flowId", JsValue::from_str(&flow)),
            ("seq", self.told.get().into()),
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
            told: Cell::new(0),
        }))))
    }

    /// Assigns later events to another flow.
    pub fn begin(&self) {
        if let Some(voice) = self.0.as_ref() {
            voice.has_ended.set(voice.told.get() > 0);
        }
    }

    /// The element.
    pub fn element(&self) -> Option<Element> {
        self.0.as_ref()?.target.dyn_ref::<Element>().cloned()
    }

    /// Adds a style sheet to the element's root after the first `count` ones, replacing later ones.
    pub fn add_style(&self, count: u32, css: &str) {
        let element = self
            .0
            .as_ref()
            .and_then(|voice| voice.target.dyn_ref::<Element>());
        if let Some(root) = element.and_then(Element::shadow_root) {
            theme::add(&root, count, css);
        }
    }

    /// Dispatches the event of `news`. Returns false if the page cancels it: the widget then shows nothing more.
    pub fn tell(&self, news: &dyn PageEvent) -> bool {
        self.tell_with(news, &Object::new())
    }

    /// The same, in addition to `detail`.
    pub fn tell_with(&self, news: &dyn PageEvent, detail: &Object) -> bool {
        let Some(voice) = self.0.as_ref() else {
            return true;
        };
        voice.dispatch(&voice.event(news, detail))
    }

    /// Dispatches an event of another element at this one.
    pub fn pass_on(&self, news: &CustomEvent) {
        if let Some(voice) = self.0.as_ref() {
            voice.dispatch(&event(&news.type_(), news.detail().unchecked_ref()));
        }
    }

    /// Dispatches an event by its name and detail.
    pub fn tell_plain(&self, name: &str, detail: &Object) -> bool {
        let Some(voice) = self.0.as_ref() else {
            return true;
        };
        voice.sign(detail, false);
        voice.dispatch(&event(name, detail))
    }

    /// Asks the page before an action: the event has `respondWith(answer)`, which accepts a promise. Without a
    /// listener the action continues; an event that is only cancelled stops it. No answer within `patience_ms` counts
    /// as a failure; `None` sets no limit.
    pub async fn ask(
        &self,
        news: &dyn PageEvent,
        detail: &Object,
        patience_ms: Option<i32>,
    ) -> Answer {
        let Some(voice) = self.0.as_ref() else {
            return Answer::Go;
        };
        let event = voice.event(news, detail);
        // Responses are collected in a list; `respondWith` is its bound `push`.
        let given = Array::new();
        if let (Some(event), Ok(push)) = (&event, Reflect::get(&given, &"push".into())) {
            let respond = push.unchecked_into::<Function>().bind0(&given);
            // Setting a key of our own event cannot fail.
            let _ = Reflect::set(event, &"respondWith".into(), &respond);
        }
        let is_welcome = voice.dispatch(&event);
        if given.length() == 0 {
            return if is_welcome { Answer::Go } else { Answer::Stop };
        }
        let mut answer = Promise::resolve(&given.get(0));
        if let Some(patience_ms) = patience_ms {
            answer = Promise::race(&Array::of2(&answer, &refusal_after(patience_ms)));
        }
        match JsFuture::from(answer).await {
            Ok(answer) if answer == false => Answer::Stop,
            // Also objects of other frames, whose classes are different.
            Ok(answer) if answer.is_object() => Answer::With(answer.unchecked_into()),
            Ok(_) => Answer::Go,
            Err(error) => {
                let words = Reflect::get(&error, &"message".into()).ok();
                let words = words.and_then(|words| words.as_string());
                Answer::Failed(words.filter(|words| !words.trim().is_empty()))
            }
        }
    }
}

impl EventDispatcher {
    fn event(&self, news: &dyn PageEvent, detail: &Object) -> Option<CustomEvent> {
        self.sign(detail, news.is_ending());
        for (name, value) in news.detail() {
            // Setting a key of a fresh plain object cannot fail.
            let _ = Reflect::set(detail, &name.into(), &js_value(value));
        }
        event(news.name(), detail)
    }

    fn dispatch(&self, event: &Option<CustomEvent>) -> bool {
        let event = event.as_ref();
        event.is_none_or(|event| self.target.dispatch_event(event).unwrap_or(true))
    }
}

/// Rejects after `delay_ms`.
fn refusal_after(delay_ms: i32) -> Promise {
    Promise::new(&mut |_, reject| {
        // Fails only where there is no page.
        let _ = window().set_timeout_with_callback_and_timeout_and_arguments_0(&reject, delay_ms);
    })
}

fn event(name: &str, detail: &Object) -> Option<CustomEvent> {
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
        Detail::List(words) => {
            let list: Array = words.iter().map(|word| JsValue::from_str(word)).collect();
            list.into()
        }
    }
}

/// Page of the mounted root.
pub fn use_page() -> Page {
    use_context().unwrap_or_default()
}
