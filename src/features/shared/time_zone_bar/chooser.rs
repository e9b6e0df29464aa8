//! Searchable list of all time zones, after the ARIA combobox pattern: the focus stays in the field, arrow
//! keys move within the list.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement, KeyboardEvent};

use crate::components::focus::focus_soon;
use crate::components::{Shape, button, icon, live_region};
use crate::element::settings::use_settings;
use crate::i18n::{Key, Translations, use_formats, use_texts};
use crate::time::format::{browser_zone, known_zones, lower_case};
use crate::time::zone::NamedZone;
use crate::time::{Formats, Instant, Zone};
use crate::ui::dom::{Node, el, value_of};
use crate::ui::signal::RwSignal;

/// Number of zones that are described and rendered per frame.
const ZONES_PER_FRAME: usize = 24;

/// Limit of rendered results: a longer list is not read.
const MAX_MATCHES: usize = 80;

/// Chooser that sets the root's time zone and closes its dialog.
pub fn chooser(is_open: RwSignal<bool>, instant: Instant) -> Node {
    let texts = use_texts();
    let settings = use_settings();
    let formats = use_formats();

    let field = el("input")
        .class("zone-field")
        .attr("type", "text")
        .attr("role", "combobox")
        .attr("aria-expanded", "true")
        .attr("aria-controls", "zone-list")
        .attr("aria-autocomplete", "list")
        .attr("aria-label", texts.get(Key::TimeZone))
        .attr("placeholder", texts.get(Key::FindZone))
        .attr("autocomplete", "off")
        .attr("spellcheck", "false")
        .attr("autofocus", "");
    let list = el("ul")
        .class("zone-list")
        .attr("role", "listbox")
        .attr("id", "zone-list")
        .attr("aria-label", texts.get(Key::TimeZone));
    let empty_message = el("p")
        .class("zone-none")
        .attr("hidden", "")
        .child(texts.get(Key::NoZoneFound));
    // The dialog focuses it when it opens; a list that loads later focuses it here.
    focus_soon(&field);
    let match_count = RwSignal::new(None);
    let chooser = Rc::new(ZoneChooser {
        field: field.element(),
        list: list.element(),
        empty_message: empty_message.element(),
        waiting: RefCell::new(in_order(settings.zone.get_untracked())),
        zones: RefCell::default(),
        rendered: RefCell::default(),
        active: Cell::new(0),
        query: RefCell::default(),
        instant,
        formats,
        match_count,
    });
    Rc::clone(&chooser).describe_next();

    let pick = move |zone: Option<Zone>| {
        if let Some(zone) = zone {
            settings.zone.set(zone);
            is_open.set(false);
        }
    };
    let typing = {
        let chooser = Rc::clone(&chooser);
        move |event: Event| chooser.search(value_of(&event))
    };
    let keys = {
        let chooser = Rc::clone(&chooser);
        move |event: Event| {
            let key = event.unchecked_ref::<KeyboardEvent>().key();
            let step = match key.as_str() {
                "ArrowDown" => 1,
                "ArrowUp" => -1,
                "PageDown" => 8,
                "PageUp" => -8,
                "Enter" => {
                    event.prevent_default();
                    return pick(chooser.zone(chooser.active.get()));
                }
                _ => return,
            };
            event.prevent_default();
            chooser.step(step);
        }
    };
    let press = move |event: Event| {
        let target: Option<Element> = event.target().map(JsCast::unchecked_into);
        let row = target.and_then(|target| target.closest("[role='option']").ok().flatten());
        if let Some(row) = row {
            pick(chooser.zone(chooser.index_of(&row)));
        }
    };
    el("div")
        .class("zone-chooser")
        .child(
            el("div")
                .class("zone-search")
                .child(icon(Shape::Search))
                .child(field.on("input", typing).on("keydown", keys))
                .child(
                    button("button-quiet button-square", move || is_open.set(false))
                        .attr("aria-label", texts.get(Key::Close))
                        .child(icon(Shape::Close)),
                ),
        )
        .child(list.on("click", press))
        .child(empty_message)
        .child(live_region(move || result_text(texts, match_count.get())))
}

fn result_text(texts: Translations, match_count: Option<usize>) -> String {
    match match_count {
        None => String::new(),
        Some(0) => texts.get(Key::NoZoneFound).to_owned(),
        Some(count) => texts.count(Key::ZonesFound, count),
    }
}

/// Returns the visitor's own zone, the selected one, then all others, in reverse order, because they are
/// taken from the end.
fn in_order(current: Zone) -> Vec<Zone> {
    let mut zones = known_zones();
    let own = browser_zone();
    zones.retain(|zone| *zone != own && *zone != current);
    zones.reverse();
    if current != own {
        zones.push(current);
    }
    zones.push(own);
    zones
}

struct ZoneChooser {
    field: HtmlElement,
    list: HtmlElement,
    empty_message: HtmlElement,
    /// Zones that are not described yet: `Intl` is slow for each.
    waiting: RefCell<Vec<Zone>>,
    zones: RefCell<Vec<NamedZone>>,
    /// Indices in `zones` of the listed ones.
    rendered: RefCell<Vec<usize>>,
    /// Position in the list that Enter selects.
    active: Cell<usize>,
    query: RefCell<String>,
    instant: Instant,
    formats: Formats,
    /// Number of matching zones, for screen readers.
    match_count: RwSignal<Option<usize>>,
}

