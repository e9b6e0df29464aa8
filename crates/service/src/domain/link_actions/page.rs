//! Opens and uses links: decides what their page shows, and acts.

use booking_mail::data::{BookingData, MissingLocation, Person, SeriesData, readable_location};
use booking_mail::message::{Links, Recipient};
use booking_mail::templates::{PageAction, PageState};
use booking_rules::{Actor, Transition, transitions};
use booking_wire::{Booking, BookingStatus, CancelBooking, Instant};
use percent_encoding::utf8_percent_encode;

use super::owner::{Found, Search, find};
use crate::api::RESERVED;
use crate::app::AppState;
use crate::domain::bookings::cancel::{Canceller, cancel_named};
use crate::domain::bookings::confirm::{confirm_named, decline_named};
use crate::domain::event_types::access::event_type_response;
use crate::error::{Error, Result};
use crate::input_limits::MAX_REASON_CHARS;
use crate::messages::mail::expand::colour_of;
use crate::messages::mail_links::recipient_links::{Purposes, links_for};
use crate::messages::mail_links::token::{Claims, LinkKey, Purpose};
use crate::store::Subject;
use crate::store::bookings::attendees;
use crate::store::{Db, event_types};

/// Page that a link leads to.
#[derive(Clone, Debug)]
pub struct Page {
    /// State.
    pub state: PageState,
    /// The booking; none if nothing may be revealed.
    pub booking: Option<BookingData>,
    /// Owner of the link; none if they do not take part.
    pub recipient: Option<Recipient>,
    /// Links to other actions.
    pub links: Links,
    /// URL of the page of the booking, to which the visitor is redirected.
    pub location: Option<String>,
    /// URL of the app's page with the same question, which browsers with scripts open instead.
    pub app_url: Option<String>,
    /// True if the reason in the form is missing or too long: nothing was done.
    pub is_rejected: bool,
}

impl Page {
    /// Page that reveals nothing.
    pub fn bare(state: PageState) -> Self {
        Self {
            state,
            booking: None,
            recipient: None,
            links: Links::default(),
            location: None,
            app_url: None,
            is_rejected: false,
        }
    }
}

/// Decides what the page of a link shows. Changes nothing.
pub async fn open(app: &AppState, token: &str) -> Result<Page> {
    let Some((key, claims)) = LinkKey::open(&app.signing_key, token) else {
        return Ok(Page::bare(PageState::Invalid));
    };
    let mut db = app.store.read().await?;
    match look_up(app, &mut db, &key, &claims).await? {
        Lookup::Other(page) => Ok(*page),
        Lookup::Question(action, found) => {
            let page = page_of(app, &claims, PageState::Question(action), &found)?;
            let app_url = match action {
                PageAction::Cancel => app_page(app, &found, "step=cancel")?,
                _ => None,
            };
            Ok(Page { app_url, ..page })
        }
    }
}

/// Returns the URL of the app's page on which an attendee does the same. A host has to sign in there, a series has no
/// such page, and event types that need authentication let nobody in with the uid alone.
fn app_page(app: &AppState, found: &Found, query: &str) -> Result<Option<String>> {
    let snapshot = found.snapshot()?;
    let needs_sign_in = snapshot.settings["bookingRequiresAuthentication"] == true;
    let is_usable = found.owner.host_id.is_none() && !found.named.is_series && !needs_sign_in;
    let seat_uid = found.owner.recipient.person.seat_uid.as_deref();
    Ok(is_usable.then(|| {
        booking_page(
            app.settings.booking_page_url.as_deref(),
            &app.settings.base_url,
            &snapshot.uid,
            seat_uid,
            query,
        )
    }))
}

/// Returns the URL of the public page of the event type, unless it is hidden or was deleted.
async fn event_type_page(
    app: &AppState,
    db: &mut Db,
    event_type_id: Option<i64>,
) -> Result<Option<String>> {
    let stored = match event_type_id {
        Some(id) => event_types::get(db, id).await?,
        None => None,
    };
    let public = stored.filter(|stored| !stored.wire.hidden);
    Ok(public.map(|stored| event_type_response(app, stored, false).booking_url))
}

