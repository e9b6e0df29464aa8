//! The visitor's flow: select a slot, fill in the form, read the confirmation; later reschedule or cancel the
//! booking.
//!
//! Connects the slot picker and the booking form, which do not know each other, and owns the state that
//! outlives both: selection, draft, zone.

mod calendar_links;
mod cancel;
mod chunk;
mod confirmation;
mod delivery;
mod existing_booking;
mod form_step;
mod lost_slot;
mod model;
mod outcome;
mod page_hooks;
mod reason;
mod reservation;
mod series_dates;
mod submit;
mod summary;

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use booking_wire::{PublicBooking, PublicEventType, Slot, SlotDays};
use leptos::prelude::*;

use crate::client::cache::CachedResource;
use crate::client::query::{Load, latest, on_failure};
use crate::client::session::{Session, use_session};
use crate::components::focus::focus_first_soon;
use crate::components::{Shape, button, icon, live_region};
use crate::element::attributes::Config;
use crate::element::commands::{Order, Orders};
use crate::element::draft_store::DraftStore;
use crate::element::events::{Page, use_page};
use crate::element::picker_events::PickerEvent;
use crate::element::settings::{Settings, use_clock, use_settings};
use crate::features::booking_form::prefill::reschedule_reason;
use crate::features::booking_form::{Draft, Setback};
use crate::features::shared::error_notice::{booking_problem, card, fallback, notice_card};
use crate::features::shared::lazy_view::lazy_view;
use crate::features::slot_picker::model::Question;
use crate::features::slot_picker::{Choice, Options, SlotPicker};
use crate::i18n::{Key, Translations, localized, use_formats, use_texts};
use crate::time::{CivilDate, Formats, Instant};
use crate::ui::context::use_context;
use crate::ui::dom::{Node, el, fragment, fragment_of};
use crate::ui::lazy::{ChunkSource, LazyChunk};
use crate::ui::signal::{Callback, InTask, ReadSignal, RwSignal, Signal, StoredValue, follow};

pub use chunk::{ChunkExports, exports};
use delivery::Unsettled;
use outcome::FlowOutcome;
use reason::Reason;
use summary::summary;

/// Options of the slot picker: those of the event type, unless the page sets others.
fn options(event_type: &PublicEventType, config: &Config) -> Options {
    let mut layouts = event_type.layouts.clone();
    let layout = config.view.unwrap_or(event_type.layout);
    if !layouts.contains(&layout) {
        layouts.push(layout);
    }
    Options {
        layouts,
        layout,
        start_date: config.start_date,
        bookable_dates: event_type.bookable_dates,
        confirms_pick: config.confirms_pick,
        stale_after_s: config.stale_after_s,
        is_zone_locked: event_type.locks_zone || config.locks_zone,
    }
}

/// Flow of the event type or booking that the page names.
#[component]
pub fn BookingFlow(
    /// Configuration set by the page.
    config: Config,
    /// Source of the chunk with the later steps.
    after: ChunkSource<ChunkExports>,
) -> Node {
    let texts = use_texts();
    if config.booking_uid.is_some() || config.seat_uid.is_some() {
        return lazy_view(
            chunk::part(after, use_page()),
            move |content| card().child(content),
            move |exports| (exports.manage)(config.clone()),
        );
    }
    let session = use_session();
    let Some(key) = config.event_type.clone() else {
        return localized(move || {
            let title = texts.get(Key::NothingNamedTitle);
            notice_card(Shape::Calendar, title, texts.get(Key::NothingNamedText))
        });
    };
    let organization = config.org_slug.clone();
    let event_type = latest(
        move || Some(key.clone()),
        move |key, abort| {
            let (session, organization) = (session.clone(), organization.clone());
            async move { session.event_type(key, organization, abort).await }
        },
    );
    let answer = event_type.signal();
    let page = use_page();
    on_failure(answer, move |code| {
        let what = "event-type";
        // The event has no default action that the page could prevent.
        let _ = page.emit(&PickerEvent::LoadFailed { code, what });
    });
    fragment().child_with(move || match answer.get() {
        Load::Pending => localized(move || waiting(texts, event_type.is_slow())),
        Load::Failed(error) => localized(move || {
            let problem = booking_problem(&error, move || event_type.again());
            card().child(problem.child(fallback()))
        }),
        Load::Ready(event_type) => {
            let flow = Flow::new(event_type, &config, after);
            flow.obey();
            localized(move || flow.view())
        }
    })
}

