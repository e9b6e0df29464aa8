//! One element's view, from connection to removal.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use booking_ui::prelude::*;
use booking_wire::{JsonMap, parse_date};
use js_sys::{Function, Object, Reflect};
use serde_json::Value;
use wasm_bindgen::prelude::*;
use web_sys::{Document, Element, HtmlElement, HtmlInputElement, ShadowRoot};

use super::attributes::{Config, LiveConfig};
use super::commands::{PickerCommand, PickerCommands};
use super::draft_store::DraftStore;
use super::events::Page;
use super::kept_flow::KeptFlow;
use super::properties::Properties;
use super::settings::Settings;
use crate::client::http::json;
use crate::client::query::Resumed;
use crate::client::session::Session;
use crate::components::{StatusLine, TopHeading};
use crate::i18n::{Catalogue, Language, locale_for};
use crate::time::format::{browser_locale, browser_zone, is_known};
use crate::time::{Clock, Instant, Zone};

/// Handle that the loader keeps for each connected element.
#[wasm_bindgen]
pub struct Mounted {
    /// Event target of the element, across restarts of its view.
    page: Page,
    base: Element,
    screen: fn(Config) -> Node,
    attributes: RefCell<Vec<(String, String)>>,
    properties: Properties,
    session: RefCell<JsValue>,
    /// The loader's function that imports an optional script by name.
    import_script: JsValue,
    locale: RefCell<PageLocale>,
    /// The script's function that copies a value of the page as plain data; the page's getters in it may throw.
    plain: JsValue,
    /// True if attributes or properties are invalid.
    has_mistakes: Cell<bool>,
    /// Returns the prefetched response of a URL, if there is one.
    prefetched: Option<Function>,
    /// Outlives views: a restarted view has the input of the previous one.
    drafts: DraftStore,
    /// Outlives views: a restarted view shows the step of the previous one.
    kept_flow: KeptFlow,
    running: RefCell<Option<Running>>,
    /// Counts starts and ends of views.
    runs: Cell<u32>,
    first_rendering: FirstRendering,
}

/// Locale and translations, determined by the loader.
#[derive(Default)]
struct PageLocale {
    /// Language of the texts.
    language: String,
    /// The page's language tag.
    tag: String,
    /// Translations; empty for English, and while they are loading.
    texts: JsonMap,
}

/// View and the state that changes without restart.
struct Running {
    config: Config,
    live_config: LiveConfig,
    session: Session,
    language: Language,
    settings: Settings,
    orders: PickerCommands,
    /// Counts the page's changes.
    changes: RwSignal<u32>,
    /// Count that the view last saw.
    seen_changes: Rc<Cell<u32>>,
    // Ends the view when dropped.
    _root: Root,
}

impl Mounted {
    /// Renders `screen` in an element of its own: directly in the shadow root, views that change their shape would
    /// vanish. The loader's script puts it into the shadow root once it is complete. `options` are `MountOptions` of
    /// `scripts/globals.d.ts`.
    pub fn new(
        host: HtmlElement,
        css: &str,
        options: &JsValue,
        screen: fn(Config) -> Node,
    ) -> Result<Self, JsValue> {
        // A missing one is `undefined`, which counts as absent everywhere.
        let option = |name: &str| Reflect::get(options, &name.into()).unwrap_or_default();
        let base = document().create_element("div")?;
        base.set_attribute("part", "base")?;
        base.set_attribute("class", "base")?;
        let (attach, view, sheet) = (option("attach"), base.clone(), style_sheet(css));
        let plain = option("plain");
        let place = place_among_siblings(&host);
        let properties = entries(&option("properties")).into_iter();
        let properties = properties.map(|(name, value)| (name, plain_value(&plain, &value)));
        let mounted = Self {
            page: Page::of(host.into()),
            base,
            screen,
            attributes: RefCell::new(texts(&option("attributes"))),
            properties: Properties::new(properties.collect(), option("properties")),
            session: RefCell::new(option("session")),
            import_script: option("importScript"),
            locale: RefCell::default(),
            plain,
            has_mistakes: Cell::default(),
            prefetched: option("prefetched").dyn_into().ok(),
            drafts: DraftStore::of_element(place),
            kept_flow: KeptFlow::default(),
            running: RefCell::default(),
            runs: Cell::new(0),
            first_rendering: FirstRendering::begin(move || {
                // Result ignored: an asynchronous function throws nothing.
                let _ =
                    attach
                        .unchecked_ref::<Function>()
                        .call2(&JsValue::NULL, &view, &sheet.into());
            }),
        };
        mounted.read_locale(&option("locale"));
        mounted.run(mounted.config());
        mounted.first_rendering.end_task();
        Ok(mounted)
    }

