//! About three hundred bookings around today, the same for the same day.

use booking_wire::{Attendee, BookingStatus, Instant, JsonMap};
use chrono::{Datelike, Duration, NaiveDate, Weekday};
use chrono_tz::Tz;
use serde_json::{Value, json};

use super::catalogue::{ENTRIES, Entry};
use super::people::{DemoHost, GUESTS, Guest, HOSTS};
use crate::auth::secret::{hex, uuid_from};
use crate::availability::schedule::instant_of;
use crate::availability::{DAY, MINUTE, Span};
use crate::error::Result;
use crate::store::Db;
use crate::store::bookings::{self, Draft, History};

const SINGLE: usize = 215;
const RESCHEDULED: usize = 14;
const SERIES: usize = 5;
const OCCURRENCES: i64 = 8;
const SEATED: usize = 16;
/// Minutes kept free around each booking, so that every buffer of the catalogue is respected.
const GAP: i64 = 30;

pub(super) async fn insert(db: &mut Db, now: Instant) -> Result<()> {
    let today = now.utc().unwrap_or_default().date_naive();
    let mut calendar = Calendar {
        random: Random(20_270_301),
        taken: vec![Vec::new(); HOSTS.len()],
        now: now.0,
        today,
    };
    let mut drafts = Vec::new();
    // The most constrained ones find their place first.
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
    drafts.sort_by_key(|draft: &Draft| (draft.created_ms, draft.start_ms));
    for draft in &drafts {
        bookings::insert(db, draft).await?;
    }
    Ok(())
}

/// SplitMix64: a fixed sequence of well mixed numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, not including, `bound`.
    fn below(&mut self, bound: i64) -> i64 {
        i64::try_from(self.next() % bound.max(1).unsigned_abs()).unwrap_or(0)
    }

    fn chance(&mut self, percent: i64) -> bool {
        self.below(100) < percent
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        let index = self.below(i64::try_from(items.len()).unwrap_or(1));
        usize::try_from(index)
            .ok()
            .and_then(|index| items.get(index))
    }

    fn uid(&mut self) -> String {
        hex(&[self.next().to_be_bytes(), self.next().to_be_bytes()].concat())
            .chars()
            .take(22)
            .collect()
    }

    fn uuid(&mut self) -> String {
        let mut bytes = [0; 16];
        let words = self
            .next()
            .to_be_bytes()
            .into_iter()
            .chain(self.next().to_be_bytes());
        bytes
            .iter_mut()
            .zip(words)
            .for_each(|(byte, word)| *byte = word);
        uuid_from(bytes)
    }
}

struct Calendar {
    random: Random,
    /// By host, padded.
    taken: Vec<Vec<Span>>,
    now: i64,
    today: NaiveDate,
}

