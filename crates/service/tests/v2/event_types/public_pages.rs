//! Previews of public pages: title and tags in the app's page, and pictures.

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Method, Request};
use booking_mail::templates::Branding;
use booking_service::settings::Settings;
use http_body_util::BodyExt;
use serde_json::json;
use tower::ServiceExt;

use crate::common::{HOST, OTHER_HOST, Service, TestResponse};

const BASE: &str = "http://127.0.0.1:8080";

/// A service with the app's page.
async fn service_with_page() -> Service {
    let mut service = Service::start().await;
    let folder = service.directory.path().join("app");
    fs::create_dir_all(&folder).unwrap();
    let page = "<!doctype html><head><meta charset=\"utf-8\"><title>Booking</title></head><body>app</body>";
    fs::write(folder.join("index.html"), page).unwrap();
    service.restart_with(|_| {});
    service
}

async fn get_with(service: &Service, target: &str, headers: &[(&str, &str)]) -> TestResponse {
    let headers: Vec<_> = headers
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    service.call(Method::GET, target, &headers, None).await
}

async fn get_bytes(service: &Service, method: Method, target: &str) -> (u16, HeaderMap, Bytes) {
    let request = Request::builder().method(method).uri(target);
    let request = request.body(Body::empty()).unwrap();
    let response = service.router.clone().oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    (parts.status.as_u16(), parts.headers, body)
}

/// Returns the content of a tag.
fn content<'a>(page: &'a str, name: &str) -> &'a str {
    let (_, rest) = page
        .split_once(&format!("=\"{name}\" content=\""))
        .unwrap_or_else(|| panic!("{name} in {page}"));
    rest.split_once('"').unwrap().0
}

fn title(page: &str) -> &str {
    let (_, rest) = page.split_once("<title>").unwrap();
    rest.split_once("</title>").unwrap().0
}

fn is_plain(page: &TestResponse) -> bool {
    page.status == 200 && title(&page.text) == "Booking" && !page.text.contains("og:")
}

#[tokio::test]
async fn public_page_has_title_and_tags() {
    let service = service_with_page().await;
    service
        .event_type_of("pair", Some("collective"), &[HOST, OTHER_HOST], json!({}))
        .await;
    for (target, expected_title, og_title, description, path) in [
        (
            "/ada/intro-call?date=2027-03-02",
            "Intro call · Ada Brandt · Booking",
            "Intro call · 30 min with Ada Brandt",
            "Half an hour to get to know each other: what you are working on, what has been in your way, and whether we can help. No preparation needed.",
            "/ada/intro-call",
        ),
        (
            "/ada/intro-call/?lang=de",
            "Intro call · Ada Brandt · Buchung",
            "Intro call · 30 Min. mit Ada Brandt",
            "Half an hour to get to know each other: what you are working on, what has been in your way, and whether we can help. No preparation needed.",
            "/ada/intro-call",
        ),
        (
            "/event/1",
            "Intro call · Ada Brandt · Booking",
            "Intro call · 30 min with Ada Brandt",
            "Half an hour to get to know each other: what you are working on, what has been in your way, and whether we can help. No preparation needed.",
            "/ada/intro-call",
        ),
        (
            "/team/1/pair",
            "Talk · Customer Success · Booking",
            "Talk · 30 min with Customer Success",
            "Book a time with Customer Success",
            "/team/customer-success/pair",
        ),
        (
            "/ada",
            "Ada Brandt · Booking",
            "Book a time with Ada Brandt",
            "Book a time with Ada Brandt",
            "/ada",
        ),
        (
            "/team/customer-success",
            "Customer Success · Booking",
            "Book a time with Customer Success",
            "Book a time with Customer Success",
            "/team/customer-success",
        ),
        ("/", "Booking", "Book a time", "Book a time", "/"),
    ] {
        let page = service.get(target).await;
        assert_eq!(page.status, 200, "{target}");
        let text = &page.text;
        assert_eq!(title(text), expected_title, "{target}");
        assert_eq!(content(text, "og:title"), og_title);
        assert_eq!(content(text, "description"), description);
        assert_eq!(content(text, "og:description"), description);
        assert_eq!(content(text, "og:type"), "website");
        assert_eq!(content(text, "og:url"), format!("{BASE}{path}"));
        let picture = format!("{BASE}/pictures{}.png?lang=", path.trim_end_matches('/'));
        let image = content(text, "og:image");
        assert!(image.starts_with(&picture), "{image}");
        assert_eq!(content(text, "og:image:width"), "1200");
        assert_eq!(content(text, "og:image:height"), "630");
        assert_eq!(content(text, "og:image:alt"), og_title);
        assert_eq!(content(text, "twitter:card"), "summary_large_image");
        assert!(text.contains("name=\"theme-color\""), "{text}");
        assert!(text.contains("<body>app</body>"), "{text}");
        assert!(!page.headers.contains_key("x-robots-tag"), "{target}");
        assert_eq!(page.headers["cache-control"], "no-cache");
        assert!(page.headers.contains_key("content-security-policy"));
    }
    let page = service.get("/ada/intro-call").await.text;
    for (theme, colour) in [("light", "#0f766e"), ("dark", "#5eead4")] {
        let tag = format!("media=\"(prefers-color-scheme: {theme})\" content=\"{colour}\"");
        assert!(page.contains(&tag), "{page}");
    }
}