/// Skeleton of the card in its final size, while the event type is loading.
fn waiting(texts: Translations, is_slow: ReadSignal<bool>) -> Node {
    let parts = [
        "flow-summary ghost-block",
        "picker-head",
        "picker-month ghost-block",
        "picker-times ghost-block",
        "picker-foot",
    ];
    let words = move || {
        texts
            .get(if is_slow.get() {
                Key::StillLoading
            } else {
                Key::Loading
            })
            .to_owned()
    };
    el("div")
        .class("card flow flow-pick")
        .attr("aria-busy", "true")
        .child(fragment_of(parts.map(|class| el("div").class(class))))
        .child(
            el("p")
                .class("flow-wait")
                .attr("role", "status")
                .text_with(words),
        )
}

/// Current step.
#[derive(Clone)]
enum Step {
    Pick,
    Fill,
    Done(Arc<FlowOutcome>),
    /// Same as `Done`, with the question whether to cancel.
    Cancel(Arc<FlowOutcome>),
    /// Nothing is shown: the page continues.
    Gone,
}

/// The booking that is rescheduled.
#[derive(Clone)]
struct Moving {
    booking: PublicBooking,
    /// Uid of its seat, if the slot has several.
    seat_uid: Option<String>,
}

/// State of the flow of one event type.
#[derive(Clone, Copy)]
struct Flow {
    has_lengths: bool,
    length: RwSignal<i64>,
    step: RwSignal<Step>,
    choice: Choice,
    draft: Draft,
    slots: CachedResource<Question, SlotDays>,
    /// Number of occurrences of a series.
    count: RwSignal<i64>,
    /// The booking that is rescheduled, if any.
    moved: RwSignal<Option<Arc<Moving>>>,
    /// Reason for rescheduling, as typed so far.
    reason: RwSignal<String>,
    /// True for a booking that begins at once.
    is_instant: RwSignal<bool>,
    /// Start of the slot that another visitor booked first.
    lost: RwSignal<Option<Instant>>,
    /// Title and text about a request with unknown outcome.
    doubt: RwSignal<Option<(Key, Key)>>,
    /// Requests with unknown outcome.
    unsettled: StoredValue<Unsettled>,
    /// Pending end of the last reservation. The next one waits for it, or would find its slot taken.
    released: StoredValue<Option<js_sys::Promise>>,
    /// True if slots are not reserved, because the page or the service does not want it.
    never_holds: StoredValue<bool>,
    is_busy: RwSignal<bool>,
    setback: RwSignal<Option<Setback>>,
    after: LazyChunk<ChunkExports>,
    /// Behind a handle, so that the flow is cheap to copy.
    world: StoredValue<Rc<FlowContext>>,
    texts: Translations,
    formats: Formats,
    settings: Settings,
}

/// The flow for tasks and for code that dispatches events.
type FlowTask = InTask<Flow>;

/// Data and dependencies of the flow.
struct FlowContext {
    event_type: PublicEventType,
    options: Options,
    config: Config,
    session: Session,
    page: Page,
    drafts: DraftStore,
}

