//! List of the slots of one day.

use std::cell::RefCell;
use std::rc::Rc;

use booking_ui::prelude::*;
use booking_wire::Slot;
use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlElement, Node as DomNode};

use crate::components::{Shape, icon};
use crate::i18n::{Key, Translations, use_formats, use_texts};
use crate::page::settings::{Settings, use_settings};
use crate::time::{CivilDate, Formats, Instant, Zone};

use super::model::{DayPart, is_ambiguous, with_taken};
use super::picker_state::PickerState;

/// Rows rendered at once: more than are visible without scrolling.
pub(super) const ROWS_PER_FRAME: usize = 40;

/// Rows of each day, where several days have hundreds.
pub(super) const ROWS_PER_FRAME_IN_COLUMNS: usize = 12;

/// Shared state of slot lists.
#[derive(Clone, Copy)]
pub(super) struct SlotLists {
    selected: RwSignal<Option<Slot>>,
    /// Slot that was lost to another booking.
    taken: RwSignal<Option<Instant>>,
    /// Start of the booking that is rescheduled.
    booked: Signal<Option<Instant>>,
    /// True if a click only selects a slot.
    confirms_selection: bool,
    on_pick: Callback<Slot>,
    /// The visitor's own zone, if slots are shown in another, locked zone.
    visitor_zone: StoredValue<Option<Zone>>,
    texts: Translations,
    formats: Formats,
    settings: Settings,
}

impl SlotLists {
    pub(super) fn new(
        state: PickerState,
        confirms_selection: bool,
        visitor_zone: Option<Zone>,
        on_pick: Callback<Slot>,
    ) -> Self {
        Self {
            selected: state.slot,
            taken: state.taken,
            booked: state.booked,
            confirms_selection,
            on_pick,
            visitor_zone: StoredValue::new(visitor_zone),
            texts: use_texts(),
            formats: use_formats(),
            settings: use_settings(),
        }
    }

    /// Title of a day's slots.
    pub(super) fn title(self, day: CivilDate) -> String {
        self.formats.medium_day(day)
    }

    /// Lists the slots of `day`, of which there is at least one, with titles for the parts of the day if it `has_parts`.
    /// The selected slot has a continue button. Follows the zone and the hour cycle only if created in a reactive view.
    /// Each frame renders `rows_per_frame` rows.
    pub(super) fn list(
        self,
        day: CivilDate,
        slots: Vec<Slot>,
        has_parts: bool,
        rows_per_frame: usize,
    ) -> Node {
        let Self {
            texts,
            formats,
            settings,
            ..
        } = self;
        let zone = settings.zone.get();
        let taken = self.taken.get();
        let taken = taken.filter(|taken| formats.day_of(*taken, &zone) == day);
        let mut slots = with_taken(slots, taken);
        let label = [("day", &*self.title(day)), ("zone", &*zone.display_name())];
        let list = el("ul")
            .class("times")
            .attr("part", "times")
            .attr("aria-label", &texts.fill(Key::TimesOn, &label));

        let ends = slots.first().zip(slots.last());
        let ends = ends.map(|(first, last)| [first.start, last.start]);
        let zone_name = ends.map(|[first, _]| formats.zone_name(first, &zone));
        let offsets = ends.map(|ends| ends.map(|start| formats.offset(start, &zone)));
        let [first_offset, last_offset] = offsets.unwrap_or_default();
        let has_offset_change = first_offset != last_offset;
        let mut parts = Vec::new();
        if has_parts {
            let part_of = |slot: &Slot| {
                let offset = match has_offset_change {
                    true => formats.offset(slot.start, &zone),
                    false => first_offset,
                };
                DayPart::of(slot.start, offset)
            };
            let chronological = std::mem::take(&mut slots);
            for part in DayPart::ALL {
                for slot in &chronological {
                    if part_of(slot) == part {
                        slots.push(slot.clone());
                        parts.push(part);
                    }
                }
            }
        }
        let times = slots
            .iter()
            .map(|slot| settings.time(formats, slot.start))
            .collect();
        let button = el("button")
            .class("time")
            .attr("type", "button")
            .attr("part", "slot")
            .attr("aria-description", &zone_name.unwrap_or_default())
            .child(el("span").class("time-text"));
        let day = Rc::new(DayList {
            lists: self,
            row: el("li").class("time-row").child(button),
            zone,
            has_offset_change,
            rows_per_frame,
            taken,
            slots,
            parts,
            times,
            rows: RefCell::default(),
            selected_row: RefCell::default(),
            view: StoredValue::new(()),
        });
        let is_folded = day.hides_night();
        let list = list.attr_if("data-folded", is_folded.then_some(""));
        append_rows(list.element(), Rc::clone(&day));

        let day_list = Rc::clone(&day);
        effect(move || {
            self.selected
                .with(|selected| day_list.update_selection(selected.as_ref()))
        });
        list.on("click", move |event| day.on_click(&event))
    }
}

