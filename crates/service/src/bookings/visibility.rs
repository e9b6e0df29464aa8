//! What of a booking is shown to whom (contract 4.2).

use std::collections::HashMap;

use booking_wire::{Attendee, Booking, BookingStatus};

use crate::auth::Caller;
use crate::auth::access::{self, Subject};
use crate::error::{Error, Result};
use crate::store::disclosure::{self, Wishes};
use crate::store::{Db, booking_notes};

/// Who reads.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reader<'a> {
    /// With credentials.
    pub caller: Option<&'a Caller>,
    /// Holds the seat with this uid.
    pub seat_uid: Option<&'a str>,
}

/// Refuses a caller for whom the uid is not enough: of event types with
/// `bookingRequiresAuthentication` only those see, move and cancel bookings who
/// host, run or attend them (contract 2.4).
pub async fn admit(db: &mut Db, caller: Option<&Caller>, bookings: &[Booking]) -> Result<()> {
    let ids: Vec<i64> = bookings.iter().map(|booking| booking.id).collect();
    let wishes = disclosure::wishes(db, &ids).await?;
    if !wishes.values().any(|wishes| wishes.signed_in_only) {
        return Ok(());
    }
    if caller.is_none() {
        return Err(Error::Unauthorized(
            "bookings of this event type are for signed-in callers only",
        ));
    }
    let mut insider = Insider::of(db, caller).await?;
    for booking in bookings {
        let Some(wishes) = wishes.get(&booking.id).filter(|it| it.signed_in_only) else {
            continue;
        };
        let attends = booking
            .attendees
            .iter()
            .any(|attendee| insider.has(&attendee.email));
        if !attends && !insider.sees_all_of(db, booking, wishes).await? {
            return Err(Error::Forbidden(
                "only those who host, run or attend it have access to this booking".into(),
            ));
        }
    }
    Ok(())
}

/// Takes from the bookings what is not for this reader. Those who host or run the event type see
/// everything, and all others:
///
/// * of a shared booking their own seat, found by its uid or by the address they have signed in
///   under. With `seats.showAttendeeInfo` they see the names of those they share it with. The uid
///   of a seat gives access to it, so it is told to nobody else. Whoever has no seat sees no attendee,
///   and no place that the event type does not tell everybody.
/// * not the hosts' addresses with `hideOrganizerEmail`, or if the hosts were booked as a group.
pub async fn disclose(db: &mut Db, reader: Reader<'_>, bookings: &mut [Booking]) -> Result<()> {
    let ids: Vec<i64> = bookings.iter().map(|booking| booking.id).collect();
    let wishes = disclosure::wishes(db, &ids).await?;
    let mut insider = Insider::of(db, reader.caller).await?;
    for booking in bookings {
        let Some(wishes) = wishes.get(&booking.id) else {
            continue;
        };
        let is_shared = booking.is_seated();
        let hide_hosts =
            wishes.hide_hosts && (booking.event_type_id.is_some() || booking.hosts.len() > 1);
        if !is_shared && !hide_hosts {
            continue;
        }
        if insider.sees_all_of(db, booking, wishes).await? {
            continue;
        }
        if is_shared {
            withhold_seats(booking, reader, &insider, wishes);
        }
        forget_who_acted(booking, &insider, is_shared, hide_hosts);
        if hide_hosts {
            for host in &mut booking.hosts {
                host.email.clear();
                host.display_email.clear();
            }
        }
    }
    Ok(())
}

fn withhold_seats(booking: &mut Booking, reader: Reader<'_>, insider: &Insider, wishes: &Wishes) {
    let is_own = |attendee: &Attendee| {
        (attendee.seat_uid.is_some() && attendee.seat_uid.as_deref() == reader.seat_uid)
            || insider.has(&attendee.email)
    };
    let has_seat = booking.attendees.iter().any(is_own);
    if !(has_seat && wishes.show_attendees) {
        booking.attendees.retain(is_own);
    }
    for attendee in &mut booking.attendees {
        if !is_own(attendee) {
            *attendee = Attendee {
                name: std::mem::take(&mut attendee.name),
                time_zone: "UTC".to_owned(),
                ..Attendee::default()
            };
        }
    }
    if !has_seat {
        let is_public = |place: &String| {
            place.starts_with("integrations:") || wishes.public_places.contains(place)
        };
        booking.location = booking.location.take().filter(is_public);
        booking.meeting_url = booking.meeting_url.take().filter(is_public);
        booking.seat_uid = None;
    }
}

