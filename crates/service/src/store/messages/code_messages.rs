//! Messages with codes that verify addresses, in the outbox.

use booking_mail::data::{CodeData, MessageData};
use booking_mail::message::{Kind, Role};
use booking_smtp::email_address::mailbox_key;
use booking_store_engine::connection::Db;
use booking_wire::Instant;

use crate::error::{Error, Result};
use crate::store::messages::mail::{EventMessages, NewMessage, Status, insert_messages};
use crate::store::messages::mail_events::insert_expanded;

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
    let message = NewMessage {
        role: Role::Attendee,
        email: code.person.email.clone(),
        mailbox: mailbox_key(&code.person.email),
        message_id: message_id.clone(),
        status,
        problem: None,
        due: None,
    };
    let mut event = EventMessages {
        event_id: 0,
        kind,
        booking_uid: String::new(),
        event_type_id: None,
        tenant: String::new(),
        source: String::new(),
        // Unique: no message waits for another one.
        order_key: message_id,
        sequence: 0,
        data: serde_json::to_string(&data).map_err(Error::internal)?,
        messages: vec![message],
    };
    // Its message is known already, so that it need not be made from the event.
    event.event_id = insert_expanded(db, &event, now).await?;
    insert_messages(db, [&event], now).await
}
