//! Makes pages and answers those of a service of the other dialect, for [`Faults`](super::Faults) that are
//! strict: its pages hold pickers with `dialect="cal"`, and its answers tell no more than it does.

use serde_json::{Value, json};

use super::http::Client;
use super::other_dialect::CORS_HEADERS;

/// Whether journeys run against a service of the other dialect: `cargo xtask test --dialect cal`.
pub(crate) fn is_other_dialect() -> bool {
    std::env::var("BOOKING_E2E_DIALECT").is_ok_and(|dialect| dialect == "cal")
}

/// Gives each picker the dialect before it starts, however it comes into the page, and the names of its event
/// type: by its number a visitor cannot ask for one there.
const IN_DIALECT: &str = "<script>{ \
    const define = customElements.define; \
    const prepare = (picker) => { \
      if (!picker.hasAttribute('dialect')) picker.setAttribute('dialect', 'cal'); \
      const id = picker.getAttribute('event-type-id'); \
      if (!id) return; \
      const names = new XMLHttpRequest(); \
      names.open('GET', '/names-of-event-type/' + id, false); \
      names.send(); \
      for (const [name, value] of Object.entries(JSON.parse(names.responseText))) picker.setAttribute(name, value); \
      picker.removeAttribute('event-type-id'); \
    }; \
    customElements.define = function (name, element, options) { \
      if (name === 'booking-picker') { \
        const { connectedCallback } = element.prototype; \
        element.prototype.connectedCallback = function () { prepare(this); connectedCallback.call(this); }; \
      } \
      define.call(this, name, element, options); \
    }; \
    }</script><title>";

/// The same page for that service.
pub(super) fn in_dialect(html: &str) -> String {
    html.replacen("<title>", IN_DIALECT, 1)
}

/// The attributes that name the event type of a page's question for them. `owner` may see all of them.
pub(super) fn names(path: &str, owner: &Client) -> Option<Value> {
    let id = path.strip_prefix("/names-of-event-type/")?;
    let event_type = owner.get(&format!("/v2/event-types/{id}")).data();
    let slug = &event_type["slug"];
    let team = &event_type["teamId"];
    Some(match team.is_number() {
        true => json!({ "team-id": team, "event-slug": slug }),
        false => json!({ "username": event_type["users"][0]["username"], "event-slug": slug }),
    })
}

/// A page in place of one that the service has of its own: the app speaks our own dialect, so the same
/// picker stands in a page of somebody else's. `None` for addresses of other things.
pub(super) fn stand_in(path: &str) -> Option<String> {
    let path = path.split('?').next().unwrap_or_default();
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    let attributes = match parts.as_slice() {
        [""] => None,
        ["embed", "demo.html"] => Some(r#"username="ada" event-slug="intro-call""#.to_owned()),
        ["team", id, slug] => Some(format!(r#"team-id="{id}" event-slug="{slug}""#)),
        ["v1" | "v2" | "embed" | "demo" | "assets", ..] => return None,
        [user, slug] if !slug.contains('.') => {
            Some(format!(r#"username="{user}" event-slug="{slug}""#))
        }
        _ => return None,
    };
    let picker = attributes.map_or_else(String::new, |attributes| {
        format!("<booking-picker {attributes}></booking-picker>")
    });
    Some(format!(
        r#"<!doctype html><html lang="en-US"><meta charset="utf-8"><title>Somebody’s page</title>
        <script type="module" src="/embed/embed.js"></script>
        <body><main>{picker}</main></body></html>"#
    ))
}

/// An answer without what a page of another origin cannot read of it: no header is exposed there.
pub(super) fn as_readable(answer: &[u8]) -> Vec<u8> {
    let Some(end) = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n") else {
        return answer.to_vec();
    };
    let (head, body) = answer.split_at(end);
    let head = String::from_utf8_lossy(head);
    let mut lines = head.split("\r\n");
    let mut kept = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        let name = line.split(':').next().unwrap_or_default().to_lowercase();
        let is_kept = ["cache-control", "connection", "transfer-encoding"].contains(&name.as_str())
            || name.starts_with("content-")
            || name.starts_with("access-control-allow-");
        if is_kept {
            kept.push_str("\r\n");
            kept.push_str(line);
        }
    }
    [kept.as_bytes(), body].concat()
}

/// The answer to a preflight request.
pub(super) fn preflight() -> Vec<u8> {
    format!(
        "HTTP/1.1 204 No Content\r\nAccess-Control-Allow-Origin: *\r\n\
         Access-Control-Allow-Methods: GET,HEAD,PUT,PATCH,POST,DELETE\r\n\
         Access-Control-Allow-Headers: {}\r\nConnection: close\r\n\r\n",
        CORS_HEADERS.join(",")
    )
    .into_bytes()
}

/// Changes the event type in an answer, wherever it is: asked for by name, it comes in a list.
pub(crate) fn each_event_type(answer: &mut Value, change: impl Fn(&mut Value)) {
    match &mut answer["data"] {
        Value::Array(all) => all.iter_mut().for_each(change),
        one => change(one),
    }
}