    fn config(&self) -> Config {
        let (config, invalid) = self
            .properties
            .with(|properties| Config::parse(&self.attributes.borrow(), properties));
        let is_zone_known = config.zone.as_ref().is_none_or(is_known);
        self.has_mistakes.set(!invalid.is_empty() || !is_zone_known);
        config
    }

    /// Starts a new view.
    fn run(&self, config: Config) {
        self.hide_parts(&config);
        // Ends the old view first: both use the same element. Its last events let the page call back, so nothing is
        // borrowed here, and the newest call wins.
        let run = self.runs.get().wrapping_add(1);
        self.end();
        if self.runs.get() != run {
            return;
        }
        self.page.begin();

        let session = self.session.borrow().clone();
        let page = self.page.clone();
        let mut running = None;
        let root = Root::mount(&self.base, || {
            let language = Language::new("", Clock::browser());
            language.formats.set_week_start(config.week_start);
            self.apply_locale(language, &config);
            let settings = Settings {
                zone: RwSignal::new(zone_of(&config)),
                uses_12_hours: RwSignal::new(uses_12_hours(&config, language)),
                recent_zones: RwSignal::new(Vec::new()),
                has_session: session.is_object(),
            };
            let orders = PickerCommands(RwSignal::new(None));
            provide_context(orders);
            language.provide();
            let live_config = LiveConfig::new(&config);
            provide_context(live_config.clone());
            if let Some(level) = config.heading_level {
                provide_context(TopHeading(usize::try_from(level).unwrap_or_default()));
            }
            let changes = RwSignal::new(0);
            provide_context(self.properties.clone().followed_by(changes));
            let seen_changes = Rc::new(Cell::new(0));
            let seen = Rc::clone(&seen_changes);
            effect(move || seen.set(changes.get()));
            provide_context(page.clone());
            provide_context(self.drafts.clone());
            provide_context(self.kept_flow.clone());
            provide_context(settings);
            provide_context(Resumed(Trigger::new()));
            provide_context(self.first_rendering.clone());
            let session = Session::from_page(
                &session,
                &config.base_url,
                config.dialect,
                &self.import_script,
                self.prefetched.as_ref(),
                move |name, detail| {
                    // Result ignored: there is no default action to prevent.
                    let _ = page.emit_plain(name, detail);
                },
            );
            provide_context(session.clone());
            running = Some((
                live_config,
                language,
                settings,
                orders,
                changes,
                seen_changes,
                session,
            ));
            let line = StatusLine::provide();
            let (screen, config) = (self.screen, config.clone());
            fragment()
                .child(el("slot").attr("name", "header"))
                .child(in_own_task(move || screen(config)))
                .child(line.view())
        });
        *self.running.borrow_mut() = running.map(
            |(live_config, language, settings, orders, changes, seen_changes, session)| Running {
                config,
                live_config,
                session,
                language,
                settings,
                orders,
                changes,
                seen_changes,
                _root: root,
            },
        );
    }

    /// Ends the view.
    fn end(&self) {
        self.runs.set(self.runs.get().wrapping_add(1));
        let running = self.running.borrow_mut().take();
        drop(running);
    }

    /// Hides parts by a style sheet.
    fn hide_parts(&self, config: &Config) {
        // Cannot fail on our own element.
        let _ = self
            .base
            .set_attribute("data-hide", &config.hides.join(" "));
    }

    /// Applies a change by the page: in place, unless it changes what the view is about.
    fn update(&self) {
        let config = self.config();
        let is_same = match self.running.borrow_mut().as_mut() {
            Some(running) if running.config.keeps_view(&config) => {
                self.update_in_place(running, config.clone());
                true
            }
            _ => false,
        };
        if !is_same {
            self.run(config);
        }
    }

    fn update_in_place(&self, running: &mut Running, config: Config) {
        let before = std::mem::replace(&mut running.config, config);
        let config = &running.config;
        self.hide_parts(config);
        running.live_config.set(config);
        if before.messages != config.messages {
            self.apply_locale(running.language, config);
        }
        running.changes.update(|count| *count += 1);
        let settings = running.settings;
        if before.zone != config.zone {
            settings.zone.set(zone_of(config));
        }
        if before.uses_12_hours != config.uses_12_hours {
            let uses_12_hours = uses_12_hours(config, running.language);
            settings.uses_12_hours.set(uses_12_hours);
        }
    }

