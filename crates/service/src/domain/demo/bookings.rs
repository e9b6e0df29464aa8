//! About three hundred bookings around today, deterministic for each day.

use booking_rules::availability::schedule::instant_of;
use booking_rules::availability::{DAY, MINUTE, TimeRange};
use booking_rules::{Policy, transitions};
use booking_wire::{Attendee, BookingStatus, Instant, JsonMap};
use booking_zones::Zone;
use chrono::{Datelike, Duration, NaiveDate, Weekday};
use serde_json::{Value, json};

use super::catalogue::{DemoEventType, EVENT_TYPES};
use super::people::{DemoHost, GUESTS, Guest, HOSTS, is_away, is_holiday};
use crate::auth::secret::{hex, uuid_from};
use crate::error::Result;
use crate::store::Db;
use crate::store::bookings::{self, Draft, History};

/// Bookings that were not rescheduled, in no series and without seats.
const SINGLE: usize = 215;

/// Bookings that were rescheduled once.
const RESCHEDULED: usize = 14;

/// Series.
const SERIES: usize = 5;

/// Bookings of one series.
const OCCURRENCES: i64 = 8;

/// Bookings with seats.
const SEATED: usize = 16;

/// Bookings to be confirmed.
const REQUESTS: usize = 4;

/// Minutes kept free around each booking: at least the buffers of all event types.
const GAP: i64 = 30;

pub(super) async fn insert(db: &mut Db, now: Instant) -> Result<()> {
    let today = now.utc().unwrap_or_default().date_naive();
    let mut calendar = Calendar {
        random: Random(fastrand::Rng::with_seed(20_270_301)),
        busy_times: vec![Vec::new(); HOSTS.len()],
        now: now.0,
        today,
    };
    let mut drafts = Vec::new();
    // The most constrained bookings come first.
    for index in 0..SERIES {
        calendar.series(index, &mut drafts);
    }
    for _ in 0..SEATED {
        calendar.seated(&mut drafts);
    }
    for _ in 0..RESCHEDULED {
        calendar.rescheduled(&mut drafts);
    }
    for _ in 0..SINGLE {
        calendar.single(&mut drafts);
    }
    mark_requests(&mut drafts, now);
    drafts.sort_by_key(|draft: &Draft| (draft.created_ms, draft.start_ms));
    for draft in &drafts {
        bookings::insert(db, draft).await?;
    }
    Ok(())
}

/// A deterministic sequence of random values.
struct Random(fastrand::Rng);

impl Random {
    fn next(&mut self) -> u64 {
        self.0.u64(..)
    }

    /// A number from 0 up to, not including, `bound`.
    fn below(&mut self, bound: i64) -> i64 {
        self.0.i64(0..bound.max(1))
    }

    fn chance(&mut self, percent: i64) -> bool {
        self.below(100) < percent
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        self.0.choice(items)
    }

    fn uid(&mut self) -> String {
        hex(&[self.next().to_be_bytes(), self.next().to_be_bytes()].concat())
            .chars()
            .take(22)
            .collect()
    }

    fn uuid(&mut self) -> String {
        let mut bytes = [0; 16];
        let random_bytes = self
            .next()
            .to_be_bytes()
            .into_iter()
            .chain(self.next().to_be_bytes());
        bytes
            .iter_mut()
            .zip(random_bytes)
            .for_each(|(byte, random)| *byte = random);
        uuid_from(bytes)
    }
}

struct Calendar {
    random: Random,
    /// Busy times by host, with gaps.
    busy_times: Vec<Vec<TimeRange>>,
    now: i64,
    today: NaiveDate,
}

