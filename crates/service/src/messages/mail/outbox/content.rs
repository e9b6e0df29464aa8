//! Text, invitation and links of a stored message.

use booking_mail::data::{CodeData, MessageData, Person};
use booking_mail::invitation::{Invitation, invitation};
use booking_mail::message::{Kind, Links, Recipient, Role};
use booking_mail::templates::{MessageInput, Rendered};

use crate::app::AppState;
use crate::error::{Error, Result};
use crate::messages::mail_links;
use crate::store::messages::mail::StoredMessage;

/// Content of a message.
#[derive(Clone, Debug)]
pub struct Content {
    /// Kind.
    pub kind: Kind,
    /// Recipient.
    pub recipient: Recipient,
    /// Person who gets the answer to the message, unless the settings have an address for answers.
    pub counterpart: Option<Person>,
    /// Subject, text and HTML.
    pub rendered: Rendered,
    /// Calendar invitation.
    pub invitation: Option<Invitation>,
    /// URLs.
    pub links: Links,
}

/// Renders a stored message. All attempts and the outbox's pages have the same content.
///
/// # Errors
///
/// [`Error::Internal`] if the stored data cannot be read or rendered.
pub fn content(app: &AppState, message: &StoredMessage) -> Result<Content> {
    let kind = Kind::from_name(&message.kind)
        .ok_or_else(|| Error::internal("a stored message has an unknown kind"))?;
    let role = Role::from_name(&message.role)
        .ok_or_else(|| Error::internal("a stored message has an unknown role"))?;
    let data = match serde_json::from_str(&message.data)? {
        MessageData::Booking(booking) => {
            MessageData::Booking(Box::new(booking.as_seen_by(role, &message.email)))
        }
        code @ MessageData::Code(_) => code,
    };
    let person = person(&data, role, &message.email)
        .ok_or_else(|| Error::internal("a stored message has no recipient"))?;
    let recipient = Recipient { role, person };
    let links = match &data {
        MessageData::Booking(booking) => mail_links::links(app, kind, booking, &recipient),
        MessageData::Code(_) => Links::default(),
    };
    let mail = &app.settings.mail;
    let input = MessageInput {
        kind,
        data: &data,
        recipient: &recipient,
        links: &links,
        branding: &mail.branding,
    };
    let rendered = mail.templates.message(input).map_err(|error| {
        let kind = kind.name();
        Error::internal(format!(
            "a message of kind {kind} cannot be rendered: {error}"
        ))
    })?;
    let (invitation, counterpart) = match &data {
        MessageData::Booking(booking) => {
            // Others read the calendars of hosts.
            let page = links.manage.as_deref();
            let page = page.filter(|_| !role.is_host());
            let elsewhere = mail.templates.time_elsewhere(booking, &recipient);
            let elsewhere = elsewhere.as_deref();
            (
                invitation(kind, booking, &recipient, page, elsewhere, mail.sender()),
                recipient.counterpart(booking).cloned(),
            )
        }
        MessageData::Code(_) => (None, None),
    };
    Ok(Content {
        kind,
        recipient,
        counterpart,
        rendered,
        invitation,
        links,
    })
}

/// Finds the recipient among the people of the message.
fn person(data: &MessageData, role: Role, email: &str) -> Option<Person> {
    let people = match data {
        MessageData::Code(CodeData { person, .. }) => return Some(person.clone()),
        MessageData::Booking(booking) => match role {
            Role::Attendee => &booking.attendees,
            Role::Guest => &booking.guests,
            Role::Host => &booking.hosts,
            Role::FormerHost => &booking.former_hosts,
        },
    };
    people.iter().find(|person| person.email == email).cloned()
}
