//! Settings and messages of the tests.

use std::time::Duration;

use booking_mail::invitation::{Invitation, Method};
use booking_mail::templates::Rendered;
use booking_smtp::address::Mailbox;
use booking_smtp::mime::Outgoing;
use booking_smtp::settings::{Sender, Server, SmtpSettings, Timeouts, parse_roots};
use booking_smtp::transport::{SendError, Transport};
use booking_wire::Instant;
use serde_json::Value;

use crate::mail_server::MailServer;

pub const CALENDAR: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nMETHOD:REQUEST\r\nBEGIN:VEVENT\r\n\
                            SUMMARY:Beratung für Ångström 👋\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

/// Settings for a server without encryption.
pub fn settings(server: &MailServer) -> SmtpSettings {
    settings_of(&server.url())
}

pub fn settings_of(url: &str) -> SmtpSettings {
    SmtpSettings {
        server: Server::parse(url, None).unwrap(),
        sender: Sender::parse("Booking desk <desk@example.org>", None, None).unwrap(),
        timeouts: Timeouts {
            connect: Duration::from_secs(5),
            command: Duration::from_secs(5),
            attempt: Duration::from_secs(20),
        },
    }
}

/// Settings that know the authority of the server's certificate.
pub fn trusting_settings(url: &str, server: &MailServer) -> SmtpSettings {
    let mut settings = settings_of(url);
    let pem = std::fs::read(server.ca_file()).unwrap();
    settings.server.extra_roots = parse_roots(&pem).unwrap();
    settings
}

pub fn outgoing(to: &str) -> Outgoing {
    Outgoing {
        message_id: "m1@example.org".to_owned(),
        to: Mailbox {
            name: "Ann Example".to_owned(),
            email: to.to_owned(),
        },
        reply_to: None,
        rendered: Rendered {
            subject: "Booked: Consultation".to_owned(),
            text: "Hello Ann,\n\nGrüße\n".to_owned(),
            html: "<!doctype html><p>Hello Ann,</p><p>Grüße</p>\n".to_owned(),
        },
        invitation: Some(Invitation {
            method: Method::Request,
            text: CALENDAR.to_owned(),
        }),
        stop_reminders: None,
        date: Instant::parse("2027-03-01T08:00:00Z").unwrap(),
        language: "de".to_owned(),
    }
}

pub async fn send(settings: &SmtpSettings, to: &str) -> Result<(), SendError> {
    Transport::new(settings).send(&outgoing(to)).await
}

/// Asserts that an attempt failed with `problem` in its sentence.
#[track_caller]
pub fn assert_failed(sent: Result<(), SendError>, is_final: bool, problem: &str) {
    let error = sent.expect_err(problem);
    assert!(error.problem.contains(problem), "{}", error.problem);
    assert_eq!(error.is_final, is_final, "{}", error.problem);
}

pub fn header<'a>(message: &'a Value, name: &str) -> Option<&'a str> {
    let headers = message["headers"].as_array().unwrap();
    let mut found = headers.iter().filter(|header| header[0] == name);
    let value = found.next()?[1].as_str();
    assert!(found.next().is_none(), "{name} occurs twice");
    value
}

/// Text with LF at the end of lines, as Python returns it.
pub fn with_lf(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}
