//! Rows of the table: cells of a booking, and its details while expanded.
//!
//! A page may have 250 rows: their common elements are created once and cloned.

use booking_wire::{Booking, BookingStatus};
use leptos::prelude::{Owner, untrack};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement, ShadowRoot};

use crate::components::{Shape, heading, icon};
use crate::features::booking_list::chunk_exports::ChunkExports;
use crate::features::booking_list::formatting::{event_type_title, host_names};
use crate::features::booking_list::list_state::{List, ListContext};
use crate::features::booking_list::model::Column;
use crate::features::booking_list::rows::{Row, RowChange};
use crate::features::booking_list::status_badge::{empty_badge, set_status};
use crate::features::shared::lazy_view::lazy_view;
use crate::features::shared::location::booked_location;
use crate::i18n::{Key, Translations};
use crate::ui::dom::{Node, Root, el};
use crate::ui::lazy::LazyChunk;

/// Selector of the button that expands a row.
pub(super) const EXPAND_BUTTON: &str = ".booking-open";

/// Rendered row.
pub(super) struct RowView {
    index: usize,
    row: Row,
    shows_day: bool,
    is_selected: bool,
    /// Number of columns, as text.
    column_count: String,
    element: Element,
    details: Option<DetailsRow>,
}

/// Details of an expanded row, in their own row.
struct DetailsRow {
    element: Element,
    // Unmounts the view when dropped.
    _root: Root,
}

impl DetailsRow {
    /// True if it contains a dialog, even one that opens in the next frame.
    fn has_dialog(&self) -> bool {
        matches!(self.element.query_selector("dialog"), Ok(Some(_)))
    }
}

/// Dependencies of the details.
pub(super) struct DetailsContext {
    pub(super) list: List,
    pub(super) chunk: LazyChunk<ChunkExports>,
    /// Owner of the details: a watcher's own owner is disposed at each change.
    pub(super) owner: Option<Owner>,
}

impl RowView {
    /// Keeps `node`, which shows `row`, up to date.
    pub(super) fn new(
        index: usize,
        row: Row,
        shows_day: bool,
        node: &Node,
        column_count: &str,
    ) -> Self {
        Self {
            index,
            row,
            shows_day,
            is_selected: false,
            column_count: column_count.to_owned(),
            element: node.element().into(),
            details: None,
        }
    }

    pub(super) fn index(&self) -> usize {
        self.index
    }

    pub(super) fn uid(&self) -> &str {
        &self.row.booking.uid.0
    }

    pub(super) fn is_among(&self, uids: &[String]) -> bool {
        uids.iter().any(|uid| uid == self.uid())
    }

    /// True if `row` is another version of the same booking.
    pub(super) fn is_changed_by(&self, row: &Row) -> bool {
        *row != self.row && row.booking.uid == self.row.booking.uid
    }

    /// Renders the changed booking; the row keeps the focus.
    pub(super) fn replace(
        &mut self,
        row: Row,
        template: &RowTemplate,
        is_tab_stop: bool,
        context: &DetailsContext,
    ) {
        let had_focus = self.has_focus();
        let is_expanded = self.details.is_some();
        // Details with a dialog are kept until it is closed.
        let keeps_details = self.details.as_ref().is_some_and(DetailsRow::has_dialog);
        if !keeps_details {
            self.set_expanded(false, context);
        }
        let node = template.render(self.index, &row, self.shows_day, is_tab_stop);
        let before = std::mem::replace(&mut self.element, node.element().into());
        // Cannot fail: a row replaces a row.
        let _ = before.replace_with_with_node_1(&self.element);
        self.row = row;
        let is_selected = std::mem::take(&mut self.is_selected);
        self.set_selected(is_selected);
        if keeps_details {
            self.show_expanded(true);
        } else {
            self.set_expanded(is_expanded, context);
        }
        if had_focus && let Some(button) = self.button() {
            // Fails only for a removed element.
            let _ = button.unchecked_ref::<HtmlElement>().focus();
        }
    }

