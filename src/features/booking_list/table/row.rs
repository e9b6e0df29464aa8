//! Rows of the table: cells of a booking, and its details while expanded.
//!
//! A page may have 250 rows: their common elements are created once and cloned.

use booking_ui::prelude::*;
use booking_wire::{Booking, BookingStatus, Host, StatusFilter, TeamEventType};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement, ShadowRoot};

use crate::components::{Shape, heading, icon};
use crate::features::booking_list::chunk_exports::ChunkExports;
use crate::features::booking_list::filters::status_key;
use crate::features::booking_list::formatting::{
    booking_title, event_type_title, host_names, named_hosts,
};
use crate::features::booking_list::query::model::Column;
use crate::features::booking_list::rows::{Row, RowChange, is_pending};
use crate::features::booking_list::state::list_state::{List, ListContext};
use crate::features::booking_list::status_badge::{
    deviates, empty_badge, set_row_status, set_status, shown_status,
};
use crate::features::shared::event_type_summary::{avatar, length, set_colors};
use crate::features::shared::lazy_view::lazy_view;
use crate::features::shared::location::{booked_location, booked_location_shape};
use crate::i18n::Key;
use crate::time::Instant;

/// Selector of the table's Tab stop.
pub(crate) const TAB_STOP: &str = ".booking-open[tabindex='0']";

/// Selector of the button that expands a row.
pub(super) const EXPAND_BUTTON: &str = ".booking-open";

/// Selector of the buttons that answer a pending booking.
pub(super) const ROW_ACTS: &str = ".row-acts button";

/// Most faces of hosts in a row.
const MAX_FACES: usize = 3;

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
    /// Buttons of a pending booking, once the chunk is loaded. Unmounts them when dropped.
    acts: Option<Root>,
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
            acts: None,
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

    /// True if `row` is another version of the same booking, or the one that it was moved to.
    pub(super) fn is_changed_by(&self, row: &Row) -> bool {
        let is_same = row.booking.uid == self.row.booking.uid;
        *row != self.row && (is_same || row.change == Some(RowChange::Moved))
    }

    /// Renders the changed booking; the row keeps the focus.
    pub(super) fn replace(
        &mut self,
        row: Row,
        template: &RowTemplate,
        is_tab_stop: bool,
        context: &DetailsContext,
    ) {
        let focused = self.focused();
        let is_expanded = self.details.is_some();
        // Details with a dialog are kept until it is closed.
        let keeps_details = self.details.as_ref().is_some_and(DetailsRow::has_dialog);
        if !keeps_details {
            self.set_expanded(false, context);
        }
        // The heading has the day before the move.
        self.shows_day |= row.change == Some(RowChange::Moved);
        let node = template.render(self.index, &row, self.shows_day, is_tab_stop);
        let before = std::mem::replace(&mut self.element, node.element().into());
        self.acts = None;
        // Cannot fail: a row replaces a row.
        let _ = before.replace_with_with_node_1(&self.element);
        self.row = row;
        self.show_acts(is_tab_stop, context);
        let is_selected = std::mem::take(&mut self.is_selected);
        self.set_selected(is_selected);
        if keeps_details {
            self.show_expanded(true);
        } else {
            self.set_expanded(is_expanded, context);
        }
        if let Some(focused) = focused {
            self.focus(&focused);
        }
    }

    /// Shows the buttons that answer a pending booking, as soon as their chunk is loaded.
    pub(super) fn show_acts(&mut self, is_tab_stop: bool, context: &DetailsContext) {
        let Some(exports) = context.chunk.exports() else {
            return;
        };
        if self.acts.is_some() || !is_pending(&self.row.booking) {
            return;
        }
        // Each row has cells. Positioned at the end of the row, whatever the columns.
        let Some(cell) = self.element.last_element_child() else {
            return;
        };
        let place: Element = el("div").element().into();
        // Cannot fail: the new element has no parent.
        let _ = cell.append_child(&place);
        let booking = std::rc::Rc::clone(&self.row.booking);
        let list = context.list;
        let mount = || {
            Root::mount(&place, || {
                untrack(|| (exports.row_actions)(&booking, list, is_tab_stop))
            })
        };
        self.acts = Some(match &context.owner {
            Some(owner) => owner.with(mount),
            None => mount(),
        });
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

    /// Selector of the row's button that has the focus; its check box keeps none.
    fn focused(&self) -> Option<String> {
        let root: ShadowRoot = self.element.get_root_node().unchecked_into();
        // A detached row has no root with an `activeElement`.
        let active = js_sys::Reflect::get(&root, &"activeElement".into()).ok()?;
        let active: Element = active.dyn_into().ok()?;
        if !self.element.contains(Some(&active)) || active.tag_name() != "BUTTON" {
            return None;
        }
        Some(match active.get_attribute("data-act") {
            Some(act) => ["[data-act='", &act, "']"].concat(),
            None => EXPAND_BUTTON.to_owned(),
        })
    }

    /// Focuses the button of `selector`, or the one that expands the row.
    fn focus(&self, selector: &str) {
        let button = self.element.query_selector(selector).ok().flatten();
        if let Some(button) = button.or_else(|| self.button()) {
            // Fails only for a removed element.
            let _ = button.unchecked_ref::<HtmlElement>().focus();
        }
    }
}

