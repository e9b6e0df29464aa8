//! State of the flow of one event type, which outlives its steps.

pub(super) mod delivery;
pub(super) mod email_code_state;
pub(super) mod nearest_slots;
pub(super) mod reason_draft;
pub(super) mod series_plan;

use std::any::Any;
use std::rc::Rc;
use std::sync::Arc;

use booking_rules::BookableDates;
use booking_ui::prelude::*;
use booking_wire::{BookingUid, PublicBooking, PublicEventType, Slot};

use super::context::FlowContext;
use super::outcome::{FlowOutcome, OutcomeKind};
use crate::client::Dialect;
use crate::client::query::on_failure;
use crate::client::session::use_session;
use crate::features::booking_form::prefill::reschedule_reason;
use crate::features::booking_form::{Draft, SubmitError};
use crate::features::slot_picker::model::SlotQuery;
use crate::features::slot_picker::{PickerOptions, PickerState};
use crate::i18n::{Key, Translations, use_formats, use_texts};
use crate::page::attributes::{Config, LiveConfig};
use crate::page::events::use_page;
use crate::page::picker_events::PickerEvent;
use crate::page::settings::{HostZone, Settings, VisitorZone, use_clock, use_settings};
use crate::page::step_history::StepHistory;
use crate::page::step_place::StepPlace;
use crate::time::civil::add_days;
use crate::time::format::{browser_zone, is_known};
use crate::time::{CivilDate, Formats, Instant, Zone};
use delivery::UnresolvedRequests;
use email_code_state::EmailCodeState;
use reason_draft::ReasonDraft;
use series_plan::{DateChange, DateChanges};

/// Current step.
#[derive(Clone)]
pub(super) enum Step {
    /// Selection of a slot.
    Picker,
    /// Booking form, or reschedule form.
    Form,
    /// Confirmation, with the cancel form if [`FlowHistory::is_cancelling`].
    Done(Arc<FlowOutcome>),
    /// Nothing: the page continues.
    Hidden,
}

/// Booking that is rescheduled.
#[derive(Clone)]
pub(super) struct Rescheduling {
    pub(super) booking: PublicBooking,
    /// Uid of its seat, if the slot has several.
    pub(super) seat_uid: Option<String>,
}

impl Rescheduling {
    /// Uid that other times are searched with.
    fn slots_uid(&self, dialect: Dialect) -> BookingUid {
        match &self.seat_uid {
            Some(seat) if dialect == Dialect::Svc => BookingUid(seat.clone()),
            _ => self.booking.uid.clone(),
        }
    }

    /// The booking as it was opened.
    pub(super) fn outcome(&self) -> FlowOutcome {
        FlowOutcome {
            bookings: vec![self.booking.clone()],
            seat_uid: self.seat_uid.clone(),
            kind: OutcomeKind::Opened,
            previous_start: None,
            address: None,
        }
    }
}

/// Slot and length that the visitor has selected.
#[derive(Clone, Copy)]
pub(super) struct Selection {
    pub(super) picker: PickerState,
    /// Minutes.
    pub(super) length: RwSignal<i64>,
    /// True if the event type has several lengths.
    pub(super) has_lengths: bool,
    /// True for a booking that begins at once.
    pub(super) is_instant: RwSignal<bool>,
}

impl Selection {
    /// Start of the selected slot, untracked.
    pub(super) fn start(self) -> Option<Instant> {
        self.picker
            .slot
            .with_untracked(|slot| slot.as_ref().map(|slot| slot.start))
    }
}

/// Dates of a series.
#[derive(Clone, Copy)]
pub(super) struct SeriesState {
    /// True while they are shown in place of the form.
    pub(super) is_open: RwSignal<bool>,
    /// Number of dates, with those that are skipped.
    pub(super) count: RwSignal<i64>,
    pub(super) changes: RwSignal<DateChanges>,
    /// Number of dates that the visitor has agreed to.
    pub(super) number: RwSignal<usize>,
    /// Starts that the visitor has agreed to, if they are not those of the rule.
    pub(super) starts: RwSignal<Option<Vec<Instant>>>,
}