impl Flow {
    fn new(event_type: PublicEventType, config: &Config, after: ChunkSource<ChunkExports>) -> Self {
        let texts = use_texts();
        let formats = use_formats();
        let settings = use_settings();
        let session = use_session();

        // The response has just arrived. Dates are counted from today, so the clock has to be right.
        if let Some(date) = session.date() {
            use_clock().put_right(date);
        }
        let options = options(&event_type, config);
        let lengths = &event_type.lengths;
        let has_lengths = lengths.len() > 1;
        let wanted_length = config.duration.filter(|length| lengths.contains(length));
        let length = RwSignal::new(wanted_length.unwrap_or(event_type.length));
        let event_type_id = event_type.id;
        let most = event_type.recurrence.as_ref();
        let most = most.map_or(1, |series| series.occurrences);
        let moved = RwSignal::new(None::<Arc<Moving>>);
        let question = move |days| Question {
            event_type_id,
            days,
            zone: settings.zone.get(),
            duration: has_lengths.then(|| length.get()),
            moved: moved.with(|moved| Some(moved.as_ref()?.booking.uid.clone())),
        };
        let asking = session.clone();
        let seats = event_type.seats;
        let choice = Choice::new(&options, question, move |query, abort| {
            let session = asking.clone();
            async move { Ok(session.slots(query, abort).await?.with_seats(seats)) }
        });
        let page = use_page();
        let telling = page.clone();
        on_failure(choice.times.signal(), move |code| {
            let what = "slots";
            // The event has no default action that the page could prevent.
            let _ = telling.emit(&PickerEvent::LoadFailed { code, what });
        });
        let after = chunk::part(after, page.clone());
        let world = FlowContext {
            event_type,
            options,
            session,
            config: config.clone(),
            page,
            drafts: use_context().unwrap_or_default(),
        };
        let answer = choice.times.signal();
        follow(move || {
            if answer.with(|answer| answer.ready().is_some()) {
                after.fetch_after_paint();
            }
        });
        Self {
            has_lengths,
            length,
            step: RwSignal::new(Step::Pick),
            choice,
            draft: Draft::new(),
            slots: choice.times,
            count: RwSignal::new(most),
            moved,
            reason: RwSignal::default(),
            is_instant: RwSignal::new(false),
            lost: RwSignal::new(None),
            doubt: RwSignal::new(None),
            unsettled: StoredValue::new(Unsettled::default()),
            released: StoredValue::new(None),
            never_holds: StoredValue::new(config.is_reservation_disabled),
            is_busy: RwSignal::new(false),
            setback: RwSignal::new(None),
            after,
            world: StoredValue::new(Rc::new(world)),
            texts,
            formats,
            settings,
        }
    }

    /// Carries out the page's commands.
    fn obey(self) {
        let Some(Orders(orders)) = use_context() else {
            return;
        };
        follow(move || match orders.get() {
            Some(Order::Refresh) => self.slots.again(),
            Some(Order::GoTo(day)) => self.choice.show(day),
            Some(Order::Select(start)) => {
                let day = self.day_of(start);
                let answer = self.slots.signal();
                let slot = answer.with_untracked(|answer| {
                    let slots = answer.ready()?.on(day);
                    slots.iter().find(|slot| slot.start == start).cloned()
                });
                if let Some(slot) = slot {
                    self.picked(slot);
                }
            }
            None => {}
        });
    }

    fn view(self) -> Node {
        let texts = self.texts;
        let class = move || {
            let class = self.step.with(|step| match step {
                Step::Pick => "card flow flow-pick",
                Step::Fill => "card flow flow-fill",
                Step::Done(_) | Step::Cancel(_) => "card flow flow-done",
                Step::Gone => "card flow flow-gone",
            });
            Some(class.to_owned())
        };
        let card = el("div");
        let element = card.element();
        let was_away = Cell::new(false);
        let body = move || match self.step.get() {
            Step::Pick => {
                // Back from a later step: focus returns to the selection, since the focused element was removed.
                if was_away.replace(false) {
                    let has_slot = self.choice.slot.with_untracked(Option::is_some);
                    let place = if has_slot {
                        ".time-continue"
                    } else {
                        ".times-title"
                    };
                    focus_first_soon(element.clone(), place);
                }
                self.pick_step()
            }
            step => {
                was_away.set(true);
                self.later_step(step)
            }
        };
        let news = move || {
            let is_filling = self.step.with(|step| matches!(step, Step::Fill));
            let news = is_filling.then(|| texts.get(Key::YourDetails));
            news.unwrap_or_default().to_owned()
        };
        card.attr("part", "card")
            .attr_with("class", class)
            .child_with(body)
            .child(live_region(news))
    }

    fn later_step(self, step: Step) -> Node {
        match step {
            Step::Pick | Step::Gone => fragment(),
            Step::Fill => self.after(move |exports| (exports.fill)(self)),
            Step::Done(ending) => self.after(move |exports| (exports.done)(self, &ending, false)),
            Step::Cancel(ending) => self.after(move |exports| (exports.done)(self, &ending, true)),
        }
    }

