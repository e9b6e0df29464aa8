//! Booking actions of a team.

use std::future::Future;
use std::pin::Pin;

use booking_wire::event_type::EventTypeHost;
use booking_wire::{
    AddGuests, Booking, CancelBooking, DeclineBooking, Fields, MarkAbsent, Read, ReassignBooking,
    UpdateLocation,
};
use gloo_net::http::Method;
use serde_json::{Map, Value};

use super::bookings::booking_path;
use crate::client::dialect::VersionGroup;
use crate::client::error::ApiError;
use crate::client::http::abort::Abort;
use crate::client::http::{Call, Client};

/// Future with one or more bookings.
pub type Bookings<'a> = Pin<Box<dyn Future<Output = Result<Vec<Booking>, ApiError>> + 'a>>;

/// Booking action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BookingAction {
    /// Confirms the booking.
    Confirm,
    /// Declines the booking.
    Decline(DeclineBooking),
    /// Cancels the booking, the rest of its series as well, or one seat.
    Cancel(CancelBooking),
    /// Marks people as absent, or as present after all.
    MarkAbsent(MarkAbsent),
    /// Adds guests.
    AddGuests(AddGuests),
    /// Changes the location.
    Relocate(UpdateLocation),
    /// Reassigns the booking to the host with this id, or to the next available host.
    Reassign(Option<i64>, ReassignBooking),
}

impl BookingAction {
    fn call(&self, uid: &str) -> Call {
        let group = VersionGroup::Bookings;
        let post = |suffix: &str| Call::post(group, booking_path(uid, suffix), &Map::new());
        match self {
            Self::Confirm => post("/confirm").outliving_page(),
            Self::Decline(body) => {
                Call::post(group, booking_path(uid, "/decline"), body).outliving_page()
            }
            Self::Cancel(body) => Call::post(group, booking_path(uid, "/cancel"), body),
            Self::MarkAbsent(body) => Call::post(group, booking_path(uid, "/mark-absent"), body),
            Self::AddGuests(body) => Call::post(group, booking_path(uid, "/guests"), body),
            Self::Relocate(body) => {
                Call::post(group, booking_path(uid, "/location"), body).with_method(Method::PATCH)
            }
            Self::Reassign(None, _) => post("/reassign"),
            Self::Reassign(Some(host), body) => {
                let mut suffix = String::from("/reassign/");
                suffix.push_str(&host.to_string());
                Call::post(group, booking_path(uid, &suffix), body)
            }
        }
    }
}

impl Client {
    /// Runs the action once; never retried, as with [`Client::book`]. Returns the bookings of the response:
    /// several for a series.
    pub fn act<'a>(&'a self, uid: &str, action: &BookingAction, abort: &'a Abort) -> Bookings<'a> {
        self.bookings(action.call(uid), abort)
    }

    /// Loads a booking with all its fields, or all bookings of a series.
    pub fn whole_booking<'a>(&'a self, uid: &str, abort: &'a Abort) -> Bookings<'a> {
        let call = Call::get(VersionGroup::Bookings, booking_path(uid, ""), Vec::new());
        self.bookings(call, abort)
    }

    /// Boxed, so that it is compiled only once.
    fn bookings<'a>(&'a self, call: Call, abort: &'a Abort) -> Bookings<'a> {
        Box::pin(async move {
            let BookingList(bookings) = self.data(call, abort).await?;
            Ok(bookings)
        })
    }

    /// Loads the hosts of a team's event type by its slug.
    pub async fn hosts_of(
        &self,
        team_id: i64,
        slug: String,
        abort: Abort,
    ) -> Result<Vec<EventTypeHost>, ApiError> {
        let path = format!("/v2/teams/{team_id}/event-types");
        let call = Call::get(VersionGroup::None, path, vec![("eventSlug", slug)]);
        let EventTypeHosts(hosts) = self.data(call, &abort).await?;
        Ok(hosts)
    }
}

/// Bookings of a response, like [`booking_wire::PublicBookings`] but with the team's fields.
struct BookingList(Vec<Booking>);

impl Read for BookingList {
    fn read(value: &Value) -> Option<Self> {
        let bookings = match value.as_array() {
            Some(list) => list.iter().filter_map(Booking::read).collect(),
            None => vec![Booking::read(value)?],
        };
        Some(Self(bookings))
    }
}

/// Hosts of the first event type in a list.
struct EventTypeHosts(Vec<EventTypeHost>);

impl Read for EventTypeHosts {
    fn read(value: &Value) -> Option<Self> {
        let event_type = Fields::of(value.as_array()?.first()?)?;
        Some(Self(event_type.list("hosts")))
    }
}