impl SeriesState {
    /// Changes the date with that start by the rule; without a change, it is booked if possible.
    pub(super) fn change(self, rule: Instant, change: Option<DateChange>) {
        self.changes.update(|changes| {
            changes.retain(|(known, _)| *known != rule);
            changes.extend(change.map(|change| (rule, change)));
        });
    }
}

/// The flow in the history of the page.
#[derive(Clone, Copy)]
pub(super) struct FlowHistory {
    /// Absent if the page does not want steps in its history.
    pub(super) steps: Option<StepHistory>,
    /// Id of the event type, if it was chosen from a list.
    pub(super) event_type: Option<i64>,
    /// Start that the history entry names and whose form opens once the slots are known.
    pub(super) awaited_slot: RwSignal<Option<Instant>>,
    /// True while the cancel form is open.
    pub(super) is_cancelling: RwSignal<bool>,
}

/// Request of the visitor, and its failure.
#[derive(Clone, Copy)]
pub(super) struct SubmitState {
    pub(super) is_busy: RwSignal<bool>,
    pub(super) error: RwSignal<Option<SubmitError>>,
    /// Start of the slot that another visitor booked first.
    pub(super) lost_slot: RwSignal<Option<Instant>>,
    /// Title and text about a request with unknown outcome.
    pub(super) unknown_outcome: RwSignal<Option<(Key, Key)>>,
    pub(super) unresolved: StoredValue<UnresolvedRequests>,
}

/// Texts, formats and display settings.
#[derive(Clone, Copy)]
pub(super) struct LocaleContext {
    pub(super) texts: Translations,
    pub(super) formats: Formats,
    pub(super) settings: Settings,
}

impl LocaleContext {
    /// Day of `instant` in the displayed zone, untracked.
    pub(super) fn day_of(self, instant: Instant) -> CivilDate {
        self.settings
            .zone
            .with_untracked(|zone| self.formats.day_of(instant, zone))
    }

    /// `Tue, 4 Mar 2027, 9:30 AM`.
    pub(super) fn date_time(self, start: Instant) -> String {
        self.date_time_in(start, Formats::short_day)
    }

    /// Date of this or the next months: `Tue, 4 Mar, 9:30 AM`.
    pub(super) fn brief_date_time(self, start: Instant) -> String {
        self.date_time_in(start, Formats::brief_day)
    }

    fn date_time_in(self, start: Instant, day_text: fn(Formats, CivilDate) -> String) -> String {
        let day = self
            .settings
            .zone
            .with(|zone| self.formats.day_of(start, zone));
        let day = day_text(self.formats, day);
        let time = self.settings.time(self.formats, start);
        let values = [("day", &*day), ("time", &*time)];
        // Both are of the language: marks around them would hide its direction.
        self.texts.fill_plain(Key::DateAndTime, &values)
    }
}

/// State of the flow of one event type.
#[derive(Clone, Copy)]
pub(super) struct FlowState {
    pub(super) step: RwSignal<Step>,
    pub(super) selection: Selection,
    pub(super) series: SeriesState,
    pub(super) draft: Draft,
    /// Booking that is rescheduled, if any.
    pub(super) rescheduling: RwSignal<Option<Arc<Rescheduling>>>,
    /// Reason for rescheduling, as typed so far.
    pub(super) reason: RwSignal<String>,
    pub(super) submit: SubmitState,
    pub(super) email_code: EmailCodeState,
    /// True if slots are not reserved: disabled by the page, or unsupported by the service.
    pub(super) is_reservation_disabled: StoredValue<bool>,
    pub(super) history: FlowHistory,
    pub(super) locale: LocaleContext,
    /// The visitor's own zone, if the event type locks the times to another one.
    pub(super) visitor_zone: StoredValue<Option<Zone>>,
    /// Behind a handle, so that the state is cheap to copy.
    pub(super) context: StoredValue<Rc<FlowContext>>,
}