/// Elements that the rows have in common, to be cloned.
pub(super) struct RowTemplate {
    context: ListContext,
    columns: Vec<Column>,
    /// Statuses of the list.
    statuses: Vec<StatusFilter>,
    now: Instant,
    /// Ids and pictures of hosts.
    pictures: Vec<(String, String)>,
    /// Row with its common elements.
    row: Node,
    day: Node,
    span: Node,
    /// Span that truncates long text to some lines.
    truncated: Node,
    /// Marks of series and moves.
    marks: [Node; 2],
    person: Node,
    note: Node,
}

impl RowTemplate {
    pub(super) fn new(
        context: ListContext,
        columns: Vec<Column>,
        statuses: Vec<StatusFilter>,
        now: Instant,
    ) -> Self {
        let span = |class: &str| el("span").class(class);
        let cell = |class: &str| el("td").class(class).attr("role", "cell");
        let select = el("input")
            .attr("type", "checkbox")
            .attr("part", "select")
            .attr("tabindex", "-1");
        let time = el("p")
            .child(span("booking-start"))
            .child(span("booking-length"));
        let open = el("button")
            .class("booking-open")
            .attr("type", "button")
            .attr("part", "booking-title")
            .attr("tabindex", "-1")
            .attr("aria-expanded", "false")
            .child(span("cut"))
            .child(icon(Shape::Expand));
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
            .child(cell("booking-select").child(el("label").child(select)))
            .child(cell("booking-time").child(time))
            .child(title_cell);
        for column in &columns {
            row = row.child(match column {
                Column::Attendees => cell("booking-who"),
                Column::Location => cell("booking-place"),
                Column::Status => cell("booking-status").child(empty_badge()),
                Column::Hosts => cell("booking-hosts"),
                Column::EventType | Column::Created => cell("booking-more"),
            });
        }
        let mut pictures = Vec::<(String, String)>::new();
        context.event_types.with_untracked(|event_types| {
            let event_types = event_types.ready().into_iter().flatten();
            for (id, picture) in event_types.flat_map(|event_type| &event_type.host_pictures) {
                let id = id.to_string();
                if !pictures.iter().any(|(other, _)| *other == id) {
                    pictures.push((id, picture.clone()));
                }
            }
        });
        Self {
            context,
            columns,
            statuses,
            now,
            pictures,
            row,
            day: span("booking-day"),
            span: el("span"),
            truncated: span("cut"),
            marks: [
                span("booking-mark").child(icon(Shape::Repeat)),
                span("booking-mark"),
            ],
            person: span("person").child(span("cut")),
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
        let title = booking_title(booking, texts);
        let node = self.row.deep_clone().attr("data-row", &index.to_string());
        // Attribute for the style sheet: the buttons come with the chunk.
        let node = node.attr_if("data-pending", is_pending(booking).then_some(""));
        let select = node.first_child();
        let time = select.next_sibling();
        let title_cell = time.next_sibling();
        let heading = title_cell.first_child();
        let (input, open) = (select.first_child().first_child(), heading.first_child());

        let input = input.attr(
            "aria-label",
            &texts.fill(Key::SelectBooking, &[("title", title)]),
        );
        let event_type = self.type_of(booking);
        let short = if event_type.is_empty() {
            title
        } else {
            event_type.as_str()
        };
        open.first_child().set_text(short);
        // The title tells bookings of one event type apart.
        let open = match full_name(short, title) {
            Some(name) => open.attr("aria-label", &name),
            None => open,
        };
        // Tab stop of the table.
        if is_tab_stop {
            for control in [input, open] {
                control.attr("tabindex", "0");
            }
        }
        self.fill_time(&time, booking, shows_day);
        self.fill_facts(heading.next_sibling(), booking);
        if let Some(colors) = self.of_event_type(booking, |event_type| event_type.colors.clone()) {
            set_colors(&title_cell, &colors);
        }
        let shows_status = self.columns.contains(&Column::Status);
        let is_confirmed = is_confirmed_here(row.change);
        // Attribute for the style sheet: the place gives way to the status.
        let has_status = shows_status && (deviates(booking) || is_confirmed);
        let node = node.attr_if("data-status", has_status.then_some(""));
        if let Some((class, text)) = self.change_note(row, shows_status) {
            title_cell.clone().child(el("p").class(class).child(text));
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
            self.fill_column(*column, cell.clone(), row);
        }
        node
    }

    fn fill_column(&self, column: Column, cell: Node, row: &Row) {
        let booking = &*row.booking;
        match column {
            Column::Attendees => self.fill_attendees(cell, booking),
            Column::Hosts => self.fill_hosts(cell, booking),
            Column::EventType => self.fill_value(cell, Key::EventType, self.type_of(booking)),
            Column::Location => self.fill_place(cell, booking),
            Column::Created => self.fill_value(cell, Key::MadeAt, self.created(booking)),
            Column::Status => {
                let (badge, texts) = (cell.first_child(), self.context.texts);
                if is_confirmed_here(row.change) {
                    set_status(badge, booking, texts);
                } else {
                    set_row_status(badge, booking, texts);
                }
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

    /// Adds the faces of the hosts and their names.
    fn fill_hosts(&self, cell: Node, booking: &Booking) {
        let texts = self.context.texts;
        let face = |(host, name): (&Host, &str)| {
            let picture = self.pictures.iter().find(|(id, _)| *id == host.id);
            avatar(name, picture.map_or("", |(_, picture)| picture))
        };
        let faces = named_hosts(booking).take(MAX_FACES).map(face);
        let faces = self
            .span
            .deep_clone()
            .class("avatars")
            .child(fragment_of(faces));
        let mut names = host_names(booking, texts);
        if names.is_empty() {
            texts.get(Key::NoHost).clone_into(&mut names);
        }
        let text = self.truncated.deep_clone().attr("title", &names);
        cell.child(faces).child(text.set_text(&names));
    }

    /// Adds the taken seats of a booking that is shared, or else the location.
    fn fill_place(&self, cell: Node, booking: &Booking) {
        let texts = self.context.texts;
        let seats = self.of_event_type(booking, |event_type| event_type.seats);
        if let Some(seats) = seats.filter(|_| booking.is_seated()) {
            let taken = texts.number(i64::try_from(booking.attendees.len()).unwrap_or_default());
            let total = texts.number(seats);
            let text = texts.fill(Key::SeatsTaken, &[("count", &taken), ("total", &total)]);
            cell.child(self.truncated.deep_clone().set_text(&text));
            return;
        }
        let location = booking.location.as_deref().map(str::trim);
        if let Some(location) = location.filter(|location| !location.is_empty()) {
            let text = booked_location(Some(location), texts);
            let text = self
                .truncated
                .deep_clone()
                .attr("title", location)
                .child(text);
            cell.child(icon(booked_location_shape(location)))
                .child(text);
        }
    }

    fn fill_time(&self, cell: &Node, booking: &Booking, shows_day: bool) {
        let ListContext {
            formats,
            settings,
            texts,
            ..
        } = self.context;
        let time = settings.time(formats, booking.start);
        let start = cell.first_child().first_child().set_text(&time);
        let minutes = (booking.end.0 - booking.start.0) / 60_000;
        let length = [" ", &length(minutes, texts)].concat();
        start.next_sibling().set_text(&length);
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

    /// Value of the booking's event type, once it is loaded.
    fn of_event_type<T>(
        &self,
        booking: &Booking,
        value: fn(&TeamEventType) -> Option<T>,
    ) -> Option<T> {
        let id = booking.event_type_id;
        self.context.event_types.with_untracked(|event_types| {
            let mut event_types = event_types.ready().into_iter().flatten();
            value(event_types.find(|event_type| Some(event_type.id) == id)?)
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

    /// Class and text of the note on a change since the row was displayed.
    fn change_note(&self, row: &Row, shows_status: bool) -> Option<(&'static str, String)> {
        let texts = self.context.texts;
        let booking = &*row.booking;
        let text = |class, key| Some((class, texts.get(key).to_owned()));
        match row.change? {
            RowChange::Changed => text("row-mark", Key::RowChanged),
            RowChange::Gone | RowChange::ConfirmedAndGone => {
                let is_over = booking.end < self.now;
                let Some(status) = listed_under(booking, &self.statuses, is_over) else {
                    return text("row-mark row-mark-gone", Key::RowGone);
                };
                let tab = texts.get(status_key(Some(status)));
                let shown = shown_status(booking, texts);
                if shown == tab {
                    return text("row-mark row-mark-gone", Key::RowGone);
                }
                let text = texts.fill(Key::RowNowUnder, &[("status", &shown), ("tab", tab)]);
                Some(("row-mark row-mark-gone", text))
            }
            // The column of the status says it.
            RowChange::Confirmed if shows_status => None,
            RowChange::Confirmed => text("row-mark", Key::StatusAccepted),
            // The facts of the row and its time show a move.
            RowChange::Moved => None,
        }
    }

    /// Adds the hosts unless a column shows them, then series and moves.
    fn fill_facts(&self, mut facts: Node, booking: &Booking) {
        let texts = self.context.texts;
        if !self.columns.contains(&Column::Hosts) {
            let hosts = host_names(booking, texts);
            let text = if hosts.is_empty() {
                texts.get(Key::NoHost).to_owned()
            } else {
                texts.fill(Key::With, &[("names", &hosts)])
            };
            facts = facts.child(self.truncated.deep_clone().set_text(&text));
        }
        let [series, moved] = &self.marks;
        if booking.is_recurring() {
            facts = facts.child(series.deep_clone().child(texts.get(Key::Series)));
        }
        let is_moved_here =
            booking.rescheduled_from_uid.is_some() && booking.rescheduled_to_uid.is_none();
        if is_moved_here {
            let text = texts.get(Key::MovedHere);
            let hidden = self.span.deep_clone().class("visually-hidden");
            let short = self.span.deep_clone().attr("aria-hidden", "true");
            facts.child(
                moved
                    .deep_clone()
                    .attr("title", text)
                    .child(short.set_text(texts.get(Key::StatusMoved)))
                    .child(hidden.set_text(text)),
            );
        }
    }

    /// Adds name and address of the first attendee, and the number of the others. The service may omit the
    /// attendees.
    fn fill_attendees(&self, cell: Node, booking: &Booking) {
        let Some((first, others)) = booking.attendees.split_first() else {
            return;
        };
        let email = &first.display_email;
        let name = if first.name.is_empty() {
            email
        } else {
            &first.name
        };
        let person = self.person.deep_clone();
        person.first_child().set_text(name);
        let more = (!others.is_empty()).then(|| {
            let text = self.context.texts.count(Key::AndMore, others.len());
            let more = self.span.deep_clone().class("person-more");
            fragment().child(" ").child(more.set_text(&text))
        });
        let cell = cell.child(person.child(more));
        if name != email && !email.is_empty() {
            cell.child(self.note.deep_clone().set_text(email));
        }
    }
}

/// Name of a row's button, which shows `short`: the booking's `title`, with the visible text before it unless it
/// contains it. `None` if the visible text is the name.
fn full_name(short: &str, title: &str) -> Option<String> {
    if short == title {
        return None;
    }
    if title.contains(short) {
        return Some(title.to_owned());
    }
    Some([short, " (", title, ")"].concat())
}

/// True if the user has confirmed the booking since the row was displayed.
fn is_confirmed_here(change: Option<RowChange>) -> bool {
    matches!(
        change,
        Some(RowChange::Confirmed | RowChange::ConfirmedAndGone)
    )
}

/// Status that lists a booking which is no longer in the list of `statuses`; `None` if the status is not the cause.
fn listed_under(
    booking: &Booking,
    statuses: &[StatusFilter],
    is_over: bool,
) -> Option<StatusFilter> {
    let status = match booking.status {
        BookingStatus::Cancelled | BookingStatus::Rejected => StatusFilter::Cancelled,
        _ if is_over => StatusFilter::Past,
        BookingStatus::Accepted => StatusFilter::Upcoming,
        _ => StatusFilter::Unconfirmed,
    };
    (!statuses.is_empty() && !statuses.contains(&status)).then_some(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gone_booking_is_listed_under_its_status() {
        use StatusFilter::{Cancelled, Past, Recurring, Unconfirmed, Upcoming};
        let booking = |status| Booking {
            status,
            ..Booking::default()
        };
        for (status, statuses, is_over, expected) in [
            (
                BookingStatus::Accepted,
                &[Unconfirmed][..],
                false,
                Some(Upcoming),
            ),
            (
                BookingStatus::Rejected,
                &[Unconfirmed],
                false,
                Some(Cancelled),
            ),
            (
                BookingStatus::Cancelled,
                &[Upcoming, Recurring],
                false,
                Some(Cancelled),
            ),
            (BookingStatus::Accepted, &[Upcoming], true, Some(Past)),
            (
                BookingStatus::Pending,
                &[Cancelled],
                false,
                Some(Unconfirmed),
            ),
            // Another filter is the cause.
            (BookingStatus::Accepted, &[Upcoming], false, None),
            (BookingStatus::Cancelled, &[], false, None),
        ] {
            let found = listed_under(&booking(status.clone()), statuses, is_over);
            assert_eq!(found, expected, "{status:?} {statuses:?}");
        }
    }

    #[test]
    fn full_name_contains_visible_text() {
        for (short, title, name) in [
            ("Intro call", "Intro call", None),
            (
                "Intro call",
                "Intro call between Ada and Grace",
                Some("Intro call between Ada and Grace"),
            ),
            ("Intro call", "Grace", Some("Intro call (Grace)")),
        ] {
            assert_eq!(full_name(short, title).as_deref(), name, "{title}");
        }
    }
}
