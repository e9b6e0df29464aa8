//! Made-up messages and pages that show every part of the templates.

use booking_wire::Instant;

use crate::data::{BookingData, CodeData, MessageData, Person, SeriesData};
use crate::input::{Branding, MessageInput, PageAction, PageInput, PageState};
use crate::message::{Kind, Links, Recipient, Role};

/// All roles.
const ROLES: [Role; 4] = [Role::Attendee, Role::Guest, Role::Host, Role::FormerHost];

/// States of a page.
const STATES: [PageState; 16] = [
    PageState::Question(PageAction::Cancel),
    PageState::Question(PageAction::Confirm),
    PageState::Question(PageAction::Decline),
    PageState::Question(PageAction::StopReminders),
    PageState::Done(PageAction::Cancel),
    PageState::Done(PageAction::Confirm),
    PageState::Done(PageAction::Decline),
    PageState::Done(PageAction::StopReminders),
    PageState::Already(PageAction::Cancel),
    PageState::Already(PageAction::Confirm),
    PageState::Already(PageAction::Decline),
    PageState::Superseded,
    PageState::Expired,
    PageState::Invalid,
    PageState::Taken,
    PageState::Failed,
];

/// A booking with everything that messages about it need.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The booking, in messages without a reason.
    pub booking: MessageData,
    /// The booking after a change for which there is a reason.
    pub changed_booking: MessageData,
    /// The booking after a change of law.
    pub shifted_booking: MessageData,
    /// The code.
    pub code: MessageData,
    /// One for each role.
    pub recipients: Vec<Recipient>,
    /// All URLs.
    pub links: Links,
    /// URLs of an attendee.
    pub attendee_links: Links,
    /// URLs of a guest, and of anybody if the meeting does not take place.
    pub guest_links: Links,
    /// URLs of an attendee who has cancelled.
    pub ended_links: Links,
    /// URLs of a host of a confirmed booking.
    pub host_links: Links,
    /// URLs of a host of a request.
    pub request_links: Links,
    /// Company.
    pub branding: Branding,
}

impl Sample {
    /// Returns a sample with everything and one with the least.
    pub fn all() -> [Self; 2] {
        [Self::full("en", "Europe/Berlin"), Self::least("ar")]
    }

    /// Returns a booking with everything, for recipients in a language and time zone.
    pub fn full(language: &str, time_zone: &str) -> Self {
        let person = |name: &str, email: &str| Person {
            name: name.to_owned(),
            email: email.to_owned(),
            time_zone: time_zone.to_owned(),
            language: language.to_owned(),
            ..Person::default()
        };
        let at = |text: &str| Instant::parse(text).unwrap_or_default();
        let grace = person("Grace Hopper", "grace@example.org");
        let alan = person("Alan Turing", "alan@example.org");
        let ada = person("Ada Lovelace", "ada@example.com");
        let guests = vec![
            person("", "mary@example.com"),
            person("Emmy Noether", "emmy@example.com"),
        ];
        let booking = BookingData {
            uid: "sample".to_owned(),
            title: "Introduction between Grace Hopper and Ada Lovelace".to_owned(),
            event_type: "Introduction".to_owned(),
            colour: "#0f766e".to_owned(),
            start: at("2027-03-09T08:30:00Z"),
            end: at("2027-03-09T09:00:00Z"),
            previous_time: Some((at("2027-03-08T13:00:00Z"), at("2027-03-08T13:30:00Z"))),
            is_confirmed: true,
            location: "https://meet.example.org/grace".to_owned(),
            previous_location: Some("Market Street 1, 3rd floor".to_owned()),
            notes: "I would like to talk about the engine.\n\nCould you show me the plans?"
                .to_owned(),
            answers: vec![("Company".to_owned(), "Analytical Engines Ltd".to_owned())],
            hosts: vec![grace.clone()],
            former_hosts: vec![alan.clone()],
            attendees: vec![ada.clone()],
            new_guests: vec!["emmy@example.com".to_owned()],
            guests: guests.clone(),
            ..BookingData::default()
        };
        let code = CodeData {
            code: "482913".to_owned(),
            valid_minutes: 15,
            person: ada.clone(),
        };
        let people = [
            ada,
            guests.into_iter().next().unwrap_or_default(),
            grace,
            alan,
        ];
        let recipients = ROLES
            .into_iter()
            .zip(people)
            .map(|(role, person)| Recipient { role, person })
            .collect();
        let link = |path: &str| {
            Some(format!(
                "https://booking.example.org/{path}/sample?token=k7Jq2"
            ))
        };
        let changed_booking = BookingData {
            reason: Some("Something came up at short notice.".to_owned()),
            ..booking.clone()
        };
        let shifted_booking = BookingData {
            previous_time: None,
            told_offsets: [(time_zone.to_owned(), 0)].into(),
            ..booking.clone()
        };
        let links = Links {
            manage: link("booking"),
            reschedule: link("reschedule"),
            cancel: link("cancel"),
            book_again: None,
            confirm: link("confirm"),
            decline: link("decline"),
            stop_reminders: link("stop-reminders"),
        };
        let guest_links = Links {
            manage: link("booking"),
            ..Links::default()
        };
        let host_links = Links {
            reschedule: link("reschedule"),
            cancel: link("cancel"),
            ..guest_links.clone()
        };
        let request_links = Links {
            confirm: link("confirm"),
            decline: link("decline"),
            ..guest_links.clone()
        };
        Self {
            booking: MessageData::Booking(Box::new(booking)),
            changed_booking: MessageData::Booking(Box::new(changed_booking)),
            shifted_booking: MessageData::Booking(Box::new(shifted_booking)),
            code: MessageData::Code(code),
            recipients,
            links,
            attendee_links: Links {
                stop_reminders: link("stop-reminders"),
                ..host_links.clone()
            },
            ended_links: Links {
                book_again: link("again"),
                ..guest_links.clone()
            },
            guest_links,
            host_links,
            request_links,
            branding: Branding {
                name: "Analytical Engines".to_owned(),
                footer: "Analytical Engines Ltd\nMarket Street 1, London".to_owned(),
                ..Branding::default()
            },
        }
    }

