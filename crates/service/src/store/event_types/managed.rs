//! Managed event types of a team: templates from which each host has a child event type.
//!
//! Children copy every change of the template, except in the unlocked fields. These are in
//! `metadata.managedEventConfig.unlockedFields`, an object with a key per field. The schedule is
//! always unlocked.

use booking_store_engine::connection::Db;
use booking_store_engine::error::is_duplicate;
use booking_wire::{Instant, JsonMap};
use serde_json::Value;

use crate::error::{Error, Result};
use crate::store::event_types::record::{self, HostAssignment, Owner, Record};

/// Field that is always unlocked.
const ALWAYS_UNLOCKED: &str = "scheduleId";

/// Returns true if the children of the template `document` may have their own value of `key`.
pub fn is_unlocked(document: &JsonMap, key: &str) -> bool {
    let fields = document
        .get("metadata")
        .and_then(|metadata| metadata.get("managedEventConfig"))
        .and_then(|config| config.get("unlockedFields"));
    key == ALWAYS_UNLOCKED
        || fields
            .and_then(|fields| fields.get(key))
            .is_some_and(|value| *value != Value::Bool(false))
}

/// Creates or updates the child of each host of the template, and deletes the children of former
/// hosts.
pub async fn sync_children(db: &mut Db, now: Instant, template: &Record) -> Result<()> {
    let hosts = record::hosts(db, template.id).await?;
    let mut children = record::children(db, template.id).await?;
    for host in hosts {
        let owner = Owner::User(host.user_id);
        let existing = children
            .iter()
            .position(|child| child.owner == owner)
            .map(|index| children.swap_remove(index));
        let own_document = existing.as_ref().map(|child| &child.document);
        let child = Record {
            id: existing.as_ref().map_or(0, |child| child.id),
            owner,
            parent_id: Some(template.id),
            scheduling_type: None,
            assign_all: false,
            document: child_document(&template.document, own_document),
        };
        let result = match existing {
            Some(_) => record::update(db, now, &child).await.map(|()| child.id),
            None => record::insert(db, now, &child).await,
        };
        let id = result.map_err(|error| {
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
        let assignment = HostAssignment {
            fixed: false,
            ..host
        };
        record::set_hosts(db, id, &[assignment]).await?;
    }
    for child in children {
        record::delete(db, child.id).await?;
    }
    Ok(())
}

/// Returns the template's document with the child's values of unlocked fields.
fn child_document(template: &JsonMap, own_document: Option<&JsonMap>) -> JsonMap {
    let mut document = template.clone();
    // The template's schedule belongs to another user.
    document.remove(ALWAYS_UNLOCKED);
    for (key, value) in own_document.into_iter().flatten() {
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
    fn child_document_keeps_only_unlocked_fields() {
        let template = map(json!({
            "title": "Call", "lengthInMinutes": 30, "scheduleId": 1,
            "metadata": {"managedEventConfig": {"unlockedFields": {"locations": true, "title": false}}},
        }));
        let own =
            map(json!({"title": "Mine", "lengthInMinutes": 60, "scheduleId": 9, "locations": [1]}));
        let child = child_document(&template, Some(&own));
        assert_eq!(child["title"], "Call");
        assert_eq!(child["lengthInMinutes"], 30);
        assert_eq!(child["scheduleId"], 9);
        assert_eq!(child["locations"], json!([1]));
        assert_eq!(child_document(&template, None).get("scheduleId"), None);
    }
}
