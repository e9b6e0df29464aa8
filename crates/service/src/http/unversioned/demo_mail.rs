//! The outbox in the browser, with `--demo` only: messages with links that act for their recipients.

use axum::extract::{Path, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use booking_wire::Instant;
use minijinja::Environment;
use minijinja::value::Serde;
use serde::Serialize;
use serde_json::{Value, json};
use tower_http::set_header::SetResponseHeaderLayer;

use super::demo_account;
use crate::app::AppState;
use crate::error::{Error, Result};
use crate::messages::mail::outbox::content::{Content, content};
use crate::store::messages::mail::{self, StoredMessage};

/// Most messages in the list.
const MAX_MESSAGES: i64 = 200;

/// Policy of the pages: the frame shows a message of this service.
const PAGE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; base-uri 'none'; \
                           form-action 'none'; frame-ancestors 'none'";

/// Policy of a message in the frame: no scripts, no remote content.
const MESSAGE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
                              form-action 'none'; frame-ancestors 'self'";

const TEMPLATE: &str = include_str!("../../../assets/mail/outbox.html.j2");

/// Routes of the outbox.
pub fn routes() -> Router<AppState> {
    let header =
        |name, value| SetResponseHeaderLayer::overriding(name, HeaderValue::from_static(value));
    Router::new()
        .route("/demo/mail", get(list))
        .route("/demo/mail.json", get(list_as_json))
        .route("/demo/mail/{id}", get(show))
        .route("/demo/mail/{id}/html", get(html))
        .route("/demo/mail/{id}/invite.ics", get(invitation))
        // Links in the messages act for their recipients.
        .layer(header(CACHE_CONTROL, "no-store"))
        .layer(header(REFERRER_POLICY, "no-referrer"))
        .layer(header(X_CONTENT_TYPE_OPTIONS, "nosniff"))
}

/// A message for the pages.
#[derive(Debug, Serialize)]
struct View {
    id: i64,
    to: String,
    name: String,
    role: &'static str,
    kind: &'static str,
    status: String,
    created: String,
    subject: String,
    text: String,
    invitation: Option<String>,
}

impl View {
    fn new(message: &StoredMessage, content: Content) -> Self {
        Self {
            id: message.id,
            to: message.email.clone(),
            name: content.recipient.person.name,
            role: content.recipient.role.name(),
            kind: content.kind.name(),
            status: message.status.clone(),
            created: Instant(message.created_ms).to_string(),
            subject: content.rendered.subject,
            text: content.rendered.text,
            invitation: content.invitation.map(|invitation| invitation.text),
        }
    }
}

/// GET /demo/mail
async fn list(State(app): State<AppState>, headers: HeaderMap) -> Result<Response> {
    let messages = views(&app, &headers).await?;
    page(&json!({"messages": messages, "is_sent": app.settings.mail.smtp.is_some()}))
}

/// GET /demo/mail.json: for tests.
async fn list_as_json(State(app): State<AppState>, headers: HeaderMap) -> Result<Json<Vec<View>>> {
    Ok(Json(views(&app, &headers).await?))
}

/// GET /demo/mail/{id}
async fn show(
    State(app): State<AppState>,
    headers: HeaderMap,
    Path(id): Path<i64>,
) -> Result<Response> {
    let (message, content) = find(&app, &headers, id).await?;
    page(&json!({"message": View::new(&message, content)}))
}

/// GET /demo/mail/{id}/html
async fn html(
    State(app): State<AppState>,
    headers: HeaderMap,
    Path(id): Path<i64>,
) -> Result<Response> {
    let (_, content) = find(&app, &headers, id).await?;
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, MESSAGE_POLICY),
    ];
    // Links open in the page around the frame: their pages refuse to be framed.
    let html = content
        .rendered
        .html
        .replacen("<head>", "<head><base target=\"_top\">", 1);
    Ok((headers, html).into_response())
}

/// GET /demo/mail/{id}/invite.ics
async fn invitation(
    State(app): State<AppState>,
    headers: HeaderMap,
    Path(id): Path<i64>,
) -> Result<Response> {
    let (_, content) = find(&app, &headers, id).await?;
    let invitation = content.invitation.ok_or_else(|| missing(id))?;
    let method = invitation.method.name();
    let content_type = format!("text/calendar; charset=utf-8; method={method}");
    Ok(([(CONTENT_TYPE, content_type)], invitation.text).into_response())
}

/// Renders the latest messages, newest first. One that cannot be rendered is left out.
async fn views(app: &AppState, headers: &HeaderMap) -> Result<Vec<View>> {
    authorise(app, headers)?;
    let mut db = app.store.read().await?;
    let messages = mail::latest(&mut db, MAX_MESSAGES).await?;
    drop(db);
    let view = |message: &StoredMessage| Some(View::new(message, content(app, message).ok()?));
    Ok(messages.iter().filter_map(view).collect())
}

async fn find(app: &AppState, headers: &HeaderMap, id: i64) -> Result<(StoredMessage, Content)> {
    authorise(app, headers)?;
    let mut db = app.store.read().await?;
    let message = mail::get(&mut db, id).await?.ok_or_else(|| missing(id))?;
    let content = content(app, &message)?;
    Ok((message, content))
}

/// Rejects requests as for the demo account, and all requests of a public demo: the links of messages act for their
/// recipients.
fn authorise(app: &AppState, headers: &HeaderMap) -> Result<()> {
    demo_account::authorise(app, headers)?;
    if app.settings.demo_in_public {
        return Err(Error::Forbidden(
            "the messages of a public demo are not shown".into(),
        ));
    }
    Ok(())
}

fn missing(id: i64) -> Error {
    Error::not_found("Message", id)
}

fn page(context: &Value) -> Result<Response> {
    let mut environment = Environment::new();
    environment
        .add_template("outbox.html", TEMPLATE)
        .map_err(Error::internal)?;
    let template = environment
        .get_template("outbox.html")
        .map_err(Error::internal)?;
    let text = template.render(Serde(context)).map_err(Error::internal)?;
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, PAGE_POLICY),
    ];
    Ok((headers, text).into_response())
}