    /// Expands or collapses the details.
    pub(super) fn set_expanded(&mut self, is_expanded: bool, context: &DetailsContext) {
        if is_expanded == self.details.is_some() {
            return;
        }
        self.show_expanded(is_expanded);
        if let Some(details) = self.details.take() {
            details.element.remove();
            return;
        }
        let cell = el("td")
            .attr("role", "cell")
            .attr("colspan", &self.column_count);
        let cell_element: Element = cell.element().into();
        let details_row = el("tr")
            .class("details-row")
            .attr("role", "row")
            .child(cell);
        let booking = std::rc::Rc::clone(&self.row.booking);
        let (list, chunk) = (context.list, context.chunk);
        let view = move |exports: &ChunkExports| untrack(|| (exports.details)(&booking, list));
        let mount = || Root::mount(&cell_element, || lazy_view(chunk, |content| content, view));
        let root = match &context.owner {
            Some(owner) => owner.with(mount),
            None => mount(),
        };
        let element: Element = details_row.element().into();
        details_row.insert_after(&self.element);
        self.details = Some(DetailsRow {
            element,
            _root: root,
        });
    }

    /// Checks or unchecks the box.
    pub(super) fn set_selected(&mut self, is_selected: bool) {
        // A page may have 250 rows, and most of them do not change.
        if is_selected == self.is_selected {
            return;
        }
        self.is_selected = is_selected;
        // Valid constant.
        let _ = self
            .element
            .toggle_attribute_with_force("data-selected", is_selected);
        if let Ok(Some(input)) = self.element.query_selector("input") {
            input
                .unchecked_ref::<HtmlInputElement>()
                .set_checked(is_selected);
        }
    }

    fn show_expanded(&self, is_expanded: bool) {
        // Attribute for the style sheet: a selector on the content would be slow for many rows.
        let _ = self
            .element
            .toggle_attribute_with_force("data-open", is_expanded);
        if let Some(button) = self.button() {
            let value = if is_expanded { "true" } else { "false" };
            // Cannot fail: the name is a valid constant.
            let _ = button.set_attribute("aria-expanded", value);
        }
    }

    fn button(&self) -> Option<Element> {
        // Cannot fail: the selector is a valid constant.
        self.element.query_selector(EXPAND_BUTTON).ok().flatten()
    }

    /// True if the button that expands the row has the focus.
    fn has_focus(&self) -> bool {
        let root: ShadowRoot = self.element.get_root_node().unchecked_into();
        // A detached row has no root with an `activeElement`.
        let active = js_sys::Reflect::get(&root, &"activeElement".into()).ok();
        let active: Option<Element> = active.and_then(|active| active.dyn_into().ok());
        active.is_some() && active == self.button()
    }
}

/// Number of attendees named in a row; the rest is counted.
const MAX_NAMED_ATTENDEES: usize = 2;

/// Elements that the rows have in common, to be cloned.
pub(super) struct RowTemplate {
    context: ListContext,
    columns: Vec<Column>,
    /// Row with its common elements.
    row: Node,
    day: Node,
    span: Node,
    /// Span that truncates long text to some lines.
    truncated: Node,
    /// Icons of series, seats and moves.
    icons: [Node; 3],
    person: Node,
    note: Node,
}

impl RowTemplate {
    pub(super) fn new(context: ListContext, columns: Vec<Column>) -> Self {
        let span = |class: &str| el("span").class(class);
        let cell = |class: &str| el("td").class(class).attr("role", "cell");
        let icon_span = |shape: Shape| span("booking-mark").child(icon(shape));
        let select = el("input")
            .attr("type", "checkbox")
            .attr("part", "select")
            .attr("tabindex", "-1");
        let time = el("p")
            .child(span("booking-start"))
            .child(span("booking-end"));
        let open = el("button")
            .class("booking-open")
            .attr("type", "button")
            .attr("part", "booking-title")
            .attr("tabindex", "-1")
            .attr("aria-expanded", "false")
            .child(span("cut"));
        let title_cell = el("th")
            .class("booking-what")
            .attr("scope", "row")
            .attr("role", "rowheader")
            .child(heading(2).class("booking-heading").child(open))
            .child(el("p").class("booking-facts"));
        let mut row = el("tr")
            .class("booking")
            .attr("role", "row")
            .attr("part", "booking")
            .child(cell("booking-select").child(select))
            .child(cell("booking-time").child(time))
            .child(title_cell);
        for column in &columns {
            row = row.child(match column {
                Column::Attendees => cell("booking-who"),
                Column::Location => cell("booking-place"),
                Column::Status => cell("booking-status").child(empty_badge()),
                Column::Hosts | Column::EventType | Column::Created => cell("booking-more"),
            });
        }
        Self {
            context,
            columns,
            row,
            day: span("booking-day"),
            span: el("span"),
            truncated: span("cut"),
            icons: [Shape::Repeat, Shape::People, Shape::Reload].map(icon_span),
            person: span("person cut"),
            note: span("person-note cut"),
        }
    }

