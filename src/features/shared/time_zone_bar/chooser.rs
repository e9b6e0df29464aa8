//! Searchable list of all time zones, in groups, after the ARIA combobox pattern: the focus stays in the field,
//! arrow keys move within the list.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use booking_ui::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement, KeyboardEvent};

use crate::components::focus::focus_soon;
use crate::components::{Shape, button, icon, live_region};
use crate::i18n::{Key, Translations, use_formats, use_texts};
use crate::page::settings::{HostZone, Settings, use_clock, use_settings};
use crate::time::format::{CountryNames, browser_zone, fold, is_known, known_zones};
use crate::time::zone::{NamedZone, by_distance};
use crate::time::{Formats, Instant, Zone};

/// Number of zones that are described and rendered per frame.
const ZONES_PER_FRAME: usize = 24;

/// Limit of rendered results: a longer list is not read.
const MAX_MATCHES: usize = 80;

/// Limit of the zones that are listed as recently used.
const MAX_RECENT: usize = 4;

/// Chooser that sets the root's time zone and closes its dialog.
pub fn chooser(is_open: RwSignal<bool>, instant: Instant) -> Node {
    let texts = use_texts();
    let settings = use_settings();
    let formats = use_formats();

    let field = el("input")
        .class("search-field")
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
    let list = el("div")
        .class("search-list")
        .attr("role", "listbox")
        .attr("id", "zone-list")
        .attr("aria-label", texts.get(Key::TimeZone));
    let empty_message = el("p")
        .class("search-none")
        .attr("hidden", "")
        .child(texts.get(Key::NoZoneFound));
    // The dialog focuses it when it opens; a list that loads later focuses it here.
    focus_soon(&field);
    let match_count = RwSignal::new(None);
    let (groups, waiting) = in_order(settings);
    let chooser = Rc::new(ZoneChooser {
        field: field.element(),
        list: list.element(),
        empty_message: empty_message.element(),
        waiting: RefCell::new(waiting),
        groups,
        zones: RefCell::default(),
        rendered: RefCell::default(),
        active: Cell::new(0),
        query: RefCell::default(),
        instant,
        now: use_clock().now(),
        uses_12_hours: settings.uses_12_hours.get_untracked(),
        texts,
        formats,
        countries: formats.country_names(),
        match_count,
    });
    Rc::clone(&chooser).describe_next();

    let pick = move |zone: Option<Zone>| {
        if let Some(zone) = zone {
            let recent = settings.recent_zones;
            recent.update(|recent| remember(recent, zone.clone()));
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
                .class("search-row")
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

/// Title of a group with the number of its zones.
type Group = (Key, usize);

/// Returns the groups above all other zones, and all zones in the order of the groups. They are in reverse,
/// because they are taken from the end.
fn in_order(settings: Settings) -> (Vec<Group>, Vec<Zone>) {
    let own = browser_zone();
    let host = use_context::<HostZone>().map(|host| host.0);
    let mut recent = settings.recent_zones.get_untracked();
    remember(&mut recent, settings.zone.get_untracked());
    let (groups, first) = first_zones(own, host.filter(is_known), recent);
    let mut zones = known_zones();
    zones.retain(|zone| !first.contains(zone));
    zones.reverse();
    zones.extend(first.into_iter().rev());
    (groups, zones)
}

/// Returns the first groups and their zones, each zone once.
fn first_zones(own: Zone, host: Option<Zone>, recent: Vec<Zone>) -> (Vec<Group>, Vec<Zone>) {
    let mut groups = Vec::new();
    let mut zones: Vec<Zone> = Vec::new();
    for (title, group) in [
        (Key::ZoneYours, vec![own]),
        (Key::ZoneHost, host.into_iter().collect()),
        (Key::ZonesRecent, recent),
    ] {
        let before = zones.len();
        for zone in group {
            if !zones.contains(&zone) {
                zones.push(zone);
            }
        }
        groups.push((title, zones.len() - before));
    }
    (groups, zones)
}

fn remember(recent: &mut Vec<Zone>, zone: Zone) {
    recent.retain(|other| *other != zone);
    recent.insert(0, zone);
    recent.truncate(MAX_RECENT);
}

struct ZoneChooser {
    field: HtmlElement,
    list: HtmlElement,
    empty_message: HtmlElement,
    /// Zones that are not described yet: `Intl` is slow for each.
    waiting: RefCell<Vec<Zone>>,
    zones: RefCell<Vec<NamedZone>>,
    /// Groups of the first zones. The others are one more group, nearest first.
    groups: Vec<Group>,
    /// Listed zones: index in `zones` and row.
    rendered: RefCell<Vec<(usize, HtmlElement)>>,
    /// Position in the list that Enter selects.
    active: Cell<usize>,
    query: RefCell<String>,
    instant: Instant,
    now: Instant,
    uses_12_hours: bool,
    texts: Translations,
    formats: Formats,
    countries: CountryNames,
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
            let countries = &self.countries;
            let named = (self.formats).describe(self.instant, self.now, zone, countries);
            self.zones.borrow_mut().push(named);
        }
        let is_complete = self.waiting.borrow().is_empty();
        if !self.query.borrow().is_empty() {
            self.render_matches();
        } else if start == 0 {
            self.render_groups();
        } else if is_complete {
            self.render_others();
        }
        if is_complete {
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
        *self.query.borrow_mut() = fold(&query);
        self.active.set(0);
        self.render_matches();
    }

    /// Renders the groups of the first zones, and the others once their offsets are known.
    fn render_groups(&self) {
        self.clear();
        let mut start = 0;
        for (title, count) in &self.groups {
            let end = start + count;
            self.append_group(*title, start..end);
            start = end;
        }
        if self.waiting.borrow().is_empty() {
            self.render_others();
        }
    }

    /// Renders all zones that are in no group, nearest to the visitor's own first.
    fn render_others(&self) {
        let start = self.groups.iter().map(|(_, count)| count).sum();
        let sorted = {
            let zones = self.zones.borrow();
            let own = zones.first().map_or(0, |zone| zone.offset);
            by_distance(&zones, start, own)
        };
        self.append_group(Key::ZonesOther, sorted.into_iter());
    }

    fn append_group(&self, title: Key, indices: impl Iterator<Item = usize>) {
        let mut indices = indices.peekable();
        if indices.peek().is_none() {
            return;
        }
        let id = ["zone-group-", &self.list.child_element_count().to_string()].concat();
        let title = el("div")
            .class("zone-group-title")
            .attr("role", "presentation")
            .attr("id", &id)
            .child(self.texts.get(title));
        let group = el("div")
            .attr("role", "group")
            .attr("aria-labelledby", &id)
            .child(title)
            .element();
        // It is a new element, here and below.
        let _ = self.list.append_child(&group);
        self.append_rows(&group, indices);
    }

    fn clear(&self) {
        self.list.set_text_content(None);
        self.rendered.borrow_mut().clear();
    }

    /// Renders the matching zones, best first.
    fn render_matches(&self) {
        let query = self.query.borrow();
        if query.trim().is_empty() {
            self.match_count.set(None);
            return self.render_groups();
        }
        self.clear();
        let mut matches: Vec<(u8, usize)> = Vec::new();
        for (zone_index, zone) in self.zones.borrow().iter().enumerate() {
            if let Some(rank) = zone.rank(&query) {
                let index = matches.partition_point(|(other, _)| *other <= rank);
                matches.insert(index, (rank, zone_index));
            }
        }
        self.match_count.set(Some(matches.len()));
        matches.truncate(MAX_MATCHES);
        let found = matches.into_iter().map(|(_, zone_index)| zone_index);
        self.append_rows(&self.list, found);
    }

    fn append_rows(&self, parent: &HtmlElement, indices: impl Iterator<Item = usize>) {
        for zone_index in indices {
            let zones = self.zones.borrow();
            let Some(zone) = zones.get(zone_index) else {
                continue;
            };
            let index = self.rendered.borrow().len();
            let row = el("div")
                .class("zone-option")
                .attr("role", "option")
                .attr("id", &id_of(index))
                .attr("aria-selected", "false")
                .child(el("span").class("zone-city").child(zone.city.as_str()))
                // Spaces separate the words of the option's name.
                .child(" ")
                .child(el("span").class("zone-time").child(self.local_time(zone)))
                .child(" ")
                .child(el("span").class("zone-about").child(description(zone)))
                .child(" ")
                .child(el("span").class("zone-offset").child(zone.offset_text()))
                .element();
            let _ = parent.append_child(&row);
            self.rendered.borrow_mut().push((zone_index, row));
        }
        let is_empty = self.rendered.borrow().is_empty();
        self.empty_message.set_hidden(!is_empty);
        self.activate(self.active.get());
    }

    /// Present time in `zone`. Its offset is known, so that it needs no formatter of its own.
    fn local_time(&self, zone: &NamedZone) -> String {
        let shifted = self.now.plus_minutes(zone.current_offset);
        self.formats.time(shifted, &Zone::utc(), self.uses_12_hours)
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
        let end = row.offset_top() + row.offset_height();
        // The title of a group comes into view with its first zone.
        let title = row.previous_element_sibling();
        let title = title.filter(|before| before.class_name() == "zone-group-title");
        let first: HtmlElement = title.map_or(row, JsCast::unchecked_into);
        let (top, seen) = (first.offset_top(), self.list.scroll_top());
        if top < seen {
            self.list.set_scroll_top(top);
        } else if end > seen + self.list.client_height() {
            self.list.set_scroll_top(end - self.list.client_height());
        }
    }

    fn row(&self, index: usize) -> Option<HtmlElement> {
        let rendered = self.rendered.borrow();
        rendered.get(index).map(|(_, row)| row.clone())
    }

    fn index_of(&self, row: &Element) -> usize {
        let rendered = self.rendered.borrow();
        let position = rendered.iter().position(|(_, other)| **other == *row);
        position.unwrap_or(rendered.len())
    }

    fn zone(&self, index: usize) -> Option<Zone> {
        let zone_index = self.rendered.borrow().get(index)?.0;
        Some(self.zones.borrow().get(zone_index)?.zone.clone())
    }
}

fn id_of(index: usize) -> String {
    let mut id = "zone-".to_owned();
    id.push_str(&index.to_string());
    id
}

/// Returns text such as `United States · Eastern Time`, with the region of the id if the zone has no country.
fn description(zone: &NamedZone) -> String {
    let mut text = match zone.zone.0.split_once('/') {
        Some(_) if !zone.country.is_empty() => zone.country.clone(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_zones_are_listed_once_the_last_used_first() {
        let zone = |name: &str| Zone(name.to_owned());
        let mut recent = Vec::new();
        for name in ["Asia/Tokyo", "Europe/Berlin", "America/Lima", "Asia/Tokyo"] {
            remember(&mut recent, zone(name));
        }
        let counts = |groups: Vec<Group>| groups.into_iter().map(|(_, count)| count);
        let own = zone("Europe/Berlin");
        let (groups, zones) = first_zones(own.clone(), Some(zone("UTC")), recent.clone());
        let expected = ["Europe/Berlin", "UTC", "Asia/Tokyo", "America/Lima"];
        assert_eq!(zones, expected.map(zone));
        assert_eq!(counts(groups).collect::<Vec<_>>(), [1, 1, 2]);
        let (groups, zones) = first_zones(own.clone(), Some(own), Vec::new());
        assert_eq!(zones, [zone("Europe/Berlin")]);
        assert_eq!(counts(groups).collect::<Vec<_>>(), [1, 0, 0]);
    }
}