/// Does what the link is for, if it can be done, and decides what the page shows then: the result, or why it was not
/// done. `reason` is that of a cancellation or refusal.
pub async fn act(app: &AppState, token: &str, reason: &str) -> Result<Page> {
    // Requests without a valid token do not wait for the database.
    let Some((key, claims)) = LinkKey::open(&app.signing_key, token) else {
        return Ok(Page::bare(PageState::Invalid));
    };
    let mut db = app.store.read().await?;
    let uid = match look_up(app, &mut db, &key, &claims).await? {
        Lookup::Other(page) => return Ok(*page),
        Lookup::Question(_, found) => found.snapshot()?.uid.clone(),
    };
    drop(db);
    // Of concurrent requests with one link, one acts.
    let subject = Subject::Booking(&uid);
    let mut transaction = app.store.begin(&[subject]).await?;
    let db = &mut *transaction;
    let (action, found) = match look_up(app, db, &key, &claims).await? {
        Lookup::Other(page) => return Ok(*page),
        Lookup::Question(_, found) if found.snapshot()?.uid != uid => {
            return Err(Error::ConcurrentChange);
        }
        Lookup::Question(action, found) => (action, found),
    };
    let reason = reason.trim();
    let needs_reason = action == PageAction::Cancel && found.owner.host_id.is_some();
    if reason.chars().count() > MAX_REASON_CHARS || (needs_reason && reason.is_empty()) {
        let page = page_of(app, &claims, PageState::Question(action), &found)?;
        return Ok(Page {
            is_rejected: true,
            ..page
        });
    }
    let reason = (!reason.is_empty()).then_some(reason);
    let mut page = page_of(app, &claims, PageState::Done(action), &found)?;
    if action == PageAction::Cancel && found.owner.host_id.is_none() {
        let event_type_id = found.snapshot()?.event_type_id;
        page.links.book_again = event_type_page(app, db, event_type_id).await?;
    }
    match run(db, action, &found, reason, app.clock.now()).await {
        // A rule that depends on more than one booking.
        Err(Error::BadRequest(_)) => {
            return page_of(app, &claims, PageState::Superseded, &found);
        }
        Err(Error::Conflict(_)) if action == PageAction::Confirm => {
            return page_of(app, &claims, PageState::Taken, &found);
        }
        result => result?,
    }
    transaction.commit().await?;
    Ok(page)
}

/// Result of [`look_up`].
enum Lookup {
    /// The link can be used for this.
    Question(PageAction, Box<Found>),
    /// Everything else.
    Other(Box<Page>),
}

impl Lookup {
    fn other(page: Page) -> Self {
        Self::Other(Box::new(page))
    }
}

/// Checks the link against the present state of its booking.
async fn look_up(app: &AppState, db: &mut Db, key: &LinkKey, claims: &Claims) -> Result<Lookup> {
    if !claims.purpose.is_for(claims.role) {
        return Ok(Lookup::other(Page::bare(PageState::Invalid)));
    }
    let now = app.clock.now();
    let found = match find(db, key, claims).await? {
        Search::Unknown => return Ok(Lookup::other(Page::bare(PageState::Invalid))),
        _ if claims.expires <= now => return Ok(Lookup::other(Page::bare(PageState::Expired))),
        Search::NotTakingPart => return Ok(Lookup::other(Page::bare(PageState::Superseded))),
        Search::Found(found) => found,
    };
    let by = match found.owner.host_id {
        Some(_) => Actor::Host,
        None => Actor::Visitor,
    };
    let action = match claims.purpose {
        Purpose::Manage => {
            return redirect(app, claims, &found, "").map(Lookup::other);
        }
        Purpose::Reschedule => {
            let snapshot = found.snapshot()?;
            // A group has no event type.
            let can_be_moved = snapshot.event_type_id.is_some() || snapshot.host_ids.len() > 1;
            let page = if !found.is_moved
                && can_be_moved
                && transitions::next_status(snapshot.context(now), Transition::Reschedule).is_ok()
            {
                redirect(app, claims, &found, "step=reschedule")
            } else {
                page_of(app, claims, unusable_state(claims, &found), &found)
            };
            return page.map(Lookup::other);
        }
        Purpose::StopReminders => {
            let (booking_id, email) = (found.first.id, &found.owner.recipient.person.email);
            let action = PageAction::StopReminders;
            if attendees::has_stopped_reminders(db, booking_id, email).await? {
                // Stopping them twice is no mistake.
                return page_of(app, claims, PageState::Done(action), &found).map(Lookup::other);
            }
            return Ok(Lookup::Question(action, found));
        }
        Purpose::Cancel => Transition::Cancel {
            by,
            has_reason: true,
        },
        Purpose::Confirm => Transition::Confirm,
        Purpose::Decline => Transition::Decline,
    };
    let page_action = match claims.purpose {
        Purpose::Confirm => PageAction::Confirm,
        Purpose::Decline => PageAction::Decline,
        _ => PageAction::Cancel,
    };
    let is_allowed = found
        .named
        .bookings
        .iter()
        .any(|booking| transitions::next_status(booking.context(now), action).is_ok());
    if is_allowed && !found.is_moved {
        return Ok(Lookup::Question(page_action, found));
    }
    // It can be confirmed once it is paid.
    let is_unpaid = action == Transition::Confirm
        && !found.is_moved
        && found
            .named
            .bookings
            .iter()
            .any(|booking| booking.status == BookingStatus::Pending && booking.is_unpaid);
    let state = match is_unpaid {
        true => PageState::Failed,
        false => unusable_state(claims, &found),
    };
    page_of(app, claims, state, &found).map(Lookup::other)
}

