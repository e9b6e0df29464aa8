//! Links that the recipient of a message gets.

use booking_mail::data::BookingData;
use booking_mail::message::{Kind, Links, Recipient, Role};
use booking_rules::{Actor, Transition};
use booking_wire::Instant;
use booking_wire::formats::instant::DAY_MS;

use super::token::{Claims, LinkKey, OwnerRole, Purpose};
use crate::app::AppState;
use crate::error::Result;

/// Time after the end of the meeting in which links that show the booking or stop reminders work.
const SHOWN_AFTER_END_MS: i64 = 30 * DAY_MS;

/// Returns the links in a message to a recipient: those for what they can do at this time. The same message has the same
/// links each time that it is made.
///
/// | Recipient | Links |
/// |---|---|
/// | attendee | manage; reschedule and cancel while the booking is open |
/// | guest | none |
/// | host | manage; confirm and decline while the booking waits for confirmation, otherwise reschedule and cancel while it is open |
/// | former host | none |
///
/// Reminders to attendees and guests also have a link that stops them.
pub fn links(app: &AppState, kind: Kind, booking: &BookingData, recipient: &Recipient) -> Links {
    let has_ended = matches!(kind, Kind::Cancelled | Kind::Declined);
    // A cancelled seat is gone, with the page that it gave access to.
    let has_page = kind != Kind::Cancelled || recipient.person.seat_uid.is_none();
    if kind == Kind::VerificationCode {
        return Links::default();
    }
    let purposes = Purposes {
        manage: has_page,
        is_open: !has_ended,
        stop_reminders: kind == Kind::Reminder,
    };
    // An unusable key has been logged.
    links_for(app, booking, recipient, purposes).unwrap_or_default()
}

/// Purposes that links may have, depending on the state of the booking.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Purposes {
    pub(crate) manage: bool,
    /// True unless the booking was cancelled, declined or replaced.
    pub(crate) is_open: bool,
    pub(crate) stop_reminders: bool,
}

/// Returns the URLs of links for the recipient.
pub(crate) fn links_for(
    app: &AppState,
    booking: &BookingData,
    recipient: &Recipient,
    purposes: Purposes,
) -> Result<Links> {
    let role = match recipient.role {
        Role::Attendee => OwnerRole::Attendee,
        Role::Guest => OwnerRole::Guest,
        Role::Host => OwnerRole::Host,
        Role::FormerHost => return Ok(Links::default()),
    };
    if recipient.person.email.is_empty() {
        return Ok(Links::default());
    }
    let now = app.clock.now();
    let key = LinkKey::new(&app.signing_key)?;
    let series = booking.series.as_ref();
    let series = series.filter(|series| series.occurrence.is_none());
    let start = match series.and_then(|series| series.starts.last()) {
        Some(last) => *last,
        None => booking.start,
    };
    let end = Instant(start.0 + (booking.end.0 - booking.start.0));
    let claims = Claims {
        purpose: Purpose::Manage,
        role,
        is_series: series.is_some(),
        expires: end,
        address: key.address(&recipient.person.email)?,
        uid: booking.uid.clone(),
        seat_uid: recipient.person.seat_uid.clone(),
    };
    let url = |purpose: Purpose, is_wanted: bool| -> Result<Option<String>> {
        let outlives_meeting = matches!(purpose, Purpose::Manage | Purpose::StopReminders);
        let shown_after_ms = if outlives_meeting {
            SHOWN_AFTER_END_MS
        } else {
            0
        };
        let expires = Instant(end.0 + shown_after_ms);
        if !is_wanted || !purpose.is_for(role) || expires <= now {
            return Ok(None);
        }
        let claims = Claims {
            purpose,
            expires,
            ..claims.clone()
        };
        let token = key.seal(&claims)?;
        Ok(token.map(|token| format!("{}/mail/{token}", app.settings.base_url)))
    };
    let is_host = role == OwnerRole::Host;
    let waits = purposes.is_open && !booking.is_confirmed;
    let cancellation = Transition::Cancel {
        by: if is_host { Actor::Host } else { Actor::Visitor },
        has_reason: true,
    };
    // Of a series, the last meeting is the one that can be changed longest.
    let allows = |transition| booking.allows(transition, (start, end), now);
    // A host confirms or declines a request.
    let allows_change = |transition| purposes.is_open && !(is_host && waits) && allows(transition);
    Ok(Links {
        manage: url(Purpose::Manage, purposes.manage)?,
        // The occurrences of a series are rescheduled one by one, on its page.
        reschedule: url(
            Purpose::Reschedule,
            series.is_none() && allows_change(Transition::Reschedule),
        )?,
        cancel: url(Purpose::Cancel, allows_change(cancellation))?,
        book_again: None,
        confirm: url(Purpose::Confirm, waits && allows(Transition::Confirm))?,
        decline: url(Purpose::Decline, waits && allows(Transition::Decline))?,
        stop_reminders: url(Purpose::StopReminders, purposes.stop_reminders)?,
    })
}
