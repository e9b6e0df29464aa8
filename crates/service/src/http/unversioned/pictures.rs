//! Pictures of public pages, which chat programs show beside links: `/pictures` before the page's path, `.png` after it.

use axum::Router;
use axum::extract::State;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderName, IF_NONE_MATCH, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::app::AppState;
use crate::domain::public_pages::{self, PICTURE_EXTENSION, PICTURES};
use crate::error::{Error, Result};
use crate::http::extract::query::parse_query;

/// Routes of the pictures.
pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/pictures.png", get(show))
        .route("/pictures/{*page}", get(show))
        .method_not_allowed_fallback(async || Error::MethodNotAllowed)
}

/// GET /pictures/{page}.png, with the language of its texts in `lang`. The URL in a page has a version, so that it may be
/// cached for long.
async fn show(State(app): State<AppState>, uri: Uri, headers: HeaderMap) -> Result<Response> {
    let query = parse_query(&uri);
    let language = query.get("lang").unwrap_or_default();
    let path = uri.path().strip_prefix(PICTURES);
    let path = path.and_then(|path| path.strip_suffix(PICTURE_EXTENSION));
    let page = path.and_then(public_pages::at);
    let found = match page {
        Some(page) => public_pages::find(&app, &page, language).await?,
        None => None,
    };
    let missing = || Error::NotFound("there is no public page with this picture".into());
    let picture = found.ok_or_else(missing)?.picture;
    let etag = format!("\"{}\"", picture.version());
    let etag = HeaderValue::from_str(&etag).map_err(Error::internal)?;
    let is_known = headers.get(IF_NONE_MATCH) == Some(&etag);
    let headers = [
        (ETAG, etag),
        (
            CACHE_CONTROL,
            HeaderValue::from_static("public, max-age=86400"),
        ),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            HeaderValue::from_static("cross-origin"),
        ),
    ];
    if is_known {
        return Ok((StatusCode::NOT_MODIFIED, headers).into_response());
    }
    let png = app.page_pictures.png(&picture).await?;
    Ok((headers, [(CONTENT_TYPE, "image/png")], png).into_response())
}
