//! Visibility of bookings and their private fields.

use std::collections::HashMap;

use booking_wire::formats::is_location_token;
use booking_wire::{Attendee, Booking, BookingStatus};

use crate::auth::Caller;
use crate::auth::access::{self, Resource};
use crate::error::{Error, Result};
use crate::store::Db;
use crate::store::bookings::v1;
use crate::store::visibility::{self, VisibilitySettings};

/// Reader of a booking.
#[derive(Clone, Copy, Debug, Default)]
pub struct Viewer<'a> {
    /// Authenticated caller.
    pub caller: Option<&'a Caller>,
    /// Uid of the seat that the reader holds.
    pub seat_uid: Option<&'a str>,
}

impl<'a> Viewer<'a> {
    /// Creates the reader with this caller and seat.
    pub fn new(caller: Option<&'a Caller>, seat_uid: Option<&'a str>) -> Self {
        Self { caller, seat_uid }
    }
}

/// Rejects a caller who may not access the bookings by uid alone: bookings of event types with
/// `bookingRequiresAuthentication` are accessible to their hosts, managers and attendees only.
///
/// # Errors
///
/// [`Error::Unauthorized`] or [`Error::Forbidden`].
pub async fn authorise_viewer(
    db: &mut Db,
    caller: Option<&Caller>,
    bookings: &[Booking],
) -> Result<()> {
    let ids: Vec<i64> = bookings.iter().map(|booking| booking.id).collect();
    let settings = visibility::settings(db, &ids).await?;
    if !settings
        .values()
        .any(|settings| settings.requires_authentication)
    {
        return Ok(());
    }
    if caller.is_none() {
        return Err(Error::Unauthorized(
            "bookings of this event type are for signed-in callers only",
        ));
    }
    let mut rights = ViewerRights::of(db, caller).await?;
    for booking in bookings {
        let Some(settings) = settings
            .get(&booking.id)
            .filter(|settings| settings.requires_authentication)
        else {
            continue;
        };
        let is_attendee = booking
            .attendees
            .iter()
            .any(|attendee| rights.is_own_email(&attendee.email));
        if !is_attendee && !rights.can_see_all(db, booking, settings).await? {
            return Err(Error::Forbidden(
                "only those who host, run or attend it have access to this booking".into(),
            ));
        }
    }
    Ok(())
}

/// Removes the fields that this reader may not see. Hosts and managers of the event type see all
/// fields. For all other readers:
///
/// * A booking with seats has their own seat only, found by its uid or by their verified email
///   address. With `seats.showAttendeeInfo` it also has the names of the other attendees, but not
///   the uids of their seats, which give access to them. A reader without a seat sees no attendees,
///   and the location only if the event type has it as a public one.
/// * The hosts' email addresses are removed with `hideOrganizerEmail`, and for groups.
pub async fn hide_private_fields(
    db: &mut Db,
    viewer: Viewer<'_>,
    bookings: &mut [Booking],
) -> Result<()> {
    let ids: Vec<i64> = bookings.iter().map(|booking| booking.id).collect();
    let settings = visibility::settings(db, &ids).await?;
    let mut rights = ViewerRights::of(db, viewer.caller).await?;
    for booking in bookings {
        let unknown = VisibilitySettings::without_event_type();
        let settings = settings.get(&booking.id).unwrap_or(&unknown);
        hide_fields(db, viewer, &mut rights, settings, booking).await?;
    }
    Ok(())
}

/// Removes the fields of a booking as [`hide_private_fields`], with settings that were read before.
pub async fn hide_private_fields_by(
    db: &mut Db,
    viewer: Viewer<'_>,
    settings: &VisibilitySettings,
    booking: &mut Booking,
) -> Result<()> {
    let mut rights = ViewerRights::of(db, viewer.caller).await?;
    hide_fields(db, viewer, &mut rights, settings, booking).await
}

async fn hide_fields(
    db: &mut Db,
    viewer: Viewer<'_>,
    rights: &mut ViewerRights,
    settings: &VisibilitySettings,
    booking: &mut Booking,
) -> Result<()> {
    let is_shared = booking.is_seated();
    let hide_hosts =
        settings.hides_host_emails && (booking.event_type_id.is_some() || booking.hosts.len() > 1);
    if (!is_shared && !hide_hosts) || rights.can_see_all(db, booking, settings).await? {
        return Ok(());
    }
    if is_shared {
        hide_other_seats(booking, viewer, rights, settings);
    }
    hide_actor(booking, rights, is_shared, hide_hosts);
    if hide_hosts {
        for host in &mut booking.hosts {
            host.email.clear();
            host.display_email.clear();
        }
    }
    Ok(())
}

