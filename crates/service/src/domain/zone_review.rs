//! Review of upcoming bookings after a change of law: finds those whose time of day has changed for somebody who was told
//! it, and does what the settings say.
//!
//! A booking stores the offsets of its people's zones at its start, as they were told them. After new time zone data were
//! read, the offsets differ where the rules of a zone have changed. The leading replica reviews all upcoming bookings after
//! each start and renewal, and each hour, when it also stores the zones of people who have joined.

mod rules_of_2025b;

use std::collections::{BTreeMap, BTreeSet};

use booking_wire::Instant;
use booking_zones::{Version, Zone, current};

use crate::app::AppState;
use crate::error::Result;
use crate::messages::mail::events as mail;
use crate::messages::webhooks::events::{self, Trigger};
use crate::settings::ZoneChange;
use crate::store::bookings::actions;
use crate::store::bookings::zone_offsets::{
    self, Offsets, PeopleZones, UpcomingBooking, parse_offsets,
};
use crate::store::{Db, Locks, Subject};
use rules_of_2025b::told_by_2025b;

/// Bookings per statement.
const BATCH_SIZE: i64 = 500;

/// Bookings whose offsets are stored in one transaction.
const STORED_PER_TRANSACTION: usize = 500;

/// Bookings that are logged one by one.
const MAX_LOGGED: usize = 100;

/// An upcoming booking whose time of day has changed in some zones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShiftedBooking {
    /// The booking.
    pub booking: UpcomingBooking,
    /// Zones of its people whose offset has changed, with the offset that was told, in seconds.
    pub told_offsets: Offsets,
    /// Offsets of all zones of its people by the present rules.
    pub offsets: Offsets,
    /// Zone of the first host.
    host_zone: Option<String>,
}

/// Clock of a zone at the start of a booking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShiftedClock {
    /// Name of the zone.
    pub zone: String,
    /// Local date and time that was told.
    pub told: String,
    /// Local date and time by the present rules.
    pub now: String,
}

impl ShiftedBooking {
    /// Returns the zones that have changed, and what their clocks show.
    pub fn clocks(&self) -> Vec<ShiftedClock> {
        let local = |offset_s: i64| {
            let local = Instant(self.booking.start_ms + offset_s * 1000).to_string();
            local.get(..16).unwrap_or_default().replace('T', " ")
        };
        (self.told_offsets.iter())
            .filter_map(|(zone, told_s)| {
                Some(ShiftedClock {
                    zone: zone.clone(),
                    told: local(*told_s),
                    now: local(*self.offsets.get(zone)?),
                })
            })
            .collect()
    }

    /// Returns the instant at which the first host's clock shows the time of day that was told; none if it is the start.
    fn start_by_wall_time(&self) -> Option<Instant> {
        let name = self.host_zone.as_ref()?;
        let told_s = self.told_offsets.get(name)?;
        let told = Instant(self.booking.start_ms + told_s * 1000)
            .utc()?
            .naive_utc();
        let start = Zone::named(name)?.instants(told).first();
        (start.0 != self.booking.start_ms).then_some(start)
    }
}

/// Compares the offsets that were told with the present rules. None if they are the same, and all are stored.
fn compare(booking: UpcomingBooking, zones: &PeopleZones) -> Option<ShiftedBooking> {
    let told = parse_offsets(booking.utc_offsets.as_deref());
    let start = Instant(booking.start_ms);
    let mut offsets = Offsets::new();
    let mut told_offsets = Offsets::new();
    let names: BTreeSet<&String> = zones.hosts.iter().chain(&zones.others).collect();
    for name in names {
        let Some(zone) = Zone::named(name) else {
            continue;
        };
        let offset_s = zone.offset_s(start);
        let told_s = match &told {
            Some(told) => told.get(name).copied(),
            None => Some(told_by_2025b(name, start).unwrap_or(offset_s)),
        };
        if let Some(told_s) = told_s.filter(|told_s| *told_s != offset_s) {
            told_offsets.insert(name.clone(), told_s);
        }
        offsets.insert(name.clone(), offset_s);
    }
    let is_stored = told.is_some_and(|told| offsets.keys().all(|name| told.contains_key(name)));
    (!told_offsets.is_empty() || !is_stored).then(|| ShiftedBooking {
        booking,
        told_offsets,
        offsets,
        host_zone: zones.hosts.first().cloned(),
    })
}