impl Calendar {
    fn single(&mut self, drafts: &mut Vec<Draft>) {
        // Onboarding and consultations are the most frequent.
        const WEIGHTED: [usize; 12] = [0, 0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5];
        let Some(event_type) = self
            .random
            .pick(&WEIGHTED)
            .and_then(|index| EVENT_TYPES.get(*index))
        else {
            return;
        };
        let days = self.random.below(181) - 90;
        let status = self.status(event_type, days);
        let Some((hosts, start)) = self.find_time(event_type, days, &status) else {
            return;
        };
        let mut draft = self.draft(event_type, hosts, start, status);
        self.set_reasons(&mut draft);
        if draft.status == BookingStatus::Accepted && draft.end_ms < self.now {
            draft.history.absent_host = self.random.chance(3);
            if self.random.chance(25) {
                draft.history.rating = Some(5 - self.random.below(3));
            }
            let absent = self.random.chance(6);
            draft
                .attendees
                .iter_mut()
                .for_each(|attendee| attendee.absent = absent);
        }
        drafts.push(draft);
    }

    /// Adds a rescheduled booking: the old one is cancelled and refers to the new one.
    fn rescheduled(&mut self, drafts: &mut Vec<Draft>) {
        let Some(event_type) = self
            .random
            .pick(&[1, 2, 3, 4])
            .and_then(|index| EVENT_TYPES.get(*index))
        else {
            return;
        };
        let old_days = self.random.below(120) - 70;
        let new_days = old_days + 2 + self.random.below(14);
        let Some((old_hosts, old_start)) =
            self.find_time(event_type, old_days, &BookingStatus::Cancelled)
        else {
            return;
        };
        let Some((hosts, start)) = self.find_time(event_type, new_days, &BookingStatus::Accepted)
        else {
            return;
        };
        let mut old = self.draft(event_type, old_hosts, old_start, BookingStatus::Cancelled);
        let mut new = self.draft(event_type, hosts, start, BookingStatus::Accepted);
        new.attendees.clone_from(&old.attendees);
        new.responses.clone_from(&old.responses);
        new.title.clone_from(&old.title);
        let moved_ms = (old.created_ms + 6 * 60 * MINUTE).min(self.now - 10 * MINUTE);
        new.created_ms = moved_ms;
        new.history.rescheduled_from_uid = Some(old.uid.clone());
        old.history.rescheduled_to_uid = Some(new.uid.clone());
        old.history.updated_ms = Some(moved_ms);
        let reason = self.random.pick(&[
            "Conflict with a board meeting",
            "Travelling that day",
            "A colleague wants to join",
        ]);
        new.history.rescheduling_reason = reason.map(|reason| (*reason).to_owned());
        old.history
            .rescheduling_reason
            .clone_from(&new.history.rescheduling_reason);
        old.history.rescheduled_by_email =
            old.attendees.first().map(|attendee| attendee.email.clone());
        drafts.push(old);
        drafts.push(new);
    }

    /// Adds eight weekly bookings at the same local time of the host.
    fn series(&mut self, index: usize, drafts: &mut Vec<Draft>) {
        let Some(event_type) = EVENT_TYPES.get(6) else {
            return;
        };
        let Some(host) = HOSTS.get(index % HOSTS.len()) else {
            return;
        };
        let first = self.today + Duration::days(-56 + 21 * i64::try_from(index).unwrap_or(0));
        let first = workday_on_or_after(first);
        let minute = 600 + 60 * i64::try_from(index % 2).unwrap_or(0);
        let series_uid = self.random.uid();
        let guest = self.guest();
        let mut common: Option<Draft> = None;
        for week in 0..OCCURRENCES {
            let Some(zone) = Zone::named(host.zone) else {
                return;
            };
            let date = first + Duration::weeks(week);
            if !is_workday(date) || is_away(host.id, date, self.today) {
                continue;
            }
            let start = instant_of(date, minute, &zone);
            let range = TimeRange::new(start, start + event_type.minutes * MINUTE);
            let status = if week == 2 {
                BookingStatus::Cancelled
            } else {
                BookingStatus::Accepted
            };
            if status == BookingStatus::Accepted && !self.block(host, range) {
                continue;
            }
            let mut draft = self.draft(event_type, vec![host.id], start, status);
            let (attendees, created) = common.as_ref().map_or_else(
                || (vec![attendee(&guest)], self.now.min(start) - 9 * DAY),
                |first| (first.attendees.clone(), first.created_ms),
            );
            draft.attendees = attendees;
            draft.responses = responses(&guest, JsonMap::new(), &[]);
            draft.title = title(event_type, host.id, guest.name);
            draft.guests.clear();
            draft.created_ms = created;
            draft.history.updated_ms = None;
            draft.series_uid = Some(series_uid.clone());
            self.set_reasons(&mut draft);
            common.get_or_insert_with(|| draft.clone());
            drafts.push(draft);
        }
    }