    /// A later step. While its chunk is loading or has failed, the summary and a button back are shown beside
    /// the status.
    fn after(self, view: impl Fn(&'static ChunkExports) -> Node + 'static) -> Node {
        let around = move |content| {
            let back = button("button-quiet", move || self.step.set(Step::Pick))
                .child(icon(Shape::Back))
                .child(self.texts.get(Key::ChangeTime));
            let place = el("div").class("flow-form").child(back).child(content);
            fragment()
                .child(self.summary(false, fragment()))
                .child(place)
        };
        lazy_view(self.after, around, view)
    }

    fn pick_step(self) -> Node {
        let world = self.world();
        // No skeleton: these notices are rare, or follow an attempt to book.
        let aside = move |view: fn(&'static ChunkExports) -> fn(Flow) -> Node| {
            lazy_view(
                self.after,
                |_| fragment(),
                move |exports| view(exports)(self),
            )
        };
        if world.event_type.requires_booking_page {
            let notice = aside(|exports| exports.own_page);
            return fragment()
                .child(self.summary(true, fragment()))
                .child(notice);
        }
        let page = world.page.clone();
        let picker = view! {
            <SlotPicker
                choice=self.choice
                options=self.world().options.clone()
                zones=Rc::new(move |is_open, moment| self.zones(is_open, moment))
                on_news=move |news| {
                    page.emit(&news);
                }
                on_pick=move |slot| self.picked(slot)
            />
        };
        let is_special = world.event_type.is_instant || self.moved.with_untracked(Option::is_some);
        let beside = is_special.then(|| aside(|exports| exports.beside));
        let has_setback = move || self.setback.with(Option::is_some);
        let notice = move || has_setback().then(|| aside(|exports| exports.lost));
        fragment()
            .child(self.summary(true, fragment().child(beside)))
            .child_with(notice)
            .child(picker)
    }

    /// List of all time zones.
    fn zones(self, is_open: RwSignal<bool>, moment: Instant) -> Node {
        let around = |content| el("div").class("zone-chooser").child(content);
        lazy_view(self.after, around, move |exports| {
            (exports.zones)(is_open, moment)
        })
    }

    /// Summary of the booking, with the step's additions.
    fn summary(self, has_choice: bool, beside: Node) -> Node {
        let on_length = Callback::new(move |minutes| {
            self.choice.slot.set(None);
            self.length.set(minutes);
        });
        let is_moving = self.moved.with_untracked(Option::is_some);
        let chosen = Signal::derive(move || {
            if has_choice {
                None
            } else {
                self.choice.slot.get()
            }
        });
        summary(
            &self.world().event_type,
            self.length,
            (has_choice && !is_moving).then_some(on_length),
            chosen,
            beside,
        )
    }

    /// Starts rescheduling a booking.
    fn begin_move(self, moving: Moving) {
        let length = moving.booking.length();
        if self.world().event_type.lengths.contains(&length) {
            self.length.set(length);
        }
        let world = self.world();
        let given = reschedule_reason(&world.config.prefill);
        let typed = Reason::of(&world, "move", &moving.booking.uid).typed();
        self.moved.set(Some(Arc::new(moving)));
        self.begin();
        let typed = typed.filter(|_| !given.is_read_only && !given.is_hidden);
        self.reason.set(typed.unwrap_or(given.text));
    }

    /// Starts a new booking.
    fn begin_anew(self) {
        self.moved.set(None);
        self.begin();
    }

    fn begin(self) {
        self.choice.slot.set(None);
        self.choice.taken.set(None);
        self.setback.set(None);
        self.doubt.set(None);
        self.unsettled.set_value(Unsettled::default());
        self.lost.set(None);
        self.reason.set(String::new());
        self.slots.again();
        self.step.set(Step::Pick);
    }

    fn in_task(self) -> FlowTask {
        self.world.in_task(self)
    }

    fn world(self) -> Rc<FlowContext> {
        self.world.get_value()
    }

    fn picked(self, slot: Slot) {
        self.world()
            .page
            .emit(&PickerEvent::SlotSelected(slot.start));
        // The page may have removed this view.
        let Some(this) = self.in_task().get() else {
            return;
        };
        this.show_form(slot);
    }

    fn show_form(self, slot: Slot) {
        self.choice.day.set(Some(self.day_of(slot.start)));
        self.choice.slot.set(Some(slot));
        self.choice.taken.set(None);
        self.setback.set(None);
        self.lost.set(None);
        self.step.set(Step::Fill);
    }

    fn day_of(self, instant: Instant) -> CivilDate {
        self.settings
            .zone
            .with_untracked(|zone| self.formats.day_of(instant, zone))
    }

    fn complain(self, title: Key, text: Key) {
        let [title, text] = [title, text].map(|key| self.texts.get(key).to_owned());
        self.setback.set(Some(Setback { title, text }));
    }
}