impl ZoneChooser {
    fn describe_next(self: Rc<Self>) {
        let start = self.zones.borrow().len();
        for _ in 0..ZONES_PER_FRAME {
            let Some(zone) = self.waiting.borrow_mut().pop() else {
                break;
            };
            let named = self.formats.describe(self.instant, zone);
            self.zones.borrow_mut().push(named);
        }
        let end = self.zones.borrow().len();
        if self.query.borrow().is_empty() {
            self.append_rows(start..end);
        } else {
            self.render_matches();
        }
        if self.waiting.borrow().is_empty() {
            return;
        }
        request_animation_frame(move || {
            // The dialog may have been closed.
            if self.list.is_connected() {
                self.describe_next();
            }
        });
    }

    fn search(&self, query: String) {
        *self.query.borrow_mut() = lower_case(&query);
        self.active.set(0);
        self.render_matches();
    }

    /// Renders the matching zones, best first.
    fn render_matches(&self) {
        self.list.set_text_content(None);
        self.rendered.borrow_mut().clear();
        let query = self.query.borrow();
        if query.trim().is_empty() {
            let all = 0..self.zones.borrow().len();
            self.match_count.set(None);
            return self.append_rows(all);
        }
        let mut matches: Vec<(u8, usize)> = Vec::new();
        for (zone_index, zone) in self.zones.borrow().iter().enumerate() {
            if let Some(rank) = zone.rank(&query) {
                let index = matches.partition_point(|(other, _)| *other <= rank);
                matches.insert(index, (rank, zone_index));
            }
        }
        self.match_count.set(Some(matches.len()));
        matches.truncate(MAX_MATCHES);
        self.append_rows(matches.into_iter().map(|(_, zone_index)| zone_index));
    }

    fn append_rows(&self, indices: impl Iterator<Item = usize>) {
        for zone_index in indices {
            let zones = self.zones.borrow();
            let Some(zone) = zones.get(zone_index) else {
                continue;
            };
            let index = self.rendered.borrow().len();
            let row = el("li")
                .class("zone-option")
                .attr("role", "option")
                .attr("id", &id_of(index))
                .attr("aria-selected", "false")
                .child(el("span").class("zone-city").child(zone.city.as_str()))
                .child(el("span").class("zone-offset").child(zone.offset_text()))
                .child(el("span").class("zone-about").child(description(zone)));
            // It is a new element.
            let _ = self.list.append_child(&row.element());
            self.rendered.borrow_mut().push(zone_index);
        }
        let is_empty = self.rendered.borrow().is_empty();
        self.empty_message.set_hidden(!is_empty);
        self.activate(self.active.get());
    }

    fn step(&self, by: isize) {
        let last = self.rendered.borrow().len().saturating_sub(1);
        self.activate(self.active.get().saturating_add_signed(by).min(last));
    }

    fn activate(&self, index: usize) {
        if let Some(old) = self.row(self.active.get()) {
            set(&old, "aria-selected", "false");
        }
        self.active.set(index);
        let Some(row) = self.row(index) else {
            // Constant names cannot fail, here and below.
            let _ = self.field.remove_attribute("aria-activedescendant");
            return;
        };
        set(&row, "aria-selected", "true");
        set(&self.field, "aria-activedescendant", &id_of(index));
        let (top, height) = (row.offset_top(), row.offset_height());
        let seen = self.list.scroll_top();
        if top < seen {
            self.list.set_scroll_top(top);
        } else if top + height > seen + self.list.client_height() {
            self.list
                .set_scroll_top(top + height - self.list.client_height());
        }
    }

    fn row(&self, index: usize) -> Option<HtmlElement> {
        let rows = self.list.child_nodes();
        let row = rows.get(u32::try_from(index).ok()?)?;
        Some(row.unchecked_into())
    }

    fn index_of(&self, row: &Element) -> usize {
        let rendered = self.rendered.borrow().len();
        let is_row = |index: &usize| row.id() == id_of(*index);
        (0..rendered).find(is_row).unwrap_or(rendered)
    }

    fn zone(&self, index: usize) -> Option<Zone> {
        let zone_index = *self.rendered.borrow().get(index)?;
        Some(self.zones.borrow().get(zone_index)?.zone.clone())
    }
}

fn id_of(index: usize) -> String {
    let mut id = "zone-".to_owned();
    id.push_str(&index.to_string());
    id
}

/// Returns text such as `America · Eastern Time`.
fn description(zone: &NamedZone) -> String {
    let mut text = match zone.zone.0.split_once('/') {
        Some((region, _)) => region.replace('_', " "),
        None => return zone.name.clone(),
    };
    if !zone.name.is_empty() {
        text.push_str(" · ");
        text.push_str(&zone.name);
    }
    text
}

fn set(element: &HtmlElement, name: &str, value: &str) {
    let _ = element.set_attribute(name, value);
}
