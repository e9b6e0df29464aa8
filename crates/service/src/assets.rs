//! The built app and the files that other pages embed.

use std::fs;
use std::path::{Path, PathBuf};

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, HeaderValue,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use tower::{ServiceBuilder, ServiceExt};
use tower_http::services::{ServeDir, ServeFile};
use tower_http::set_header::SetResponseHeaderLayer;

/// Where the files are. A directory may be missing: then there is nothing to serve.
#[derive(Clone, Debug)]
pub struct Assets {
    /// The built app.
    pub app: PathBuf,
    /// The files for embedding.
    pub embed: PathBuf,
}

/// The policy of the demo page: what `README.md` says that a page must allow, and nothing else.
const EMBED_POLICY: &str = "default-src 'none'; connect-src 'self'; \
     script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; base-uri 'none'; \
     form-action 'none'; require-trusted-types-for 'script'";

/// Serves the app at `/` (every unknown path is a page of the app) and the embed files at
/// `/embed/`.
pub fn router(assets: &Assets) -> Router {
    let index = assets.app.join("index.html");
    let app = ServeDir::new(&assets.app)
        .precompressed_br()
        .precompressed_gzip()
        .fallback(any_page(index.clone()));
    let policy = content_security_policy(&index);
    let app = ServiceBuilder::new()
        .layer(always(CACHE_CONTROL, "no-cache"))
        .layer(always(X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(always(REFERRER_POLICY, "strict-origin-when-cross-origin"))
        .layer(SetResponseHeaderLayer::if_not_present(
            CONTENT_SECURITY_POLICY,
            policy,
        ))
        .service(app);

    let embed = ServiceBuilder::new()
        .layer(always(X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(always(ACCESS_CONTROL_ALLOW_ORIGIN, "*"))
        .layer(always(CONTENT_SECURITY_POLICY, EMBED_POLICY))
        .layer(always(
            HeaderName::from_static("cross-origin-resource-policy"),
            "cross-origin",
        ))
        .service(
            ServeDir::new(&assets.embed)
                .precompressed_br()
                .precompressed_gzip(),
        );

    let embed = Router::new()
        .fallback_service(embed)
        .layer(middleware::from_fn(keep));
    Router::new()
        .nest_service("/embed", embed)
        .fallback_service(app)
}

/// Lets browsers keep for good what has its content in its name, and ask for all else each time.
async fn keep(request: Request, next: Next) -> Response {
    let is_kept = is_named_by_content(request.uri().path());
    let mut response = next.run(request).await;
    let kept = if is_kept && response.status().is_success() {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    let kept = HeaderValue::from_static(kept);
    response.headers_mut().insert(CACHE_CONTROL, kept);
    response
}

/// Whether a file or its folder is called after what is in it, as the build does with scripts, programs
/// and sentences.
fn is_named_by_content(path: &str) -> bool {
    path.split('/').any(|segment| {
        let (name, ending) = segment.split_once('.').unwrap_or((segment, ""));
        let content = name.rsplit_once('-').map_or("", |(_, content)| content);
        let is_one = ["js", "wasm"].contains(&ending) || name.starts_with("lang-");
        is_one
            && [8, 16].contains(&content.len())
            && content
                .bytes()
                .all(|sign| sign.is_ascii_alphanumeric() || sign == b'_')
    })
}

/// Answers every path that is no file with the app's page, unless it looks like one that is
/// missing: a script must not turn out to be a page.
fn any_page(index: PathBuf) -> Router {
    let page = ServeFile::new(index)
        .precompressed_br()
        .precompressed_gzip();
    Router::new().fallback(async move |request: Request| {
        let path = request.uri().path();
        let name = path.rsplit('/').next().unwrap_or_default();
        if name.contains('.') {
            return StatusCode::NOT_FOUND.into_response();
        }
        page.clone().oneshot(request).await.into_response()
    })
}

fn always(name: HeaderName, value: &'static str) -> SetResponseHeaderLayer<HeaderValue> {
    SetResponseHeaderLayer::overriding(name, HeaderValue::from_static(value))
}

/// A policy under which the app works and nothing else: its inline scripts, put there by the
/// build, are named by their hashes. It connects to any service, because people type the address of
/// theirs; its forms are read by the app and never sent by the browser.
fn content_security_policy(index: &Path) -> Option<HeaderValue> {
    let html = fs::read_to_string(index).unwrap_or_default();
    let hashes: String = inline_scripts(&html)
        .map(|script| {
            format!(
                " 'sha256-{}'",
                STANDARD.encode(Sha256::digest(script.as_bytes()))
            )
        })
        .collect();
    HeaderValue::from_str(&format!(
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'{hashes}; style-src 'self'; connect-src *; \
         img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'self'; \
         require-trusted-types-for 'script'"
    ))
    .ok()
}

/// The contents of every `<script>` without `src`, exactly as they stand.
fn inline_scripts(html: &str) -> impl Iterator<Item = &str> {
    html.split("<script").skip(1).filter_map(|rest| {
        let (attributes, rest) = rest.split_once('>')?;
        let (script, _) = rest.split_once("</script")?;
        (!attributes.contains("src=") && !script.trim().is_empty()).then_some(script)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_scripts_are_found_as_they_stand() {
        let html = "<head><script src=\"a.js\"></script><script type=\"module\">\nimport x;\n</script></head>";
        assert_eq!(inline_scripts(html).collect::<Vec<_>>(), ["\nimport x;\n"]);
    }

    #[test]
    fn files_are_kept_that_are_called_after_what_is_in_them() {
        for (path, is_kept) in [
            ("/embed/picker-J6RDjg3G.js", true),
            ("/embed/picker_bg-_k2ceg_1.wasm", true),
            ("/embed/picker_after-26abceda0c6b3750.wasm", true),
            ("/embed/lang-Ab3dEf_h/pt-BR.json", true),
            ("/embed/embed.js", false),
            ("/embed/embed-0.1.0.js", false),
            ("/embed/demo.html", false),
            ("/embed/custom-elements.json", false),
        ] {
            assert_eq!(is_named_by_content(path), is_kept, "{path}");
        }
    }
}
