//! Static files: the app at `/` and the embed files at `/embed/`.

use std::fs;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use axum::http::Method;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use booking_service::http::assets::Assets;
use booking_service::http::router::router;
use booking_service::settings::{Limits, Settings};
use sha2::{Digest, Sha256};

use crate::common::Service;

const SCRIPT: &str = "\nimport init from '/app.js';\ninit();\n";

/// A service with a built app. Files are read on request; the content security policy is computed
/// at the start.
async fn service_with_files() -> Service {
    let mut service = Service::start().await;
    let assets = Assets {
        app: service.directory.path().join("app"),
        embed: service.directory.path().join("embed"),
    };
    for directory in [&assets.app, &assets.embed] {
        fs::create_dir_all(directory).unwrap();
    }
    let index = format!("<!doctype html><script type=\"module\">{SCRIPT}</script>");
    fs::write(assets.app.join("index.html"), index).unwrap();
    fs::write(assets.app.join("app.js"), "plain").unwrap();
    fs::write(assets.app.join("app.js.br"), "brotli").unwrap();
    fs::write(assets.app.join("app.js.gz"), "gzip").unwrap();
    fs::write(assets.app.join("app_bg.wasm"), "\0asm").unwrap();
    fs::write(assets.embed.join("embed.js"), "embed").unwrap();
    fs::write(assets.embed.join("demo.html"), "<p>demo").unwrap();
    service.router = router(service.app.clone(), &assets);
    service
}

#[tokio::test]
async fn app_page_returns_index_with_strict_policy() {
    let service = service_with_files().await;
    for target in [
        "/",
        "/index.html",
        "/bookings",
        "/team/1/onboarding",
        "/ada.lovelace",
        "/team/acme.io",
        "/team/vue.js",
    ] {
        let page = service.get(target).await;
        assert_eq!(page.status, 200, "{target}");
        assert!(page.text.contains(SCRIPT));
        assert_eq!(page.headers["content-type"], "text/html");
        let policy = page.headers["content-security-policy"].to_str().unwrap();
        let hash = STANDARD.encode(Sha256::digest(SCRIPT));
        assert!(
            policy.contains(&format!(
                "script-src 'self' 'wasm-unsafe-eval' 'sha256-{hash}';"
            )),
            "{policy}"
        );
        for part in [
            "frame-ancestors 'self'",
            "form-action 'none'",
            "connect-src *",
        ] {
            assert!(policy.contains(part), "{part} in {policy}");
        }
        assert_eq!(page.headers["x-content-type-options"], "nosniff");
        assert_eq!(page.headers["cache-control"], "no-cache");
        assert!(page.headers.contains_key("referrer-policy"));
    }
}

#[tokio::test]
async fn file_is_sent_in_smallest_accepted_encoding() {
    let service = service_with_files().await;
    for (accepted, encoding, text) in [
        ("br, gzip", Some("br"), "brotli"),
        ("gzip", Some("gzip"), "gzip"),
        ("identity", None, "plain"),
    ] {
        let headers = [("accept-encoding".to_owned(), accepted.to_owned())];
        let response = service.call(Method::GET, "/app.js", &headers, None).await;
        assert_eq!(
            response
                .headers
                .get("content-encoding")
                .map(|value| value.to_str().unwrap()),
            encoding
        );
        assert_eq!(response.text, text);
        assert_eq!(response.headers["content-type"], "text/javascript");
    }
    assert_eq!(
        service.get("/app_bg.wasm").await.headers["content-type"],
        "application/wasm"
    );
}

#[tokio::test]
async fn embed_file_allows_every_origin() {
    let service = service_with_files().await;
    let headers = [("origin".to_owned(), "https://shop.example".to_owned())];
    let script = service
        .call(Method::GET, "/embed/embed.js", &headers, None)
        .await;
    assert_eq!(script.text, "embed");
    assert_eq!(
        script
            .headers
            .get_all("access-control-allow-origin")
            .iter()
            .count(),
        1
    );
    assert_eq!(script.headers["access-control-allow-origin"], "*");
    assert_eq!(
        script.headers["cross-origin-resource-policy"],
        "cross-origin"
    );
    let page = service.get("/embed/demo.html").await;
    assert_eq!(page.headers["content-type"], "text/html");
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("form-action 'none'"), "{policy}");
    assert_eq!(service.get("/embed/none.js").await.status, 404);
}

#[tokio::test]
async fn demo_page_without_demo_is_missing() {
    let mut service = service_with_files().await;
    service.app.settings = Arc::new(Settings {
        demo: false,
        ..Settings::clone(&service.app.settings)
    });
    service.restart_with_limits(Limits::default());
    assert_eq!(service.get("/embed/demo.html").await.status, 404);
    assert_eq!(service.get("/embed/embed.js").await.status, 200);
}

#[tokio::test]
async fn page_shows_images_of_own_and_configured_origins_only() {
    let mut service = service_with_files().await;
    for (origins, sources) in [
        (vec![], "img-src 'self'"),
        (
            vec!["https://images.example.org", "https://*.example.net"],
            "img-src 'self' https://images.example.org https://*.example.net",
        ),
    ] {
        service.app.settings = Arc::new(Settings {
            image_origins: origins.into_iter().map(str::to_owned).collect(),
            ..Settings::clone(&service.app.settings)
        });
        service.restart_with_limits(Limits::default());
        for (target, more) in [("/", " data:"), ("/embed/demo.html", "")] {
            let page = service.get(target).await;
            let policy = page.headers["content-security-policy"].to_str().unwrap();
            assert!(policy.contains(&format!("{sources}{more};")), "{policy}");
        }
    }
}

#[tokio::test]
async fn missing_file_or_path_outside_returns_404() {
    let service = service_with_files().await;
    for target in [
        "/none.js",
        "/.env",
        "/index.php",
        "/assets/none.wasm",
        "/../service.sqlite3",
        "/%2e%2e/service.sqlite3",
        "/embed/../signing.key",
        "/embed/%2e%2e/signing.key",
    ] {
        let response = service.get(target).await;
        assert_eq!(response.status, 404, "{target}: {}", response.text);
    }
}

#[tokio::test]
async fn api_without_built_app_responds() {
    let service = Service::start().await;
    assert_eq!(service.get("/").await.status, 404);
    assert_eq!(service.get("/v2/event-types/1").await.status, 200);
}

#[tokio::test]
async fn file_that_became_older_is_sent_again() {
    let service = service_with_files().await;
    let get = async |target, known: &str| {
        let headers = [("if-modified-since".to_owned(), known.to_owned())];
        service.call(Method::GET, target, &headers, None).await
    };
    for (file, target) in [
        ("app/index.html", "/team"),
        ("embed/embed.js", "/embed/embed.js"),
    ] {
        let modified = |seconds| {
            let path = service.directory.path().join(file);
            let file = fs::File::options().write(true).open(path).unwrap();
            file.set_modified(UNIX_EPOCH + Duration::from_secs(seconds))
                .unwrap();
        };
        modified(1_800_000_000);
        let first = service.get(target).await;
        let date = first.headers["last-modified"].to_str().unwrap();
        let same = get(target, date).await;
        assert_eq!((same.status, same.text.as_str()), (304, ""), "{target}");
        modified(1_700_000_000);
        let earlier = get(target, date).await;
        assert_eq!(
            (earlier.status, &earlier.text),
            (200, &first.text),
            "{target}"
        );
    }
}