    /// Renders a row. `shows_day` if the heading above shows another day than the booking's.
    pub(super) fn render(
        &self,
        index: usize,
        row: &Row,
        shows_day: bool,
        is_tab_stop: bool,
    ) -> Node {
        let booking = &*row.booking;
        let texts = self.context.texts;
        let title = if booking.title.is_empty() {
            texts.get(Key::UntitledBooking)
        } else {
            &booking.title
        };
        let node = self.row.deep_clone().attr("data-row", &index.to_string());
        let select = node.first_child();
        let time = select.next_sibling();
        let title_cell = time.next_sibling();
        let heading = title_cell.first_child();
        let (input, open) = (select.first_child(), heading.first_child());

        let input = input.attr(
            "aria-label",
            &texts.fill(Key::SelectBooking, &[("title", title)]),
        );
        open.first_child().set_text(title);
        // Tab stop of the table.
        if is_tab_stop {
            for control in [input, open] {
                control.attr("tabindex", "0");
            }
        }
        self.fill_time(&time, booking, shows_day);
        self.fill_facts(heading.next_sibling(), booking);
        if let Some(note) = change_note(row.change, texts) {
            title_cell.clone().child(note);
        }
        if matches!(
            booking.status,
            BookingStatus::Cancelled | BookingStatus::Rejected
        ) {
            for cell in [&time, &title_cell] {
                cell.clone().attr("data-off", "");
            }
        }
        let mut cell = title_cell;
        for column in &self.columns {
            cell = cell.next_sibling();
            self.fill_column(*column, cell.clone(), booking);
        }
        node
    }

    fn fill_column(&self, column: Column, cell: Node, booking: &Booking) {
        match column {
            Column::Attendees => self.fill_attendees(cell, booking),
            Column::Hosts => {
                let names = host_names(booking, self.context.texts);
                self.fill_value(cell, Key::Hosts, names);
            }
            Column::EventType => self.fill_value(cell, Key::EventType, self.type_of(booking)),
            Column::Location => {
                let location = booking
                    .location
                    .as_deref()
                    .filter(|location| !location.trim().is_empty());
                if location.is_some() {
                    let location = booked_location(location, self.context.texts);
                    cell.child(self.truncated.deep_clone().child(location));
                }
            }
            Column::Created => self.fill_value(cell, Key::MadeAt, self.created(booking)),
            Column::Status => {
                set_status(cell.first_child(), &booking.status, self.context.texts);
            }
        }
    }

    /// Adds a value, with a label for the card layout.
    fn fill_value(&self, cell: Node, key: Key, value: String) {
        if !value.is_empty() {
            let label = self.span.deep_clone().class("booking-label");
            let label = label
                .attr("aria-hidden", "true")
                .child(self.context.texts.get(key));
            cell.child(self.truncated.deep_clone().child(label).child(value));
        }
    }

    fn fill_time(&self, cell: &Node, booking: &Booking, shows_day: bool) {
        let time = |instant| self.context.settings.time(self.context.formats, instant);
        let mut end = String::from(" – ");
        end.push_str(&time(booking.end));
        let start = cell
            .first_child()
            .first_child()
            .set_text(&time(booking.start));
        start.next_sibling().set_text(&end);
        if let Some(day) = self.day_note(booking, shows_day) {
            cell.clone().child(self.day.deep_clone().set_text(&day));
        }
    }

