//! Handlers of bookings (contract 3.5).

pub mod attendance;
pub mod attendees;
pub mod calendar_links;
pub mod cancel;
pub mod confirm;
pub mod create;
pub mod list;
pub mod location;
pub mod reassign;
pub mod records;
pub mod reschedule;
pub mod show;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;

/// Routes of bookings.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(create::create, list::list))
        .routes(routes!(show::by_seat))
        .routes(routes!(reschedule::reschedule))
        .routes(routes!(show::show))
        .routes(routes!(cancel::cancel))
        .routes(routes!(confirm::confirm))
        .routes(routes!(confirm::decline))
        .routes(routes!(attendance::mark_absent))
        .routes(routes!(reassign::reassign))
        .routes(routes!(reassign::reassign_to))
        .routes(routes!(attendees::add_guests))
        .routes(routes!(attendees::attendees, attendees::add_attendee))
        .routes(routes!(attendees::attendee))
        .routes(routes!(location::update_location))
        .routes(routes!(calendar_links::calendar_links))
        .routes(routes!(records::references))
        .routes(routes!(records::recordings))
        .routes(routes!(records::transcripts))
}