/// Shows the step that it was made of in another view. A function of the later steps' chunk.
pub(super) struct KeptStep(pub(super) Box<dyn Fn(FlowState)>);

/// Days from today on that a place in the history may name.
const MAX_DAYS_AHEAD: i64 = 731;

/// `place` without what is past, or too far ahead to be meant.
pub(super) fn near_place(place: StepPlace, today: CivilDate) -> StepPlace {
    place.within(today, add_days(today, MAX_DAYS_AHEAD))
}

/// Options of the slot picker: those of the event type, unless the page sets others.
fn picker_options(event_type: &PublicEventType, config: &Config) -> PickerOptions {
    let mut layouts = event_type.layouts.clone();
    let layout = config.view.unwrap_or(event_type.layout);
    if !layouts.contains(&layout) {
        layouts.push(layout);
    }
    PickerOptions {
        layouts,
        layout,
        start_date: config.start_date,
        bookable_dates: BookableDates::of(event_type),
        confirms_pick: config.confirms_pick,
        stale_after_s: config.stale_after_s,
        is_zone_locked: event_type.locks_zone || config.locks_zone,
    }
}

/// Length of a booking until the visitor chooses another.
pub(super) fn default_length(event_type: &PublicEventType, config: &Config) -> i64 {
    let preset = config.duration;
    let preset = preset.filter(|length| event_type.lengths.contains(length));
    preset.unwrap_or(event_type.length)
}

/// Shows the times of an event type that is locked to a time zone in that zone, unless the page sets one. Returns the
/// visitor's own zone.
fn lock_zone(settings: Settings, event_type: &PublicEventType, config: &Config) -> Option<Zone> {
    let locked = event_type.locked_zone.clone().map(Zone);
    let locked = locked.filter(|zone| config.zone.is_none() && is_known(zone))?;
    let before = settings.zone.get_untracked();
    let own = browser_zone();
    if locked != own {
        provide_context(VisitorZone(own.clone()));
    }
    settings.zone.set(locked);
    // A list may follow, with event types that are not locked.
    on_cleanup(move || settings.zone.set(before));
    Some(own)
}