    fn is_running(&self) -> bool {
        self.running.borrow().is_some()
    }

    fn order(&self, order: PickerCommand) -> bool {
        if let Some(running) = self.running.borrow().as_ref() {
            running.orders.0.set(Some(order));
        }
        true
    }

    fn apply_locale(&self, language: Language, config: &Config) {
        let page_locale = self.locale.borrow();
        let locale = locale_for(&page_locale.language, &page_locale.tag, &browser_locale());
        let catalogue = Catalogue::new(&page_locale.language, &page_locale.texts, &config.messages);
        language.set_locale(&locale, catalogue);
    }

    fn read_locale(&self, locale: &JsValue) {
        let Some(Value::Object(mut values)) = json::value_of(locale) else {
            return;
        };
        // Values are taken in place: removing entries of a map adds 4 KB of code.
        let mut take = |name: &str| values.get_mut(name).map(Value::take);
        let mut text = |name: &str| match take(name) {
            Some(Value::String(text)) => text,
            _ => String::new(),
        };
        let (language, tag, direction) = (text("language"), text("tag"), text("direction"));
        let texts = match take("texts") {
            Some(Value::Object(texts)) => texts,
            _ => JsonMap::new(),
        };
        // Cannot fail on our own element; without `dir` it inherits the page's.
        let _ = match direction.as_str() {
            "" => self.base.remove_attribute("dir"),
            direction => self.base.set_attribute("dir", direction),
        };
        let _ = self.base.set_attribute("lang", &language);
        *self.locale.borrow_mut() = PageLocale {
            language,
            tag,
            texts,
        };
    }
}

/// Number of elements of the same kind before `host` in its document or shadow tree.
fn place_among_siblings(host: &HtmlElement) -> u32 {
    // A shadow root has the same method.
    let root: Document = host.get_root_node().unchecked_into();
    // Cannot fail: the name of an element is a valid selector.
    let Ok(all) = root.query_selector_all(&host.local_name()) else {
        return 0;
    };
    let is_host = |index: &u32| {
        all.get(*index)
            .is_some_and(|node| host.is_same_node(Some(&node)))
    };
    (0..all.length()).find(is_host).unwrap_or_default()
}

fn zone_of(config: &Config) -> Zone {
    let zone = config.zone.clone().filter(is_known);
    zone.unwrap_or_else(browser_zone)
}

fn uses_12_hours(config: &Config, language: Language) -> bool {
    config
        .uses_12_hours
        .unwrap_or_else(|| language.formats.prefers_12_hours())
}

#[wasm_bindgen]
impl Mounted {
    /// Tells the page that the view is shown.
    pub fn ready(&self) {
        // Result ignored: there is no default action to prevent.
        let _ = self.page.emit_plain("ready", &Object::new());
    }

    /// Attribute change; `null` for a removed one.
    pub fn changed(&self, name: String, value: Option<String>) {
        let has_changed = {
            let mut attributes = self.attributes.borrow_mut();
            let before = attributes.iter().position(|(known, _)| *known == name);
            let before = before.map(|index| attributes.swap_remove(index).1);
            if let Some(value) = value.clone() {
                attributes.push((name, value));
            }
            before != value
        };
        if has_changed {
            self.update();
        }
    }

    /// Sets a property that holds plain data.
    pub fn set_property(&self, name: String, value: &JsValue) {
        let has_changed = (self.properties).set(&name, plain_value(&self.plain, value));
        if has_changed {
            self.update();
        }
    }

    /// True if attributes or properties are invalid: the loader then loads the script that says which.
    pub fn has_mistakes(&self) -> bool {
        self.has_mistakes.get()
    }

    /// Replaces the session.
    pub fn set_session(&self, session: JsValue) {
        *self.session.borrow_mut() = session;
        self.run(self.config());
    }

    /// Sets another token for the same session.
    pub fn set_token(&self, token: JsValue) {
        if let Some(running) = self.running.borrow().as_ref() {
            running.session.set_token(token);
        }
    }

