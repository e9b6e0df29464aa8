//! Calendar invitations (RFC 5546).

use crate::data::BookingData;
use crate::message::{Kind, Recipient};

/// What a calendar does with an invitation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Adds or updates the meeting.
    Request,
    /// Removes the meeting.
    Cancel,
}

impl Method {
    /// Returns the name in calendar files and content types.
    pub fn name(self) -> &'static str {
        match self {
            Self::Request => "REQUEST",
            Self::Cancel => "CANCEL",
        }
    }
}

/// Calendar invitation of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invitation {
    /// Value of METHOD.
    pub method: Method,
    /// Calendar file in UTF-8 with CRLF.
    pub text: String,
}

/// Returns the invitation in a message to the recipient; none if the message changes no calendar entry. `url` is the page
/// of the booking.
pub fn invitation(
    _kind: Kind,
    _booking: &BookingData,
    _recipient: &Recipient,
    _url: Option<&str>,
) -> Option<Invitation> {
    None
}
