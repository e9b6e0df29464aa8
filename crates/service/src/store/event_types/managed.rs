//! Managed event types of a team: templates that each host has an event type of their own from.
//!
//! The children follow every change of the template but in the fields it has unlocked, in
//! `metadata.managedEventConfig.unlockedFields`, an object with a key per field. Working hours are
//! a host's own matter always.

use booking_wire::{Instant, JsonMap};
use serde_json::Value;

use crate::error::{Error, Result};
use crate::store::connection::Db;
use crate::store::error::is_duplicate;
use crate::store::event_types::record::{self, HostSeat, Owner, Record};

/// What a child decides itself without being told that it may.
const OWN: &str = "scheduleId";

/// Whether the children of the template `document` may have their own value of `key`.
pub fn is_unlocked(document: &JsonMap, key: &str) -> bool {
    let fields = document
        .get("metadata")
        .and_then(|metadata| metadata.get("managedEventConfig"))
        .and_then(|config| config.get("unlockedFields"));
    key == OWN
        || fields
            .and_then(|fields| fields.get(key))
            .is_some_and(|value| *value != Value::Bool(false))
}

/// Gives each host of the template a child that says what the template says, and takes those of
/// former hosts away.
pub async fn follow(db: &mut Db, now: Instant, template: &Record) -> Result<()> {
    let hosts = record::hosts(db, template.id).await?;
    let mut children = record::children(db, template.id).await?;
    for host in hosts {
        let owner = Owner::User(host.user_id);
        let known = children
            .iter()
            .position(|child| child.owner == owner)
            .map(|place| children.swap_remove(place));
        let own = known.as_ref().map(|child| &child.document);
        let child = Record {
            id: known.as_ref().map_or(0, |child| child.id),
            owner,
            parent_id: Some(template.id),
            scheduling_type: None,
            assign_all: false,
            document: inherited(&template.document, own),
        };
        let stored = match known {
            Some(_) => record::update(db, now, &child).await.map(|()| child.id),
            None => record::insert(db, now, &child).await,
        };
        let id = stored.map_err(|error| {
            if is_duplicate(&error) {
                Error::Conflict(format!(
                    "user {} has another event type with the slug \"{}\"",
                    host.user_id,
                    child.slug()
                ))
            } else {
                error.into()
            }
        })?;
        let seat = HostSeat {
            fixed: false,
            ..host
        };
        record::set_hosts(db, id, &[seat]).await?;
    }
    for former in children {
        record::delete(db, former.id).await?;
    }
    Ok(())
}

/// The template's document with what the child has decided itself.
fn inherited(template: &JsonMap, own: Option<&JsonMap>) -> JsonMap {
    let mut document = template.clone();
    // A template's schedule is for those who have not chosen one; it belongs to somebody else.
    document.remove(OWN);
    for (key, value) in own.into_iter().flatten() {
        if is_unlocked(template, key) {
            document.insert(key.clone(), value.clone());
        }
    }
    document
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn map(value: Value) -> JsonMap {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn a_child_keeps_only_what_is_unlocked() {
        let template = map(json!({
            "title": "Call", "lengthInMinutes": 30, "scheduleId": 1,
            "metadata": {"managedEventConfig": {"unlockedFields": {"locations": true, "title": false}}},
        }));
        let own =
            map(json!({"title": "Mine", "lengthInMinutes": 60, "scheduleId": 9, "locations": [1]}));
        let child = inherited(&template, Some(&own));
        assert_eq!(child["title"], "Call");
        assert_eq!(child["lengthInMinutes"], 30);
        assert_eq!(child["scheduleId"], 9);
        assert_eq!(child["locations"], json!([1]));
        assert_eq!(inherited(&template, None).get("scheduleId"), None);
    }
}
