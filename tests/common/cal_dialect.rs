//! Adapts pages and responses to a service of the cal dialect, for a strict [`Faults`](super::Faults):
//! pickers get `dialect="cal"`, and responses hold no more than that service would send.

use serde_json::{Value, json};

use super::cal_requests::CORS_HEADERS;
use super::http::Client;

/// True if the tests run against a service of the cal dialect: `cargo xtask test --dialect cal`.
pub(crate) fn is_cal_dialect() -> bool {
    std::env::var("BOOKING_E2E_DIALECT").is_ok_and(|dialect| dialect == "cal")
}

/// Sets the dialect and the names of the event type on each picker before it starts, however it is inserted:
/// in this dialect, visitors cannot query an event type by id.
const CAL_DIALECT_SCRIPT: &str = "<script>{ \
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

/// Inserts [`CAL_DIALECT_SCRIPT`] into a page.
pub(super) fn with_cal_dialect(html: &str) -> String {
    html.replacen("<title>", CAL_DIALECT_SCRIPT, 1)
}

/// Returns the attributes that name an event type, for the script in the page. `owner` can read all of them.
pub(super) fn event_type_names(path: &str, owner: &Client) -> Option<Value> {
    let id = path.strip_prefix("/names-of-event-type/")?;
    let event_type = owner.get(&format!("/v2/event-types/{id}")).data();
    let slug = &event_type["slug"];
    let team = &event_type["teamId"];
    Some(match team.is_number() {
        true => json!({ "team-id": team, "event-slug": slug }),
        false => json!({ "username": event_type["users"][0]["username"], "event-slug": slug }),
    })
}

/// Replaces a page of the service: the app speaks only our own dialect, so the same picker is placed on an
/// embedding page. `None` for other paths.
pub(super) fn replacement_page(path: &str) -> Option<String> {
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

/// Removes what a page of another origin cannot read from a response: that service exposes no headers.
pub(super) fn readable_headers_only(response: &[u8]) -> Vec<u8> {
    let Some(end) = response.windows(4).position(|bytes| bytes == b"\r\n\r\n") else {
        return response.to_vec();
    };
    let (head, body) = response.split_at(end);
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

/// Returns the response to a preflight request.
pub(super) fn preflight() -> Vec<u8> {
    format!(
        "HTTP/1.1 204 No Content\r\nAccess-Control-Allow-Origin: *\r\n\
         Access-Control-Allow-Methods: GET,HEAD,PUT,PATCH,POST,DELETE\r\n\
         Access-Control-Allow-Headers: {}\r\nConnection: close\r\n\r\n",
        CORS_HEADERS.join(",")
    )
    .into_bytes()
}

/// Changes the event type in a response; a query by name returns a list.
pub(crate) fn each_event_type(response: &mut Value, change: impl Fn(&mut Value)) {
    match &mut response["data"] {
        Value::Array(all) => all.iter_mut().for_each(change),
        one => change(one),
    }
}
