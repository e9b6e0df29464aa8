//! Handlers for bookings.

use axum::extract::State;
use booking_wire::{
    AddAttendee, AddGuests, Booking, BookingAttendee, BookingReference, BookingsQuery,
    CalendarLink, CancelBooking, CorrectEmail, DeclineBooking, Envelope, Instant, JsonMap,
    MarkAbsent, NewBooking, ReassignBooking, ReassignedBooking, Recording, RescheduleBooking,
    UpdateLocation,
};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::{Requirement, access};
use crate::auth::scope::{BOOKING_READ, BOOKING_WRITE};
use crate::domain::bookings::read::OneOrSeries;
use crate::domain::bookings::read::{calendar_links, list, records, show};
use crate::domain::bookings::reassign::{NewHost, reassign_booking};
use crate::domain::bookings::{
    attendance, attendees, cancel, confirm, correct_email, create, location, reschedule,
};
use crate::domain::idempotency::Outcome;
use crate::error::Result;
use crate::http::extract::idempotency::IdempotencyKey;
use crate::http::extract::json::{JsonObject, OptionalJsonObject};
use crate::http::extract::path::PathParams;
use crate::http::extract::{ClientNetwork, OptionalCaller};
use crate::http::v2::response::{Created, Success, created, page, success};
use crate::limits::Client;
use crate::validate::Query;

/// Routes of bookings.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(create, list))
        .routes(routes!(by_seat))
        .routes(routes!(reschedule))
        .routes(routes!(show))
        .routes(routes!(cancel))
        .routes(routes!(correct_email))
        .routes(routes!(confirm))
        .routes(routes!(decline))
        .routes(routes!(mark_absent))
        .routes(routes!(reassign))
        .routes(routes!(reassign_to))
        .routes(routes!(add_guests))
        .routes(routes!(attendees, add_attendee))
        .routes(routes!(attendee))
        .routes(routes!(update_location))
        .routes(routes!(calendar_links))
        .routes(routes!(references))
        .routes(routes!(recordings))
        .routes(routes!(transcripts))
        .routes(routes!(list_of_team))
        .routes(routes!(list_of_organization))
}

/// Books a slot.
///
/// Depending on the event type, the response is one booking, the array of a series, or a booking in
/// which the visitor has a seat.
#[utoipa::path(
    post,
    path = "/v2/bookings",
    extensions(("x-access" = json!(access(BOOKING_WRITE, Requirement::Nothing)))),
    tag = "Bookings",
    params(("Idempotency-Key" = Option<String>, Header, description = "A text that is new for each booking and the same for each attempt at it")),
    request_body = NewBooking,
    responses((status = 201, body = Envelope<OneOrSeries>)),
)]
pub async fn create(
    State(app): State<AppState>,
    OptionalCaller(caller): OptionalCaller,
    ClientNetwork(network): ClientNetwork,
    key: IdempotencyKey,
    JsonObject(body): JsonObject,
) -> Result<Outcome<OneOrSeries>> {
    let client = Client::of(caller.as_ref(), network);
    let keyed = key.into_keyed_request(&app, &client, "POST /v2/bookings", &body);
    create::create(&app, caller, network, keyed, &body).await
}

/// Lists the bookings that the caller hosts, attends or administers.
#[utoipa::path(
    get,
    path = "/v2/bookings",
    extensions(("x-access" = json!(access(BOOKING_READ, Requirement::Caller)))),
    tag = "Bookings",
    params(
        BookingsQuery,
        ("teamsIds" = Option<Vec<i64>>, Query, explode = false, description = "Of any of these teams"),
        ("teamId" = Option<i64>, Query, description = "Of this team"),
        ("afterCreatedAt" = Option<Instant>, Query, description = "Made at or after"),
        ("beforeCreatedAt" = Option<Instant>, Query, description = "Made at or before"),
        ("afterUpdatedAt" = Option<Instant>, Query, description = "Last changed at or after"),
        ("beforeUpdatedAt" = Option<Instant>, Query, description = "Last changed at or before"),
        ("sortUpdatedAt" = Option<String>, Query, description = "asc or desc"),
    ),
    responses((status = 200, body = Envelope<Vec<Booking>>)),
)]
pub async fn list(
    State(app): State<AppState>,
    caller: Caller,
    query: Query,
) -> Success<Vec<Booking>> {
    page(list::list(&app, &caller, &query).await?)
}

/// Returns a booking, or all occurrences of a series. The uid gives access to it.
#[utoipa::path(
    get,
    path = "/v2/bookings/{bookingUid}",
    extensions(("x-access" = json!(access(BOOKING_READ, Requirement::Nothing)))),
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking, an occurrence or a series")),
    responses((status = 200, body = Envelope<OneOrSeries>)),
)]
pub async fn show(
    State(app): State<AppState>,
    OptionalCaller(caller): OptionalCaller,
    path: PathParams,
) -> Success<OneOrSeries> {
    success(show::show(&app, caller.as_ref(), path.text("bookingUid")).await?)
}