#[tokio::test]
async fn title_has_language_of_address_or_browser() {
    let service = service_with_page().await;
    for (target, accepted, expected) in [
        ("/ada", "de-AT, en;q=0.5", "Ada Brandt · Buchung"),
        ("/ada", "da, fr;q=0.5", "Ada Brandt · Réservation"),
        ("/ada?lang=ja", "de", "Ada Brandt · 予約"),
        ("/ada?lang=xx", "de", "Ada Brandt · Buchung"),
        ("/ada", "tlh", "Ada Brandt · Booking"),
    ] {
        let page = get_with(&service, target, &[("accept-language", accepted)]).await;
        assert_eq!(title(&page.text), expected, "{target} {accepted}");
        assert_eq!(page.headers["vary"], "accept-language, accept-encoding");
    }
}

#[tokio::test]
async fn hostile_texts_stay_in_their_attributes() {
    let service = service_with_page().await;
    let hostile = "</title><script>trap()</script>\"'><img src=x onerror=trap()>&amp;\u{202e}\n";
    let settings = json!({"title": hostile, "description": hostile});
    service.event_type("hostile", settings).await;
    let page = service.get("/host100/hostile").await;
    assert_eq!(page.status, 200);
    assert_eq!(content(&page.text, "og:type"), "website");
    for part in ["<script", "<img", "\u{202e}"] {
        assert!(!page.text.contains(part), "{}", page.text);
    }
    assert!(title(&page.text).contains("&lt;script&gt;trap()&lt;/script&gt;"));
    let description = content(&page.text, "description");
    assert!(description.contains("&quot;'&gt;"), "{description}");
    assert!(description.contains("&amp;amp;"), "{description}");
}

#[tokio::test]
async fn hidden_event_type_has_preview_but_is_not_listed() {
    let service = service_with_page().await;
    service
        .event_type("unlisted", json!({"title": "Unlisted", "hidden": true}))
        .await;
    let page = service.get("/host100/unlisted").await;
    assert_eq!(title(&page.text), "Unlisted · Host 100 · Booking");
    assert_eq!(page.headers["x-robots-tag"], "noindex");
    // The list of its owner would be empty.
    assert!(is_plain(&service.get("/host100").await));
}

#[tokio::test]
async fn page_without_public_content_is_plain() {
    let service = service_with_page().await;
    let id = service
        .event_type("closed", json!({"hidden": true, "closed": true}))
        .await;
    let closed = format!("/event/{id}");
    for target in [
        "/nobody",
        "/nobody/intro-call",
        "/ada/none",
        "/team/none",
        "/team/none/onboarding",
        "/event/999999",
        "/host100/closed",
        &closed,
    ] {
        let page = service.get(target).await;
        assert!(is_plain(&page), "{target}: {}", page.text);
        assert!(!page.headers.contains_key("x-robots-tag"), "{target}");
        assert_eq!(
            service.get(&format!("/pictures{target}.png")).await.status,
            404,
            "{target}"
        );
    }
}

