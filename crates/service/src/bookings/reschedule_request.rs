//! Request body of a reschedule.

use booking_wire::{Instant, JsonMap};
use serde_json::json;

use crate::bookings::create_request::start;
use crate::error::Result;
use crate::input_limits::MAX_REASON_CHARS;
use crate::validate::{Checks, Object, is_email};

const KEYS: [&str; 6] = [
    "start",
    "reschedulingReason",
    "rescheduledBy",
    "seatUid",
    "emailVerificationCode",
    "reservedSlotUid",
];

/// Request to move a booking.
#[derive(Clone, Debug)]
pub struct RescheduleRequest {
    /// The new slot.
    pub start: Instant,
    /// Reason.
    pub reason: Option<String>,
    /// E-mail address of the person who moves it.
    pub by: Option<String>,
    /// The seat to move.
    pub seat_uid: Option<String>,
    /// The visitor's own reservation of the new slot.
    pub reservation: Option<String>,
    /// Client whose reservations are the visitor's own; empty if that cannot be told.
    pub client_hash: String,
}

impl RescheduleRequest {
    /// Reads the request body.
    pub fn read(body: &JsonMap) -> Result<Self> {
        let mut checks = Checks::default();
        let object = Object::new(body, "");
        object.allow(&KEYS, &mut checks);
        let text = |key: &str, checks: &mut Checks| object.text(key, checks).map(str::to_owned);
        let reason = text("reschedulingReason", &mut checks);
        if let Some(reason) = reason
            .as_ref()
            .filter(|reason| reason.chars().count() > MAX_REASON_CHARS)
        {
            let complaint = format!("must be at most {MAX_REASON_CHARS} characters long");
            checks.complain(
                "reschedulingReason",
                &json!(reason),
                "maxLength",
                &complaint,
            );
        }
        let by = text("rescheduledBy", &mut checks);
        if let Some(by) = by.as_ref().filter(|by| !is_email(by)) {
            checks.complain("rescheduledBy", &json!(by), "isEmail", "must be an email");
        }
        text("emailVerificationCode", &mut checks);
        let wanted = Self {
            start: start(object, &mut checks),
            reason: reason.filter(|reason| !reason.trim().is_empty()),
            by,
            seat_uid: text("seatUid", &mut checks),
            reservation: text("reservedSlotUid", &mut checks),
            client_hash: String::new(),
        };
        checks.finish()?;
        Ok(wanted)
    }
}
