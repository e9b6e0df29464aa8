//! One element's view, from connection to removal.

use std::cell::RefCell;

use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen::prelude::*;
use web_sys::{Element, HtmlElement, ShadowRoot};

use super::attributes::Config;
use super::events::Page;
use crate::api::json;
use crate::dom::{Html, Root};
use crate::features::Settings;
use crate::i18n::locale_for;
use crate::session::Session;
use crate::theme;
use crate::time::format::{browser_locale, browser_zone, is_known};
use crate::time::{Clock, Formats};

/// The handle that the loader keeps for each connected element.
#[wasm_bindgen]
pub struct Mounted {
    host: HtmlElement,
    base: Element,
    screen: fn(Config) -> Html,
    attributes: RefCell<Vec<(String, String)>>,
    properties: RefCell<Vec<(String, Value)>>,
    session: RefCell<JsValue>,
    running: RefCell<Option<Root>>,
}

impl Mounted {
    /// Mounts `screen` inside `root`, in an element of its own: directly in the shadow root, views
    /// that change their shape would vanish.
    pub fn new(
        host: HtmlElement,
        root: &ShadowRoot,
        css: &str,
        attributes: &JsValue,
        properties: &JsValue,
        session: JsValue,
        screen: fn(Config) -> Html,
    ) -> Result<Self, JsValue> {
        theme::adopt(root, css);
        let base = document().create_element("div")?;
        base.set_attribute("part", "base")?;
        base.set_attribute("class", "base")?;
        root.replace_children_with_node_1(&base);
        let mounted = Self {
            host,
            base,
            screen,
            attributes: RefCell::new(texts(attributes)),
            properties: RefCell::new(values(properties)),
            session: RefCell::new(session),
            running: RefCell::default(),
        };
        mounted.run();
        Ok(mounted)
    }

    fn run(&self) {
        let (config, complaints) =
            Config::parse(&self.attributes.borrow(), &self.properties.borrow());
        for complaint in complaints {
            let name = self.host.local_name();
            leptos::logging::warn!("<{name}>: {complaint}");
        }
        // The old view goes before the new one comes: they share the place.
        self.running.borrow_mut().take();

        let session = self.session.borrow().clone();
        let root = Root::mount(&self.base, || {
            let page = config
                .locale
                .clone()
                .or_else(|| self.language())
                .unwrap_or_default();
            let formats = Formats::new(&locale_for(&page, &browser_locale()));
            let zone = config
                .zone
                .clone()
                .filter(is_known)
                .unwrap_or_else(browser_zone);
            provide_context(formats);
            provide_context(Clock::browser());
            provide_context(Page::of(self.host.clone().into()));
            provide_context(Settings {
                zone: RwSignal::new(zone),
                uses_12_hours: RwSignal::new(
                    config
                        .uses_12_hours
                        .unwrap_or_else(|| formats.prefers_12_hours()),
                ),
                has_session: session.is_object(),
            });
            provide_context(Session::from_page(
                &session,
                &config.base_url,
                config.dialect,
            ));
            (self.screen)(config)
        });
        *self.running.borrow_mut() = Some(root);
    }

    /// The language of the nearest ancestor that has one.
    fn language(&self) -> Option<String> {
        let near = self.host.closest("[lang]").ok().flatten()?;
        near.get_attribute("lang")
            .filter(|language| !language.is_empty())
    }
}

#[wasm_bindgen]
impl Mounted {
    /// An attribute changed; `null` if it was removed.
    pub fn changed(&self, name: String, value: Option<String>) {
        let is_new = {
            let mut attributes = self.attributes.borrow_mut();
            let before = attributes.iter().position(|(known, _)| *known == name);
            let before = before.map(|place| attributes.swap_remove(place).1);
            if let Some(value) = value.clone() {
                attributes.push((name, value));
            }
            before != value
        };
        if is_new {
            self.run();
        }
    }

    /// The page set a property that holds plain data.
    pub fn set_property(&self, name: String, value: &JsValue) {
        let value = json::value_of(value).unwrap_or_default();
        let is_new = {
            let mut properties = self.properties.borrow_mut();
            let before = properties.iter().position(|(known, _)| *known == name);
            let before = before.map(|place| properties.swap_remove(place).1);
            let is_new = before.as_ref() != Some(&value);
            properties.push((name, value));
            is_new
        };
        if is_new {
            self.run();
        }
    }

    /// The page gave another session.
    pub fn set_session(&self, session: JsValue) {
        *self.session.borrow_mut() = session;
        self.run();
    }

    /// Ends the view. Does nothing the second time.
    pub fn unmount(&self) {
        self.running.borrow_mut().take();
    }
}

fn texts(object: &JsValue) -> Vec<(String, String)> {
    let text = |(name, value): (String, JsValue)| Some((name, value.as_string()?));
    entries(object).into_iter().filter_map(text).collect()
}

/// Functions and whatever else JSON does not know count as nothing.
fn values(object: &JsValue) -> Vec<(String, Value)> {
    let value = |(name, value): (String, JsValue)| Some((name, json::value_of(&value)?));
    entries(object).into_iter().filter_map(value).collect()
}

fn entries(object: &JsValue) -> Vec<(String, JsValue)> {
    let Some(object) = object.dyn_ref::<js_sys::Object>() else {
        return Vec::new();
    };
    js_sys::Object::entries(object)
        .iter()
        .filter_map(|pair| {
            let pair: js_sys::Array = pair.dyn_into().ok()?;
            Some((pair.get(0).as_string()?, pair.get(1)))
        })
        .collect()
}