/// Takes from a booking who cancelled or moved it if that is somebody whose address is not shown.
/// What visitors of a shared booking gave as their reason is none of the others' business either.
fn forget_who_acted(booking: &mut Booking, insider: &Insider, keeps_seats: bool, hide_hosts: bool) {
    let (hosts, attendees) = (&booking.hosts, &booking.attendees);
    let declined = booking.status == BookingStatus::Rejected;
    let forget = |by: &mut Option<String>, reason: &mut Option<String>| {
        let acted = |email: &str| {
            by.as_deref()
                .is_some_and(|by| by.eq_ignore_ascii_case(email))
        };
        let by_host = hosts.iter().any(|host| acted(&host.email));
        let shown = attendees.iter().any(|attendee| acted(&attendee.email))
            || by.as_deref().is_some_and(|by| insider.has(by));
        if keeps_seats && !shown && !by_host && !declined {
            *reason = None;
        }
        if !shown && (keeps_seats && !by_host || hide_hosts && by_host) {
            *by = None;
        }
    };
    forget(
        &mut booking.cancelled_by_email,
        &mut booking.cancellation_reason,
    );
    forget(
        &mut booking.rescheduled_by_email,
        &mut booking.rescheduling_reason,
    );
}

/// What is known of the caller, asked for once.
struct Insider {
    user_id: Option<i64>,
    email: Option<String>,
    /// Event types that they host.
    event_type_ids: Vec<i64>,
    /// Whether they run a team.
    runs: HashMap<i64, bool>,
    /// Whether running a host's organisation counts, too.
    reaches_members: bool,
}

impl Insider {
    async fn of(db: &mut Db, caller: Option<&Caller>) -> Result<Self> {
        let user_id = caller.map(|caller| caller.user_id);
        let (email, event_type_ids) = match user_id {
            Some(id) => disclosure::reader(db, id).await?,
            None => (None, Vec::new()),
        };
        Ok(Self {
            user_id,
            email,
            event_type_ids,
            runs: HashMap::new(),
            reaches_members: caller.is_some_and(Caller::reaches_members),
        })
    }

    /// Whether that is the caller's own address.
    fn has(&self, email: &str) -> bool {
        let own = self.email.as_deref();
        own.is_some_and(|own| own.eq_ignore_ascii_case(email))
    }

    async fn sees_all_of(
        &mut self,
        db: &mut Db,
        booking: &Booking,
        wishes: &Wishes,
    ) -> Result<bool> {
        let Some(user_id) = self.user_id else {
            return Ok(false);
        };
        let id = user_id.to_string();
        if wishes.owner_id == Some(user_id)
            || booking.hosts.iter().any(|host| host.id == id)
            || booking
                .event_type_id
                .is_some_and(|id| self.event_type_ids.contains(&id))
        {
            return Ok(true);
        }
        if self.reaches_members {
            let hosts = booking.hosts.iter().filter_map(|host| host.id.parse().ok());
            let host_ids: Vec<i64> = hosts.collect();
            let subject = Subject {
                user_ids: Vec::new(),
                team_id: wishes.team_id,
                organization_id: booking_notes::organization_of(db, &host_ids).await?,
            };
            return access::holds(db, user_id, "booking.readTeamBookings", &subject).await;
        }
        let Some(team_id) = wishes.team_id else {
            return Ok(false);
        };
        if let Some(runs) = self.runs.get(&team_id) {
            return Ok(*runs);
        }
        let subject = Subject::of_team(team_id);
        let runs = access::holds(db, user_id, "booking.readTeamBookings", &subject).await?;
        self.runs.insert(team_id, runs);
        Ok(runs)
    }
}
