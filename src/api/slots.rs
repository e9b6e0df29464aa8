//! Bookable starts.

use booking_wire::{SlotDays, SlotsQuery};

use super::abort::Abort;
use super::client::{Call, Client};
use super::dialect::VersionGroup;
use super::error::ApiError;

impl Client {
    /// The bookable starts of a range, by day of the query's zone.
    pub async fn slots(&self, query: SlotsQuery, abort: Abort) -> Result<SlotDays, ApiError> {
        self.data(
            Call::get(VersionGroup::Slots, "/v2/slots".to_owned(), query.pairs()),
            &abort,
        )
        .await
    }
}
