//! Reads what is asked of a webhook.

use booking_wire::{Read, Trigger, Webhook};
use reqwest::Url;
use serde_json::{Value, json};

use crate::error::Result;
use crate::input_limits::{MAX_TEMPLATE_CHARS, MAX_WEBHOOK_SECRET_CHARS};
use crate::validate::{Checks, Object, is_url};
use crate::webhooks::template::Template;

/// The key of the list of triggers.
pub const TRIGGERS: &str = "triggers";

/// The only form of the payload.
const VERSION: &str = "2021-10-20";

/// Reads a new webhook, without its id and owner. `triggers` names the list of triggers.
pub fn new(body: Object<'_>, triggers: &str) -> Result<Webhook> {
    let mut checks = Checks::default();
    let missing = |key: &str, rule, complaint: &str, checks: &mut Checks| {
        if body.value(key).is_none() {
            checks.complain(&body.path(key), &Value::Null, rule, complaint);
        }
    };
    missing("subscriberUrl", "isUrl", NO_URL, &mut checks);
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

/// Reads what is to change in `before`. What is absent stays; `null` takes a template or a secret
/// away.
pub fn changed(before: &Webhook, body: Object<'_>, triggers: &str) -> Result<Webhook> {
    read(before.clone(), body, triggers, Checks::default())
}

const NO_URL: &str = "must be an absolute http or https address";

fn read(
    mut webhook: Webhook,
    body: Object<'_>,
    triggers: &str,
    mut checks: Checks,
) -> Result<Webhook> {
    let known = [
        "subscriberUrl",
        triggers,
        "active",
        "payloadTemplate",
        "secret",
        "version",
    ];
    body.ignore_unknown(&known);
    let url = body.read("subscriberUrl", "isUrl", NO_URL, &mut checks, |value| {
        value.as_str().filter(|text| is_address(text))
    });
    if let Some(url) = url {
        webhook.subscriber_url = url.to_owned();
    }
    if let Some(list) = self::triggers(body, triggers, &mut checks) {
        webhook.triggers = list;
    }
    let active = body.read(
        "active",
        "isBoolean",
        "must be a boolean",
        &mut checks,
        Value::as_bool,
    );
    webhook.active = active.unwrap_or(webhook.active);
    if let Some(template) = optional_text(body, "payloadTemplate", MAX_TEMPLATE_CHARS, &mut checks)
    {
        let parsed = Template::parse(template.as_deref().unwrap_or_default());
        if let Err(error) = parsed.check() {
            let path = body.path("payloadTemplate");
            checks.complain(&path, &Value::Null, "isTemplate", &error.to_string());
        }
        webhook.payload_template = template;
    }
    if let Some(secret) = optional_text(body, "secret", MAX_WEBHOOK_SECRET_CHARS, &mut checks) {
        webhook.secret = secret;
    }
    let version = body.text("version", &mut checks);
    if let Some(version) = version.filter(|version| *version != VERSION) {
        let complaint = format!("must be {VERSION}");
        checks.complain(&body.path("version"), &json!(version), "isEnum", &complaint);
    }
    checks.finish()?;
    Ok(webhook)
}

/// `Some(None)` for what is given as `null` or empty, which are the same here.
fn optional_text(
    body: Object<'_>,
    key: &str,
    most: usize,
    checks: &mut Checks,
) -> Option<Option<String>> {
    if body.is_null(key) {
        return Some(None);
    }
    let text = body.text(key, checks)?;
    if text.chars().count() > most {
        let complaint = format!("must be at most {most} characters long");
        checks.complain(&body.path(key), &Value::Null, "maxLength", &complaint);
        return None;
    }
    Some((!text.is_empty()).then(|| text.to_owned()))
}

fn triggers(body: Object<'_>, key: &str, checks: &mut Checks) -> Option<Vec<Trigger>> {
    let given = body.read(key, "isArray", "must be an array", checks, Value::as_array)?;
    let mut complain = |value: &Value, rule, complaint: &str| {
        checks.complain(&body.path(key), value, rule, complaint);
    };
    if given.is_empty() {
        complain(&json!([]), "arrayNotEmpty", "should not be empty");
    }
    let mut triggers: Vec<Trigger> = Vec::new();
    for value in given {
        // One complaint is enough: the list may be long.
        match Trigger::read(value) {
            None => {
                let names: Vec<&str> = Trigger::ALL.iter().map(|known| known.as_str()).collect();
                let complaint = format!("must hold nothing but {}", names.join(", "));
                complain(value, "isEnum", &complaint);
                return None;
            }
            Some(trigger) if triggers.contains(&trigger) => {
                complain(value, "arrayUnique", "must not hold anything twice");
                return None;
            }
            Some(trigger) => triggers.push(trigger),
        }
    }
    Some(triggers)
}

fn is_address(text: &str) -> bool {
    is_url(text) && Url::parse(text).is_ok_and(|url| url.has_host())
}
