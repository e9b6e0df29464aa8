//! Bodies of messages: the default envelope, or the subscriber's filled template.

use booking_wire::Instant;
use serde_json::{Value, json};

use super::retries_and_limits::MAX_BODY_BYTES;
use super::template::{Format, Template};
use crate::store::messages::deliveries::DueDelivery;

/// Content type of a JSON body.
pub const JSON: &str = "application/json";

/// Content type of every other body.
pub const FORM: &str = "application/x-www-form-urlencoded";

/// A body as it is sent and signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// Text of the body.
    pub text: String,
    /// [`JSON`] or [`FORM`].
    pub content_type: String,
    /// Warning for the webhook's owner if the template was not used.
    pub note: Option<String>,
}

/// A body that cannot be sent, now or later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    /// The body exceeds [`MAX_BODY_BYTES`].
    #[error("the message is larger than 256 KiB")]
    TooLarge,
    /// The payload is missing or damaged.
    #[error("the message cannot be read any more")]
    Unreadable,
}

/// Builds the body of a delivery. `base_url` is the address of the service.
///
/// Uses the webhook's current template. While it does not change, each attempt has the same body.
pub fn body(delivery: &DueDelivery, base_url: &str) -> Result<Body, BodyError> {
    let Some(payload) = &delivery.payload else {
        return finished(delivery);
    };
    let mut payload: Value = serde_json::from_str(payload).map_err(|_| BodyError::Unreadable)?;
    if let Some(booker_url) = payload.get_mut("bookerUrl") {
        *booker_url = base_url.into();
    }
    let message = json!({
        "triggerEvent": delivery.trigger_name,
        "createdAt": Instant(delivery.created_ms),
        "payload": payload,
    });
    let Some(template) = &delivery.payload_template else {
        return plain(&message, None);
    };
    let template = Template::parse(template);
    let format = template.format();
    match template.fill(format, &message, MAX_BODY_BYTES) {
        Ok(text) => Ok(Body {
            text,
            content_type: match format {
                Format::Json => JSON,
                Format::Form => FORM,
            }
            .to_owned(),
            note: None,
        }),
        Err(_) => plain(
            &message,
            Some("the filled template is larger than 256 KiB: sent without it"),
        ),
    }
}

fn plain(message: &Value, note: Option<&str>) -> Result<Body, BodyError> {
    let text = message.to_string();
    if text.len() > MAX_BODY_BYTES {
        return Err(BodyError::TooLarge);
    }
    Ok(Body {
        text,
        content_type: JSON.to_owned(),
        note: note.map(str::to_owned),
    })
}

/// Body of a delivery that an earlier version of the service built when the event occurred.
fn finished(delivery: &DueDelivery) -> Result<Body, BodyError> {
    if delivery.body.is_empty() {
        return Err(BodyError::Unreadable);
    }
    if delivery.body.len() > MAX_BODY_BYTES {
        return Err(BodyError::TooLarge);
    }
    Ok(Body {
        text: delivery.body.clone(),
        content_type: delivery.content_type.clone(),
        note: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delivery(payload: Value, template: Option<&str>) -> DueDelivery {
        DueDelivery {
            id: 1,
            webhook_id: "hook".into(),
            trigger_name: "BOOKING_CREATED".into(),
            created_ms: 1_803_888_000_000,
            due_ms: 1_803_888_000_000,
            attempts: 0,
            payload: Some(payload.to_string()),
            body: String::new(),
            content_type: String::new(),
            subscriber_url: "https://example.org".into(),
            payload_template: template.map(str::to_owned),
            secret: None,
            version: "2021-10-20".into(),
            trace_parent: None,
        }
    }

    #[test]
    fn body_without_a_template_is_the_envelope() {
        let payload = json!({"organizer": {"id": 5}, "bookerUrl": null});
        let body = body(&delivery(payload, None), "https://book.example").unwrap();
        assert_eq!(body.content_type, JSON);
        assert_eq!(body.note, None);
        let sent: Value = serde_json::from_str(&body.text).unwrap();
        assert_eq!(
            sent,
            json!({
                "triggerEvent": "BOOKING_CREATED",
                "createdAt": "2027-03-01T08:00:00.000Z",
                "payload": {"organizer": {"id": 5}, "bookerUrl": "https://book.example"},
            })
        );
    }

    #[test]
    fn template_beyond_the_limit_is_replaced_by_the_envelope() {
        let notes = "n".repeat(MAX_BODY_BYTES / 3);
        let payload = json!({"notes": notes});
        let plain = body(&delivery(payload.clone(), None), "").unwrap();
        for (count, is_filled) in [(2, true), (4, false)] {
            let template = "{{notes}}".repeat(count);
            let body = body(&delivery(payload.clone(), Some(&template)), "").unwrap();
            assert!(body.text.len() <= MAX_BODY_BYTES);
            assert_eq!(body.note.is_none(), is_filled);
            if is_filled {
                assert_eq!(body.content_type, FORM);
                assert_eq!(body.text, notes.repeat(count));
            } else {
                assert_eq!(body.content_type, JSON);
                assert_eq!(body.text, plain.text);
            }
        }
    }

    #[test]
    fn envelope_beyond_the_limit_is_not_sent() {
        let payload = json!({"notes": "n".repeat(MAX_BODY_BYTES), "title": "Intro"});
        let error = body(&delivery(payload.clone(), None), "");
        assert_eq!(error, Err(BodyError::TooLarge));
        let error = body(&delivery(payload.clone(), Some("{{notes}}{{notes}}")), "");
        assert_eq!(error, Err(BodyError::TooLarge));
        let short = body(&delivery(payload, Some("{{title}}")), "").unwrap();
        assert_eq!(short.text, "\"Intro\"");
    }

    #[test]
    fn stored_body_of_an_earlier_version_is_sent_unchanged() {
        let mut earlier = delivery(Value::Null, Some("{{title}}"));
        earlier.payload = None;
        assert_eq!(body(&earlier, ""), Err(BodyError::Unreadable));
        earlier.body = "a=1".into();
        earlier.content_type = FORM.into();
        let body = body(&earlier, "").unwrap();
        assert_eq!(
            (body.text.as_str(), body.content_type.as_str()),
            ("a=1", FORM)
        );
    }
}
