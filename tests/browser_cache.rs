//! Cached responses: known ones are shown at once, stale ones are fetched again.

#![cfg(target_arch = "wasm32")]
#![allow(clippy::expect_used)]

mod mounted;

use std::cell::Cell;
use std::rc::Rc;

use booking_ui::prelude::*;
use booking_widget::client::cache::CachedResource;
use booking_widget::client::cache::cached;
use booking_widget::client::query::Load;
use booking_widget::client::{Abort, ApiError};
use booking_widget::time::{Clock, Instant};
use js_sys::{Function, Promise};
use mounted::{Mounted, Recorded, mount, tick};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

thread_local! {
    static NOW_MS: Cell<i64> = const { Cell::new(0) };
}

/// Request whose response the test controls.
struct TestRequest {
    query: u32,
    is_aborted: Box<dyn Fn() -> bool>,
    respond: Function,
    fail: Function,
}

struct Scene {
    page: Mounted,
    query: RwSignal<u32>,
    resource: CachedResource<u32, u32>,
    requests: Recorded<TestRequest>,
}

/// Mounts a view that shows the response to a query. Each response is ten times the query plus the
/// number of earlier requests for it, and fresh for a second.
fn scene() -> Scene {
    let requests: Recorded<TestRequest> = Recorded::default();
    let recorded = Rc::clone(&requests);
    let mut handles = None;
    let page = mount(|| -> Node {
        let query = RwSignal::new(1);
        let fetch = move |query: u32, abort: Abort| {
            let is_this = |request: &&TestRequest| request.query == query;
            let before = recorded.borrow().iter().filter(is_this).count();
            let number = u32::try_from(before).unwrap_or(0);
            let recorded = Rc::clone(&recorded);
            let promise = Promise::new(&mut |respond, fail| {
                let signal = abort.signal().expect("a signal");
                recorded.borrow_mut().push(TestRequest {
                    query,
                    is_aborted: Box::new(move || signal.aborted()),
                    respond,
                    fail,
                });
            });
            async move {
                match JsFuture::from(promise).await {
                    Ok(_) => Ok(query * 10 + number),
                    Err(_) => Err(ApiError::Unreachable),
                }
            }
        };
        let clock = Clock::of(|| Instant(NOW_MS.get()));
        let resource = cached(move || Some(query.get()), fetch, clock, 1000);
        handles = Some((query, resource));
        el("p").text_with(move || match resource.signal().get() {
            Load::Pending => "waiting".to_owned(),
            Load::Ready(response) => format!("response {response}"),
            Load::Failed(_) => "failed".to_owned(),
        })
    });
    let (query, resource) = handles.expect("a view");
    Scene {
        page,
        query,
        resource,
        requests,
    }
}

impl Scene {
    fn requests(&self) -> Vec<u32> {
        let requests = self.requests.borrow();
        requests.iter().map(|request| request.query).collect()
    }

    fn is_aborted(&self, index: usize) -> bool {
        let requests = self.requests.borrow();
        (requests.get(index).expect("a query").is_aborted)()
    }

    async fn respond(&self, index: usize) {
        let respond = self
            .requests
            .borrow()
            .get(index)
            .expect("a query")
            .respond
            .clone();
        let _ = respond.call0(&JsValue::UNDEFINED);
        tick().await;
    }

    async fn fail(&self, index: usize) {
        let fail = self
            .requests
            .borrow()
            .get(index)
            .expect("a query")
            .fail
            .clone();
        let _ = fail.call0(&JsValue::UNDEFINED);
        tick().await;
    }

    async fn ask(&self, query: u32) {
        self.query.set(query);
        tick().await;
    }
}

#[wasm_bindgen_test]
async fn cached_query_repeated_shows_cached_response() {
    let scene = scene();
    tick().await;
    scene.respond(0).await;
    scene.ask(2).await;
    assert_eq!(scene.page.text(), "waiting");
    scene.respond(1).await;
    scene.ask(1).await;
    assert_eq!(scene.page.text(), "response 10");
    assert_eq!(scene.requests(), [1, 2]);
    assert!(!scene.resource.is_busy().get_untracked());

    NOW_MS.set(NOW_MS.get() + 2000);
    scene.ask(2).await;
    assert_eq!(
        (scene.page.text(), scene.requests()),
        ("response 20".into(), vec![1, 2, 2])
    );
    assert!(scene.resource.is_busy().get_untracked());
    scene.respond(2).await;
    assert_eq!(scene.page.text(), "response 21");
    // A stale response stays on screen if the refresh fails.
    scene.ask(1).await;
    scene.fail(3).await;
    assert_eq!(scene.page.text(), "response 10");
    assert!(!scene.resource.is_busy().get_untracked());
}

#[wasm_bindgen_test]
async fn prefetched_query_selected_sends_no_second_request() {
    let scene = scene();
    tick().await;
    scene.respond(0).await;
    for _ in 0..2 {
        scene.resource.prefetch(2);
    }
    scene.ask(2).await;
    assert_eq!(
        (scene.page.text(), scene.requests()),
        ("waiting".into(), vec![1, 2])
    );
    // Another prefetch does not abort a request that is awaited.
    scene.resource.prefetch(3);
    assert!(!scene.is_aborted(1));
    scene.respond(1).await;
    assert_eq!(scene.page.text(), "response 20");
    assert!(!scene.resource.is_busy().get_untracked());

    // A newer prefetch replaces an older one; one that fails is retried once it is needed.
    scene.resource.prefetch(3);
    scene.resource.prefetch(4);
    assert!(scene.is_aborted(2));
    scene.ask(4).await;
    scene.fail(3).await;
    assert_eq!(scene.requests(), [1, 2, 3, 4, 4]);
    scene.respond(4).await;
    assert_eq!(scene.page.text(), "response 41");
}

#[wasm_bindgen_test]
async fn reload_clears_cache_and_failed_refresh_keeps_response() {
    let scene = scene();
    tick().await;
    scene.respond(0).await;
    scene.resource.refresh();
    tick().await;
    scene.fail(1).await;
    assert_eq!(scene.page.text(), "response 10");
    scene.ask(2).await;
    scene.respond(2).await;
    scene.resource.reload();
    tick().await;
    assert_eq!(scene.page.text(), "response 20");
    scene.respond(3).await;
    assert_eq!(scene.page.text(), "response 21");
    scene.ask(1).await;
    assert_eq!(scene.page.text(), "waiting");
    scene.fail(4).await;
    assert_eq!(scene.page.text(), "failed");
}

#[wasm_bindgen_test]
async fn prefetch_view_disposed_is_aborted() {
    let mut scene = scene();
    tick().await;
    scene.respond(0).await;
    scene.resource.prefetch(2);
    scene.page.end();
    assert!(scene.is_aborted(1));
}
