//! Bookings in the format of version 1.

use booking_wire::v1::{
    BookedEventType, Booking, BookingHost, BookingPayment, BookingPerson, BookingTeam,
};
use booking_wire::{Booking as V2Booking, JsonMap, attendee_language_code};
use serde_json::{Value, json};

use crate::auth::Caller;
use crate::domain::bookings::read::visibility::{Viewer, hide_private_fields};
use crate::error::{Error, Result};
use crate::store::bookings::{attendees, payments};
use crate::store::people::users;
use crate::store::{Db, bookings, event_types};

/// Types of locations in version 1 and version 2.
pub(super) const LOCATION_TYPES: [(&str, &str); 7] = [
    ("inPerson", "address"),
    ("link", "link"),
    ("userPhone", "phone"),
    ("phone", "attendeePhone"),
    ("attendeeInPerson", "attendeeAddress"),
    ("somewhereElse", "attendeeDefined"),
    ("conferencing", "organizersDefaultApp"),
];

/// Booking with this id; fields that the caller may not see are removed.
pub(super) async fn booking(db: &mut Db, caller: &Caller, id: i64) -> Result<Booking> {
    let mut bookings = bookings::load(db, &[id]).await?;
    let viewer = Viewer::new(Some(caller), None);
    hide_private_fields(db, viewer, &mut bookings).await?;
    let booking = bookings
        .pop()
        .ok_or_else(|| Error::internal("a booking that was just found cannot be read"))?;
    let is_visible = |email: &str| booking.attendees.iter().any(|person| person.email == email);
    let attendees = attendees::list(db, id).await?;
    let code_of = |tag: &str| attendee_language_code(tag).to_owned();
    let attendees: Vec<BookingPerson> = attendees
        .into_iter()
        .filter(|person| is_visible(&person.email))
        .map(|person| BookingPerson {
            id: person.id,
            email: person.email,
            name: person.name,
            time_zone: person.time_zone,
            locale: person.language.as_deref().map(code_of),
        })
        .collect();
    let event_type = match booking.event_type_id {
        Some(id) => event_types::get(db, id).await?,
        None => None,
    };
    let payment = payments::of_booking(db, id).await?;
    let (user_id, user) = host(db, &booking).await?;
    let zone = attendees.first().map(|person| person.time_zone.clone());
    Ok(Booking {
        id,
        user_id,
        description: booking.description,
        event_type_id: booking.event_type_id,
        uid: booking.uid.0,
        title: booking.title,
        start_time: booking.start,
        end_time: booking.end,
        time_zone: zone
            .or_else(|| user.as_ref().map(|user| user.time_zone.clone()))
            .unwrap_or_else(|| "UTC".to_owned()),
        attendees,
        user,
        event_type: event_type.map(|stored| BookedEventType {
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
        metadata: booking.metadata.unwrap_or_default(),
        status: booking.status.as_str().to_uppercase(),
        responses: responses(booking.booking_fields_responses.unwrap_or_default()),
        from_reschedule: booking.rescheduled_from_uid.map(|uid| uid.0),
        cancelled_by: booking.cancelled_by_email,
        rescheduled_by: booking.rescheduled_by_email,
        recurring_event_id: booking.recurring_booking_uid,
        created_at: booking.created_at,
    })
}

/// Id and details of the first host, if that user still exists.
async fn host(db: &mut Db, booking: &V2Booking) -> Result<(Option<i64>, Option<BookingHost>)> {
    let Some(host) = booking.hosts.first() else {
        return Ok((None, None));
    };
    // The id of a deleted host is not a number.
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

/// Booking field responses, with the location in the format of version 1.
fn responses(mut responses: JsonMap) -> JsonMap {
    if let Some(location) = responses.get_mut("location") {
        let kind = location["type"].as_str().unwrap_or_default();
        let value = match location["integration"].as_str() {
            Some(slug) => format!("integrations:{slug}"),
            None => LOCATION_TYPES
                .iter()
                .find(|(_, v2_type)| *v2_type == kind)
                .map_or(kind, |(v1_type, _)| v1_type)
                .to_owned(),
        };
        let option_value = ["phone", "address", "location"]
            .iter()
            .find_map(|key| location[*key].as_str())
            .unwrap_or_default();
        *location = json!({"optionValue": option_value, "value": value});
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
    fn location_is_translated_to_version_1() {
        for (v2, v1) in [
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
            let map = JsonMap::from_iter([("location".to_owned(), v2)]);
            assert_eq!(responses(map)["location"], v1);
        }
    }
}
