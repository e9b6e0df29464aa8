//! Dynamic groups: event types that are not stored but generated from several user names.

use booking_rules::Policy;
use booking_store_engine::connection::Db;
use booking_store_engine::sql::QueryBuilder;
use booking_wire::event_type::EventTypeUser;
use booking_wire::{EventType, Read};

use crate::error::{Error, Result};
use crate::store::event_types::stored_event_type::{
    GROUP_ID, StoredEventType, disable_unset_settings,
};
use crate::store::visibility::VisibilitySettings;

/// Id, name, user name and picture of a member.
type GroupRow = (i64, Option<String>, String, Option<String>);

/// Lengths in minutes of bookings of a group.
pub const LENGTHS: [i64; 3] = [15, 30, 60];

/// Purpose of reading a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose<'a> {
    /// A new booking, in the organisation of this slug: all members must allow dynamic bookings and
    /// have a visible event type.
    Booking(&'a str),
    /// A reschedule of a booking.
    Rescheduling,
}

/// Returns the event type of a group: a collective one of half an hour by default. `names` has no
/// duplicates.
///
/// # Errors
///
/// [`Error::NotFound`], the same if a name is unknown, of another organisation, or of a user who
/// does not allow dynamic bookings: it must not reveal which accounts exist.
pub async fn group(db: &mut Db, names: &[&str], purpose: Purpose<'_>) -> Result<StoredEventType> {
    let mut query = QueryBuilder::new(
        db.database(),
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
    let mut members: Vec<GroupRow> = query.build_query_as().fetch_all(db).await?;
    let position = |member: &GroupRow| names.iter().position(|name| *name == member.2);
    members.sort_by_key(position);
    if members.len() < names.len() {
        return Err(Error::NotFound(
            "no group of these people can be booked in this organization".into(),
        ));
    }
    let title: Vec<&str> = members
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
    wire.users = members
        .into_iter()
        .map(|(id, name, username, avatar_url)| EventTypeUser {
            id,
            name,
            username: Some(username),
            avatar_url,
            ..EventTypeUser::default()
        })
        .collect();
    disable_unset_settings(&mut wire);
    Ok(StoredEventType {
        wire,
        owner_slug: names.join("+"),
        booking_team_id: None,
        organization_id: None,
        policy: Policy::default(),
        limits: Vec::new(),
        optimized: false,
        visibility: VisibilitySettings::without_event_type(),
    })
}
