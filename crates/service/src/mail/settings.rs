//! Settings of e-mail.

use std::sync::Arc;

use booking_mail::templates::{Branding, Templates};

/// Settings of e-mail.
#[derive(Clone, Debug, Default)]
pub struct MailSettings {
    /// Mail server; without one, messages are kept.
    pub smtp: Option<SmtpSettings>,
    /// Texts.
    pub templates: Arc<Templates>,
    /// Name and colours of the company.
    pub branding: Arc<Branding>,
}

impl MailSettings {
    /// Returns the address that messages come from.
    pub fn sender(&self) -> String {
        // Messages that are only kept come from nobody.
        "booking@localhost.invalid".to_owned()
    }
}

/// stub
#[derive(Clone, Debug, Default)]
pub struct SmtpSettings {}