impl Calendar {
    fn single(&mut self, drafts: &mut Vec<Draft>) {
        // Onboarding and consultations are asked for most.
        const WEIGHTED: [usize; 12] = [0, 0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5];
        let Some(entry) = self
            .random
            .pick(&WEIGHTED)
            .and_then(|index| ENTRIES.get(*index))
        else {
            return;
        };
        let days = self.random.below(181) - 90;
        let status = self.status(entry, days);
        let Some((hosts, start)) = self.place(entry, days, &status) else {
            return;
        };
        let mut draft = self.draft(entry, hosts, start, status);
        self.give_reasons(&mut draft);
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

    /// A booking that was moved: the old one is cancelled and names its successor.
    fn rescheduled(&mut self, drafts: &mut Vec<Draft>) {
        let Some(entry) = self
            .random
            .pick(&[1, 2, 3, 4])
            .and_then(|index| ENTRIES.get(*index))
        else {
            return;
        };
        let old_days = self.random.below(120) - 70;
        let new_days = old_days + 2 + self.random.below(14);
        let Some((old_hosts, old_start)) = self.place(entry, old_days, &BookingStatus::Cancelled)
        else {
            return;
        };
        let Some((hosts, start)) = self.place(entry, new_days, &BookingStatus::Accepted) else {
            return;
        };
        let mut old = self.draft(entry, old_hosts, old_start, BookingStatus::Cancelled);
        let mut new = self.draft(entry, hosts, start, BookingStatus::Accepted);
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

    /// Eight weekly meetings at the same time on the host's clock.
    fn series(&mut self, index: usize, drafts: &mut Vec<Draft>) {
        let Some(entry) = ENTRIES.get(6) else { return };
        let Some(host) = HOSTS.get(index % HOSTS.len()) else {
            return;
        };
        let first = self.today + Duration::days(-56 + 21 * i64::try_from(index).unwrap_or(0));
        let first = weekday_on_or_after(first);
        let minute = 600 + 60 * i64::try_from(index % 2).unwrap_or(0);
        let series_uid = self.random.uid();
        let guest = self.guest();
        let confirmed = index != 3;
        let mut common: Option<Draft> = None;
        for week in 0..OCCURRENCES {
            let Ok(zone) = host.zone.parse::<Tz>() else {
                return;
            };
            let start = instant_of(first + Duration::weeks(week), minute, zone);
            let span = Span::new(start, start + entry.minutes * MINUTE);
            let status = if week == 2 {
                BookingStatus::Cancelled
            } else if confirmed {
                BookingStatus::Accepted
            } else {
                BookingStatus::Pending
            };
            if status == BookingStatus::Accepted && !self.take(host, span) {
                continue;
            }
            let mut draft = self.draft(entry, vec![host.id], start, status);
            let (attendees, created) = common.as_ref().map_or_else(
                || (vec![attendee(&guest)], self.now.min(start) - 9 * DAY),
                |first| (first.attendees.clone(), first.created_ms),
            );
            draft.attendees = attendees;
            draft.responses = responses(&guest, JsonMap::new(), &[]);
            draft.title = title(entry, host.id, guest.0);
            draft.guests.clear();
            draft.created_ms = created;
            draft.history.updated_ms = None;
            draft.series_uid = Some(series_uid.clone());
            self.give_reasons(&mut draft);
            common.get_or_insert_with(|| draft.clone());
            drafts.push(draft);
        }
    }

    fn seated(&mut self, drafts: &mut Vec<Draft>) {
        let Some(entry) = ENTRIES.get(7) else { return };
        let days = self.random.below(150) - 75;
        let status = if self.random.chance(12) {
            BookingStatus::Cancelled
        } else {
            BookingStatus::Accepted
        };
        let Some((hosts, start)) = self.place(entry, days, &status) else {
            return;
        };
        let mut draft = self.draft(entry, hosts, start, status);
        draft.title = entry.title.to_owned();
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
                Some(JsonMap::from_iter([("name".to_owned(), json!(guest.0))]));
            seat.metadata = Some(JsonMap::new());
            seats.push(seat);
        }
        draft.attendees = seats;
        self.give_reasons(&mut draft);
        drafts.push(draft);
    }

    fn status(&mut self, entry: &Entry, days: i64) -> BookingStatus {
        let dice = self.random.below(100);
        match (days < 0, entry.confirms) {
            (true, _) if dice < 76 => BookingStatus::Accepted,
            (true, _) if dice < 80 => BookingStatus::Pending,
            (true, true) if dice < 92 => BookingStatus::Rejected,
            (false, true) if dice < 45 => BookingStatus::Pending,
            (false, true) if dice < 80 => BookingStatus::Accepted,
            (false, true) if dice < 90 => BookingStatus::Rejected,
            (false, false) if dice < 76 => BookingStatus::Accepted,
            (false, false) if dice < 84 => BookingStatus::Pending,
            (_, false) if dice < 87 => BookingStatus::Rejected,
            _ => BookingStatus::Cancelled,
        }
    }

    /// Hosts and a start within their working hours near `days` from today, taken from then on
    /// if the status says so.
    fn place(
        &mut self,
        entry: &Entry,
        days: i64,
        status: &BookingStatus,
    ) -> Option<(Vec<i64>, i64)> {
        let holds = holds(entry, status);
        for _ in 0..40 {
            let date =
                weekday_on_or_after(self.today + Duration::days(days + self.random.below(7) - 3));
            let offered: Vec<&DemoHost> = HOSTS
                .iter()
                .filter(|host| entry.hosts.contains(&host.id))
                .collect();
            let picked: &DemoHost = self.random.pick(&offered)?;
            let zone: Tz = picked.zone.parse().ok()?;
            let (from, to) = *self.random.pick(picked.hours)?;
            let rows = (to - from - entry.minutes) / 30;
            if rows < 0 {
                continue;
            }
            let start = instant_of(date, from + 30 * self.random.below(rows + 1), zone);
            let span = Span::new(start, start + entry.minutes * MINUTE);
            // Nothing in the next hours, so that the first thing one tries is free.
            if (self.now - 3 * 60 * MINUTE..self.now + 3 * 60 * MINUTE).contains(&start) {
                continue;
            }
            let takers = if entry.collective {
                offered
            } else {
                vec![picked]
            };
            if takers
                .iter()
                .any(|host| !works(host, span) || (holds && self.is_taken(host, span)))
            {
                continue;
            }
            if holds {
                takers.iter().for_each(|host| {
                    self.take(host, span);
                });
            }
            return Some((takers.iter().map(|host| host.id).collect(), start));
        }
        None
    }

    fn is_taken(&self, host: &DemoHost, span: Span) -> bool {
        self.spans(host)
            .is_some_and(|taken| taken.iter().any(|other| other.overlaps(span)))
    }

    fn take(&mut self, host: &DemoHost, span: Span) -> bool {
        if self.is_taken(host, span) {
            return false;
        }
        let padded = Span::new(span.start - GAP * MINUTE, span.end + GAP * MINUTE);
        let index = HOSTS.iter().position(|other| other.id == host.id);
        if let Some(taken) = index.and_then(|index| self.taken.get_mut(index)) {
            taken.push(padded);
        }
        true
    }

    fn spans(&self, host: &DemoHost) -> Option<&Vec<Span>> {
        HOSTS
            .iter()
            .position(|other| other.id == host.id)
            .and_then(|index| self.taken.get(index))
    }

    fn guest(&mut self) -> Guest {
        self.random.pick(&GUESTS).copied().unwrap_or(GUESTS[0])
    }

    fn draft(
        &mut self,
        entry: &Entry,
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
        let lead = 60 * MINUTE * (20 + self.random.below(24 * 18));
        // Whole minutes look like people, not like a generator.
        let created = (self.now.min(start) - lead) / MINUTE * MINUTE + 17_000;
        let description = self
            .random
            .pick(&NOTES)
            .map(|note| (*note).to_owned())
            .unwrap_or_default();
        let mut guests = Vec::new();
        if self.random.chance(18) {
            let other = self.guest();
            if other.1 != guest.1 {
                guests.push(address(&other));
            }
        }
        let custom = self.answers(entry);
        Draft {
            uid: self.random.uid(),
            series_uid: None,
            event_type_id: Some(entry.id),
            team_id: entry.owner.is_none().then_some(super::ids::TEAM_ID),
            title: title(entry, hosts.first().copied().unwrap_or_default(), guest.0),
            description,
            holds: holds(entry, &status),
            status,
            start_ms: start,
            end_ms: start + entry.minutes * MINUTE,
            location: Some(entry.location.to_owned()),
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
            host_ids: hosts,
            attendees: vec![attendee(&guest)],
            history: History::default(),
        }
    }

    fn answers(&mut self, entry: &Entry) -> JsonMap {
        let mut word = |words: &[&str]| {
            self.random
                .pick(words)
                .map_or(Value::Null, |word| json!(word))
        };
        let answers = match entry.slug {
            "onboarding" => json!({
                "company": word(&["Fjord & Co", "Tanaka Seisakusho", "Lagos Logistics", "Café Central", "Kiwi Labs"]),
                "plan": word(&["Starter", "Team", "Enterprise"]),
                "migration": word(&["Yes", "No", "Not sure yet"]),
                "topics": [word(&["Import", "Permissions", "Single sign-on"])],
                "modules": ["Calendar", "Reports"],
                "team-size": 4 + self.random.below(60),
                "recording": true,
            }),
            "design-review" => {
                json!({"project": word(&["Checkout redesign", "Mobile app", "Design tokens"])})
            }
            _ => json!({}),
        };
        match answers {
            Value::Object(map) => map,
            _ => JsonMap::new(),
        }
    }

    fn give_reasons(&mut self, draft: &mut Draft) {
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

fn holds(entry: &Entry, status: &BookingStatus) -> bool {
    match status {
        BookingStatus::Accepted => true,
        BookingStatus::Pending => entry.confirms,
        _ => false,
    }
}

/// Whether the host's hours of that day hold the whole meeting.
fn works(host: &DemoHost, span: Span) -> bool {
    let Ok(zone) = host.zone.parse::<Tz>() else {
        return false;
    };
    let Some(date) = crate::availability::schedule::local_date(span.start, zone) else {
        return false;
    };
    is_workday(date)
        && host.hours.iter().any(|(from, to)| {
            Span::new(instant_of(date, *from, zone), instant_of(date, *to, zone)).holds(span)
        })
}

fn is_workday(date: NaiveDate) -> bool {
    !matches!(date.weekday(), Weekday::Sat | Weekday::Sun)
}

fn weekday_on_or_after(date: NaiveDate) -> NaiveDate {
    match date.weekday() {
        Weekday::Sat => date + Duration::days(2),
        Weekday::Sun => date + Duration::days(1),
        _ => date,
    }
}

fn title(entry: &Entry, host_id: i64, guest: &str) -> String {
    let host = match host_id {
        1 => "Ada Brandt",
        2 => "Marcus Okafor",
        _ => "Priya Raman",
    };
    format!("{} between {host} and {guest}", entry.title)
}

fn address(guest: &Guest) -> String {
    format!("{}@example.org", guest.1)
}

fn attendee(guest: &Guest) -> Attendee {
    Attendee {
        name: guest.0.to_owned(),
        email: address(guest),
        display_email: address(guest),
        time_zone: guest.2.to_owned(),
        language: Some(guest.3.to_owned()),
        phone_number: guest.4.map(str::to_owned),
        ..Attendee::default()
    }
}

fn responses(guest: &Guest, mut custom: JsonMap, guests: &[String]) -> JsonMap {
    custom.insert("name".into(), json!(guest.0));
    custom.insert("email".into(), json!(address(guest)));
    custom.insert("guests".into(), json!(guests));
    custom
}