/// Lists upcoming bookings whose time of day has changed for somebody, by start; with `with_unstored`, also those with zones
/// that are not stored.
pub async fn find(db: &mut Db, now: Instant, with_unstored: bool) -> Result<Vec<ShiftedBooking>> {
    let mut found = Vec::new();
    let mut after = (now, i64::MAX);
    loop {
        let batch = zone_offsets::upcoming(db, after, BATCH_SIZE).await?;
        let ids: Vec<i64> = batch.iter().map(|booking| booking.id).collect();
        let Some(last) = batch.last() else {
            return Ok(found);
        };
        after = (Instant(last.start_ms), last.id);
        let zones = zone_offsets::zones_of(db, &ids).await?;
        found.extend(
            batch
                .into_iter()
                .filter_map(|booking| compare(booking.clone(), zones.get(&booking.id)?))
                .filter(|shifted| with_unstored || !shifted.told_offsets.is_empty()),
        );
    }
}

/// Reviews all upcoming bookings. Does nothing if they were reviewed with newer data, which another replica has.
pub async fn run(app: &AppState) -> Result<()> {
    let version = current::data().version().clone();
    let now = app.clock.now();
    let mut db = app.store.read().await?;
    let reviewed = zone_offsets::reviewed_version(&mut db).await?;
    let reviewed: Option<Version> = reviewed.and_then(|text| text.parse().ok());
    if let Some(reviewed) = reviewed.as_ref().filter(|reviewed| **reviewed > version) {
        tracing::warn!(%version, %reviewed, "bookings were made with newer time zone data than this service has");
        return Ok(());
    }
    let found = find(&mut db, now, true).await?;
    drop(db);
    let (shifted, unstored): (Vec<ShiftedBooking>, Vec<ShiftedBooking>) =
        (found.into_iter()).partition(|booking| !booking.told_offsets.is_empty());
    if !shifted.is_empty() {
        tracing::warn!(
            %version,
            bookings = shifted.len(),
            "a change of law has shifted the time of day of upcoming bookings"
        );
    }
    for booking in shifted.iter().take(MAX_LOGGED) {
        for ShiftedClock { zone, told, now } in booking.clocks() {
            tracing::info!(
                uid = booking.booking.uid,
                zone,
                told,
                now,
                "shifted booking"
            );
        }
    }
    for batch in unstored.chunks(STORED_PER_TRANSACTION) {
        let offsets: Vec<(i64, Offsets)> = (batch.iter())
            .map(|booking| (booking.booking.id, booking.offsets.clone()))
            .collect();
        // No rule reads them: bookings do not wait for this.
        let locks = Locks::none();
        app.store
            .write(locks, move |db| {
                Box::pin(async move { zone_offsets::set_offsets(db, &offsets).await })
            })
            .await?;
    }
    for entry in by_entry(shifted, app.settings.zone_change) {
        let Some(ShiftedBooking { booking, .. }) = entry.first() else {
            continue;
        };
        let uid = booking.series_uid.as_ref().unwrap_or(&booking.uid);
        let mut transaction = app.store.begin(&[Subject::Booking(uid)]).await?;
        settle(&mut transaction, &entry, app.settings.zone_change, now).await?;
        transaction.commit().await?;
    }
    if reviewed.as_ref() != Some(&version) {
        app.store
            .write(Locks::none(), move |db| {
                Box::pin(async move {
                    zone_offsets::set_reviewed_version(db, &version.to_string()).await
                })
            })
            .await?;
    }
    Ok(())
}

