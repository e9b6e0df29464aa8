//! A subscriber of webhooks.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::http;
use crate::proxy::wait_until;

/// A message.
#[derive(Clone, Debug)]
pub struct Message {
    pub trigger: String,
    pub uid: String,
    pub rescheduled_uid: Option<String>,
}

/// Records messages; its thread ends with the test program.
pub struct Receiver {
    address: String,
    messages: Arc<Mutex<Vec<Message>>>,
}

impl Receiver {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let messages = Arc::<Mutex<Vec<Message>>>::default();
        let recorded = messages.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let recorded = recorded.clone();
                thread::spawn(move || receive(stream, &recorded));
            }
        });
        Self { address, messages }
    }

    pub fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// Adds a webhook of the demo's organisation that sends the changes of bookings here.
    pub fn subscribe(&self, service: &str, owner: &str) {
        let webhook = json!({
            "subscriberUrl": self.url(),
            "triggers": ["BOOKING_CREATED", "BOOKING_RESCHEDULED", "BOOKING_CANCELLED"],
            "active": true,
        });
        let target = "/v2/organizations/1/webhooks";
        let made = http::post(service, target, owner, &webhook).unwrap();
        assert_eq!(made.status, 201, "{}", made.text);
    }

    /// Waits for messages by trigger and uid.
    pub fn wait_for(&self, expected: &[(&'static str, String)]) {
        wait_until("all messages have arrived", || {
            let received = first_positions(&self.received());
            expected
                .iter()
                .all(|(trigger, uid)| received.contains_key(&((*trigger).to_owned(), uid.clone())))
        });
    }

    /// Messages in the order of their arrival.
    pub fn received(&self) -> Vec<Message> {
        self.messages.lock().unwrap().clone()
    }
}

/// Position of the first message by trigger and uid.
pub fn first_positions(messages: &[Message]) -> HashMap<(String, String), usize> {
    let mut positions = HashMap::new();
    for (position, message) in messages.iter().enumerate() {
        let key = (message.trigger.clone(), message.uid.clone());
        positions.entry(key).or_insert(position);
    }
    positions
}

/// Records the message of a request; none if its sender was killed.
fn receive(stream: TcpStream, recorded: &Mutex<Vec<Message>>) -> Option<()> {
    stream
        .set_read_timeout(Some(Duration::from_secs(10)))
        .ok()?;
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader
            .read_line(&mut line)
            .ok()
            .filter(|count| *count > 0)?;
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body: Value = serde_json::from_slice(&body).ok()?;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    recorded.lock().unwrap().push(Message {
        trigger: text(&body["triggerEvent"])?,
        uid: text(&body["payload"]["uid"])?,
        rescheduled_uid: text(&body["payload"]["rescheduleUid"]),
    });
    let response = b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
    reader.into_inner().write_all(response).ok()
}