fn hide_other_seats(
    booking: &mut Booking,
    viewer: Viewer<'_>,
    rights: &ViewerRights,
    settings: &VisibilitySettings,
) {
    let is_own = |attendee: &Attendee| {
        (attendee.seat_uid.is_some() && attendee.seat_uid.as_deref() == viewer.seat_uid)
            || rights.is_own_email(&attendee.email)
    };
    let has_seat = booking.attendees.iter().any(is_own);
    if !(has_seat && settings.show_attendees) {
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
        let is_public = |location: &String| {
            is_location_token(location) || settings.public_locations.contains(location)
        };
        booking.location = booking.location.take().filter(is_public);
        booking.meeting_url = booking.meeting_url.take().filter(is_public);
        booking.seat_uid = None;
    }
}

/// Removes the email address of the person who cancelled or rescheduled the booking if it is not
/// visible elsewhere in it. In a booking with seats, the reasons of other attendees are removed
/// too.
fn hide_actor(booking: &mut Booking, rights: &ViewerRights, is_shared: bool, hide_hosts: bool) {
    let (hosts, attendees) = (&booking.hosts, &booking.attendees);
    let is_declined = booking.status == BookingStatus::Rejected;
    let hide = |by: &mut Option<String>, reason: &mut Option<String>| {
        let is_actor = |email: &str| {
            by.as_deref()
                .is_some_and(|by| by.eq_ignore_ascii_case(email))
        };
        let by_host = hosts.iter().any(|host| is_actor(&host.email));
        let is_visible = attendees.iter().any(|attendee| is_actor(&attendee.email))
            || by.as_deref().is_some_and(|by| rights.is_own_email(by));
        if is_shared && !is_visible && !by_host && !is_declined {
            *reason = None;
        }
        if !is_visible && (is_shared && !by_host || hide_hosts && by_host) {
            *by = None;
        }
    };
    hide(
        &mut booking.cancelled_by_email,
        &mut booking.cancellation_reason,
    );
    hide(
        &mut booking.rescheduled_by_email,
        &mut booking.rescheduling_reason,
    );
}

/// Access rights of the reader, with cached queries.
struct ViewerRights {
    user_id: Option<i64>,
    email: Option<String>,
    /// Ids of the event types that the reader hosts.
    event_type_ids: Vec<i64>,
    /// Teams by id; true if the reader manages the team.
    managed_teams: HashMap<i64, bool>,
    /// True if managing a host's organisation counts too.
    can_access_members: bool,
}

impl ViewerRights {
    async fn of(db: &mut Db, caller: Option<&Caller>) -> Result<Self> {
        let user_id = caller.map(|caller| caller.user_id);
        let (email, event_type_ids) = match user_id {
            Some(id) => visibility::viewer(db, id).await?,
            None => (None, Vec::new()),
        };
        Ok(Self {
            user_id,
            email,
            event_type_ids,
            managed_teams: HashMap::new(),
            can_access_members: caller.is_some_and(Caller::can_access_members),
        })
    }

    /// Returns true if `email` is the reader's own address.
    fn is_own_email(&self, email: &str) -> bool {
        let own = self.email.as_deref();
        own.is_some_and(|own| own.eq_ignore_ascii_case(email))
    }

    async fn can_see_all(
        &mut self,
        db: &mut Db,
        booking: &Booking,
        settings: &VisibilitySettings,
    ) -> Result<bool> {
        let Some(user_id) = self.user_id else {
            return Ok(false);
        };
        let id = user_id.to_string();
        if settings.owner_id == Some(user_id)
            || booking.hosts.iter().any(|host| host.id == id)
            || booking
                .event_type_id
                .is_some_and(|id| self.event_type_ids.contains(&id))
        {
            return Ok(true);
        }
        if self.can_access_members {
            let hosts = booking.hosts.iter().filter_map(|host| host.id.parse().ok());
            let host_ids: Vec<i64> = hosts.collect();
            let resource = Resource {
                user_ids: Vec::new(),
                team_id: settings.team_id,
                organization_id: v1::organization_of(db, &host_ids).await?,
            };
            return access::has_permission(db, user_id, "booking.readTeamBookings", &resource)
                .await;
        }
        let Some(team_id) = settings.team_id else {
            return Ok(false);
        };
        if let Some(is_manager) = self.managed_teams.get(&team_id) {
            return Ok(*is_manager);
        }
        let resource = Resource::of_team(team_id);
        let is_manager =
            access::has_permission(db, user_id, "booking.readTeamBookings", &resource).await?;
        self.managed_teams.insert(team_id, is_manager);
        Ok(is_manager)
    }
}
