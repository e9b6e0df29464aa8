//! Event type settings that hide data of a booking from callers who only have its uid.

use std::collections::HashMap;

use booking_store_engine::connection::Db;
use booking_store_engine::sql::{self, QueryBuilder};
use serde_json::Value;

use crate::error::Result;
use crate::store::people::users;
use crate::store::rows::{self, json_rows};

/// Visibility settings of a booking, from its event type.
#[derive(Clone, Debug, Default)]
pub struct VisibilitySettings {
    /// Team of the booking.
    pub team_id: Option<i64>,
    /// Owner of the event type.
    pub owner_id: Option<i64>,
    /// True if attendees of a shared booking see each other's names.
    pub show_attendees: bool,
    /// Public locations. Other locations are only visible to attendees.
    pub public_locations: Vec<String>,
    /// True if the hosts' e-mail addresses are hidden.
    pub hides_host_emails: bool,
    /// True if the uid alone gives no access.
    pub requires_authentication: bool,
}

impl VisibilitySettings {
    /// Reads those of the bookings of an event type with these settings.
    pub fn of_event_type(settings: &Value, owner_id: Option<i64>, team_id: Option<i64>) -> Self {
        let is_on = |setting: &Value| setting.as_bool() == Some(true);
        Self {
            team_id,
            owner_id,
            show_attendees: is_on(&settings["seats"]["showAttendeeInfo"]),
            public_locations: public_locations(&settings["locations"]),
            hides_host_emails: is_on(&settings["hideOrganizerEmail"]),
            requires_authentication: is_on(&settings["bookingRequiresAuthentication"]),
        }
    }

    /// Those of bookings of a dynamic group or of a deleted event type: addresses are hidden.
    pub fn without_event_type() -> Self {
        Self {
            hides_host_emails: true,
            ..Self::default()
        }
    }
}

/// Returns the visibility settings of bookings, by booking id.
pub async fn settings(
    db: &mut Db,
    booking_ids: &[i64],
) -> Result<HashMap<i64, VisibilitySettings>> {
    if booking_ids.is_empty() {
        return Ok(HashMap::new());
    }
    let bookings: Vec<(i64, Option<i64>, Option<i64>)> = rows::read_rows(
        db,
        json_rows!(
            "b.id, b.team_id, b.event_type_id",
            "FROM json_each(?) asked CROSS JOIN bookings b WHERE b.id = asked.value"
        ),
        &Value::from(booking_ids).to_string(),
    )
    .await?;
    let mut type_ids: Vec<i64> = bookings.iter().filter_map(|row| row.2).collect();
    type_ids.sort_unstable();
    type_ids.dedup();
    let mut query = QueryBuilder::new(
        db.database(),
        "SELECT id, owner_id, settings FROM event_types WHERE id IN (",
    );
    rows::push_ids(&mut query, &type_ids);
    query.push(")");
    let types: Vec<(i64, Option<i64>, String)> = query.build_query_as().fetch_all(db).await?;
    let mut settings_by_type: HashMap<i64, VisibilitySettings> = HashMap::new();
    for (id, owner_id, settings) in types {
        let settings: Value = serde_json::from_str(&settings)?;
        let settings = VisibilitySettings::of_event_type(&settings, owner_id, None);
        settings_by_type.insert(id, settings);
    }
    Ok(bookings
        .into_iter()
        .map(|(id, team_id, event_type_id)| {
            let settings = event_type_id
                .and_then(|id| settings_by_type.get(&id).cloned())
                .unwrap_or_else(VisibilitySettings::without_event_type);
            (
                id,
                VisibilitySettings {
                    team_id,
                    ..settings
                },
            )
        })
        .collect())
}

/// Returns the addresses, links and phone numbers of an event type that are public.
fn public_locations(locations: &Value) -> Vec<String> {
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

/// Returns the verified e-mail address of a user, and the ids of the event types that they host.
pub async fn viewer(db: &mut Db, user_id: i64) -> Result<(Option<String>, Vec<i64>)> {
    let email = users::verified_email(db, user_id).await?;
    let event_type_ids =
        sql::query_scalar("SELECT event_type_id FROM event_type_hosts WHERE user_id = ?")
            .bind(user_id)
            .fetch_all(db)
            .await?;
    Ok((email, event_type_ids))
}
