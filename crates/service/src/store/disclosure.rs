//! What event types keep from those who only know the uid of a booking.

use std::collections::HashMap;

use serde_json::Value;
use sqlx::QueryBuilder;

use crate::error::Result;
use crate::store::connection::Db;
use crate::store::{rows, users};

/// What the event type of a booking wants.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// The booking's team.
    pub team_id: Option<i64>,
    /// Who owns what was booked.
    pub owner_id: Option<i64>,
    /// True if those who share a booking see each other's names.
    pub show_attendees: bool,
    /// Places that everybody may know. The others are for those who attend.
    pub public_places: Vec<String>,
    /// Whether hosts keep their addresses to themselves.
    pub hide_hosts: bool,
    /// Whether the uid alone gives no access.
    pub signed_in_only: bool,
}

/// What the event types of these bookings want, by booking.
pub async fn wishes(db: &mut Db, booking_ids: &[i64]) -> Result<HashMap<i64, Wishes>> {
    if booking_ids.is_empty() {
        return Ok(HashMap::new());
    }
    let bookings: Vec<(i64, Option<i64>, Option<i64>)> = rows::read_rows(
        db,
        "SELECT json_group_array(json_array(b.id, b.team_id, b.event_type_id))
         FROM json_each(?) asked CROSS JOIN bookings b WHERE b.id = asked.value",
        &Value::from(booking_ids).to_string(),
    )
    .await?;
    let mut type_ids: Vec<i64> = bookings.iter().filter_map(|row| row.2).collect();
    type_ids.sort_unstable();
    type_ids.dedup();
    let types: Vec<(i64, Option<i64>, String)> = by_ids(
        "SELECT id, owner_id, settings FROM event_types WHERE id IN (",
        &type_ids,
    )
    .build_query_as()
    .fetch_all(db)
    .await?;
    let mut of_type: HashMap<i64, Wishes> = HashMap::new();
    for (id, owner_id, settings) in types {
        let settings: Value = serde_json::from_str(&settings)?;
        let wishes = Wishes {
            team_id: None,
            owner_id,
            show_attendees: settings["seats"]["showAttendeeInfo"].as_bool() == Some(true),
            public_places: public_places(&settings["locations"]),
            hide_hosts: settings["hideOrganizerEmail"].as_bool() == Some(true),
            signed_in_only: settings["bookingRequiresAuthentication"].as_bool() == Some(true),
        };
        of_type.insert(id, wishes);
    }
    Ok(bookings
        .into_iter()
        .map(|(id, team_id, event_type_id)| {
            let wishes = event_type_id
                .and_then(|id| of_type.get(&id).cloned())
                // A group of people who were booked by their user names, or of an event type that is
                // gone: nobody has said that the addresses may be told.
                .unwrap_or(Wishes {
                    hide_hosts: true,
                    ..Wishes::default()
                });
            (id, Wishes { team_id, ..wishes })
        })
        .collect())
}

/// The addresses, links and telephone numbers that an event type tells everybody.
fn public_places(locations: &Value) -> Vec<String> {
    let locations = locations.as_array().into_iter().flatten();
    locations
        .filter(|location| location["public"].as_bool() == Some(true))
        .filter_map(|location| {
            ["address", "link", "phone"]
                .iter()
                .find_map(|key| location[key].as_str())
        })
        .map(str::to_owned)
        .collect()
}

/// The e-mail address that a reader is known by, and the event types that they host.
pub async fn reader(db: &mut Db, user_id: i64) -> Result<(Option<String>, Vec<i64>)> {
    let email = users::proven_email(db, user_id).await?;
    let event_type_ids =
        sqlx::query_scalar("SELECT event_type_id FROM event_type_hosts WHERE user_id = ?")
            .bind(user_id)
            .fetch_all(db)
            .await?;
    Ok((email, event_type_ids))
}

fn by_ids<'a>(before: &str, ids: &[i64]) -> QueryBuilder<'a, sqlx::Sqlite> {
    let mut query = QueryBuilder::new(before);
    let mut list = query.separated(", ");
    for id in ids {
        list.push_bind(*id);
    }
    query.push(")");
    query
}