#[tokio::test]
async fn private_page_says_nothing_and_is_not_listed() {
    let service = service_with_page().await;
    for target in [
        "/booking/demo-booking",
        "/booking/demo-booking/seat",
        "/bookings",
        "/roles",
        "/sign-in",
    ] {
        let page = service.get(target).await;
        assert!(is_plain(&page), "{target}: {}", page.text);
        assert_eq!(page.headers["x-robots-tag"], "noindex", "{target}");
    }
    let page = service.get("/mail/token").await;
    let robots = page.headers["x-robots-tag"].to_str().unwrap();
    assert!(robots.contains("noindex"), "{robots}");
}

#[tokio::test]
async fn page_with_preview_is_revalidated_and_compressed() {
    let service = service_with_page().await;
    let target = "/ada/intro-call";
    let page = service.get(target).await;
    let etag = page.headers["etag"].to_str().unwrap();
    let same = get_with(&service, target, &[("if-none-match", etag)]).await;
    assert_eq!((same.status, same.text.as_str()), (304, ""));
    assert_eq!(same.headers["etag"], etag);
    let german = [("if-none-match", etag), ("accept-language", "de")];
    assert_eq!(get_with(&service, target, &german).await.status, 200);
    // The second of each is from memory.
    for encoding in ["br", "gzip", "br", "gzip"] {
        let page = get_with(&service, target, &[("accept-encoding", encoding)]).await;
        assert_eq!(page.headers["content-encoding"], encoding);
        assert_eq!(page.headers["etag"], etag);
    }
    for accepted in ["identity", &"x,".repeat(100)] {
        let page = get_with(&service, target, &[("accept-encoding", accepted)]).await;
        assert!(!page.headers.contains_key("content-encoding"), "{accepted}");
    }
    let (status, headers, _) = get_bytes(&service, Method::HEAD, target).await;
    assert_eq!((status, headers["etag"].to_str().unwrap()), (200, etag));
    assert_eq!(get_bytes(&service, Method::POST, target).await.0, 405);
    service
        .sql("UPDATE event_types SET settings = replace(settings, 'Intro call', 'First call') WHERE id = 1")
        .await;
    let changed = get_with(&service, target, &[("if-none-match", etag)]).await;
    assert_eq!(title(&changed.text), "First call · Ada Brandt · Booking");
}

#[tokio::test]
async fn slow_database_leaves_the_page_plain() {
    let service = service_with_page().await;
    // Readers of the database are all in use. PostgreSQL takes some time to open one.
    let mut readers = Vec::new();
    let wait = Duration::from_secs(2);
    while let Ok(Ok(reader)) = tokio::time::timeout(wait, service.app.store.read()).await {
        readers.push(reader);
    }
    let start = Instant::now();
    assert!(is_plain(&service.get("/ada/intro-call").await));
    assert!(start.elapsed() < Duration::from_secs(3));
    assert_eq!(content(&service.get("/").await.text, "og:type"), "website");
    drop(readers);
    assert!(!is_plain(&service.get("/ada/intro-call").await));
}

#[tokio::test]
async fn picture_is_png_of_the_page() {
    let mut service = service_with_page().await;
    let branding = Branding {
        name: "Northwind".to_owned(),
        ..Branding::default()
    };
    service.restart_with(|settings: &mut Settings| settings.mail.branding = Arc::new(branding));
    let mut pictures = Vec::new();
    for target in ["/ada/intro-call", "/ada/consultation"] {
        let page = service.get(target).await.text;
        assert_eq!(content(&page, "og:site_name"), "Northwind");
        let url = content(&page, "og:image").replace("&amp;", "&");
        let url = url.strip_prefix(BASE).unwrap();
        let (status, headers, png) = get_bytes(&service, Method::GET, url).await;
        assert_eq!(status, 200, "{url}");
        assert_eq!(headers["content-type"], "image/png");
        assert_eq!(headers["cache-control"], "public, max-age=86400");
        assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
        let size = [16, 20].map(|at| u32::from_be_bytes(png[at..at + 4].try_into().unwrap()));
        assert_eq!(size, [1200, 630]);
        assert!(png.len() < 200_000, "{}", png.len());
        let etag = headers["etag"].to_str().unwrap();
        let same = get_with(&service, url, &[("if-none-match", etag)]).await;
        assert_eq!(same.status, 304);
        // From memory.
        let start = Instant::now();
        let (status, ..) = get_bytes(&service, Method::HEAD, url).await;
        assert_eq!(status, 200);
        assert!(start.elapsed() < Duration::from_millis(500));
        pictures.push(png);
    }
    assert_ne!(pictures[0], pictures[1]);
}
