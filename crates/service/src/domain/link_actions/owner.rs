//! Bookings that a link is for, and its owner's part in them.

use booking_mail::data::Person;
use booking_mail::message::{Recipient, Role};
use booking_wire::Booking;

use crate::domain::bookings::read::read_one;
use crate::domain::bookings::read::visibility::{Viewer, hide_private_fields};
use crate::error::{Error, Result};
use crate::messages::mail_links::token::{Claims, LinkKey, OwnerRole};
use crate::store::bookings::actions::{self, BookingSnapshot, NamedBookings};
use crate::store::bookings::attendees;
use crate::store::people::users::{self, display_email};
use crate::store::{Db, bookings};

/// Maximum number of reschedules that are followed to the present booking.
const MAX_RESCHEDULES: usize = 200;

/// Owner of a link who takes part in a booking.
#[derive(Clone, Debug)]
pub(crate) struct Owner {
    /// Person and part.
    pub(crate) recipient: Recipient,
    /// User id of a host.
    pub(crate) host_id: Option<i64>,
}

/// Present bookings of a link, in which its owner takes part.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) owner: Owner,
    /// The booking, or the occurrences in which the owner takes part.
    pub(crate) named: NamedBookings,
    /// The first of them, as the owner may see it.
    pub(crate) first: Booking,
    /// True if the booking, or the seat, was rescheduled since.
    pub(crate) is_moved: bool,
}

impl Found {
    /// Returns the first booking.
    pub(crate) fn snapshot(&self) -> Result<&BookingSnapshot> {
        self.named.first()
    }
}

/// Result of [`find`].
#[derive(Clone, Debug)]
pub(crate) enum Search {
    /// There is no such booking.
    Unknown,
    /// The owner does not take part in it any more.
    NotTakingPart,
    /// The owner takes part in it.
    Found(Box<Found>),
}

/// Finds the bookings of a link.
pub(crate) async fn find(db: &mut Db, key: &LinkKey, claims: &Claims) -> Result<Search> {
    let mut named = match actions::find_by_uid(db, &claims.uid).await {
        Err(Error::NotFound(_)) => return Ok(Search::Unknown),
        found => found?,
    };
    if let ([only], true) = (named.bookings.as_slice(), claims.is_series)
        && let Some(series_uid) = &only.series_uid
    {
        named = NamedBookings {
            bookings: actions::series(db, series_uid).await?,
            is_series: true,
        };
    }
    let found = if named.is_series {
        find_in_series(db, key, claims, named).await?
    } else {
        match find_present(db, key, claims, named).await? {
            None => find_seat(db, key, claims).await?,
            found => found,
        }
    };
    let Some(mut found) = found else {
        return Ok(Search::NotTakingPart);
    };
    if found.owner.host_id.is_none() {
        let viewer = Viewer::new(None, claims.seat_uid.as_deref());
        hide_private_fields(db, viewer, std::slice::from_mut(&mut found.first)).await?;
    }
    Ok(Search::Found(Box::new(found)))
}

/// Finds the occurrences of a series in which the owner takes part.
async fn find_in_series(
    db: &mut Db,
    key: &LinkKey,
    claims: &Claims,
    named: NamedBookings,
) -> Result<Option<Found>> {
    let ids: Vec<i64> = named.bookings.iter().map(|booking| booking.id).collect();
    let mut first = None;
    let mut taking_part = Vec::new();
    for booking in bookings::load(db, &ids).await? {
        if let Some(owner) = owner_in(db, key, claims, &booking).await? {
            taking_part.push(booking.id);
            first.get_or_insert((owner, booking));
        }
    }
    Ok(first.map(|(owner, first)| {
        let mut bookings = named.bookings;
        bookings.retain(|booking| taking_part.contains(&booking.id));
        Found {
            owner,
            named: NamedBookings {
                bookings,
                is_series: true,
            },
            first,
            is_moved: false,
        }
    }))
}