    fn seated(&mut self, drafts: &mut Vec<Draft>) {
        let Some(event_type) = EVENT_TYPES.get(7) else {
            return;
        };
        let days = self.random.below(150) - 75;
        let status = if self.random.chance(12) {
            BookingStatus::Cancelled
        } else {
            BookingStatus::Accepted
        };
        let Some((hosts, start)) = self.find_time(event_type, days, &status) else {
            return;
        };
        let mut draft = self.draft(event_type, hosts, start, status);
        draft.title = event_type.title.to_owned();
        draft.seats = Some(8);
        draft.guests.clear();
        draft.responses = JsonMap::new();
        let mut seats: Vec<Attendee> = Vec::new();
        for _ in 0..2 + self.random.below(5) {
            let guest = self.guest();
            let mut seat = attendee(&guest);
            if seats.iter().any(|other| other.email == seat.email) {
                continue;
            }
            seat.seat_uid = Some(self.random.uuid());
            seat.booking_fields_responses =
                Some(JsonMap::from_iter([("name".to_owned(), json!(guest.name))]));
            seat.metadata = Some(JsonMap::new());
            seats.push(seat);
        }
        draft.attendees = seats;
        self.set_reasons(&mut draft);
        drafts.push(draft);
    }

    fn status(&mut self, event_type: &DemoEventType, days: i64) -> BookingStatus {
        let percent = self.random.below(100);
        match (days < 0, event_type.requires_confirmation) {
            (true, _) if percent < 76 => BookingStatus::Accepted,
            (true, true) if percent < 92 => BookingStatus::Rejected,
            (false, true) if percent < 80 => BookingStatus::Accepted,
            (false, true) if percent < 90 => BookingStatus::Rejected,
            (_, false) if percent < 84 => BookingStatus::Accepted,
            (_, false) if percent < 90 => BookingStatus::Rejected,
            _ => BookingStatus::Cancelled,
        }
    }

    /// Finds hosts and a start within their working hours, about `days` from today. Adds it to
    /// their busy times if the status requires it.
    fn find_time(
        &mut self,
        event_type: &DemoEventType,
        days: i64,
        status: &BookingStatus,
    ) -> Option<(Vec<i64>, i64)> {
        let blocks_time = blocks_time(event_type, status);
        for _ in 0..40 {
            let date =
                workday_on_or_after(self.today + Duration::days(days + self.random.below(7) - 3));
            let possible_hosts: Vec<&DemoHost> = HOSTS
                .iter()
                .filter(|host| event_type.hosts.contains(&host.id))
                .filter(|host| !is_away(host.id, date, self.today))
                .collect();
            let picked: &DemoHost = self.random.pick(&possible_hosts)?;
            let zone = Zone::named(picked.zone)?;
            let (from, to) = *self.random.pick(picked.hours)?;
            let steps = (to - from - event_type.minutes) / 30;
            if steps < 0 {
                continue;
            }
            let start = instant_of(date, from + 30 * self.random.below(steps + 1), &zone);
            let range = TimeRange::new(start, start + event_type.minutes * MINUTE);
            // No bookings in the next hours, so that new users find free slots.
            if (self.now - 3 * 60 * MINUTE..self.now + 3 * 60 * MINUTE).contains(&start) {
                continue;
            }
            let booked_hosts = if event_type.is_collective {
                possible_hosts
            } else {
                vec![picked]
            };
            if booked_hosts
                .iter()
                .any(|host| !is_working(host, range) || (blocks_time && self.is_busy(host, range)))
            {
                continue;
            }
            if blocks_time {
                booked_hosts.iter().for_each(|host| {
                    self.block(host, range);
                });
            }
            return Some((booked_hosts.iter().map(|host| host.id).collect(), start));
        }
        None
    }

