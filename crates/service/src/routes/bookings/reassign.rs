//! Handing a round-robin booking to another host (contract 3.5.2).

use axum::Json;
use axum::extract::State;
use booking_wire::{Booking, Envelope, Instant, ReassignBooking};

use super::cancel::reason;
use super::read_one;
use crate::auth::Caller;
use crate::availability::{Host, MINUTE, Rules};
use crate::error::{Error, Result};
use crate::lifecycle::{self, Event};
use crate::router::App;
use crate::routes::PathParams;
use crate::routes::rules::rules;
use crate::store::booking_acts::{self, Known};
use crate::store::busy::Asked;
use crate::store::{self, Db, bookings, busy, event_types};
use crate::validate::{Checks, Object, OptionalJsonObject};

/// Hands a booking to the free host with the highest priority; among equals to the one with the
/// fewest bookings ahead.
#[utoipa::path(
    post,
    path = "/v2/bookings/{bookingUid}/reassign",
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking or an occurrence")),
    responses((status = 200, body = Envelope<Booking>)),
)]
pub async fn reassign(
    State(app): State<App>,
    caller: Caller,
    path: PathParams,
) -> Result<Json<Envelope<Booking>>> {
    hand_over(&app, &caller, &path, Choice::Fairest, None).await
}

/// Hands a booking to a host of one's choice.
#[utoipa::path(
    post,
    path = "/v2/bookings/{bookingUid}/reassign/{userId}",
    tag = "Bookings",
    params(
        ("bookingUid" = String, Path, description = "Of a booking or an occurrence"),
        ("userId" = i64, Path, description = "Who takes over"),
    ),
    request_body = Option<ReassignBooking>,
    responses((status = 200, body = Envelope<Booking>)),
)]
pub async fn reassign_to(
    State(app): State<App>,
    caller: Caller,
    path: PathParams,
    OptionalJsonObject(body): OptionalJsonObject,
) -> Result<Json<Envelope<Booking>>> {
    let mut checks = Checks::default();
    let object = Object::new(&body, "");
    object.allow(&["reason"], &mut checks);
    let reason = reason(object, "reason", &mut checks);
    checks.finish()?;
    let choice = Choice::User(path.id("userId")?);
    hand_over(&app, &caller, &path, choice, reason.as_deref()).await
}

#[derive(Clone, Copy)]
enum Choice {
    Fairest,
    User(i64),
}

async fn hand_over(
    app: &App,
    caller: &Caller,
    path: &PathParams,
    choice: Choice,
    reason: Option<&str>,
) -> Result<Json<Envelope<Booking>>> {
    let mut transaction = app.store.begin().await?;
    let db = &mut *transaction;
    let now = app.clock.now();
    let booking = booking_acts::one(db, path.text("bookingUid")).await?;
    caller.authorise(db, &booking.subject()).await?;
    lifecycle::next(booking.standing(now), Event::Change)?;

    let Candidates { old, others, rules } = candidates(db, &booking, now).await?;
    let new = match choice {
        Choice::User(id) if booking.host_ids.contains(&id) => {
            return refuse("the booking is hosted by this user already");
        }
        Choice::User(id) => match others.iter().find(|host| host.id == id) {
            Some(host) if host.is_idle(booking.span()) => id,
            Some(_) => {
                return refuse("the host is not available at this time: they have another booking");
            }
            None => return refuse("the user is no rotating host of this event type"),
        },
        Choice::Fairest => {
            let turns = match booking.event_type_id {
                Some(id) => busy::turns(db, id, booking.start.0).await?,
                None => Default::default(),
            };
            let fairest = others
                .iter()
                .filter(|host| host.could_take(booking.span(), &rules))
                .map(|host| host.id)
                .min_by_key(|id| (turns.of(*id), *id));
            match fairest {
                Some(id) => id,
                None => return refuse("no other host is available at this time"),
            }
        }
    };
    booking_acts::replace_host(db, booking.id, old, new)
        .await
        .map_err(|error| {
            if store::is_host_taken(&error) {
                Error::BadRequest(
                    "the host is not available at this time: they have another booking".into(),
                )
            } else {
                error.into()
            }
        })?;
    let title = retitled(db, &booking, old, new).await?;
    booking_acts::set_reassignment(db, booking.id, reason, title.as_deref(), now).await?;
    let data = read_one(db, booking.id).await?;
    transaction.commit().await?;
    Ok(Json(Envelope::success(data)))
}

fn refuse<T>(text: &str) -> Result<T> {
    Err(Error::BadRequest(text.to_owned()))
}

/// Who hosts the booking and can be replaced, and who could be in their place.
struct Candidates {
    old: i64,
    others: Vec<Host>,
    rules: Rules,
}

async fn candidates(db: &mut Db, booking: &Known, now: Instant) -> Result<Candidates> {
    let stored = match booking.event_type_id {
        Some(id) => event_types::get(db, id).await?,
        None => None,
    };
    let Some(stored) =
        stored.filter(|stored| stored.wire.scheduling_type.as_deref() == Some("roundRobin"))
    else {
        return refuse("only bookings of round-robin event types can be reassigned");
    };
    let rules = rules(&stored, (booking.end.0 - booking.start.0) / MINUTE);
    let asked = Asked {
        window: booking.span(),
        now: now.0,
        moved: Some(&booking.uid),
    };
    let hosts = busy::calendar(db, &stored, &rules, asked).await?.hosts;
    let is_fixed = |id: i64| hosts.iter().any(|host| host.id == id && host.fixed);
    let Some(old) = booking.host_ids.iter().copied().find(|id| !is_fixed(*id)) else {
        return refuse("no host of the booking can be replaced: all of them are fixed");
    };
    let others = hosts
        .into_iter()
        .filter(|host| !host.fixed && !booking.host_ids.contains(&host.id))
        .collect();
    Ok(Candidates { old, others, rules })
}

/// A title that the service made names the host: the new one from now on.
async fn retitled(db: &mut Db, booking: &Known, old: i64, new: i64) -> Result<Option<String>> {
    let (Some(old), Some(new)) = (
        store::accounts::me(db, old).await?.and_then(|me| me.name),
        store::accounts::me(db, new).await?.and_then(|me| me.name),
    ) else {
        return Ok(None);
    };
    let title = bookings::load(db, &[booking.id])
        .await?
        .pop()
        .map(|booking| booking.title);
    Ok(title
        .filter(|title| title.contains(&format!("between {old} and ")))
        .map(|title| {
            title.replace(
                &format!("between {old} and "),
                &format!("between {new} and "),
            )
        }))
}