/// State of a page whose link cannot be used: how the booking stands, if that says it all.
fn unusable_state(claims: &Claims, found: &Found) -> PageState {
    let all = |status: BookingStatus| {
        let mut bookings = found.named.bookings.iter();
        bookings.all(|booking| booking.status == status)
    };
    let is_answer = matches!(claims.purpose, Purpose::Confirm | Purpose::Decline);
    match found.is_moved {
        true => PageState::Superseded,
        false if all(BookingStatus::Cancelled) => PageState::Already(PageAction::Cancel),
        false if all(BookingStatus::Rejected) => PageState::Already(PageAction::Decline),
        false if is_answer && all(BookingStatus::Accepted) => {
            PageState::Already(PageAction::Confirm)
        }
        false => PageState::Superseded,
    }
}

/// Runs the action, which the booking allows.
async fn run(
    db: &mut Db,
    action: PageAction,
    found: &Found,
    reason: Option<&str>,
    now: Instant,
) -> Result<()> {
    let named = found.named.clone();
    let person = &found.owner.recipient.person;
    match (action, found.owner.host_id) {
        (PageAction::Cancel, host_id) => {
            let request = CancelBooking {
                cancellation_reason: reason.map(str::to_owned),
                seat_uid: person.seat_uid.clone(),
                ..CancelBooking::default()
            };
            let canceller = Canceller {
                by: match host_id {
                    Some(_) => Actor::Host,
                    None => Actor::Visitor,
                },
                email: Some(person.email.clone()),
                is_anonymous: false,
            };
            cancel_named(db, named, &request, canceller, now).await?;
        }
        (PageAction::Confirm, Some(user_id)) => {
            confirm_named(db, named, user_id, now).await?;
        }
        (PageAction::Decline, Some(_)) => {
            decline_named(db, named, reason, now).await?;
        }
        (PageAction::StopReminders, None) => {
            attendees::stop_reminders(db, found.first.id, &person.email).await?;
        }
        // No such links are made.
        _ => return Err(Error::BadRequest("the link is for another person".into())),
    }
    Ok(())
}

/// Redirect of a visitor to the page of the booking or series, and of a host to the booking in the list of the app, which
/// begins with its details and actions.
fn redirect(app: &AppState, claims: &Claims, found: &Found, query: &str) -> Result<Page> {
    let snapshot = found.snapshot()?;
    let uid = match &snapshot.series_uid {
        Some(series_uid) if found.named.is_series => series_uid,
        _ => &snapshot.uid,
    };
    let seat_uid = found.owner.recipient.person.seat_uid.as_deref();
    let seat_uid = seat_uid.filter(|_| !found.named.is_series);
    let base_url = &app.settings.base_url;
    let location = match found.owner.host_id {
        Some(_) => list_page(base_url, &snapshot.uid),
        None => booking_page(
            app.settings.booking_page_url.as_deref(),
            base_url,
            uid,
            seat_uid,
            query,
        ),
    };
    let page = page_of(app, claims, PageState::Superseded, found)?;
    Ok(Page {
        location: Some(location),
        ..page
    })
}

/// Returns the URL of the app's list with this booking only, whatever its status.
fn list_page(base_url: &str, uid: &str) -> String {
    let uid = utf8_percent_encode(uid, RESERVED);
    format!("{base_url}/bookings?status=all&bookingUid={uid}")
}

/// Returns the URL of the page that shows a booking.
fn booking_page(
    template: Option<&str>,
    base_url: &str,
    uid: &str,
    seat_uid: Option<&str>,
    query: &str,
) -> String {
    let encoded = |text: &str| utf8_percent_encode(text, RESERVED).to_string();
    let (uid, seat_uid) = (encoded(uid), seat_uid.map(encoded));
    let mut url = match template {
        Some(template) => template
            .replace("{uid}", &uid)
            .replace("{seat}", &seat_uid.unwrap_or_default()),
        None => match seat_uid {
            Some(seat_uid) => format!("{base_url}/booking/{uid}/{seat_uid}"),
            None => format!("{base_url}/booking/{uid}"),
        },
    };
    if query.is_empty() {
        return url;
    }
    let end = url.find('#').unwrap_or(url.len());
    let separator = match url.get(..end).is_some_and(|before| before.contains('?')) {
        true => '&',
        false => '?',
    };
    url.insert_str(end, &format!("{separator}{query}"));
    url
}

