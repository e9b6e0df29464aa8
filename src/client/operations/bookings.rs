//! Creates, reads, changes and lists bookings.

use booking_wire::{
    Booking, BookingsQuery, CancelBooking, CorrectEmail, NewBooking, Page, PublicBookings,
    RescheduleBooking,
};

use crate::client::dialect::{Dialect, VersionGroup};
use crate::client::error::ApiError;
use crate::client::http::abort::Abort;
use crate::client::http::{Call, Client};

impl Client {
    /// Creates a booking. May be retried with the same `key` after an unclear failure; without a key, only on
    /// a new decision of the visitor.
    pub async fn book(
        &self,
        booking: &NewBooking,
        key: Option<String>,
        abort: Abort,
    ) -> Result<PublicBookings, ApiError> {
        let call = Call::post(VersionGroup::Bookings, "/v2/bookings".to_owned(), booking);
        self.data(call.for_slot().with_idempotency_key(key), &abort)
            .await
    }

    /// Loads a booking, or the bookings of a series.
    pub async fn booking(&self, uid: &str, abort: Abort) -> Result<PublicBookings, ApiError> {
        let call = Call::get(VersionGroup::Bookings, booking_path(uid, ""), Vec::new());
        self.data(call, &abort).await
    }

    /// Loads the booking that a seat belongs to.
    pub async fn booking_by_seat(
        &self,
        seat_uid: &str,
        abort: Abort,
    ) -> Result<PublicBookings, ApiError> {
        let mut path = "/v2/bookings/by-seat/".to_owned();
        path.push_str(&percent_encode(seat_uid));
        let call = Call::get(VersionGroup::Bookings, path, Vec::new());
        self.data(call, &abort).await
    }

    /// Reschedules a booking. `key` as in [`Client::book`].
    pub async fn reschedule(
        &self,
        uid: &str,
        change: &RescheduleBooking,
        key: Option<String>,
        abort: Abort,
    ) -> Result<PublicBookings, ApiError> {
        let path = booking_path(uid, "/reschedule");
        let call = Call::post(VersionGroup::Bookings, path, change);
        self.data(call.for_slot().with_idempotency_key(key), &abort)
            .await
    }

    /// Cancels a booking or one seat.
    pub async fn cancel(
        &self,
        uid: &str,
        change: CancelBooking,
        abort: Abort,
    ) -> Result<PublicBookings, ApiError> {
        let call = Call::post(
            VersionGroup::Bookings,
            booking_path(uid, "/cancel"),
            &change,
        );
        self.data(call, &abort).await
    }

    /// Corrects the e-mail address of the person who booked. May be repeated: the same correction succeeds again.
    pub async fn correct_email(
        &self,
        uid: &str,
        change: &CorrectEmail,
        abort: Abort,
    ) -> Result<PublicBookings, ApiError> {
        let path = booking_path(uid, "/correct-email");
        let call = Call::post(VersionGroup::Bookings, path, change);
        self.data(call, &abort).await
    }

    /// Loads one page of a team's bookings. Cal.com's services ignore the search text, so it is not sent to them.
    pub async fn team_bookings(
        &self,
        team: TeamPath,
        mut query: BookingsQuery,
        abort: Abort,
    ) -> Result<Page<Booking>, ApiError> {
        let is_cal = self.dialect() == Dialect::Cal;
        if is_cal {
            query.search = None;
        }
        let path = team.path("/bookings");
        let body = self
            .send(Call::get(VersionGroup::None, path, query.pairs()), &abort)
            .await?;
        let page = Page::read_envelope(&body).ok_or(ApiError::Unexpected {
            status: 200,
            request_id: None,
        })?;
        Ok(Page {
            is_searchable: page.is_searchable && !is_cal,
            ..page
        })
    }
}

/// Team, and the organisation for its path if a page names one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TeamPath {
    /// Organisation of the path, if there is one.
    pub org_id: Option<i64>,
    /// Team.
    pub team_id: i64,
}

impl TeamPath {
    /// Returns the path of the team with `suffix`.
    fn path(self, suffix: &str) -> String {
        let mut path = String::from("/v2");
        if let Some(org_id) = self.org_id {
            path.push_str("/organizations/");
            path.push_str(&org_id.to_string());
        }
        path.push_str("/teams/");
        path.push_str(&self.team_id.to_string());
        path.push_str(suffix);
        path
    }
}

/// Returns the path of a booking or, with a `suffix`, of a booking action. The uid may come from a page.
pub(crate) fn booking_path(uid: &str, suffix: &str) -> String {
    let mut path = "/v2/bookings/".to_owned();
    path.push_str(&percent_encode(uid));
    path.push_str(suffix);
    path
}

/// Encodes a part of a path. Dots alone would lead to another path, also if they were encoded: with a space before them
/// they name nothing.
pub(crate) fn percent_encode(part: &str) -> String {
    match part {
        "." => "%20.".to_owned(),
        ".." => "%20..".to_owned(),
        part => js_sys::encode_uri_component(part).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn team_path_with_organization_contains_both_ids() {
        for (org_id, path) in [
            (None, "/v2/teams/7/bookings"),
            (Some(2), "/v2/organizations/2/teams/7/bookings"),
        ] {
            let team = TeamPath { org_id, team_id: 7 };
            assert_eq!(team.path("/bookings"), path);
        }
    }
}