/// List of one day. Its rows have no handlers and effects of their own: there may be hundreds.
struct DayList {
    lists: SlotLists,
    /// Row of a slot, without its time and notes.
    row: Node,
    zone: Zone,
    /// True if the offset changes between its first and last slot.
    has_offset_change: bool,
    /// Number of rows rendered per frame.
    rows_per_frame: usize,
    /// Disposed with the list. During the first rendering it is not in the document yet.
    view: StoredValue<()>,
    /// Slot that can no longer be selected.
    taken: Option<Instant>,
    slots: Vec<Slot>,
    /// Part of the day of each slot, if the list has titles for them.
    parts: Vec<DayPart>,
    /// Displayed time of each slot.
    times: Vec<String>,
    rows: RefCell<Vec<HtmlElement>>,
    /// Row of the selected slot.
    selected_row: RefCell<Option<HtmlElement>>,
}

impl DayList {
    /// True if slots in the night are shown on demand: there are others, and none in the night is selected.
    fn hides_night(&self) -> bool {
        let selected = self.lists.selected.get_untracked();
        let shown = [selected.map(|slot| slot.start), self.taken];
        let mut nights =
            (self.slots.iter().zip(&self.parts)).filter(|(_, part)| **part == DayPart::Night);
        self.parts
            .first()
            .is_some_and(|part| *part != DayPart::Night)
            && !nights.any(|(slot, _)| shown.contains(&Some(slot.start)))
    }

    /// Title before the slot at `index` if it begins a part of the day. That of the night shows its slots.
    fn part_title(&self, index: usize, list: &HtmlElement) -> Option<Node> {
        let part = self.parts.get(index)?;
        let before = index
            .checked_sub(1)
            .and_then(|before| self.parts.get(before));
        if before == Some(part) {
            return None;
        }
        let texts = self.lists.texts;
        let title = el("li").class("times-part");
        let key = match part {
            DayPart::Morning => Key::Morning,
            DayPart::Afternoon => Key::Afternoon,
            DayPart::Evening => Key::Evening,
            DayPart::Night => {
                let count = texts.count(Key::NightTimes, self.parts.len() - index);
                let button = el("button").class("times-night").attr("type", "button");
                let expanded = |is_folded: bool| if is_folded { "false" } else { "true" };
                let (list, toggle) = (list.clone(), button.clone());
                let button = button
                    .attr("aria-expanded", expanded(list.has_attribute("data-folded")))
                    .child(count)
                    .child(icon(Shape::Expand))
                    .on("click", move |_| {
                        let is_folded = list.toggle_attribute("data-folded").unwrap_or_default();
                        toggle.clone().attr("aria-expanded", expanded(is_folded));
                    });
                return Some(title.class("times-part times-dark").child(button));
            }
        };
        Some(title.child(texts.get(key)))
    }

