//! Making and listing bookings.

use booking_wire::{Booking, BookingsQuery, MadeBooking, NewBooking, Page};

use super::abort::Abort;
use super::client::{Call, Client};
use super::dialect::VersionGroup;
use super::error::ApiError;

impl Client {
    /// Books. Never repeated after an unclear failure: there is no key that would tell the service
    /// that two requests are one (contract 3.5.4).
    pub async fn book(&self, booking: NewBooking, abort: Abort) -> Result<MadeBooking, ApiError> {
        let mut call = Call::post(VersionGroup::Bookings, "/v2/bookings".to_owned(), &booking);
        call.books = true;
        self.data(call, &abort).await
    }

    /// One page of a team's bookings.
    pub async fn team_bookings(
        &self,
        team_id: i64,
        query: BookingsQuery,
        abort: Abort,
    ) -> Result<Page<Booking>, ApiError> {
        let path = format!("/v2/teams/{team_id}/bookings");
        let body = self
            .send(Call::get(VersionGroup::None, path, query.pairs()), &abort)
            .await?;
        Page::read_envelope(&body).ok_or(ApiError::Unexpected {
            status: 200,
            request_id: None,
        })
    }
}