    /// Applies the page's new locale, or loaded translations.
    pub fn set_locale(&self, locale: &JsValue) {
        let before = self.locale.borrow().language.clone();
        self.read_locale(locale);
        if let Some(running) = self.running.borrow().as_ref() {
            restore_focus(&self.base);
            let language = running.language;
            let hours = running.settings.uses_12_hours;
            let is_default = hours.get_untracked() == uses_12_hours(&running.config, language);
            self.apply_locale(language, &running.config);
            // The visitor's choice stays; a default becomes the default of the new language.
            if is_default {
                hours.set(uses_12_hours(&running.config, language));
            }
        }
        let language = self.locale.borrow().language.clone();
        // Last: the page may call back.
        if before != language && self.is_running() {
            let detail = Object::new();
            // Setting a key of a fresh plain object cannot fail.
            let _ = Reflect::set(&detail, &"language".into(), &language.into());
            // Result ignored: there is no default action to prevent.
            let _ = self.page.emit_plain("language-changed", &detail);
        }
    }

    /// Restarts the view without selection and input.
    pub fn reset(&self) {
        // The old view first: it saves its drafts.
        self.end();
        self.drafts.reset();
        self.kept_flow.clear();
        self.run(self.config());
    }

    /// Reloads the slots.
    pub fn refresh(&self) {
        self.order(PickerCommand::Refresh);
    }

    /// Shows a day such as `2027-03-04`. False if it is none.
    pub fn go_to(&self, day: &str) -> bool {
        let day = parse_date(day).map(PickerCommand::GoTo);
        day.is_some_and(|order| self.order(order))
    }

    /// Selects the slot that starts at `start`, an ISO 8601 instant, if it is shown. False if it is no instant.
    pub fn select_slot(&self, start: &str) -> bool {
        let start = Instant::parse(start).map(PickerCommand::Select);
        start.is_some_and(|order| self.order(order))
    }

    /// True if the view has processed the last change. Sends it another. A view may stop responding after a trap in
    /// another view of the same instance.
    pub fn is_responsive(&self) -> bool {
        let running = self.running.borrow();
        let Some(running) = running.as_ref() else {
            return false;
        };
        let changes = running.changes;
        let is_responsive = changes.get_untracked() == running.seen_changes.get();
        changes.update(|count| *count += 1);
        is_responsive
    }

    /// Ends the view. Idempotent.
    pub fn unmount(&self) {
        self.end();
    }
}

/// Restores focus and caret when the view is rendered again in another language: the elements are new, but in the same
/// positions.
fn restore_focus(base: &Element) {
    let root: ShadowRoot = base.get_root_node().unchecked_into();
    let Some(focused) = root.active_element() else {
        return;
    };
    let mut path = Vec::new();
    let mut node = focused.clone();
    while let Some(parent) = node.parent_element().filter(|_| node != *base) {
        let mut index = 0;
        let mut before = node.previous_element_sibling();
        while let Some(sibling) = before {
            index += 1;
            before = sibling.previous_element_sibling();
        }
        path.push(index);
        node = parent;
    }
    let field: &HtmlInputElement = focused.unchecked_ref();
    // Absent for other elements, and for fields without a caret.
    let caret = field.selection_start().ok().flatten();
    let base = base.clone();
    // In the first frame, lists render further rows, and a step that is shown at the same time takes the focus.
    request_animation_frame(move || {
        request_animation_frame(move || {
            let mut node = base;
            for index in path.iter().rev() {
                let mut child = node.first_element_child();
                for _ in 0..*index {
                    child = child.and_then(|child| child.next_element_sibling());
                }
                match child {
                    Some(child) => node = child,
                    None => return,
                }
            }
            let field: &HtmlInputElement = node.unchecked_ref();
            // Fails on a removed element or one without a caret.
            let _ = field.focus();
            if caret.is_some() {
                let _ = field.set_selection_start(caret);
            }
        });
    });
}

fn texts(object: &JsValue) -> Vec<(String, String)> {
    let text = |(name, value): (String, JsValue)| Some((name, value.as_string()?));
    entries(object).into_iter().filter_map(text).collect()
}

/// Value of a page's property; one that cannot be read is invalid in every property.
fn plain_value(plain: &JsValue, value: &JsValue) -> Value {
    let copy = plain.unchecked_ref::<Function>();
    let copy = copy.call1(&JsValue::UNDEFINED, value).ok();
    copy.and_then(|copy| json::value_of(&copy))
        .unwrap_or(Value::Bool(false))
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
