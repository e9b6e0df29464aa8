//! Query parameters that several operations share, for the OpenAPI document. Use cases read and
//! check the values (see [`crate::validate::Query`]). The attributes take literals only; a test
//! compares them with the limits that apply.

use booking_wire::Instant;
use utoipa::IntoParams;

/// One page of a list.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Paging {
    /// Number of entries; 250 by default.
    #[param(minimum = 1, maximum = 250)]
    pub take: Option<i64>,
    /// Number of entries to skip.
    #[param(minimum = 0)]
    pub skip: Option<i64>,
}

/// Filters, order and page of a list of bookings.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub struct BookingFilters {
    /// Any of upcoming, recurring, past, cancelled, unconfirmed.
    #[param(explode = false)]
    pub status: Option<Vec<String>>,
    /// Exact match.
    pub attendee_email: Option<String>,
    /// Exact match.
    pub attendee_name: Option<String>,
    /// Exact match.
    pub booking_uid: Option<String>,
    /// Any of these event types.
    #[param(explode = false)]
    pub event_type_ids: Option<Vec<i64>>,
    /// Event type.
    pub event_type_id: Option<i64>,
    /// Starts at or after.
    pub after_start: Option<Instant>,
    /// Ends at or before.
    pub before_end: Option<Instant>,
    /// `asc` or `desc`.
    pub sort_start: Option<String>,
    /// `asc` or `desc`.
    pub sort_end: Option<String>,
    /// `asc` or `desc`.
    pub sort_created: Option<String>,
    /// Number of bookings; 100 by default.
    #[param(minimum = 1, maximum = 250)]
    pub take: Option<i64>,
    /// Number of bookings to skip.
    #[param(minimum = 0)]
    pub skip: Option<i64>,
    /// Extension of this service, not part of Cal.com's interface. Each word must be the beginning
    /// of a word of the title, of the event type's title or of the name of an attendee, guest or
    /// host, or the beginning of the e-mail address of an attendee or guest or of the uid. Case and accents are ignored. Only
    /// fields that the caller may see are searched. The eight longest words count.
    #[param(min_length = 1, max_length = 100)]
    pub search: Option<String>,
    /// Extension of this service, not part of Cal.com's interface. User ids: bookings with any of these hosts.
    #[param(explode = false)]
    pub host_ids: Option<Vec<i64>>,
}
