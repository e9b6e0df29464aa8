//! A service in this process, with a mail server.

use std::collections::BTreeSet;
use std::time::Duration;

use booking_service::cli::mail::{MailList, MailRetry, list, retry};
use booking_service::messages::webhooks::http_client::Reach;
use booking_service::process::worker::Worker;
use booking_smtp::settings::SmtpSettings;
use serde_json::{Value, json};

use crate::common::{HOST, Service};
use crate::fixture::{header, settings};
use crate::mail_server::MailServer;

pub const ZOE: &str = "zoe@example.org";
pub const HOST_ADDRESS: &str = "host100@northwind.example";
pub const OTHER_ADDRESS: &str = "host101@northwind.example";

/// Service and mail server.
pub struct MailService {
    pub service: Service,
    pub server: MailServer,
}

impl MailService {
    pub async fn start() -> Self {
        let server = MailServer::start(&[]);
        let smtp = settings(&server);
        Self::with(server, smtp).await
    }

    pub async fn with(server: MailServer, smtp: SmtpSettings) -> Self {
        let mut service = Service::start().await;
        // No reminders of the bookings of the demo.
        service
            .sql("UPDATE bookings SET status = 'cancelled'")
            .await;
        set_mail(&mut service, smtp);
        Self { service, server }
    }

    pub fn worker(&self) -> Worker {
        worker(&self.service)
    }

    /// Sends all due messages; returns the number of attempts.
    pub async fn send(&self) -> usize {
        self.worker().mail_round().await.unwrap()
    }

    pub fn advance_minutes(&self, minutes: i64) {
        self.service.app.clock.advance_minutes(minutes);
    }

    pub async fn book(&self, body: Value) -> Value {
        let response = self.service.post("/v2/bookings", body).await;
        response.data().clone()
    }

    /// Acts as `HOST`.
    pub async fn act(&self, booking: &Value, action: &str, body: Value) -> Value {
        let method = if action == "location" {
            "PATCH"
        } else {
            "POST"
        };
        let bearer = self.service.bearer_of(HOST).await;
        let target = format!("/v2/bookings/{}/{action}", text(&booking["uid"]));
        let response = self.service.request(method, &target, &bearer, body).await;
        response.data().clone()
    }

    /// Output of `service mail list --all`.
    pub async fn list(&self) -> String {
        let data = self.service.data();
        let options = MailList {
            data,
            all: true,
            failed: false,
        };
        list(&options).await.unwrap()
    }

    /// The line of a list about messages to an address.
    pub async fn listed(&self, email: &str) -> Vec<String> {
        let shown = self.list().await;
        let lines = shown.lines().filter(|line| line.contains(email));
        lines.map(str::to_owned).collect()
    }

    /// `service mail retry ID`, or `--failed` without an id.
    pub async fn retry(&self, id: Option<i64>) -> String {
        let data = self.service.data();
        let failed = id.is_none();
        retry(&MailRetry { data, id, failed }).await.unwrap()
    }
}

/// Sends messages with these settings from now on.
pub fn set_mail(service: &mut Service, smtp: SmtpSettings) {
    service.restart_with(|settings| {
        settings.mail.smtp = Some(smtp);
        settings.mail_is_available = true;
    });
}

pub fn worker(service: &Service) -> Worker {
    Worker::new(service.app.clone(), Reach::Public, Duration::from_secs(5)).unwrap()
}

pub fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// The one recipient of a received message.
pub fn recipient(message: &Value) -> &str {
    let to = message["envelope"]["to"].as_array().unwrap();
    assert_eq!(to.len(), 1, "{to:?}");
    text(&to[0])
}

/// Messages to an address, oldest first.
pub fn messages_to<'a>(messages: &'a [Value], email: &str) -> Vec<&'a Value> {
    let to = messages.iter().filter(|it| recipient(it) == email);
    to.collect()
}

pub fn recipients(messages: &[Value]) -> BTreeSet<&str> {
    messages.iter().map(recipient).collect()
}

pub fn message_id(message: &Value) -> &str {
    header(message, "Message-ID").unwrap()
}

pub fn subject(message: &Value) -> &str {
    header(message, "Subject").unwrap()
}

/// Text part of a message.
pub fn body(message: &Value) -> &str {
    text(&message["parts"][0]["text"])
}

/// The one entry of a message's invitation.
pub fn entry(message: &Value) -> &Value {
    let events = message["calendar"]["events"].as_array();
    let events = events.unwrap_or_else(|| panic!("no invitation: {}", subject(message)));
    assert_eq!(events.len(), 1, "{events:#?}");
    &events[0]
}

/// Asserts what each message has to be.
#[track_caller]
pub fn assert_well_formed(message: &Value) {
    assert_eq!(message["defects"], json!([]), "{message:#}");
    assert_eq!(message["bare_line_ends"], 0);
    assert_eq!(message["has_nul"], false);
    assert!(message["longest_line"].as_u64().unwrap() <= 998);
    let to = &message["addresses"]["To"];
    assert_eq!(to[0][1], recipient(message), "{to}");
    assert_eq!(to.as_array().unwrap().len(), 1, "{to}");
    let names: BTreeSet<String> = message["headers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|header| text(&header[0]).to_ascii_lowercase())
        .collect();
    const KNOWN: [&str; 13] = [
        "auto-submitted",
        "content-language",
        "content-transfer-encoding",
        "content-type",
        "date",
        "from",
        "list-unsubscribe",
        "list-unsubscribe-post",
        "message-id",
        "mime-version",
        "reply-to",
        "subject",
        "to",
    ];
    for name in &names {
        assert!(
            KNOWN.contains(&name.as_str()) || name.starts_with("x-auto"),
            "header {name}"
        );
    }
}
