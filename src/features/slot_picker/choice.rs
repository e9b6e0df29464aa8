//! What the picker shows and remembers between its visits, and the free times behind it.

use std::future::Future;
use std::rc::Rc;
use std::time::Duration;

use booking_wire::{BookableDates, Layout, Slot, SlotDays, SlotsQuery};
use leptos::prelude::*;

use super::model::{self, Question, Shown};
use crate::api::{Abort, ApiError};
use crate::dom::listen_to;
use crate::features::{use_clock, use_settings};
use crate::i18n::use_formats;
use crate::load::{Latest, Load, Remembered, latest, remembered};
use crate::signal::{RwSignal, Signal, StoredValue, Trigger, follow};
use crate::time::{CivilDate, Formats, Instant, Span};

/// How long free times count as current, in seconds, unless the page says otherwise.
const STALE_AFTER_S: i64 = 300;

/// How the page and the event type want times to be picked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// The layouts to choose from; the first layout is offered in any case.
    pub layouts: Vec<Layout>,
    /// The first layout.
    pub layout: Layout,
    /// The day shown first, unless it is over.
    pub start_date: Option<CivilDate>,
    /// The days that can be booked.
    pub bookable_dates: BookableDates,
    /// Whether a time that is pressed asks for a second press.
    pub confirms_pick: bool,
    /// Seconds after which free times are asked for again.
    pub stale_after_s: Option<i64>,
    /// Whether the zone is given and cannot be chosen.
    pub is_zone_locked: bool,
}

/// Owned by the flow, because it outlives the picker: coming back from the form finds everything as
/// it was.
#[derive(Clone, Copy)]
pub struct Choice {
    /// The day that the visitor chose; the picker shows the first free one until then.
    pub day: RwSignal<Option<CivilDate>>,
    /// The time that the visitor chose last.
    pub slot: RwSignal<Option<Slot>>,
    /// The time that somebody else was faster with. It stays in its place, struck, until the visitor
    /// chooses another or an answer says that it is free again.
    pub taken: RwSignal<Option<Instant>>,
    /// The current day in the zone that times are shown in.
    pub today: Signal<CivilDate>,
    /// Free times around the days in view.
    pub times: Remembered<Question, SlotDays>,
    view: View,
    /// The next times after those asked for, once they were looked for.
    pub(super) next: Latest<SlotDays>,
    /// Whether somebody is looking at them.
    pub(super) is_in_view: RwSignal<bool>,
    question: StoredValue<Rc<dyn Fn(Span) -> Question>>,
}

impl Choice {
    /// Nothing chosen so far. `question` is what is asked about some days; it is asked again when a
    /// signal that it reads changes. `fetch` gets the answer.
    pub fn new<F>(
        options: &Options,
        question: impl Fn(Span) -> Question + 'static,
        fetch: impl Fn(SlotsQuery, Abort) -> F + 'static,
    ) -> Self
    where
        F: Future<Output = Result<SlotDays, ApiError>> + 'static,
    {
        let formats = use_formats();
        let settings = use_settings();
        let clock = use_clock();

        let beat = Trigger::new();
        let today = Signal::memo(move || {
            beat.track();
            settings.zone.with(|zone| formats.day_of(clock.now(), zone))
        });
        let first = today.get_untracked();
        let from = options.start_date.map_or(first, |start| start.max(first));
        let view = View {
            place: RwSignal::new((options.layout, from)),
            today,
            bookable_dates: options.bookable_dates,
            formats,
        };

        let question: Rc<dyn Fn(Span) -> Question> = Rc::new(question);
        let asked = {
            let question = Rc::clone(&question);
            move || question(view.shown().asked())
        };
        let fetch = Rc::new(move |question: &Question, abort: Abort| {
            let zone = question.zone.clone();
            let query = question.query(|day| formats.start_of_day(day, &zone));
            let answer = fetch(query, abort);
            async move {
                let days = answer.await?;
                // Services offer nothing that is over: by a clock that says so it is not that late.
                let soonest = days.0.first().and_then(|(_, slots)| slots.first());
                if soonest.is_some_and(|slot| slot.start < clock.now())
                    && soonest.is_some_and(|slot| clock.put_right(slot.start))
                {
                    view.begin_at_today(beat);
                }
                Ok(model::by_day(days, |day| formats.start_of_day(day, &zone)))
            }
        });
        let stale_after_s = options.stale_after_s.unwrap_or(STALE_AFTER_S);
        let times = {
            let (asked, fetch) = (asked.clone(), Rc::clone(&fetch));
            remembered(
                move || Some(asked()),
                move |question, abort| fetch(&question, abort),
                clock,
                stale_after_s.saturating_mul(1000),
            )
        };
        // Looked for only by those who see nothing that they could choose.
        let is_empty = Signal::memo(move || {
            let shown = view.shown();
            times.signal().with(|answer| {
                let days = answer.ready();
                days.is_some_and(|days| shown.next_known(days).is_none() && shown.is_empty(days))
            })
        });
        let next = latest(
            move || is_empty.get().then(&asked),
            move |question: Question, abort| {
                let fetch = Rc::clone(&fetch);
                let latest = untrack(|| view.shown().latest);
                async move {
                    for days in model::ahead(question.days.last, latest) {
                        let question = Question {
                            days,
                            ..question.clone()
                        };
                        let found = fetch(&question, abort.clone()).await?;
                        if !found.0.is_empty() {
                            return Ok(found);
                        }
                    }
                    Ok(SlotDays::default())
                }
            },
        );
        let choice = Self {
            day: RwSignal::new(options.start_date),
            slot: RwSignal::new(None),
            taken: RwSignal::new(None),
            today,
            times,
            view,
            next,
            is_in_view: RwSignal::new(false),
            question: StoredValue::new(question),
        };
        choice.welcome_back();
        choice.stay_current(beat, stale_after_s);
        choice
    }

