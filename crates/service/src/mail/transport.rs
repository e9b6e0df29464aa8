//! stub

use super::settings::SmtpSettings;
use booking_mail::data::Person;
use booking_mail::invitation::Invitation;
use booking_mail::templates::Rendered;
use booking_wire::Instant;

/// stub
#[derive(Clone, Debug)]
pub struct Transport {}

/// stub
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// stub
    pub message_id: String,
    /// stub
    pub to: Person,
    /// stub
    pub rendered: Rendered,
    /// stub
    pub invitation: Option<Invitation>,
    /// stub
    pub stop_reminders: Option<String>,
    /// stub
    pub date: Instant,
    /// stub
    pub language: String,
}

/// stub
#[derive(Clone, Debug)]
pub struct SendError {
    /// stub
    pub problem: String,
    /// stub
    pub is_final: bool,
}

impl Transport {
    /// stub
    pub fn new(_: &SmtpSettings) -> crate::error::Result<Self> {
        Ok(Self {})
    }

    /// stub
    pub async fn send(&self, _: &Outgoing) -> Result<(), SendError> {
        Ok(())
    }
}
