//! Groups of people who meet together: their event type is made up when it is asked for.

use booking_wire::event_type::EventTypeUser;
use booking_wire::{EventType, Read};
use sqlx::QueryBuilder;

use crate::error::{Error, Result};
use crate::lifecycle::Policy;
use crate::store::connection::Db;
use crate::store::event_types::stored::{GROUP_ID, Stored, switch_off_the_unset};

/// Id, name, user name and picture of somebody in a group.
type GroupRow = (i64, Option<String>, String, Option<String>);

/// Lengths in minutes that a group can be booked for.
pub const LENGTHS: [i64; 3] = [15, 30, 60];

/// Reason for which a group is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose<'a> {
    /// To book it, in the organisation of this slug: everybody must have agreed to that and offer
    /// something else as well.
    Booking(&'a str),
    /// To move what is booked.
    Moving,
}

/// The event type of a group: half an hour, unless told otherwise, at which all of them take
/// part. The names are different ones.
///
/// # Errors
///
/// One and the same error if a name is unknown, of another organisation, or of somebody who has
/// not agreed: it must not tell who has an account.
pub async fn group(db: &mut Db, names: &[&str], purpose: Purpose<'_>) -> Result<Stored> {
    let mut query = QueryBuilder::new(
        "SELECT u.id, u.name, u.username, u.avatar_url FROM users u
         LEFT JOIN organizations o ON o.id = u.organization_id WHERE u.username IN (",
    );
    let mut list = query.separated(", ");
    for name in names {
        list.push_bind(*name);
    }
    query.push(")");
    if let Purpose::Booking(organization) = purpose {
        query.push(" AND o.slug = ").push_bind(organization);
        query.push(
            " AND u.allow_dynamic_bookings = 1 AND EXISTS (
                 SELECT 1 FROM event_types e LEFT JOIN event_type_hosts h ON h.event_type_id = e.id
                 WHERE e.hidden = 0 AND (e.owner_id = u.id OR h.user_id = u.id))",
        );
    }
    let mut people: Vec<GroupRow> = query.build_query_as().fetch_all(db).await?;
    let place = |person: &GroupRow| names.iter().position(|name| *name == person.2);
    people.sort_by_key(place);
    if people.len() < names.len() {
        return Err(Error::NotFound(
            "no group of these people can be booked in this organization".into(),
        ));
    }
    let title: Vec<&str> = people
        .iter()
        .map(|(_, name, username, _)| name.as_deref().unwrap_or(username))
        .collect();
    let mut settings = serde_json::json!({
        "id": GROUP_ID,
        "title": format!("Meeting with {}", title.join(", ")),
        "slug": "dynamic",
        "lengthInMinutes": 30,
        "lengthInMinutesOptions": LENGTHS,
        "locations": [{"type": "integration", "integration": "svc-video"}],
        "minimumBookingNotice": 120,
        "currency": "usd",
        "schedulingType": "collective",
    });
    settings["bookingFields"] = serde_json::json!([
        {"type": "name", "slug": "name", "required": true, "isDefault": true},
        {"type": "email", "slug": "email", "required": true, "isDefault": true},
        {"type": "text", "slug": "title", "hidden": true, "isDefault": true},
        {"type": "textarea", "slug": "notes", "isDefault": true},
        {"type": "multiemail", "slug": "guests", "isDefault": true},
        {"type": "textarea", "slug": "rescheduleReason", "isDefault": true},
    ]);
    let mut wire = EventType::read(&settings)
        .ok_or_else(|| Error::internal("the event type of a group is unreadable"))?;
    wire.users = people
        .into_iter()
        .map(|(id, name, username, avatar_url)| EventTypeUser {
            id,
            name,
            username: Some(username),
            avatar_url,
            ..EventTypeUser::default()
        })
        .collect();
    switch_off_the_unset(&mut wire);
    Ok(Stored {
        wire,
        place: names.join("+"),
        team_of_bookings: None,
        blocks_unconfirmed: false,
        policy: Policy::default(),
        limits: Vec::new(),
        optimized: false,
    })
}
