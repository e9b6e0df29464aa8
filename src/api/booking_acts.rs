//! What a team does with a booking that is made (contract 3.5.2).

use std::future::Future;
use std::pin::Pin;

use booking_wire::event_type::EventTypeHost;
use booking_wire::{
    AddGuests, Booking, CancelBooking, DeclineBooking, Fields, MarkAbsent, Read, ReassignBooking,
    UpdateLocation,
};
use gloo_net::http::Method;
use serde_json::{Map, Value};

use super::abort::Abort;
use super::bookings::path_of;
use super::client::{Call, Client};
use super::dialect::VersionGroup;
use super::error::ApiError;

/// Bookings to wait for.
pub type Bookings<'a> = Pin<Box<dyn Future<Output = Result<Vec<Booking>, ApiError>> + 'a>>;

/// Something that is done with a booking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// A host agrees.
    Confirm,
    /// A host does not agree.
    Decline(DeclineBooking),
    /// It is called off: as a whole, with all that follow in its series, or one seat of it.
    Cancel(CancelBooking),
    /// Somebody did not come, or did after all.
    MarkAbsent(MarkAbsent),
    /// More people come along.
    AddGuests(AddGuests),
    /// It takes place elsewhere.
    Relocate(UpdateLocation),
    /// Another host takes over: the one with this number, or whoever's turn it is.
    Reassign(Option<i64>, ReassignBooking),
}

impl Deed {
    fn call(&self, uid: &str) -> Call {
        let group = VersionGroup::Bookings;
        let post = |act: &str| Call::post(group, path_of(uid, act), &Map::new());
        match self {
            Self::Confirm => post("/confirm"),
            Self::Decline(body) => Call::post(group, path_of(uid, "/decline"), body),
            Self::Cancel(body) => Call::post(group, path_of(uid, "/cancel"), body),
            Self::MarkAbsent(body) => Call::post(group, path_of(uid, "/mark-absent"), body),
            Self::AddGuests(body) => Call::post(group, path_of(uid, "/guests"), body),
            Self::Relocate(body) => {
                Call::post(group, path_of(uid, "/location"), body).by(Method::PATCH)
            }
            Self::Reassign(None, _) => post("/reassign"),
            Self::Reassign(Some(host), body) => {
                let mut act = String::from("/reassign/");
                act.push_str(&host.to_string());
                Call::post(group, path_of(uid, &act), body)
            }
        }
    }
}

impl Client {
    /// Does it once. As with [`Client::book`], never repeated. Gives the bookings that the service
    /// told of: of a series, several.
    pub fn act<'a>(&'a self, uid: &str, deed: &Deed, abort: &'a Abort) -> Bookings<'a> {
        self.bookings(deed.call(uid), abort)
    }

    /// A booking with everything that it holds, or all meetings of a series.
    pub fn whole_booking<'a>(&'a self, uid: &str, abort: &'a Abort) -> Bookings<'a> {
        let call = Call::get(VersionGroup::Bookings, path_of(uid, ""), Vec::new());
        self.bookings(call, abort)
    }

    /// In a box, so that there is one copy of it.
    fn bookings<'a>(&'a self, call: Call, abort: &'a Abort) -> Bookings<'a> {
        Box::pin(async move {
            let OneOrMany(bookings) = self.data(call, abort).await?;
            Ok(bookings)
        })
    }

    /// Who hosts an event type of a team, by its name in addresses.
    pub async fn hosts_of(
        &self,
        team_id: i64,
        slug: String,
        abort: Abort,
    ) -> Result<Vec<EventTypeHost>, ApiError> {
        let path = format!("/v2/teams/{team_id}/event-types");
        let call = Call::get(VersionGroup::None, path, vec![("eventSlug", slug)]);
        let Rota(hosts) = self.data(call, &abort).await?;
        Ok(hosts)
    }
}

/// The same as [`booking_wire::PublicBookings`], of bookings as the team knows them.
struct OneOrMany(Vec<Booking>);

impl Read for OneOrMany {
    fn read(value: &Value) -> Option<Self> {
        let bookings = match value.as_array() {
            Some(list) => list.iter().filter_map(Booking::read).collect(),
            None => vec![Booking::read(value)?],
        };
        Some(Self(bookings))
    }
}

/// The hosts of the first event type of a list.
struct Rota(Vec<EventTypeHost>);

impl Read for Rota {
    fn read(value: &Value) -> Option<Self> {
        let event_type = Fields::of(value.as_array()?.first()?)?;
        Some(Self(event_type.list("hosts")))
    }
}