    fn is_busy(&self, host: &DemoHost, range: TimeRange) -> bool {
        self.ranges(host)
            .is_some_and(|busy_times| busy_times.iter().any(|other| other.overlaps(range)))
    }

    fn block(&mut self, host: &DemoHost, range: TimeRange) -> bool {
        if self.is_busy(host, range) {
            return false;
        }
        let padded = TimeRange::new(range.start - GAP * MINUTE, range.end + GAP * MINUTE);
        let index = HOSTS.iter().position(|other| other.id == host.id);
        if let Some(busy_times) = index.and_then(|index| self.busy_times.get_mut(index)) {
            busy_times.push(padded);
        }
        true
    }

    fn ranges(&self, host: &DemoHost) -> Option<&Vec<TimeRange>> {
        HOSTS
            .iter()
            .position(|other| other.id == host.id)
            .and_then(|index| self.busy_times.get(index))
    }

    fn guest(&mut self) -> Guest {
        Guest::of(self.random.pick(&GUESTS).copied().unwrap_or(GUESTS[0]))
    }

    fn draft(
        &mut self,
        event_type: &DemoEventType,
        hosts: Vec<i64>,
        start: i64,
        status: BookingStatus,
    ) -> Draft {
        const NOTES: [&str; 5] = [
            "",
            "",
            "We would like to start with the calendar import.",
            "Two of us will join from the same room.",
            "Please send the agenda beforehand – thank you!",
        ];
        let guest = self.guest();
        let lead_ms = 60 * MINUTE * (20 + self.random.below(24 * 18));
        // Whole minutes plus a constant look less generated than arbitrary milliseconds.
        let created = (self.now.min(start) - lead_ms) / MINUTE * MINUTE + 17_000;
        let description = self
            .random
            .pick(&NOTES)
            .map(|note| (*note).to_owned())
            .unwrap_or_default();
        let mut guests = Vec::new();
        if self.random.chance(18) {
            let other = self.guest();
            if other.local_part != guest.local_part {
                guests.push(address(&other));
            }
        }
        let custom = self.custom_responses(event_type);
        Draft {
            uid: self.random.uid(),
            series_uid: None,
            is_apart: false,
            event_type_id: Some(event_type.id),
            team_id: event_type.owner.is_none().then_some(super::ids::TEAM_ID),
            organization_id: Some(super::ids::ORGANIZATION_ID),
            title: title(
                event_type,
                hosts.first().copied().unwrap_or_default(),
                guest.name,
            ),
            description,
            blocks_time: blocks_time(event_type, &status),
            status,
            start_ms: start,
            end_ms: start + event_type.minutes * MINUTE,
            location: Some(event_type.location.to_owned()),
            seats: None,
            paid: None,
            responses: responses(&guest, custom, &guests),
            guests,
            metadata: if self.random.chance(30) {
                JsonMap::from_iter([("source".to_owned(), json!("website"))])
            } else {
                JsonMap::new()
            },
            created_ms: created,
            booked_ms: None,
            host_zones: (HOSTS.iter())
                .filter(|host| hosts.contains(&host.id))
                .map(|host| host.zone.to_owned())
                .collect(),
            host_ids: hosts,
            organizer_email: None,
            attendees: vec![attendee(&guest)],
            history: History::default(),
        }
    }

    fn custom_responses(&mut self, event_type: &DemoEventType) -> JsonMap {
        let mut choice = |choices: &[&str]| {
            self.random
                .pick(choices)
                .map_or(Value::Null, |choice| json!(choice))
        };
        let responses = match event_type.slug {
            "onboarding" => json!({
                "company": choice(&["Fjord & Co", "Tanaka Seisakusho", "Lagos Logistics", "Café Central", "Kiwi Labs"]),
                "plan": choice(&["Starter", "Team", "Enterprise"]),
                "migration": choice(&["Yes", "No", "Not sure yet"]),
                "topics": [choice(&["Import", "Permissions", "Single sign-on"])],
                "modules": ["Calendar", "Reports"],
                "team-size": 4 + self.random.below(60),
                "recording": true,
            }),
            "design-review" => {
                json!({"project": choice(&["Checkout redesign", "Mobile app", "Design tokens"])})
            }
            _ => json!({}),
        };
        match responses {
            Value::Object(map) => map,
            _ => JsonMap::new(),
        }
    }

