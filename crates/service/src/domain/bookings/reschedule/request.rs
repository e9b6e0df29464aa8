//! Parses the request body of a reschedule.

use booking_wire::{Instant, JsonMap};
use serde_json::json;

use crate::error::Result;
use crate::input_limits::MAX_REASON_CHARS;
use crate::limits::Allowance;
use crate::validate::{Checks, Object, is_email};

/// Request to reschedule a booking.
#[derive(Clone, Debug)]
pub struct RescheduleRequest {
    /// Start of the new slot.
    pub start: Instant,
    /// Reason.
    pub reason: Option<String>,
    /// Email address of the person who reschedules.
    pub by: Option<String>,
    /// Uid of the seat to reschedule.
    pub seat_uid: Option<String>,
    /// Uid of the visitor's reservation of the new slot.
    pub reservation: Option<String>,
    /// Hash of the client, which identifies the visitor's reservations; empty if unknown.
    pub client_hash: String,
    /// Limits on the client; none if it is not limited.
    pub allowance: Option<Allowance>,
}

impl RescheduleRequest {
    /// Parses the request body.
    pub fn read(body: &JsonMap) -> Result<Self> {
        let mut checks = Checks::default();
        let object = Object::new(body, "");
        let text = |key: &str, checks: &mut Checks| object.text(key, checks).map(str::to_owned);
        let reason = text("reschedulingReason", &mut checks);
        if let Some(reason) = reason
            .as_ref()
            .filter(|reason| reason.chars().count() > MAX_REASON_CHARS)
        {
            let message = format!("must be at most {MAX_REASON_CHARS} characters long");
            checks.report("reschedulingReason", &json!(reason), "maxLength", &message);
        }
        let by = text("rescheduledBy", &mut checks);
        if let Some(by) = by.as_ref().filter(|by| !is_email(by)) {
            checks.report("rescheduledBy", &json!(by), "isEmail", "must be an email");
        }
        text("emailVerificationCode", &mut checks);
        let request = Self {
            start: object.instant("start", &mut checks),
            reason: reason.filter(|reason| !reason.trim().is_empty()),
            by,
            seat_uid: text("seatUid", &mut checks),
            reservation: text("reservedSlotUid", &mut checks),
            client_hash: String::new(),
            allowance: None,
        };
        object.reject_unread(&mut checks);
        checks.finish()?;
        Ok(request)
    }
}
