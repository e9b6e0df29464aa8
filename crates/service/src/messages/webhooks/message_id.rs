//! Ids of messages, for receivers and owners.

/// Returns the id of a delivery's message: the same in each attempt, and of no other message. The time is in it because
/// SQLite can give the id of a deleted delivery to a later one.
pub fn message_id(webhook_id: &str, created_ms: i64, delivery_id: i64) -> String {
    format!("msg_{webhook_id}_{created_ms}_{delivery_id}")
}

/// Returns the id of the delivery that may have a message with this id.
pub fn delivery_id(message_id: &str) -> Option<i64> {
    let (_, id) = message_id.rsplit_once('_')?;
    id.parse().ok()
}