impl FlowState {
    pub(super) fn new(event_type: PublicEventType, config: &Config) -> Self {
        let locale = LocaleContext {
            texts: use_texts(),
            formats: use_formats(),
            settings: use_settings(),
        };
        let settings = locale.settings;
        let visitor_zone = lock_zone(settings, &event_type, config);
        let session = use_session();
        let dialect = session.dialect();

        // The response has just arrived. Dates are counted from today, so the clock has to be right.
        if let Some(date) = session.date() {
            use_clock().correct(date);
        }
        if let Some(zone) = &event_type.host_zone {
            provide_context(HostZone(Zone(zone.clone())));
        }
        if (config.duration).is_some_and(|length| !event_type.lengths.contains(&length)) {
            console_warn(
                "<booking-picker>: duration is none of the event type's durations and is ignored",
            );
        }
        let mut options = picker_options(&event_type, config);
        let steps = use_context::<StepHistory>();
        let place = steps.map(|steps| {
            steps.set_event_type(&event_type);
            let today = locale.day_of(use_clock().now());
            near_place(steps.place(), today)
        });
        let chosen = place.as_ref().and_then(|place| place.event_type);
        let awaited_slot = RwSignal::new(place.as_ref().and_then(|place| place.slot));
        let lengths = &event_type.lengths;
        let has_lengths = lengths.len() > 1;
        let default_length = default_length(&event_type, config);
        let placed = place.as_ref().and_then(|place| place.length);
        let placed = placed.filter(|length| lengths.contains(length));
        let length = RwSignal::new(placed.unwrap_or(default_length));
        let event_type_id = event_type.id;
        let series = event_type.recurrence.as_ref();
        let occurrences = series.map_or(1, |series| series.occurrences);
        let rescheduling = RwSignal::new(None::<Arc<Rescheduling>>);
        let query = move |days| SlotQuery {
            event_type_id,
            days,
            zone: settings.zone.get(),
            duration: has_lengths.then(|| length.get()),
            rescheduled_uid: rescheduling.with(|old| Some(old.as_ref()?.slots_uid(dialect))),
        };
        let slots_session = session.clone();
        let seats = event_type.seats;
        let default_layout = options.layout;
        if let Some(place) = place {
            let slot_day = place.slot.map(|start| locale.day_of(start));
            options.start_date = slot_day.or(place.date).or(options.start_date);
            let layout = place
                .layout
                .filter(|layout| options.layouts.contains(layout));
            options.layout = layout.unwrap_or(default_layout);
        }
        let booked = Signal::derive(move || {
            rescheduling.with(|old| old.as_ref().map(|old| old.booking.start))
        });
        let picker = PickerState::new(&options, booked, query, move |query, abort| {
            let session = slots_session.clone();
            async move { Ok(session.slots(query, abort).await?.with_seats(seats)) }
        });
        options.layout = default_layout;
        let page = use_page();
        let event_page = page.clone();
        on_failure(picker.slots.signal(), move |code| {
            let what = "slots";
            // The event has no default action that the page could prevent.
            let _ = event_page.emit(&PickerEvent::LoadFailed { code, what });
        });
        let context = FlowContext {
            event_type,
            options,
            session,
            config: config.clone(),
            live_config: use_context().unwrap_or_else(|| LiveConfig::new(config)),
            page,
            drafts: use_context().unwrap_or_default(),
            kept_flow: use_context().unwrap_or_default(),
        };
        let flow = Self {
            step: RwSignal::new(Step::Picker),
            selection: Selection {
                picker,
                length,
                has_lengths,
                is_instant: RwSignal::new(false),
            },
            series: SeriesState {
                is_open: RwSignal::new(false),
                count: RwSignal::new(occurrences),
                changes: RwSignal::default(),
                number: RwSignal::new(1),
                starts: RwSignal::default(),
            },
            draft: Draft::new(),
            rescheduling,
            reason: RwSignal::default(),
            submit: SubmitState {
                is_busy: RwSignal::new(false),
                error: RwSignal::new(None),
                lost_slot: RwSignal::new(None),
                unknown_outcome: RwSignal::new(None),
                unresolved: StoredValue::new(UnresolvedRequests::default()),
            },
            email_code: EmailCodeState::new(),
            is_reservation_disabled: StoredValue::new(config.is_reservation_disabled),
            history: FlowHistory {
                steps,
                event_type: chosen,
                awaited_slot,
                is_cancelling: RwSignal::new(false),
            },
            locale,
            visitor_zone: StoredValue::new(visitor_zone),
            context: StoredValue::new(Rc::new(context)),
        };
        flow.restore_step();
        flow
    }

    /// Shows the step of the view before this one, if the page has started the flow again.
    fn restore_step(self) {
        let context = self.context();
        let config = context.current_config();
        let kept = context.kept_flow.step(&config, context.event_type.id);
        if let Some(KeptStep(restore)) = kept.as_deref().and_then(<dyn Any>::downcast_ref) {
            restore(self);
        }
    }

    /// True if the flow is in its first step.
    pub(super) fn is_at_start(self) -> bool {
        !self.is_rescheduling()
            && self
                .step
                .with_untracked(|step| matches!(step, Step::Picker))
    }

    pub(super) fn context(self) -> Rc<FlowContext> {
        self.context.get_value()
    }

    /// True once the view is disposed, as the page may do on any event.
    pub(super) fn is_disposed(self) -> bool {
        self.context.is_disposed()
    }

    /// Time zone of the attendee, in which the meetings of a series are at the same time of day.
    pub(super) fn attendee_zone(self) -> Zone {
        let shown = self.locale.settings.zone.get();
        self.visitor_zone.get_value().unwrap_or(shown)
    }

