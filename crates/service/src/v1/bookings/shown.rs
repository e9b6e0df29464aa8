//! A booking as version 1 writes it.

use booking_wire::v1::{
    BookedType, Booking, BookingHost, BookingPayment, BookingPerson, BookingTeam,
};
use booking_wire::{Booking as Known, JsonMap};
use serde_json::{Value, json};

use crate::auth::Caller;
use crate::bookings::visibility::{Reader, disclose};
use crate::error::{Error, Result};
use crate::store::{Db, booking_people, bookings, event_types, payments, users};

/// Kinds of places by our names and by those of version 2.
pub(super) const PLACES: [(&str, &str); 7] = [
    ("inPerson", "address"),
    ("link", "link"),
    ("userPhone", "phone"),
    ("phone", "attendeePhone"),
    ("attendeeInPerson", "attendeeAddress"),
    ("somewhereElse", "attendeeDefined"),
    ("conferencing", "organizersDefaultApp"),
];

/// The booking with that id, as far as the caller may see it.
pub(super) async fn booking(db: &mut Db, caller: &Caller, id: i64) -> Result<Booking> {
    let mut found = bookings::load(db, &[id]).await?;
    let reader = Reader {
        caller: Some(caller),
        seat_uid: None,
    };
    disclose(db, reader, &mut found).await?;
    let known = found.pop().ok_or(Error::Internal)?;
    let shown = |email: &str| known.attendees.iter().any(|person| person.email == email);
    let attendees = booking_people::attendees(db, id).await?;
    let attendees: Vec<BookingPerson> = attendees
        .into_iter()
        .filter(|person| shown(&person.email))
        .map(|person| BookingPerson {
            id: person.id,
            email: person.email,
            name: person.name,
            time_zone: person.time_zone,
            locale: person.language,
        })
        .collect();
    let event_type = match known.event_type_id {
        Some(id) => event_types::get(db, id).await?,
        None => None,
    };
    let payment = payments::of_booking(db, id).await?;
    let (user_id, user) = host(db, &known).await?;
    let zone = attendees.first().map(|person| person.time_zone.clone());
    Ok(Booking {
        id,
        user_id,
        description: known.description,
        event_type_id: known.event_type_id,
        uid: known.uid.0,
        title: known.title,
        start_time: known.start,
        end_time: known.end,
        time_zone: zone
            .or_else(|| user.as_ref().map(|user| user.time_zone.clone()))
            .unwrap_or_else(|| "UTC".to_owned()),
        attendees,
        user,
        event_type: event_type.map(|stored| BookedType {
            title: stored.wire.title,
            slug: stored.wire.slug,
            team: stored.wire.team.map(|team| BookingTeam {
                id: team.id,
                name: team.name,
                slug: team.slug.unwrap_or_default(),
            }),
        }),
        payment: payment
            .into_iter()
            .map(|payment| BookingPayment {
                id: payment.id,
                success: payment.success,
                payment_option: payment.payment_option,
            })
            .collect(),
        metadata: known.metadata.unwrap_or_default(),
        status: known.status.as_str().to_uppercase(),
        responses: responses(known.booking_fields_responses.unwrap_or_default()),
        from_reschedule: known.rescheduled_from_uid.map(|uid| uid.0),
        cancelled_by: known.cancelled_by_email,
        rescheduled_by: known.rescheduled_by_email,
        recurring_event_id: known.recurring_booking_uid,
        created_at: known.created_at,
    })
}

/// The first host, if there is still one.
async fn host(db: &mut Db, known: &Known) -> Result<(Option<i64>, Option<BookingHost>)> {
    let Some(host) = known.hosts.first() else {
        return Ok((None, None));
    };
    // The host of a booking whose host is gone has no number.
    let Ok(user_id) = host.id.parse::<i64>() else {
        return Ok((None, None));
    };
    let profile = users::profile(db, user_id).await?;
    let user = BookingHost {
        email: host.email.clone(),
        name: (!host.name.is_empty()).then(|| host.name.clone()),
        time_zone: host.time_zone.clone(),
        locale: profile.and_then(|profile| profile.user.locale),
    };
    Ok((Some(user_id), Some(user)))
}

/// Answers, of which the place has another form here.
fn responses(mut responses: JsonMap) -> JsonMap {
    if let Some(place) = responses.get_mut("location") {
        let kind = place["type"].as_str().unwrap_or_default();
        let value = match place["integration"].as_str() {
            Some(slug) => format!("integrations:{slug}"),
            None => PLACES
                .iter()
                .find(|(_, theirs)| *theirs == kind)
                .map_or(kind, |(ours, _)| ours)
                .to_owned(),
        };
        let own = ["phone", "address", "location"]
            .iter()
            .find_map(|key| place[*key].as_str())
            .unwrap_or_default();
        *place = json!({"optionValue": own, "value": value});
    }
    if let Some(phone) = responses.remove("attendeePhoneNumber") {
        responses.insert("smsReminderNumber".into(), phone);
    }
    responses.retain(|_, value| *value != Value::Null);
    responses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_told_as_it_was_given() {
        for (theirs, ours) in [
            (
                json!({"type": "integration", "integration": "zoom"}),
                json!({"optionValue": "", "value": "integrations:zoom"}),
            ),
            (
                json!({"type": "attendeePhone", "phone": "+390612345678"}),
                json!({"optionValue": "+390612345678", "value": "phone"}),
            ),
            (
                json!({"type": "address"}),
                json!({"optionValue": "", "value": "inPerson"}),
            ),
        ] {
            let map = JsonMap::from_iter([("location".to_owned(), theirs)]);
            assert_eq!(responses(map)["location"], ours);
        }
    }
}
