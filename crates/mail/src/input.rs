//! Input that messages and pages are rendered from.

use booking_wire::Instant;

use crate::data::{BookingData, MessageData};
use crate::message::{Kind, Links, Recipient};

/// Name, colours and footer of the company.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Branding {
    /// Name of the company; may be empty.
    pub name: String,
    /// Colour of buttons and links, as `#rrggbb`; empty for the default.
    pub colour: String,
    /// `data:` URL of the logo; empty if there is none. Messages contain no remote content.
    pub logo: String,
    /// Text at the end of each message, such as the address of the company; may be empty.
    pub footer: String,
}

/// Input of a message.
#[derive(Clone, Copy, Debug)]
pub struct MessageInput<'a> {
    /// Event that it is about.
    pub kind: Kind,
    /// Data at the time of the event.
    pub data: &'a MessageData,
    /// Recipient, who decides on language, time zone and content.
    pub recipient: &'a Recipient,
    /// URLs.
    pub links: &'a Links,
    /// Name and colours of the company.
    pub branding: &'a Branding,
}

/// Action of a page that a link opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageAction {
    /// Cancels the booking.
    Cancel,
    /// Confirms the booking.
    Confirm,
    /// Declines the booking.
    Decline,
    /// Stops reminders.
    StopReminders,
}

/// State of a page that a link opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageState {
    /// Asks whether to act: a form that posts to the same URL, with a field `reason` to cancel or decline.
    Question(PageAction),
    /// The action was done.
    Done(PageAction),
    /// The booking was confirmed, cancelled or declined before, by this link or otherwise.
    Already(PageAction),
    /// The booking has changed in another way, or the recipient has no part in it any more.
    Superseded,
    /// The link has expired.
    Expired,
    /// The link is not valid.
    Invalid,
    /// The booking cannot be confirmed: a host has another one at that time.
    Taken,
    /// The service could not act, for example because the database is locked; the visitor may try again.
    Failed,
}

/// Input of a page.
#[derive(Clone, Copy, Debug)]
pub struct PageInput<'a> {
    /// State.
    pub state: PageState,
    /// The booking; none if nothing may be revealed.
    pub booking: Option<&'a BookingData>,
    /// Person who opened the link; none if it is not valid.
    pub recipient: Option<&'a Recipient>,
    /// BCP 47 tag for a page without recipient, from the browser; may be empty.
    pub language: &'a str,
    /// Links to other actions and to the page of the booking.
    pub links: &'a Links,
    /// URL of the app's page with the same question, which browsers with scripts open instead; empty if there is none.
    pub app_url: &'a str,
    /// Name and colours of the company.
    pub branding: &'a Branding,
    /// Time of the request.
    pub now: Instant,
}