    pub(super) fn is_rescheduling(self) -> bool {
        self.rescheduling.with_untracked(Option::is_some)
    }

    /// Starts rescheduling a booking, at its current day unless that is past.
    pub(super) fn start_reschedule(self, old: Rescheduling) {
        let context = self.context();
        let length = old.booking.length();
        if context.event_type.lengths.contains(&length) {
            self.selection.length.set(length);
        }
        let day = self.locale.day_of(old.booking.start);
        self.rescheduling.set(Some(Arc::new(old)));
        if day >= self.selection.picker.today.get_untracked() {
            self.selection.picker.show_day(day);
        }
        self.restart();
        self.fill_in_reason();
    }

    /// Fills in the reason for rescheduling: what was typed in this view or an earlier one, or what the page says now.
    pub(super) fn fill_in_reason(self) {
        let context = self.context();
        let Some(old) = self.rescheduling.get_untracked() else {
            return;
        };
        let prefilled = reschedule_reason(&context.current_config().prefill);
        let typed = ReasonDraft::of(&context, "move", &old.booking.uid).text();
        let typed = typed.filter(|_| !prefilled.is_read_only && !prefilled.is_hidden);
        self.reason.set(typed.unwrap_or(prefilled.text));
    }

    /// Shows a booking, or its cancel form.
    pub(super) fn show_booking(self, outcome: FlowOutcome, is_cancelling: bool) {
        self.step.set(Step::Done(Arc::new(outcome)));
        self.history.is_cancelling.set(is_cancelling);
    }

    /// Starts a new booking.
    pub(super) fn start_new_booking(self) {
        self.rescheduling.set(None);
        self.restart();
    }

    fn restart(self) {
        let picker = self.selection.picker;
        picker.slot.set(None);
        picker.taken.set(None);
        self.history.awaited_slot.set(None);
        self.submit.error.set(None);
        self.submit.unknown_outcome.set(None);
        self.submit
            .unresolved
            .set_value(UnresolvedRequests::default());
        self.submit.lost_slot.set(None);
        self.reason.set(String::new());
        picker.slots.reload();
        self.step.set(Step::Picker);
    }

    /// Shows the day that a history entry names; the form of its slot opens once that is known to be free.
    pub(super) fn resume(self, place: &StepPlace) {
        let slot_day = place.slot.map(|start| self.locale.day_of(start));
        if let Some(day) = slot_day.or(place.date) {
            self.selection.picker.show_day(day);
        }
        self.history.awaited_slot.set(place.slot);
    }

    /// Selects a slot and shows the form.
    pub(super) fn select_slot(self, slot: Slot) {
        self.context()
            .page
            .emit(&PickerEvent::SlotSelected(slot.start));
        let picker = self.selection.picker;
        picker.day.set(Some(self.locale.day_of(slot.start)));
        picker.slot.set(Some(slot));
        picker.taken.set(None);
        self.history.awaited_slot.set(None);
        self.submit.error.set(None);
        self.submit.lost_slot.set(None);
        self.step.set(Step::Form);
    }

    /// Handles a lost slot: the form is kept, the slots are reloaded, and the nearest are offered.
    pub(super) fn handle_lost_slot(self, start: Instant) {
        self.show_error(Key::TimeTakenTitle, Key::TimeTakenText);
        let picker = self.selection.picker;
        self.submit.lost_slot.set(Some(start));
        picker.slot.set(None);
        picker.taken.set(Some(start));
        picker.day.set(Some(self.locale.day_of(start)));
        self.step.set(Step::Picker);
        picker.slots.reload();
    }

    /// Shows an error above the form, or above the slots.
    pub(super) fn show_error(self, title: Key, text: Key) {
        let [title, text] = [title, text].map(|key| self.locale.texts.get(key).to_owned());
        self.submit.error.set(Some(SubmitError {
            title,
            text,
            details: None,
        }));
    }
}