/// Returns the booking of a seat. The uid of the seat gives access to it.
#[utoipa::path(
    get,
    path = "/v2/bookings/by-seat/{seatUid}",
    extensions(("x-access" = json!(access(BOOKING_READ, Requirement::Nothing)))),
    tag = "Bookings",
    responses((status = 200, body = Envelope<Booking>)),
)]
pub async fn by_seat(
    State(app): State<AppState>,
    OptionalCaller(caller): OptionalCaller,
    path: PathParams,
) -> Success<Booking> {
    success(show::by_seat(&app, caller.as_ref(), path.text("seatUid")).await?)
}

/// Cancels a booking, an occurrence with or without the later ones, the remaining occurrences of a
/// series, or one seat.
#[utoipa::path(
    post,
    path = "/v2/bookings/{bookingUid}/cancel",
    extensions(("x-access" = json!(access(BOOKING_WRITE, Requirement::Nothing)))),
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking, an occurrence or a series")),
    request_body = Option<CancelBooking>,
    responses((status = 200, description = "The booking, or an array of what is cancelled of a series", body = Envelope<OneOrSeries>)),
)]
pub async fn cancel(
    State(app): State<AppState>,
    OptionalCaller(caller): OptionalCaller,
    path: PathParams,
    OptionalJsonObject(body): OptionalJsonObject,
) -> Success<OneOrSeries> {
    success(cancel::cancel(&app, caller.as_ref(), path.text("bookingUid"), &body).await?)
}

/// Corrects the e-mail address of the person who booked, within 10 minutes of the booking and at most three times.
///
/// `email` must be the address that the booking has; otherwise the response is that of an unknown booking. Of a series, all
/// occurrences change; of a booking with seats, one seat does. Links that were mailed to the former address stop working,
/// messages that wait for it are dropped, and the new one gets the confirmation. There is no webhook. Not for event types
/// with `requiresBookerEmailVerification`, and not after the start. The same correction sent again succeeds without effect.
/// Extension of this service: event types that support it have `allowsEmailCorrection`.
#[utoipa::path(
    post,
    path = "/v2/bookings/{bookingUid}/correct-email",
    extensions(("x-access" = json!(access(BOOKING_WRITE, Requirement::Nothing)))),
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking, an occurrence or a series")),
    request_body = CorrectEmail,
    responses((status = 200, description = "The booking, or the array of a series", body = Envelope<OneOrSeries>)),
)]
pub async fn correct_email(
    State(app): State<AppState>,
    OptionalCaller(caller): OptionalCaller,
    ClientNetwork(network): ClientNetwork,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Success<OneOrSeries> {
    let uid = path.text("bookingUid");
    success(correct_email::correct_email(&app, caller.as_ref(), network, uid, &body).await?)
}

/// Reschedules a booking.
///
/// The response is a new booking with a new uid; the old one is cancelled and has the uid of the
/// new one. A visitor with a seat reschedules their own seat only.
#[utoipa::path(
    post,
    path = "/v2/bookings/{bookingUid}/reschedule",
    extensions(("x-access" = json!(access(BOOKING_WRITE, Requirement::Nothing)))),
    tag = "Bookings",
    params(
        ("bookingUid" = String, Path, description = "Of a booking or an occurrence"),
        ("Idempotency-Key" = Option<String>, Header, description = "A text that is new for each move and the same for each attempt at it"),
    ),
    request_body = RescheduleBooking,
    responses((status = 201, body = Envelope<Booking>)),
)]
pub async fn reschedule(
    State(app): State<AppState>,
    OptionalCaller(caller): OptionalCaller,
    ClientNetwork(network): ClientNetwork,
    path: PathParams,
    key: IdempotencyKey,
    JsonObject(body): JsonObject,
) -> Result<Outcome<Booking>> {
    let client = Client::of(caller.as_ref(), network);
    let uid = path.text("bookingUid");
    let operation = format!("POST /v2/bookings/{uid}/reschedule");
    let keyed = key.into_keyed_request(&app, &client, &operation, &body);
    reschedule::reschedule(&app, caller, network, uid, keyed, &body).await
}

