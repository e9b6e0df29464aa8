//! Serves the built app and the embed files, with their cache headers and Content Security Policy.

mod page_tags;

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH,
    CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, IF_MODIFIED_SINCE,
    LAST_MODIFIED, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use booking_wire::page_paths::is_page_path;
use sha2::{Digest, Sha256};
use tower::{ServiceBuilder, ServiceExt};
use tower_http::services::{ServeDir, ServeFile};
use tower_http::set_header::SetResponseHeaderLayer;

use crate::app::AppState;
use page_tags::{PageTemplate, add_tags};

/// Directories of the files. A missing directory, and an empty name, serve nothing.
#[derive(Clone, Debug)]
pub struct Assets {
    /// The built app.
    pub app: PathBuf,
    /// The files for embedding.
    pub embed: PathBuf,
}

/// Serves the app at `/` (unknown paths serve its page) and the embed files at `/embed/`. Their pages may show
/// images of other origins beside their own, and other pages may show the app in a frame, as the settings say. The demo page
/// needs the demo's data.
pub fn router(app: AppState, assets: &Assets) -> Router {
    let settings = Arc::clone(&app.settings);
    let with_own = |origins: &[String]| [&["'self'".to_owned()], origins].concat().join(" ");
    let image_sources = with_own(&settings.image_origins);
    let frame_ancestors = with_own(&settings.frame_ancestors);
    let index = assets.app.join("index.html");
    let html = fs::read_to_string(&index).unwrap_or_default();
    let template = PageTemplate::new(app, &html);
    let app = ServeDir::new(&assets.app)
        .precompressed_br()
        .precompressed_gzip()
        .fallback(app_page(index.clone()));
    let policy = content_security_policy(&html, &image_sources, &frame_ancestors);
    let app = ServiceBuilder::new()
        .layer(set_header(CACHE_CONTROL, "no-cache"))
        .layer(set_header(X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(set_header(
            REFERRER_POLICY,
            "strict-origin-when-cross-origin",
        ))
        .layer(SetResponseHeaderLayer::if_not_present(
            CONTENT_SECURITY_POLICY,
            policy,
        ))
        .layer(middleware::from_fn_with_state(template, add_tags))
        .service(app);

    let embed = ServiceBuilder::new()
        .layer(set_header(X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(set_header(ACCESS_CONTROL_ALLOW_ORIGIN, "*"))
        .layer(SetResponseHeaderLayer::overriding(
            CONTENT_SECURITY_POLICY,
            embed_policy(&image_sources),
        ))
        .layer(set_header(
            HeaderName::from_static("cross-origin-resource-policy"),
            "cross-origin",
        ))
        .service(
            ServeDir::new(&assets.embed)
                .precompressed_br()
                .precompressed_gzip(),
        );

    let mut pages = Router::new();
    if !settings.demo {
        pages = pages.route("/demo.html", any(StatusCode::NOT_FOUND));
    }
    let embed = pages
        .fallback_service(embed)
        .layer(middleware::from_fn(set_cache_control));
    Router::new()
        .nest_service("/embed", embed)
        .fallback_service(app)
        .layer(middleware::from_fn(compare_dates_exactly))
}

/// Kind of a file, for logs and metrics: its path can be that of a booking.
pub fn kind(path: &str) -> &'static str {
    if path.starts_with("/embed/") {
        "embed files"
    } else if is_page_path(path) {
        "pages"
    } else {
        "app files"
    }
}

/// Answers 304 only if a file has exactly the date that the browser knows. After a return to an earlier version, whose
/// files are older, a browser would keep pages whose scripts are gone.
async fn compare_dates_exactly(mut request: Request, next: Next) -> Response {
    let known = request.headers_mut().remove(IF_MODIFIED_SINCE);
    let mut response = next.run(request).await;
    let is_known = known.is_some() && known.as_ref() == response.headers().get(LAST_MODIFIED);
    if is_known && response.status() == StatusCode::OK {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        *response.body_mut() = Body::empty();
        for content_header in [CONTENT_LENGTH, CONTENT_ENCODING, CONTENT_TYPE] {
            response.headers_mut().remove(content_header);
        }
    }
    response
}

/// Lets browsers cache files with a hash in their name permanently, and revalidate all others.
async fn set_cache_control(request: Request, next: Next) -> Response {
    let is_immutable = has_content_hash(request.uri().path());
    let mut response = next.run(request).await;
    let value = if is_immutable && response.status().is_success() {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    let value = HeaderValue::from_static(value);
    response.headers_mut().insert(CACHE_CONTROL, value);
    response
}

/// Returns true if a file or its folder has a content hash in its name, as the build gives to
/// scripts, WebAssembly and translations.
fn has_content_hash(path: &str) -> bool {
    path.split('/').any(|segment| {
        let (name, extension) = segment.split_once('.').unwrap_or((segment, ""));
        let hash = name.rsplit_once('-').map_or("", |(_, hash)| hash);
        let can_be_hashed = ["js", "wasm"].contains(&extension) || name.starts_with("lang-");
        can_be_hashed
            && [8, 16].contains(&hash.len())
            && hash
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// Serves the app's page for unknown paths, and 404 for paths that look like a missing file: a
/// script must not get a page.
fn app_page(index: PathBuf) -> Router {
    let page = ServeFile::new(index)
        .precompressed_br()
        .precompressed_gzip();
    Router::new().fallback(async move |request: Request| {
        if !is_page_path(request.uri().path()) {
            return StatusCode::NOT_FOUND.into_response();
        }
        page.clone().oneshot(request).await.into_response()
    })
}

fn set_header(name: HeaderName, value: &'static str) -> SetResponseHeaderLayer<HeaderValue> {
    SetResponseHeaderLayer::overriding(name, HeaderValue::from_static(value))
}

/// Content security policy of the demo page: exactly the permissions that `README.md` lists, and images.
fn embed_policy(image_sources: &str) -> Option<HeaderValue> {
    HeaderValue::from_str(&format!(
        "default-src 'none'; connect-src 'self'; script-src 'self' 'wasm-unsafe-eval'; \
         style-src 'self'; img-src {image_sources}; base-uri 'none'; form-action 'none'; \
         require-trusted-types-for 'script'"
    ))
    .ok()
}

/// Content security policy of the app. Its inline scripts and styles, which the build adds, are allowed by
/// hash. It may connect to any service, because users enter the URL of theirs; forms are handled by
/// the app and never submitted by the browser.
fn content_security_policy(
    html: &str,
    image_sources: &str,
    frame_ancestors: &str,
) -> Option<HeaderValue> {
    let [scripts, styles] = ["script", "style"].map(|element| inline_hashes(html, element));
    HeaderValue::from_str(&format!(
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'{scripts}; style-src 'self'{styles}; connect-src *; \
         img-src {image_sources} data:; object-src 'none'; base-uri 'none'; form-action 'none'; \
         frame-ancestors {frame_ancestors}; \
         require-trusted-types-for 'script'"
    ))
    .ok()
}

/// Hash sources of all inline elements of a name, each after a space.
fn inline_hashes(html: &str, element: &str) -> String {
    inline_contents(html, element)
        .map(|content| {
            let hash = STANDARD.encode(Sha256::digest(content.as_bytes()));
            format!(" 'sha256-{hash}'")
        })
        .collect()
}

/// Contents of every `<script>` or `<style>` without `src`, unchanged.
fn inline_contents<'html>(html: &'html str, element: &str) -> impl Iterator<Item = &'html str> {
    let (start, end) = (format!("<{element}"), format!("</{element}"));
    let parts: Vec<&str> = html.split(&start).skip(1).collect();
    parts.into_iter().filter_map(move |rest| {
        let (attributes, rest) = rest.split_once('>')?;
        let (content, _) = rest.split_once(&end)?;
        (!attributes.contains("src=") && !content.trim().is_empty()).then_some(content)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_contents_are_returned_unchanged() {
        let html = "<head><style>\na {}</style><script src=\"a.js\"></script><script type=\"module\">\nimport x;\n</script></head>";
        let contents = |element| inline_contents(html, element).collect::<Vec<_>>();
        assert_eq!(contents("script"), ["\nimport x;\n"]);
        assert_eq!(contents("style"), ["\na {}"]);
    }

    #[test]
    fn file_with_hash_in_name_is_immutable() {
        for (path, is_immutable) in [
            ("/embed/picker-J6RDjg3G.js", true),
            ("/embed/picker_bg-_k2ceg_1.wasm", true),
            ("/embed/picker_form-26abceda0c6b3750.wasm", true),
            ("/embed/lang-Ab3dEf_h/pt-BR.json", true),
            ("/embed/embed.js", false),
            ("/embed/embed-0.1.0.js", false),
            ("/embed/demo.html", false),
            ("/embed/custom-elements.json", false),
        ] {
            assert_eq!(has_content_hash(path), is_immutable, "{path}");
        }
    }
}
