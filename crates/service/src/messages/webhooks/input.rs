//! Reads the body of a request that creates or updates a webhook.

use booking_wire::{Read, Trigger, Webhook};
use reqwest::Url;
use serde_json::{Value, json};

use crate::error::Result;
use crate::input_limits::{MAX_TEMPLATE_CHARS, MAX_WEBHOOK_SECRET_CHARS};
use crate::messages::webhooks::template::Template;
use crate::validate::{Checks, Object, is_url};

/// The key of the list of triggers.
pub const TRIGGERS: &str = "triggers";

/// The only version of the payload.
const VERSION: &str = "2021-10-20";

/// Reads a new webhook, without its id and owner. `triggers` is the key of the list of triggers.
pub fn new(body: &Object<'_>, triggers: &str) -> Result<Webhook> {
    let mut checks = Checks::default();
    let missing = |key: &str, rule, message: &str, checks: &mut Checks| {
        if body.value(key).is_none() {
            checks.report(&body.path(key), &Value::Null, rule, message);
        }
    };
    missing("subscriberUrl", "isUrl", URL_MESSAGE, &mut checks);
    missing(triggers, "isArray", "must be an array", &mut checks);
    missing("active", "isBoolean", "must be a boolean", &mut checks);
    read(
        Webhook {
            version: VERSION.to_owned(),
            ..Webhook::default()
        },
        body,
        triggers,
        checks,
    )
}

/// Reads changes to `before`. Absent properties are unchanged; `null` removes a template or a
/// secret.
pub fn changed(before: &Webhook, body: &Object<'_>, triggers: &str) -> Result<Webhook> {
    read(before.clone(), body, triggers, Checks::default())
}

const URL_MESSAGE: &str = "must be an absolute http or https address";

fn read(
    mut webhook: Webhook,
    body: &Object<'_>,
    triggers: &str,
    mut checks: Checks,
) -> Result<Webhook> {
    let url = body.read(
        "subscriberUrl",
        "isUrl",
        URL_MESSAGE,
        &mut checks,
        |value| value.as_str().filter(|text| is_absolute_url(text)),
    );
    if let Some(url) = url {
        webhook.subscriber_url = url.to_owned();
    }
    if let Some(list) = self::triggers(body, triggers, &mut checks) {
        webhook.triggers = list;
    }
    let active = body.boolean("active", &mut checks);
    webhook.active = active.unwrap_or(webhook.active);
    if let Some(template) = optional_text(body, "payloadTemplate", MAX_TEMPLATE_CHARS, &mut checks)
    {
        let parsed = Template::parse(template.as_deref().unwrap_or_default());
        if let Err(error) = parsed.check() {
            let path = body.path("payloadTemplate");
            checks.report(&path, &Value::Null, "isTemplate", &error.to_string());
        }
        webhook.payload_template = template;
    }
    if let Some(secret) = optional_text(body, "secret", MAX_WEBHOOK_SECRET_CHARS, &mut checks) {
        webhook.secret = secret;
    }
    let version = body.text("version", &mut checks);
    if let Some(version) = version.filter(|version| *version != VERSION) {
        let message = format!("must be {VERSION}");
        checks.report(&body.path("version"), &json!(version), "isEnum", &message);
    }
    body.log_unread();
    checks.finish()?;
    Ok(webhook)
}

/// Reads an optional text; `Some(None)` if it is `null` or empty.
fn optional_text(
    body: &Object<'_>,
    key: &str,
    max_chars: usize,
    checks: &mut Checks,
) -> Option<Option<String>> {
    if body.is_null(key) {
        return Some(None);
    }
    let text = body.text(key, checks)?;
    if text.chars().count() > max_chars {
        let message = format!("must be at most {max_chars} characters long");
        checks.report(&body.path(key), &Value::Null, "maxLength", &message);
        return None;
    }
    Some((!text.is_empty()).then(|| text.to_owned()))
}

fn triggers(body: &Object<'_>, key: &str, checks: &mut Checks) -> Option<Vec<Trigger>> {
    let values = body.array(key, checks)?;
    let mut report = |value: &Value, rule, message: &str| {
        checks.report(&body.path(key), value, rule, message);
    };
    if values.is_empty() {
        report(&json!([]), "arrayNotEmpty", "should not be empty");
    }
    let mut triggers: Vec<Trigger> = Vec::new();
    for value in values {
        // Report one error only: the list may be long.
        match Trigger::read(value) {
            None => {
                let names: Vec<&str> = Trigger::ALL.iter().map(|known| known.as_str()).collect();
                let message = format!("must hold nothing but {}", names.join(", "));
                report(value, "isEnum", &message);
                return None;
            }
            Some(trigger) if triggers.contains(&trigger) => {
                report(value, "arrayUnique", "must not hold anything twice");
                return None;
            }
            Some(trigger) => triggers.push(trigger),
        }
    }
    Some(triggers)
}

fn is_absolute_url(text: &str) -> bool {
    is_url(text) && Url::parse(text).is_ok_and(|url| url.has_host())
}