/// Confirms a pending booking, or all pending occurrences of a series. A host of an instant event
/// type also joins the booking.
#[utoipa::path(
    post,
    path = "/v2/bookings/{bookingUid}/confirm",
    extensions(("x-access" = json!(access(BOOKING_WRITE, Requirement::Host("booking.update"))))),
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking, an occurrence or a series")),
    responses((status = 200, body = Envelope<OneOrSeries>)),
)]
pub async fn confirm(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Success<OneOrSeries> {
    success(confirm::confirm(&app, &caller, path.text("bookingUid")).await?)
}

/// Declines a pending booking; by the uid of a series, all its pending occurrences.
#[utoipa::path(
    post,
    path = "/v2/bookings/{bookingUid}/decline",
    extensions(("x-access" = json!(access(BOOKING_WRITE, Requirement::Host("booking.update"))))),
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking, an occurrence or a series")),
    request_body = Option<DeclineBooking>,
    responses((status = 200, body = Envelope<OneOrSeries>)),
)]
pub async fn decline(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    OptionalJsonObject(body): OptionalJsonObject,
) -> Success<OneOrSeries> {
    success(confirm::decline(&app, &caller, path.text("bookingUid"), &body).await?)
}

/// Records the absence of the host or of attendees of a booking that has started.
#[utoipa::path(
    post,
    path = "/v2/bookings/{bookingUid}/mark-absent",
    extensions(("x-access" = json!(access(BOOKING_WRITE, Requirement::Host("booking.update"))))),
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking or an occurrence")),
    request_body = MarkAbsent,
    responses((status = 200, body = Envelope<Booking>)),
)]
pub async fn mark_absent(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Success<Booking> {
    success(attendance::mark_absent(&app, &caller, path.text("bookingUid"), &body).await?)
}

/// Reassigns a booking to the available host with the highest priority; among equals to the one
/// with the fewest upcoming bookings.
#[utoipa::path(
    post,
    path = "/v2/bookings/{bookingUid}/reassign",
    extensions(("x-access" = json!(access(BOOKING_WRITE, Requirement::Host("booking.update"))))),
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking or an occurrence")),
    responses((status = 200, body = Envelope<ReassignedBooking>)),
)]
pub async fn reassign(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Success<ReassignedBooking> {
    let uid = path.text("bookingUid");
    let new_host = NewHost::NextInRotation;
    success(reassign_booking(&app, &caller, uid, new_host, &JsonMap::new()).await?)
}

/// Reassigns a booking to the given host.
#[utoipa::path(
    post,
    path = "/v2/bookings/{bookingUid}/reassign/{userId}",
    extensions(("x-access" = json!(access(BOOKING_WRITE, Requirement::Host("booking.update"))))),
    tag = "Bookings",
    params(
        ("bookingUid" = String, Path, description = "Of a booking or an occurrence"),
        ("userId" = i64, Path, description = "Who takes over"),
    ),
    request_body = Option<ReassignBooking>,
    responses((status = 200, body = Envelope<ReassignedBooking>)),
)]
pub async fn reassign_to(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    OptionalJsonObject(body): OptionalJsonObject,
) -> Success<ReassignedBooking> {
    let new_host = NewHost::User(path.id("userId")?);
    let uid = path.text("bookingUid");
    success(reassign_booking(&app, &caller, uid, new_host, &body).await?)
}

