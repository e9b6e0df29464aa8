//! Messages with codes that verify addresses, in the outbox.

use booking_mail::data::{CodeData, MessageData};
use booking_mail::message::{Kind, Role};
use booking_wire::Instant;

use crate::error::{Error, Result};
use crate::store::connection::Db;
use crate::store::mail::{EventMessages, NewMessage, Status, insert_messages};
use crate::store::sql;

/// Adds the message with a code to the outbox. `message_id` is a Message-ID without brackets.
pub async fn insert_code(
    db: &mut Db,
    code: &CodeData,
    message_id: String,
    status: Status,
    now: Instant,
) -> Result<()> {
    let kind = Kind::VerificationCode;
    let data = MessageData::Code(code.clone());
    let data = serde_json::to_string(&data).map_err(Error::internal)?;
    // Its message is known already, so that it need not be made from the event.
    let event_id: i64 = sql::query_scalar(
        "INSERT INTO mail_events (kind, booking_uid, data, expanded, created_ms)
         VALUES (?, '', ?, 1, ?) RETURNING id",
    )
    .bind(kind.name())
    .bind(&data)
    .bind(now.0)
    .fetch_one(&mut *db)
    .await?;
    let message = NewMessage {
        role: Role::Attendee,
        email: code.person.email.clone(),
        message_id: message_id.clone(),
        status,
        problem: None,
    };
    let event = EventMessages {
        event_id,
        kind,
        booking_uid: String::new(),
        event_type_id: None,
        // Unique: no message waits for another one.
        order_key: message_id,
        sequence: 0,
        data,
        messages: vec![message],
    };
    insert_messages(db, [&event], now).await
}