    /// The days in view.
    pub(super) fn shown(self) -> Shown {
        self.view.shown()
    }

    /// Brings `day` into view and chooses it.
    pub fn show(self, day: CivilDate) {
        self.view.place.update(|place| place.1 = day);
        self.day.set(Some(day));
    }

    /// Lays the days in view out otherwise. `day` stays in view.
    pub(super) fn lay_out(self, layout: Layout, day: Option<CivilDate>) {
        self.view
            .place
            .update(|place| *place = (layout, day.unwrap_or(place.1)));
    }

    /// Brings other days into view, and lets go of the day chosen among those before.
    pub(super) fn go_to(self, shown: Shown) {
        self.day.set(None);
        self.view.place.set((shown.layout, shown.from));
    }

    /// The visitor will probably want to see these next.
    pub(super) fn expect(self, shown: Shown) {
        let question = self.question.get_value();
        self.times.ahead(untrack(|| question(shown.asked())));
    }

    /// A taken time may become free again: a new answer says so, not the one it was chosen from.
    fn welcome_back(self) {
        follow(move || {
            let is_back = self.times.signal().with(|answer| {
                let taken = self.taken.get_untracked();
                let mut days = answer.ready().into_iter().flat_map(|days| &days.0);
                days.any(|(_, slots)| slots.iter().any(|slot| Some(slot.start) == taken))
            });
            if is_back {
                self.taken.set(None);
            }
        });
    }

    /// Days pass and free times change while the page stays open.
    fn stay_current(self, beat: Trigger, stale_after_s: i64) {
        let stale_after_ms = stale_after_s.saturating_mul(1000);
        let refresh_if_older = move |age_ms: i64| {
            let is_seen = self.is_in_view.get_untracked() && !document().hidden();
            if is_seen && self.times.age_ms().is_some_and(|age| age >= age_ms) {
                self.times.refresh();
            }
        };
        let every_ms = (stale_after_ms / 2).clamp(500, 30_000).unsigned_abs();
        let timer = set_interval_with_handle(
            move || {
                beat.notify();
                refresh_if_older(stale_after_ms);
            },
            Duration::from_millis(every_ms),
        );
        if let Ok(timer) = timer {
            on_cleanup(move || timer.clear());
        }
        // Whoever comes back has perhaps been away for long.
        listen_to(&document(), "visibilitychange", move |_| {
            beat.notify();
            refresh_if_older(BACK_AFTER_MS);
        });
        listen_to(&window(), "online", move |_| {
            let has_failed = self
                .times
                .signal()
                .with_untracked(|answer| matches!(answer, Load::Failed(ApiError::Unreachable)));
            if has_failed {
                self.times.again();
            }
        });
    }
}

/// What decides which days are in view.
#[derive(Clone, Copy)]
struct View {
    /// The days in view, whatever their layout, are those around this one.
    place: RwSignal<(Layout, CivilDate)>,
    today: Signal<CivilDate>,
    bookable_dates: BookableDates,
    formats: Formats,
}

impl View {
    /// The clock was put right: those who have not turned yet see the first days that there are.
    fn begin_at_today(self, beat: Trigger) {
        let before = self.today.get_untracked();
        beat.notify();
        let today = self.today.get_untracked();
        self.place.update(|(_, from)| {
            if *from == before {
                *from = today;
            }
        });
    }

    fn shown(self) -> Shown {
        let (earliest, latest) = self.bookable_dates.date_range(self.today.get());
        let (layout, from) = self.place.get();
        Shown {
            layout,
            from: latest.map_or(from, |latest| from.min(latest)).max(earliest),
            earliest,
            latest,
            week_begins: self.formats.week_start(),
        }
    }
}

/// Answers younger than this are not asked for again by a tab that comes back.
const BACK_AFTER_MS: i64 = 2_000;