/// Adds guests to a booking. Email addresses that are already invited are skipped.
#[utoipa::path(
    post,
    path = "/v2/bookings/{bookingUid}/guests",
    extensions(("x-access" = json!(access(BOOKING_WRITE, Requirement::Host("booking.update"))))),
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking or an occurrence")),
    request_body = AddGuests,
    responses((status = 200, body = Envelope<Booking>)),
)]
pub async fn add_guests(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Success<Booking> {
    success(attendees::add_guests(&app, &caller, path.text("bookingUid"), &body).await?)
}

/// Lists the attendees of a booking.
#[utoipa::path(
    get,
    path = "/v2/bookings/{bookingUid}/attendees",
    extensions(("x-access" = json!(access(BOOKING_READ, Requirement::Host("booking.readTeamBookings"))))),
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking or an occurrence")),
    responses((status = 200, body = Envelope<Vec<BookingAttendee>>)),
)]
pub async fn attendees(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Success<Vec<BookingAttendee>> {
    success(attendees::attendees(&app, &caller, path.text("bookingUid")).await?)
}

/// Returns one attendee of a booking.
#[utoipa::path(
    get,
    path = "/v2/bookings/{bookingUid}/attendees/{attendeeId}",
    extensions(("x-access" = json!(access(BOOKING_READ, Requirement::Host("booking.readTeamBookings"))))),
    tag = "Bookings",
    params(
        ("bookingUid" = String, Path, description = "Of a booking or an occurrence"),
    ),
    responses((status = 200, body = Envelope<BookingAttendee>)),
)]
pub async fn attendee(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Success<BookingAttendee> {
    success(
        attendees::attendee(
            &app,
            &caller,
            path.id("attendeeId")?,
            path.text("bookingUid"),
        )
        .await?,
    )
}

/// Adds an attendee to a booking; in a seated booking, the attendee takes a seat.
#[utoipa::path(
    post,
    path = "/v2/bookings/{bookingUid}/attendees",
    extensions(("x-access" = json!(access(BOOKING_WRITE, Requirement::Host("booking.update"))))),
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking or an occurrence")),
    request_body = AddAttendee,
    responses((status = 201, body = Envelope<BookingAttendee>)),
)]
pub async fn add_attendee(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Created<BookingAttendee> {
    created(attendees::add_attendee(&app, &caller, path.text("bookingUid"), &body).await?)
}

/// Sets the location of a booking, if the body has one.
#[utoipa::path(
    patch,
    path = "/v2/bookings/{bookingUid}/location",
    extensions(("x-access" = json!(access(BOOKING_WRITE, Requirement::Host("booking.update"))))),
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking or an occurrence")),
    request_body = UpdateLocation,
    responses((status = 200, body = Envelope<Booking>)),
)]
pub async fn update_location(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Success<Booking> {
    success(location::update_location(&app, &caller, path.text("bookingUid"), &body).await?)
}

/// Returns links that add a booking to the calendars of Google and Microsoft, and a calendar file.
#[utoipa::path(
    get,
    path = "/v2/bookings/{bookingUid}/calendar-links",
    extensions(("x-access" = json!(access(BOOKING_READ, Requirement::Host("booking.readTeamBookings"))))),
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking or an occurrence")),
    responses((status = 200, body = Envelope<Vec<CalendarLink>>)),
)]
pub async fn calendar_links(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Success<Vec<CalendarLink>> {
    success(calendar_links::calendar_links(&app, &caller, path.text("bookingUid")).await?)
}

/// Lists the references to a booking in other systems, such as calendars.
#[utoipa::path(
    get,
    path = "/v2/bookings/{bookingUid}/references",
    extensions(("x-access" = json!(access(BOOKING_READ, Requirement::Host("booking.readTeamBookings"))))),
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking or an occurrence")),
    responses((status = 200, body = Envelope<Vec<BookingReference>>)),
)]
pub async fn references(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Success<Vec<BookingReference>> {
    success(records::references(&app, &caller, path.text("bookingUid")).await?)
}

/// Lists the recordings of a meeting. The service records nothing, so the list is empty.
#[utoipa::path(
    get,
    path = "/v2/bookings/{bookingUid}/recordings",
    extensions(("x-access" = json!(access(BOOKING_READ, Requirement::Host("booking.readRecordings"))))),
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking or an occurrence")),
    responses((status = 200, body = Envelope<Vec<Recording>>)),
)]
pub async fn recordings(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Success<Vec<Recording>> {
    success(records::recordings(&app, &caller, path.text("bookingUid")).await?)
}

/// Lists links to transcripts of a meeting. The service records nothing, so the list is empty.
#[utoipa::path(
    get,
    path = "/v2/bookings/{bookingUid}/transcripts",
    extensions(("x-access" = json!(access(BOOKING_READ, Requirement::Host("booking.readRecordings"))))),
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking or an occurrence")),
    responses((status = 200, body = Envelope<Vec<String>>)),
)]
pub async fn transcripts(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Success<Vec<String>> {
    success(records::transcripts(&app, &caller, path.text("bookingUid")).await?)
}

/// Lists the bookings of a team.
#[utoipa::path(
    get,
    path = "/v2/teams/{teamId}/bookings",
    extensions(("x-access" = json!(access(BOOKING_READ, Requirement::Team("booking.readTeamBookings"))))),
    tag = "Bookings",
    params(BookingsQuery),
    responses((status = 200, body = Envelope<Vec<Booking>>)),
)]
pub async fn list_of_team(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    query: Query,
) -> Success<Vec<Booking>> {
    page(list::list_of_team(&app, &caller, path.id("teamId")?, None, &query).await?)
}

/// Lists the bookings of a team in an organisation.
#[utoipa::path(
    get,
    path = "/v2/organizations/{orgId}/teams/{teamId}/bookings",
    extensions(("x-access" = json!(access(BOOKING_READ, Requirement::Team("booking.readTeamBookings"))))),
    tag = "Bookings",
    params(BookingsQuery),
    responses((status = 200, body = Envelope<Vec<Booking>>)),
)]
pub async fn list_of_organization(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    query: Query,
) -> Success<Vec<Booking>> {
    let (team_id, organization_id) = (path.id("teamId")?, path.id("orgId")?);
    page(list::list_of_team(&app, &caller, team_id, Some(organization_id), &query).await?)
}