/// Follows the reschedules of a booking to the present one, in which the owner has to take part.
async fn find_present(
    db: &mut Db,
    key: &LinkKey,
    claims: &Claims,
    mut named: NamedBookings,
) -> Result<Option<Found>> {
    let mut is_moved = false;
    for _ in 0..MAX_RESCHEDULES {
        let Some(next) = named
            .bookings
            .first()
            .and_then(|only| only.replaced_by.clone())
        else {
            break;
        };
        named = actions::find_by_uid(db, &next).await?;
        is_moved = true;
    }
    let [only] = named.bookings.as_slice() else {
        return Ok(None);
    };
    let first = read_one(db, only.id).await?;
    let owner = owner_in(db, key, claims, &first).await?;
    Ok(owner.map(|owner| Found {
        owner,
        named,
        first,
        is_moved,
    }))
}

/// Finds the booking of a seat that was moved to another one, while other seats stayed.
async fn find_seat(db: &mut Db, key: &LinkKey, claims: &Claims) -> Result<Option<Found>> {
    let Some(seat_uid) = &claims.seat_uid else {
        return Ok(None);
    };
    let Some(seat) = attendees::seat(db, seat_uid).await? else {
        return Ok(None);
    };
    let Some(booking) = actions::by_id(db, seat.booking_id).await? else {
        return Ok(None);
    };
    let first = read_one(db, booking.id).await?;
    let owner = owner_in(db, key, claims, &first).await?;
    Ok(owner.map(|owner| Found {
        owner,
        named: NamedBookings {
            bookings: vec![booking],
            is_series: false,
        },
        first,
        is_moved: true,
    }))
}

/// Returns the owner's part in a booking, if they take part in it. Hosts are known by their proven address, and not while
/// they are disabled.
async fn owner_in(
    db: &mut Db,
    key: &LinkKey,
    claims: &Claims,
    booking: &Booking,
) -> Result<Option<Owner>> {
    let is_owner = |email: &str| key.address(email).map(|address| address == claims.address);
    match claims.role {
        OwnerRole::Host => {
            for host in &booking.hosts {
                // A booking without hosts names one without id.
                let Ok(id) = host.id.parse() else { continue };
                let profile = users::mail_profile(db, id).await?;
                let Some(profile) = profile.filter(|profile| profile.disabled_ms.is_none()) else {
                    continue;
                };
                if is_owner(&profile.email)? {
                    let person = Person {
                        name: host.name.clone(),
                        email: display_email(&profile.email),
                        time_zone: host.time_zone.clone(),
                        language: profile.locale.unwrap_or_default(),
                        has_24_hours: Some(profile.time_format == 24),
                        ..Person::default()
                    };
                    return Ok(Some(owner(Role::Host, person, Some(id))));
                }
            }
        }
        OwnerRole::Attendee => {
            for attendee in &booking.attendees {
                // Each occurrence of a series has another seat.
                let has_seat = claims.is_series || attendee.seat_uid == claims.seat_uid;
                if has_seat && is_owner(&attendee.email)? {
                    let person = Person {
                        name: attendee.name.clone(),
                        email: attendee.email.clone(),
                        time_zone: attendee.time_zone.clone(),
                        language: attendee.language.clone().unwrap_or_default(),
                        seat_uid: attendee.seat_uid.clone(),
                        ..Person::default()
                    };
                    return Ok(Some(owner(Role::Attendee, person, None)));
                }
            }
        }
        OwnerRole::Guest => {
            for guest in booking.guests.iter().flatten() {
                if is_owner(guest)? {
                    let booker = booking.attendees.first();
                    let person = Person {
                        email: guest.clone(),
                        time_zone: booker.map_or("UTC", |it| &it.time_zone).to_owned(),
                        language: booker
                            .and_then(|booker| booker.language.clone())
                            .unwrap_or_default(),
                        ..Person::default()
                    };
                    return Ok(Some(owner(Role::Guest, person, None)));
                }
            }
        }
    }
    Ok(None)
}

fn owner(role: Role, person: Person, host_id: Option<i64>) -> Owner {
    Owner {
        recipient: Recipient { role, person },
        host_id,
    }
}