/// Page in a state about bookings in which the owner takes part.
fn page_of(app: &AppState, claims: &Claims, state: PageState, found: &Found) -> Result<Page> {
    let mut booking = data_of(found);
    booking.set_policy(&found.snapshot()?.policy);
    if state == PageState::Done(PageAction::Confirm) {
        booking.is_confirmed = true;
    }
    let now = app.clock.now();
    let is_open = found.named.bookings.iter().any(|it| it.is_open(now));
    let recipient = found.owner.recipient.clone();
    let purposes = Purposes {
        manage: true,
        is_open: is_open && matches!(state, PageState::Question(_) | PageState::Taken),
        stop_reminders: false,
    };
    let mut links = links_for(app, &booking, &recipient, purposes)?;
    if let PageState::Done(PageAction::Cancel) = state
        && claims.seat_uid.is_some()
    {
        // The seat is gone, with the page that it gave access to.
        links.manage = None;
    }
    Ok(Page {
        booking: Some(booking),
        recipient: Some(recipient),
        links,
        ..Page::bare(state)
    })
}

/// Present state of the booking.
fn data_of(found: &Found) -> BookingData {
    let booking: &Booking = &found.first;
    let open = |status: &BookingStatus| {
        matches!(
            status,
            BookingStatus::Accepted | BookingStatus::Pending | BookingStatus::AwaitingHost
        )
    };
    let starts = |only_open: bool| -> Vec<Instant> {
        let bookings = found.named.bookings.iter();
        bookings
            .filter(|booking| !only_open || open(&booking.status))
            .map(|booking| booking.start)
            .collect()
    };
    let open_starts = starts(true);
    let series = found.named.is_series.then(|| SeriesData {
        starts: match open_starts.is_empty() {
            true => starts(false),
            false => open_starts,
        },
        ..SeriesData::default()
    });
    let location = booking.location.as_deref();
    let (location, missing) = readable_location(booking.meeting_url.as_deref().or(location));
    BookingData {
        uid: booking.uid.to_string(),
        calendar_uid: booking.ics_uid.clone().unwrap_or_default(),
        title: booking.title.clone(),
        event_type: booking.title.clone(),
        colour: (found.snapshot())
            .map(|snapshot| colour_of(&snapshot.settings))
            .unwrap_or_default(),
        start: booking.start,
        end: booking.end,
        is_confirmed: !matches!(
            booking.status,
            BookingStatus::Pending | BookingStatus::AwaitingHost
        ),
        awaits_host: booking.status == BookingStatus::AwaitingHost,
        location,
        // Without one, the owner may not see it.
        missing_location: missing.filter(|missing| *missing == MissingLocation::VideoCall),
        hosts: booking
            .hosts
            .iter()
            .map(|host| Person {
                name: host.name.clone(),
                email: host.display_email.clone(),
                time_zone: host.time_zone.clone(),
                ..Person::default()
            })
            .collect(),
        attendees: booking
            .attendees
            .iter()
            .map(|attendee| Person {
                name: attendee.name.clone(),
                email: attendee.display_email.clone(),
                time_zone: attendee.time_zone.clone(),
                language: attendee.language.clone().unwrap_or_default(),
                ..Person::default()
            })
            .collect(),
        series,
        ..BookingData::default()
    }
}

#[cfg(test)]
mod tests {
    use super::booking_page;

    #[test]
    fn booking_page_has_uid_seat_and_query() {
        let base = "https://book.example.com";
        for (template, seat, query, expected) in [
            (None, None, "", "https://book.example.com/booking/b%2F1"),
            (
                None,
                Some("s1"),
                "step=reschedule",
                "https://book.example.com/booking/b%2F1/s1?step=reschedule",
            ),
            (
                Some("https://example.com/b?id={uid}"),
                Some("s1"),
                "step=reschedule",
                "https://example.com/b?id=b%2F1&step=reschedule",
            ),
            (
                Some("https://example.com/b#{uid}/{seat}"),
                Some("s1"),
                "step=reschedule",
                "https://example.com/b?step=reschedule#b%2F1/s1",
            ),
            (
                Some("https://example.com/b/{uid}?seat={seat}"),
                None,
                "",
                "https://example.com/b/b%2F1?seat=",
            ),
        ] {
            assert_eq!(
                booking_page(template, base, "b/1", seat, query),
                expected,
                "{template:?}"
            );
        }
    }
}
