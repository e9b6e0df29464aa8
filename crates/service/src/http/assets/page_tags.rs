//! Titles and previews in the app's page: what search engines, chat programs and tabs show before the program runs.

use std::convert::Infallible;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::header::{
    ACCEPT_ENCODING, ACCEPT_LANGUAGE, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderName,
    IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Response};
use booking_wire::formats::text_language::language_of;
use booking_wire::page_paths::{PublicPage, is_page_path};
use html_escape::encode_double_quoted_attribute as escaped;
use http_body_util::BodyExt;
use quick_cache::sync::Cache;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tower::{ServiceExt, service_fn};
use tower_http::CompressionLevel;
use tower_http::compression::Compression;

use crate::app::AppState;
use crate::auth::secret::short_hash;
use crate::cache::page_pictures::{HEIGHT, WIDTH};
use crate::domain::public_pages::{self, PagePreview};
use crate::http::extract::query::parse_query;
use crate::validate::accept_language::preferred_app_language;

/// Header for search engines.
const ROBOTS: HeaderName = HeaderName::from_static("x-robots-tag");

/// Time until a page is served without its preview: the database is slow.
const LOOKUP_TIMEOUT: Duration = Duration::from_millis(300);

/// Most lookups at a time, so that pages leave connections to the database for requests.
const MAX_LOOKUPS: usize = 4;

/// Pages in memory, each of some 8 KB.
const MAX_ENCODED_PAGES: usize = 128;

/// Longest `Accept-Encoding` whose pages stay in memory, in bytes.
const MAX_ACCEPTED_ENCODINGS: usize = 64;

/// A page as it is sent.
#[derive(Clone, Debug)]
struct EncodedPage {
    encoding: Option<HeaderValue>,
    bytes: Bytes,
}

/// The app's page, around its title.
#[derive(Clone, Debug)]
pub(super) struct PageTemplate {
    app: AppState,
    before: Arc<str>,
    after: Arc<str>,
    lookups: Arc<Semaphore>,
    /// By hash and `Accept-Encoding`.
    encoded: Arc<Cache<String, EncodedPage>>,
}

impl PageTemplate {
    /// Returns none if the page has no title.
    pub(super) fn new(app: AppState, html: &str) -> Option<Self> {
        let (before, rest) = html.split_once("<title>")?;
        let (_, after) = rest.split_once("</title>")?;
        Some(Self {
            app,
            before: before.into(),
            after: after.into(),
            lookups: Arc::new(Semaphore::new(MAX_LOOKUPS)),
            encoded: Arc::new(Cache::new(MAX_ENCODED_PAGES)),
        })
    }

    /// Returns the preview of a page; none if the page shows nothing to visitors, and if the database takes too long.
    async fn preview(&self, page: &PublicPage, language: &str) -> Option<PagePreview> {
        let found = timeout(LOOKUP_TIMEOUT, async {
            let _permit = self.lookups.acquire().await.ok()?;
            public_pages::find(&self.app, page, language).await.ok()?
        });
        found.await.ok()?
    }

    fn fill(&self, preview: &PagePreview) -> String {
        [&self.before, &*tags(preview), &self.after].concat()
    }
}

/// Answers with the app's page and its preview for public pages. Other pages are not for search engines: their paths are
/// secrets, or they need a sign-in.
pub(super) async fn add_tags(
    State(template): State<Option<PageTemplate>>,
    request: Request,
    next: Next,
) -> Response {
    let path = request.uri().path();
    let is_read = [Method::GET, Method::HEAD].contains(request.method());
    if !is_read || !is_page_path(path) {
        return next.run(request).await;
    }
    let Some(page) = public_pages::at(path) else {
        let mut response = next.run(request).await;
        let headers = response.headers_mut();
        headers.insert(ROBOTS, HeaderValue::from_static("noindex"));
        return response;
    };
    let Some(template) = template else {
        return next.run(request).await;
    };
    let language = language(&request);
    match template.preview(&page, language).await {
        Some(preview) => respond(&template, &preview, request).await,
        None => next.run(request).await,
    }
}

/// Returns the language in which the app will start: that of the address, or the browser's.
fn language(request: &Request) -> &'static str {
    let query = parse_query(request.uri());
    let from_address = query.get("lang").and_then(language_of);
    let header = request.headers().get(ACCEPT_LANGUAGE);
    let header = header.and_then(|value| value.to_str().ok());
    from_address
        .or_else(|| header.and_then(preferred_app_language))
        .unwrap_or("en")
}