    fn set_reasons(&mut self, draft: &mut Draft) {
        const CANCELLED: [&str; 4] = [
            "Something urgent came up",
            "We found an answer in the meantime",
            "Ill today, sorry",
            "Budget was postponed",
        ];
        const DECLINED: [&str; 2] = [
            "Not a fit for this format",
            "Please book the onboarding session instead",
        ];
        let reasons: &[&str] = match draft.status {
            BookingStatus::Cancelled => &CANCELLED,
            BookingStatus::Rejected => &DECLINED,
            _ => return,
        };
        draft.history.cancellation_reason =
            self.random.pick(reasons).map(|reason| (*reason).to_owned());
        draft.history.updated_ms = Some((draft.created_ms + 5 * 60 * MINUTE).min(self.now));
        if draft.status == BookingStatus::Cancelled {
            draft.history.cancelled_by_email = draft
                .attendees
                .first()
                .map(|attendee| attendee.email.clone());
        }
    }
}

fn blocks_time(event_type: &DemoEventType, status: &BookingStatus) -> bool {
    let policy = Policy {
        pending_blocks_time: event_type.requires_confirmation,
        ..Policy::default()
    };
    transitions::blocks_time(status, &policy)
}

/// Returns true if the meeting is within the host's working hours of that day.
fn is_working(host: &DemoHost, range: TimeRange) -> bool {
    let Some(zone) = Zone::named(host.zone) else {
        return false;
    };
    let Some(date) = booking_rules::availability::schedule::local_date(range.start, &zone) else {
        return false;
    };
    is_workday(date)
        && host.hours.iter().any(|(from, to)| {
            TimeRange::new(instant_of(date, *from, &zone), instant_of(date, *to, &zone))
                .contains(range)
        })
}

fn is_workday(date: NaiveDate) -> bool {
    !matches!(date.weekday(), Weekday::Sat | Weekday::Sun) && !is_holiday(date)
}

fn workday_on_or_after(date: NaiveDate) -> NaiveDate {
    date.iter_days()
        .find(|date| is_workday(*date))
        .unwrap_or(date)
}

/// Turns the first upcoming bookings of event types that require confirmation into requests.
fn mark_requests(drafts: &mut [Draft], now: Instant) {
    let requires_confirmation = |id: i64| {
        EVENT_TYPES
            .iter()
            .any(|event_type| event_type.id == id && event_type.requires_confirmation)
    };
    let mut requests: Vec<&mut Draft> = drafts
        .iter_mut()
        .filter(|draft| draft.status == BookingStatus::Accepted && draft.start_ms > now.0)
        .filter(|draft| draft.history.rescheduled_from_uid.is_none())
        .filter(|draft| draft.event_type_id.is_some_and(requires_confirmation))
        .collect();
    requests.sort_by_key(|draft| draft.start_ms);
    for draft in requests.into_iter().take(REQUESTS) {
        draft.status = BookingStatus::Pending;
    }
}

fn title(event_type: &DemoEventType, host_id: i64, guest: &str) -> String {
    let host = match host_id {
        1 => "Ada Brandt",
        2 => "Marcus Okafor",
        _ => "Priya Raman",
    };
    format!("{} between {host} and {guest}", event_type.title)
}

fn address(guest: &Guest) -> String {
    format!("{}@example.org", guest.local_part)
}

fn attendee(guest: &Guest) -> Attendee {
    Attendee {
        name: guest.name.to_owned(),
        email: address(guest),
        display_email: address(guest),
        time_zone: guest.zone.to_owned(),
        language: Some(guest.language.to_owned()),
        phone_number: guest.phone.map(str::to_owned),
        ..Attendee::default()
    }
}

fn responses(guest: &Guest, mut custom: JsonMap, guests: &[String]) -> JsonMap {
    custom.insert("name".into(), json!(guest.name));
    custom.insert("email".into(), json!(address(guest)));
    custom.insert("guests".into(), json!(guests));
    custom
}
