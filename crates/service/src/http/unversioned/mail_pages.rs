//! Pages behind the links in messages: GET shows what a link does, POST does it.
//!
//! The token in the path is the secret that gives access, and no cookie or other ambient credential does: a page of
//! another origin cannot make a visitor's browser send a request that it could not send itself. The form therefore needs
//! no protection against cross-site requests.

use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::header::{
    ACCEPT_LANGUAGE, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
    HeaderName, LOCATION, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use booking_mail::templates::{PageInput, PageState};
use percent_encoding::percent_decode_str;

use crate::app::AppState;
use crate::domain::link_actions;
use crate::domain::link_actions::Page;
use crate::error::{Error, Result};
use crate::validate::accept_language::preferred_language;

/// Headers of all responses. The address of the page is a secret, so that it must neither be stored nor sent to others;
/// the page loads nothing, runs nothing but the script that opens the app's page instead, and is in no frame.
const HEADERS: [(HeaderName, &str); 5] = [
    (CACHE_CONTROL, "no-store"),
    (REFERRER_POLICY, "no-referrer"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; \
         script-src 'sha256-v1/YZG+JQXjN18jB243OQSD5erBi4f6jbuKsgbFG4CY='; \
         frame-ancestors 'none'; base-uri 'none'",
    ),
    (
        HeaderName::from_static("x-robots-tag"),
        "noindex, nofollow, noarchive",
    ),
];

/// Route of the pages.
pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/mail/{token}", get(show).post(submit))
        .method_not_allowed_fallback(async || Error::MethodNotAllowed)
}

type Token = Result<Path<String>, PathRejection>;

/// GET /mail/{token}: programs that check messages open their links, so that it changes nothing.
async fn show(State(app): State<AppState>, token: Token, headers: HeaderMap) -> Result<Response> {
    let page = link_actions::open(&app, &text(token)).await?;
    respond(&app, &page, &headers)
}

/// POST /mail/{token}: a form with the field `reason`, or `List-Unsubscribe=One-Click` (RFC 8058), which mail programs
/// send without showing a page. The response is no redirect, which RFC 8058 does not allow.
async fn submit(
    State(app): State<AppState>,
    token: Token,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response> {
    let page = link_actions::act(&app, &text(token), &reason(&body)).await?;
    respond(&app, &page, &headers)
}

/// Returns the token in the path; one that is no text is none of this service.
fn text(token: Token) -> String {
    token.map(|Path(token)| token).unwrap_or_default()
}

fn respond(app: &AppState, page: &Page, headers: &HeaderMap) -> Result<Response> {
    if let Some(location) = &page.location {
        let location = HeaderValue::from_str(location).map_err(Error::internal)?;
        return Ok((StatusCode::SEE_OTHER, [(LOCATION, location)]).into_response());
    }
    let status = match page.state {
        PageState::Question(_) if page.is_rejected => StatusCode::BAD_REQUEST,
        PageState::Question(_) | PageState::Done(_) => StatusCode::OK,
        PageState::Already(_) | PageState::Superseded | PageState::Expired => StatusCode::GONE,
        PageState::Invalid => StatusCode::NOT_FOUND,
        PageState::Taken | PageState::Failed => StatusCode::CONFLICT,
    };
    render(app, page, status, language_of(headers))
}

fn render(app: &AppState, page: &Page, status: StatusCode, language: &str) -> Result<Response> {
    let input = PageInput {
        state: page.state,
        booking: page.booking.as_ref(),
        recipient: page.recipient.as_ref(),
        language,
        links: &page.links,
        app_url: page.app_url.as_deref().unwrap_or_default(),
        branding: &app.settings.mail.branding,
        now: app.clock.now(),
    };
    let html = app.settings.mail.templates.page(input);
    let html = html.map_err(Error::internal)?;
    Ok((status, [(CONTENT_TYPE, "text/html; charset=utf-8")], html).into_response())
}

/// Sets the headers of the pages, and shows errors as pages: most visitors are people.
pub async fn finish_page(State(app): State<AppState>, request: Request, next: Next) -> Response {
    let language = language_of(request.headers());
    let mut response = next.run(request).await;
    if let Some(error) = response.extensions_mut().remove::<Error>() {
        if matches!(error, Error::Unavailable) {
            app.store.invalidate_writer();
        }
        let page = Page::bare(PageState::Failed);
        // Without a page, a text for programs is written.
        let mut shown = match render(&app, &page, error.status(), language) {
            Ok(page) => page,
            Err(_) => error.into_response(),
        };
        for (name, value) in response.headers() {
            if ![CONTENT_TYPE, CONTENT_LENGTH].contains(name) {
                shown.headers_mut().insert(name, value.clone());
            }
        }
        response = shown;
    }
    for (name, value) in HEADERS {
        let headers = response.headers_mut();
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Returns the value of `reason` in the body of a form. Line ends and control characters are those of plain text.
fn reason(body: &[u8]) -> String {
    let body = String::from_utf8_lossy(body);
    let value = body
        .split('&')
        .find_map(|pair| pair.strip_prefix("reason="))
        .unwrap_or_default()
        .replace('+', " ");
    let text = percent_decode_str(&value).decode_utf8_lossy();
    let text = text.replace("\r\n", "\n");
    text.chars()
        .filter(|letter| !letter.is_control() || ['\n', '\t'].contains(letter))
        .collect()
}

/// Returns the language that the browser prefers among those of the service; empty if there is none.
fn language_of(headers: &HeaderMap) -> &'static str {
    let value = headers.get(ACCEPT_LANGUAGE);
    let value = value.and_then(|value| value.to_str().ok());
    value.and_then(preferred_language).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_with_the_highest_quality_is_preferred() {
        for (value, language) in [
            ("de", "de"),
            ("de-CH,de;q=0.9,en;q=0.8", "de"),
            ("en;q=0.5, fr;q=0.7", "fr"),
            ("tlh, pt-BR;q=0.1", "pt-BR"),
            ("*", ""),
            ("de;q=0", ""),
            ("de;q=x", ""),
            ("", ""),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_static(value));
            assert_eq!(language_of(&headers), language, "{value}");
        }
        assert_eq!(language_of(&HeaderMap::new()), "");
    }

    #[test]
    fn reason_is_decoded_without_control_characters() {
        for (body, text) in [
            ("reason=I+am+ill%21", "I am ill!"),
            ("a=b&reason=%C3%BC%0D%0A%00x", "ü\nx"),
            ("reason=%FF", "\u{fffd}"),
            ("List-Unsubscribe=One-Click", ""),
            ("", ""),
        ] {
            assert_eq!(reason(body.as_bytes()), text, "{body}");
        }
    }
}