    /// Returns a booking with as little as possible, in a series.
    fn least(language: &str) -> Self {
        let person = Person {
            language: language.to_owned(),
            ..Person::default()
        };
        let starts = vec![Instant::default(), Instant(1)];
        let booking = BookingData {
            series: Some(SeriesData {
                starts,
                ..SeriesData::default()
            }),
            ..BookingData::default()
        };
        let recipients = ROLES.map(|role| Recipient {
            role,
            person: person.clone(),
        });
        let booking = MessageData::Booking(Box::new(booking));
        Self {
            changed_booking: booking.clone(),
            shifted_booking: booking.clone(),
            booking,
            code: MessageData::Code(CodeData::default()),
            recipients: recipients.to_vec(),
            links: Links::default(),
            attendee_links: Links::default(),
            guest_links: Links::default(),
            ended_links: Links::default(),
            host_links: Links::default(),
            request_links: Links::default(),
            branding: Branding {
                logo: "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=".to_owned(),
                ..Branding::default()
            },
        }
    }

    /// Returns messages of each kind to each role.
    pub fn messages(&self) -> impl Iterator<Item = MessageInput<'_>> {
        Kind::ALL.into_iter().flat_map(move |kind| {
            self.recipients.iter().map(move |recipient| MessageInput {
                kind,
                data: self.data(kind),
                recipient,
                links: self.links_for(kind, recipient.role),
                branding: &self.branding,
            })
        })
    }

    fn data(&self, kind: Kind) -> &MessageData {
        match kind {
            Kind::VerificationCode => &self.code,
            Kind::Cancelled | Kind::Declined | Kind::Rescheduled | Kind::HostReassigned => {
                &self.changed_booking
            }
            Kind::ClocksChanged => &self.shifted_booking,
            _ => &self.booking,
        }
    }

    fn links_for(&self, kind: Kind, role: Role) -> &Links {
        match (kind, role) {
            (Kind::Cancelled | Kind::Declined, _) | (_, Role::Guest | Role::FormerHost) => {
                &self.guest_links
            }
            (Kind::Requested, Role::Host) => &self.request_links,
            (_, Role::Host) => &self.host_links,
            (_, Role::Attendee) => &self.attendee_links,
        }
    }

    /// Returns pages in each state.
    pub fn pages(&self) -> impl Iterator<Item = PageInput<'_>> {
        let booking = match &self.booking {
            MessageData::Booking(booking) => Some(&**booking),
            MessageData::Code(_) => None,
        };
        STATES.into_iter().map(move |state| {
            let is_for_host = matches!(
                state,
                PageState::Question(PageAction::Confirm | PageAction::Decline)
                    | PageState::Done(PageAction::Confirm | PageAction::Decline)
                    | PageState::Already(PageAction::Confirm | PageAction::Decline)
            );
            PageInput {
                state,
                booking,
                recipient: self.recipients.get(if is_for_host { 2 } else { 0 }),
                language: "",
                app_url: match state {
                    PageState::Question(PageAction::Cancel) => {
                        "https://booking.example.org/booking/sample?step=cancel"
                    }
                    _ => "",
                },
                links: match state {
                    PageState::Question(PageAction::Confirm | PageAction::Decline)
                    | PageState::Taken => &self.request_links,
                    PageState::Question(_) => &self.attendee_links,
                    PageState::Done(PageAction::Cancel) => &self.ended_links,
                    _ => &self.guest_links,
                },
                branding: &self.branding,
                now: Instant::default(),
            }
        })
    }
}