/// Groups bookings by calendar entry: the occurrences of a series are told together. They are in the order in which they
/// can be moved without meeting each other.
fn by_entry(shifted: Vec<ShiftedBooking>, zone_change: ZoneChange) -> Vec<Vec<ShiftedBooking>> {
    let mut entries: BTreeMap<(i64, String), Vec<ShiftedBooking>> = BTreeMap::new();
    let mut first_starts: BTreeMap<String, i64> = BTreeMap::new();
    for booking in shifted {
        let key = booking
            .booking
            .series_uid
            .as_ref()
            .unwrap_or(&booking.booking.uid);
        let moves_later = zone_change == ZoneChange::WallTime
            && booking
                .start_by_wall_time()
                .is_some_and(|start| start.0 > booking.booking.start_ms);
        let order = if moves_later {
            -booking.booking.start_ms
        } else {
            booking.booking.start_ms
        };
        let order = *first_starts.entry(key.clone()).or_insert(order);
        entries
            .entry((order, key.clone()))
            .or_default()
            .push(booking);
    }
    entries.into_values().collect()
}

/// Stores the present offsets of bookings with one calendar entry, moves them if the settings say so, and records the
/// events. What has changed since it was read is left to the next review.
async fn settle(
    db: &mut Db,
    entry: &[ShiftedBooking],
    zone_change: ZoneChange,
    now: Instant,
) -> Result<()> {
    let mut changes: BTreeMap<i64, mail::Change> = BTreeMap::new();
    for shifted in entry {
        let booking = &shifted.booking;
        if zone_offsets::find(db, booking.id).await?.as_ref() != Some(booking) {
            continue;
        }
        let moved = match zone_change {
            ZoneChange::Instant => None,
            ZoneChange::WallTime => shifted.start_by_wall_time(),
        };
        let mut change = mail::Change {
            told_offsets: shifted.told_offsets.clone(),
            ..mail::Change::default()
        };
        match moved {
            None => {
                zone_offsets::set_offsets(db, &[(booking.id, shifted.offsets.clone())]).await?;
                actions::set_updated(db, booking.id, now).await?;
            }
            Some(start) => {
                let end_ms = booking.end_ms + start.0 - booking.start_ms;
                if start <= now
                    || zone_offsets::has_conflict(db, booking.id, start.0, end_ms).await?
                {
                    tracing::warn!(
                        uid = booking.uid,
                        "the time of day of a booking cannot be kept: its host is not free"
                    );
                    zone_offsets::set_offsets(db, &[(booking.id, shifted.offsets.clone())]).await?;
                    actions::set_updated(db, booking.id, now).await?;
                } else {
                    zone_offsets::set_time(db, booking.id, start.0, end_ms, now).await?;
                    let offset =
                        |name: &String| Some((name.clone(), Zone::named(name)?.offset_s(start)));
                    let offsets: Offsets = shifted.offsets.keys().filter_map(offset).collect();
                    zone_offsets::set_offsets(db, &[(booking.id, offsets)]).await?;
                    change.previous_time =
                        Some((Instant(booking.start_ms), Instant(booking.end_ms)));
                    let extras = moved_extras(booking);
                    events::booking(db, now, Trigger::BookingRescheduled, booking.id, extras)
                        .await?;
                }
            }
        }
        changes.insert(booking.id, change);
    }
    if changes.is_empty() {
        return Ok(());
    }
    // Calendars get the whole series: they compute occurrences by the rules, which have changed.
    if let Some(series_uid) = entry
        .iter()
        .find_map(|shifted| shifted.booking.series_uid.as_ref())
    {
        for other in zone_offsets::occurrences(db, series_uid).await? {
            changes.entry(other.id).or_default();
        }
    }
    mail::record(
        db,
        now,
        mail::Kind::ClocksChanged,
        changes,
        mail::Details::default(),
    )
    .await
}

/// Fields of the webhook event of a booking that was moved in place.
fn moved_extras(booking: &UpcomingBooking) -> booking_wire::JsonMap {
    let whole_seconds = |ms: i64| Instant(ms).to_string().replace(".000Z", "Z").into();
    [
        ("rescheduleId".to_owned(), booking.id.into()),
        ("rescheduleUid".to_owned(), booking.uid.as_str().into()),
        (
            "rescheduleStartTime".to_owned(),
            whole_seconds(booking.start_ms),
        ),
        (
            "rescheduleEndTime".to_owned(),
            whole_seconds(booking.end_ms),
        ),
    ]
    .into_iter()
    .collect()
}