    /// Day of the booking where the heading shows another one, or its last day if it ends later.
    fn day_note(&self, booking: &Booking, shows_day: bool) -> Option<String> {
        let ListContext {
            formats, settings, ..
        } = self.context;
        let (first, last) = settings.zone.with(|zone| {
            let last = formats.day_of(booking.end, zone);
            (formats.day_of(booking.start, zone), last)
        });
        if shows_day {
            return Some(formats.short_day(first));
        }
        (first != last).then(|| {
            let last = formats.short_day(last);
            self.context.texts.fill(Key::EndsOn, &[("day", &last)])
        })
    }

    fn type_of(&self, booking: &Booking) -> String {
        let title = self.context.event_types.with_untracked(|event_types| {
            let event_types = event_types.ready().map(Vec::as_slice).unwrap_or_default();
            event_type_title(booking, event_types)
        });
        title.unwrap_or_default()
    }

    fn created(&self, booking: &Booking) -> String {
        let ListContext {
            formats, settings, ..
        } = self.context;
        let Some(created) = booking.created_at else {
            return String::new();
        };
        let day = settings.zone.with(|zone| formats.day_of(created, zone));
        formats.short_day(day)
    }

    /// Adds event type and hosts unless a column shows them, then series, seats and moves.
    fn fill_facts(&self, mut facts: Node, booking: &Booking) {
        let texts = self.context.texts;
        let has_column = |column: Column| self.columns.contains(&column);
        if !has_column(Column::EventType) {
            let title = self.type_of(booking);
            // Most titles begin with the event type: not repeated.
            if !title.is_empty() && !booking.title.starts_with(&title) {
                facts = facts.child(self.truncated.deep_clone().set_text(&title));
            }
        }
        if !has_column(Column::Hosts) {
            let hosts = host_names(booking, texts);
            let text = if hosts.is_empty() {
                texts.get(Key::NoHost).to_owned()
            } else {
                texts.fill(Key::With, &[("names", &hosts)])
            };
            facts = facts.child(self.truncated.deep_clone().set_text(&text));
        }
        let [series, seats, moved] = &self.icons;
        if booking.is_recurring() {
            facts = facts.child(series.deep_clone().child(texts.get(Key::Series)));
        }
        // The service may omit the attendees.
        let count = booking.attendees.len();
        if booking.is_seated() && count > 0 {
            facts = facts.child(
                seats
                    .deep_clone()
                    .child(texts.count(Key::AttendeeCount, count)),
            );
        }
        let key = match (&booking.rescheduled_to_uid, &booking.rescheduled_from_uid) {
            (Some(_), _) => Key::MovedAway,
            (None, Some(_)) => Key::MovedHere,
            (None, None) => return,
        };
        facts.child(moved.deep_clone().child(texts.get(key)));
    }

    fn fill_attendees(&self, mut cell: Node, booking: &Booking) {
        let texts = self.context.texts;
        let people = &booking.attendees;
        for person in people.iter().take(MAX_NAMED_ATTENDEES) {
            let name = if person.name.is_empty() {
                &person.display_email
            } else {
                &person.name
            };
            cell = cell.child(self.person.deep_clone().set_text(name));
        }
        let email = match people.as_slice() {
            [only] if !only.name.is_empty() => Some(only.display_email.clone()),
            _ => None,
        };
        let more = people.len().saturating_sub(MAX_NAMED_ATTENDEES);
        let more = (more > 0).then(|| texts.count(Key::AndMore, more));
        if let Some(note) = email.filter(|email| !email.is_empty()).or(more) {
            cell.child(self.note.deep_clone().set_text(&note));
        }
    }
}

/// Note on a change since the row was displayed.
fn change_note(change: Option<RowChange>, texts: Translations) -> Option<Node> {
    let (class, key) = match change? {
        RowChange::Changed => ("row-mark", Key::RowChanged),
        RowChange::Gone => ("row-mark row-mark-gone", Key::RowGone),
    };
    Some(el("p").class(class).child(texts.get(key)))
}