    fn row(&self, index: usize) -> Option<Node> {
        let SlotLists {
            texts,
            formats,
            visitor_zone,
            settings,
            booked,
            ..
        } = self.lists;
        let (slot, time) = self.slots.get(index).zip(self.times.get(index))?;
        let offset = (self.has_offset_change && is_ambiguous(&self.times, index)).then(|| {
            el("span")
                .class("time-note")
                .child(formats.offset_text(slot.start, &self.zone))
        });
        let seats = slot.seats_remaining.map(|count| {
            let count = usize::try_from(count).unwrap_or_default();
            el("span")
                .class("time-note")
                .child(texts.count(Key::Seats, count))
        });
        let is_taken = self.taken == Some(slot.start);
        let gone = is_taken.then(|| {
            el("span")
                .class("time-note")
                .child(texts.get(Key::JustTaken))
        });
        let is_booked = booked.get_untracked() == Some(slot.start);
        let current =
            is_booked.then(|| el("span").class("time-note").child(texts.get(Key::OldTime)));
        let yours = visitor_zone.get_value().map(|visitor_zone| {
            let hour12 = settings.uses_12_hours.get_untracked();
            let time = formats.time(slot.start, &visitor_zone, hour12);
            el("span")
                .class("time-note")
                .child(texts.fill(Key::YourTime, &[("time", &time)]))
        });
        // Copies need fewer calls of the browser than new elements.
        let row = self.row.deep_clone();
        let button = row.first_child();
        button.first_child().set_text(time);
        button
            .attr_if("aria-disabled", is_taken.then_some("true"))
            .attr_if("data-current", is_booked.then_some(""))
            .child(current)
            .child(gone)
            .child(offset)
            .child(seats)
            .child(yours);
        Some(row)
    }

    /// Adds the selected slot's continue button.
    fn update_selection(&self, selected: Option<&Slot>) {
        if let Some(before) = self.selected_row.take() {
            set_pressed(&before, false);
            if let Some(continue_button) = before.last_element_child() {
                continue_button.remove();
            }
        }
        let index = selected.and_then(|selected| {
            let same = |slot: &Slot| slot.start == selected.start;
            self.slots.iter().position(same)
        });
        let Some((index, time)) = index.and_then(|index| Some((index, self.times.get(index)?)))
        else {
            return;
        };
        let rows = self.rows.borrow();
        let Some(row) = rows.get(index) else { return };
        set_pressed(row, true);
        let texts = self.lists.texts;
        let name = texts.fill(Key::ContinueWith, &[("time", time)]);
        let continue_button = el("button")
            .class("button-primary time-continue")
            .attr("type", "button")
            .attr("aria-label", &name)
            .child(texts.get(Key::Continue));
        // Cannot fail: it is new.
        let _ = row.append_child(&continue_button.element());
        self.selected_row.replace(Some(row.clone()));
    }

    fn on_click(&self, event: &Event) {
        let Some(target) = event.target() else { return };
        let target: &DomNode = target.unchecked_ref();
        let row = self
            .rows
            .borrow()
            .iter()
            .position(|row| row.contains(Some(target)));
        let Some(row) = row else { return };
        let Some(slot) = self.slots.get(row) else {
            return;
        };
        let is_time = self.rows.borrow().get(row).is_some_and(|row| {
            row.first_element_child()
                .is_some_and(|time| time.contains(Some(target)))
        });
        if self.taken == Some(slot.start) {
            return;
        }
        if is_time && self.lists.confirms_selection {
            self.lists.selected.set(Some(slot.clone()));
        } else if is_time || target.unchecked_ref::<HtmlElement>().tag_name() == "BUTTON" {
            self.lists.on_pick.run(slot.clone());
        }
    }
}

fn set_pressed(row: &HtmlElement, is_pressed: bool) {
    if let Some(time) = row.first_element_child() {
        // Cannot fail for a valid name.
        let _ = if is_pressed {
            time.set_attribute("aria-pressed", "true")
        } else {
            time.remove_attribute("aria-pressed")
        };
    }
}

/// Adds the next rows, and the others frame by frame: hundreds of rows must not block the page.
fn append_rows(list: HtmlElement, day: Rc<DayList>) {
    let row_count = day.rows.borrow().len();
    for index in row_count..row_count + day.rows_per_frame {
        let Some(row) = day.row(index) else { return };
        // They are new.
        if let Some(title) = day.part_title(index, &list) {
            let _ = list.append_child(&title.element());
        }
        let _ = list.append_child(&row.element());
        day.rows.borrow_mut().push(row.element());
    }
    request_animation_frame(move || {
        // Another list may have replaced it.
        if !day.view.is_disposed() {
            append_rows(list, Rc::clone(&day));
            let selected = day.lists.selected.get_untracked();
            if day.selected_row.borrow().is_none() {
                day.update_selection(selected.as_ref());
            }
        }
    });
}