async fn respond(template: &PageTemplate, preview: &PagePreview, request: Request) -> Response {
    let html = template.fill(preview);
    let hash = short_hash(&html);
    // Weak: encodings differ.
    let etag = format!("W/\"{hash}\"");
    let mut headers = HeaderMap::new();
    headers.insert(
        VARY,
        HeaderValue::from_static("accept-language, accept-encoding"),
    );
    if !preview.is_listed {
        headers.insert(ROBOTS, HeaderValue::from_static("noindex"));
    }
    if let Ok(etag) = HeaderValue::from_str(&etag) {
        headers.insert(ETAG, etag);
    }
    if is_known(request.headers(), &etag) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static("text/html; charset=utf-8"),
    );
    let accepted = request.headers().get(ACCEPT_ENCODING);
    let accepted = accepted.and_then(|value| value.to_str().ok());
    let accepted = accepted.filter(|accepted| accepted.len() <= MAX_ACCEPTED_ENCODINGS);
    let key = accepted.map(|accepted| format!("{hash} {accepted}"));
    let cached = key.as_ref().and_then(|key| template.encoded.get(key));
    let page = match cached {
        Some(page) => page,
        None => {
            let page = encode(html, request).await;
            if let Some(key) = key {
                template.encoded.insert(key, page.clone());
            }
            page
        }
    };
    if let Some(encoding) = page.encoding {
        headers.insert(CONTENT_ENCODING, encoding);
    }
    (headers, page.bytes).into_response()
}

/// Compresses a page as the request accepts it.
async fn encode(html: String, request: Request) -> EncodedPage {
    let plain = Bytes::from(html);
    let body = plain.clone();
    let page = service_fn(move |_: Request| {
        let page = Html(body.clone()).into_response();
        ready(Ok::<_, Infallible>(page))
    });
    let response = Compression::new(page)
        .quality(CompressionLevel::Precise(5))
        .oneshot(request);
    let Ok(response) = response.await;
    let encoding = response.headers().get(CONTENT_ENCODING).cloned();
    match response.into_body().collect().await {
        Ok(body) => EncodedPage {
            encoding,
            bytes: body.to_bytes(),
        },
        Err(_) => EncodedPage {
            encoding: None,
            bytes: plain,
        },
    }
}

/// Returns true if the browser has the page with this tag.
fn is_known(headers: &HeaderMap, etag: &str) -> bool {
    let known = headers.get(IF_NONE_MATCH);
    let known = known.and_then(|value| value.to_str().ok());
    known.is_some_and(|known| known.split(',').any(|known| known.trim() == etag))
}

/// Returns the title and the tags, in the place of the title.
fn tags(preview: &PagePreview) -> String {
    let texts = &preview.texts;
    let [width, height] = [WIDTH, HEIGHT].map(|pixels| pixels.to_string());
    let mut tags = format!(
        "<title>{}</title>",
        html_escape::encode_text(&texts.page_title)
    );
    let mut add = |kind: &str, name: &str, content: &str| {
        let content = escaped(content);
        tags.push_str(&format!(
            "\n    <meta {kind}=\"{name}\" content=\"{content}\">"
        ));
    };
    add("name", "description", &texts.description);
    for (name, content) in [
        ("og:title", &texts.title),
        ("og:description", &texts.description),
        ("og:type", &"website".to_owned()),
        ("og:site_name", &preview.site_name),
        ("og:url", &preview.url),
        ("og:image", &preview.picture_url),
        ("og:image:type", &"image/png".to_owned()),
        ("og:image:width", &width),
        ("og:image:height", &height),
        ("og:image:alt", &texts.title),
    ] {
        add("property", name, content);
    }
    add("name", "twitter:card", "summary_large_image");
    let [light, dark] = &preview.colours;
    if light == dark {
        add("name", "theme-color", light);
    } else {
        for (theme, colour) in [("light", light), ("dark", dark)] {
            tags.push_str(&format!(
                "\n    <meta name=\"theme-color\" media=\"(prefers-color-scheme: {theme})\" content=\"{}\">",
                escaped(colour)
            ));
        }
    }
    tags
}
