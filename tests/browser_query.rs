//! Queries that change while a request is in flight, and views that are mounted and removed.

#![cfg(target_arch = "wasm32")]
#![allow(clippy::expect_used)]

mod mounted;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use booking_ui::prelude::*;
use booking_widget::client::query::{Latest, Load, latest};
use booking_widget::client::session::Session;
use booking_widget::client::{Abort, ApiError, DeclineReason, Dialect};
use booking_wire::{NewReservation, TeamEventType};
use js_sys::{Function, JSON, Promise};
use mounted::{Mounted, Recorded, mount, tick};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::AbortSignal;

wasm_bindgen_test_configure!(run_in_browser);

/// Request whose response the test controls.
struct TestRequest {
    query: u32,
    signal: AbortSignal,
    respond: Function,
    fail: Function,
}

impl TestRequest {
    fn respond(&self) {
        let _ = self.respond.call0(&JsValue::UNDEFINED);
    }

    fn fail(&self) {
        let _ = self.fail.call0(&JsValue::UNDEFINED);
    }
}

struct Scene {
    page: Mounted,
    query: RwSignal<Option<u32>>,
    responses: Latest<u32>,
    requests: Recorded<TestRequest>,
}

/// Mounts a view that shows the response to a query.
fn scene() -> Scene {
    let requests: Recorded<TestRequest> = Recorded::default();
    let recorded = requests.clone();
    let mut handles = None;
    let page = mount(|| -> Node {
        let query = RwSignal::new(Some(1));
        let responses = latest(
            move || query.get(),
            move |query, abort: Abort| {
                let recorded = recorded.clone();
                let promise = Promise::new(&mut |respond, fail| {
                    recorded.borrow_mut().push(TestRequest {
                        query,
                        signal: abort.signal().expect("a signal"),
                        respond,
                        fail,
                    });
                });
                async move {
                    match JsFuture::from(promise).await {
                        Ok(_) => Ok(query),
                        Err(_) => Err(ApiError::Unreachable),
                    }
                }
            },
        );
        handles = Some((query, responses));
        let words = move || match responses.signal().get() {
            Load::Pending => "waiting".to_owned(),
            Load::Ready(response) => format!("response {response}"),
            Load::Failed(_) => "failed".to_owned(),
        };
        el("p").text_with(words)
    });
    let (query, responses) = handles.expect("a view");
    Scene {
        page,
        query,
        responses,
        requests,
    }
}

impl Scene {
    fn requests(&self) -> Vec<u32> {
        self.requests
            .borrow()
            .iter()
            .map(|request| request.query)
            .collect()
    }

    fn aborted(&self) -> Vec<bool> {
        self.requests
            .borrow()
            .iter()
            .map(|request| request.signal.aborted())
            .collect()
    }

    fn respond(&self, index: usize) {
        self.requests
            .borrow()
            .get(index)
            .expect("a query")
            .respond();
    }
}

#[wasm_bindgen_test]
async fn response_that_has_arrived_is_part_of_the_first_rendering() {
    let runs = Rc::new(Cell::new(0));
    let counted = Rc::clone(&runs);
    let page = mount(move || {
        let unrelated = RwSignal::new(1);
        let responses = latest(
            || Some(2_u32),
            // What a request reads is no reason to send it again.
            move |query, _| async move { Ok(query + unrelated.get()) },
        );
        let text = move || {
            counted.set(counted.get() + 1);
            unrelated.set(5);
            format!("{:?}", responses.signal().get())
        };
        el("p").text_with(text)
    });
    assert_eq!(page.text(), "Ready(3)");
    tick().await;
    assert_eq!((page.text().as_str(), runs.get()), ("Ready(3)", 1));
}

#[wasm_bindgen_test]
async fn latest_late_response_to_old_query_is_ignored() {
    let scene = scene();
    tick().await;
    scene.query.set(Some(2));
    tick().await;
    assert_eq!(scene.requests(), [1, 2]);
    assert_eq!(scene.aborted(), [true, false]);
    scene.respond(1);
    tick().await;
    assert_eq!(scene.page.text(), "response 2");
    scene.respond(0);
    tick().await;
    assert_eq!(scene.page.text(), "response 2");

    // Also if the response to the old query arrives while the new one is pending.
    scene.query.set(Some(3));
    tick().await;
    assert_eq!(scene.page.text(), "waiting");
    scene.query.set(Some(4));
    tick().await;
    scene.respond(2);
    tick().await;
    assert_eq!(scene.page.text(), "waiting");
    assert!(scene.responses.is_busy().get_untracked());
    scene.respond(3);
    tick().await;
    assert_eq!(scene.page.text(), "response 4");
    assert!(!scene.responses.is_busy().get_untracked());
}

#[wasm_bindgen_test]
async fn latest_view_disposed_aborts_request() {
    let mut scene = scene();
    tick().await;
    assert_eq!(scene.aborted(), [false]);
    scene.page.end();
    assert_eq!(scene.aborted(), [true]);
    scene.respond(0);
    tick().await;
    assert_eq!(scene.page.text(), "");
}

#[wasm_bindgen_test]
async fn latest_reloaded_keeps_response_until_next() {
    let scene = scene();
    tick().await;
    scene.respond(0);
    tick().await;
    scene.responses.reload();
    tick().await;
    assert_eq!(scene.requests(), [1, 1]);
    assert_eq!(scene.page.text(), "response 1");
    assert!(scene.responses.is_busy().get_untracked());
    scene.requests.borrow().get(1).expect("a query").fail();
    tick().await;
    assert_eq!(scene.page.text(), "failed");
    scene.responses.reload();
    tick().await;
    scene.respond(2);
    tick().await;
    assert_eq!(scene.page.text(), "response 1");
}

#[wasm_bindgen_test]
async fn latest_equal_or_no_query_sends_no_request() {
    let scene = scene();
    tick().await;
    scene.query.set(Some(1));
    tick().await;
    assert_eq!(scene.requests(), [1]);
    scene.query.set(None);
    tick().await;
    assert_eq!((scene.requests(), scene.aborted()), (vec![1], vec![true]));
    assert!(!scene.responses.is_busy().get_untracked());
}

#[wasm_bindgen_test]
async fn abort_timeout_aborts_only_pending_request() {
    let (slow, quick) = (Abort::after(1), Abort::after(1));
    quick.settle();
    let ended = Promise::new(&mut |done, _| {
        let signal = slow.signal().expect("a signal");
        let listen = Function::new_with_args(
            "signal, done",
            "signal.aborted ? done() : signal.addEventListener('abort', () => setTimeout(done, 5))",
        );
        let _ = listen.call2(&JsValue::UNDEFINED, &signal, &done);
    });
    JsFuture::from(ended).await.expect("its end");
    assert!(!quick.signal().expect("a signal").aborted());
}

#[wasm_bindgen_test]
async fn child_with_nested_is_replaced_alone_and_disposed_with_parent() {
    let ended = Rc::new(RefCell::new(Vec::new()));
    let renders = Rc::new(Cell::new(0));
    let mut handles = None;
    let (note, count) = (ended.clone(), renders.clone());
    let mut page = mount(|| -> Node {
        let (outer, inner) = (RwSignal::new(1), RwSignal::new(1));
        handles = Some((outer, inner));
        let (note, count) = (StoredValue::new(note), StoredValue::new(count));
        let end = move |what: String| {
            on_cleanup(move || {
                let _ = note.try_with_value(|note| note.borrow_mut().push(what));
            });
        };
        el("div")
            .child("before ")
            .child_with(move || {
                let number = outer.get();
                count.with_value(|count| count.set(count.get() + 1));
                end(format!("outer {number}"));
                el("section")
                    .child(format!("[{number} "))
                    .child_with(move || {
                        let number = inner.get();
                        end(format!("inner {number}"));
                        fragment_of((0..number).map(|index| el("i").child(format!("{index}"))))
                    })
                    .child("]")
            })
            .child(" after")
    });
    let (outer, inner) = handles.expect("a view");
    tick().await;
    assert_eq!(page.text(), "before [1 0] after");

    inner.set(3);
    tick().await;
    assert_eq!(page.text(), "before [1 012] after");
    assert_eq!(renders.get(), 1, "what is around it stays");
    inner.set(0);
    tick().await;
    assert_eq!(page.text(), "before [1 ] after");
    outer.set(2);
    inner.set(2);
    tick().await;
    assert_eq!(page.text(), "before [2 01] after");
    assert_eq!(page.all("section").len(), 1);
    let so_far = ended.borrow().clone();
    assert_eq!(so_far.first().map(String::as_str), Some("inner 1"));
    assert!(so_far.contains(&"outer 1".to_owned()), "{so_far:?}");
    assert!(!so_far.contains(&"outer 2".to_owned()), "{so_far:?}");

    page.end();
    assert!(!page.container.has_child_nodes());
    let all = ended.borrow().clone();
    for last in ["outer 2", "inner 2"] {
        let times = all.iter().filter(|what| *what == last).count();
        assert_eq!(times, 1, "{last} in {all:?}");
    }
}

#[wasm_bindgen_test]
async fn event_handler_view_disposed_is_not_called() {
    let heard = Rc::new(Cell::new(0));
    let count = heard.clone();
    let mut shown = None;
    let page = mount(|| -> Node {
        let is_shown = RwSignal::new(true);
        shown = Some(is_shown);
        fragment().child_with(move || {
            let count = count.clone();
            is_shown.get().then(|| {
                el("button")
                    .child("Press")
                    .on("click", move |_| count.set(count.get() + 1))
            })
        })
    });
    tick().await;
    let button = page.button("Press");
    button.click();
    assert_eq!(heard.get(), 1);
    shown.expect("a view").set(false);
    tick().await;
    button.click();
    assert_eq!(heard.get(), 1);
    assert_eq!(page.text(), "");
}

/// Mocks `fetch` with `responses`, each a status and a `Retry-After`; the last one repeats, and status 0 is a
/// network error. Timers fire at once. Records requests and delays.
const NETWORK: &str = "
    const { fetch, setTimeout } = window;
    const [requests, waited] = [[], []];
    window.fetch = async (request) => {
      const [status, after] = responses[Math.min(requests.push(request.method), responses.length) - 1];
      if (!status) throw new TypeError('broken');
      const body = JSON.stringify({ status: status < 400 ? 'success' : 'error', data: [] });
      return new Response(body, { status, headers: after ? { 'Retry-After': after } : {} });
    };
    window.setTimeout = (act, delay, ...given) => {
      if (delay >= 10000) return 0;
      if (delay >= 500) waited.push(delay);
      return setTimeout(act, 0, ...given);
    };
    return () => {
      Object.assign(window, { fetch, setTimeout });
      return JSON.stringify([requests.length, waited]);
    };
";

#[wasm_bindgen_test]
async fn client_transient_failure_retries_reads_only() {
    let session = Session::public("https://book.example", Dialect::Svc);
    let read = |abort: Abort| {
        let session = session.clone();
        async move {
            session
                .event_types_of_team::<TeamEventType>("1".to_owned(), abort)
                .await
                .map(|_| ())
        }
    };
    let busy = || ApiError::Unexpected {
        status: 503,
        request_id: None,
    };
    let too_many = |wait_s| ApiError::Declined(DeclineReason::TooMany { wait_s });
    for (responses, outcome, told) in [
        ("[[0], [503], [200]]", Ok(()), "[3,[500,1500]]"),
        ("[[503]]", Err(busy()), "[3,[500,1500]]"),
        ("[[0]]", Err(ApiError::Unreachable), "[3,[500,1500]]"),
        ("[[429, 2], [200]]", Ok(()), "[2,[2000]]"),
        ("[[429, 30]]", Err(too_many(Some(30))), "[1,[]]"),
        (
            "[[403]]",
            Err(ApiError::Declined(DeclineReason::Forbidden)),
            "[1,[]]",
        ),
        // No session to renew.
        (
            "[[401]]",
            Err(ApiError::Declined(DeclineReason::NotPublic)),
            "[1,[]]",
        ),
    ] {
        let finish = network(responses);
        assert_eq!(read(Abort::after(20_000)).await, outcome, "{responses}");
        assert_eq!(finished(&finish), told, "{responses}");
    }

    let finish = network("[[503]]");
    let outcome = read(Abort::after(20_000).without_retries()).await;
    assert_eq!(
        (outcome, finished(&finish).as_str()),
        (Err(busy()), "[1,[]]")
    );

    // An aborted request does not wait for its retry.
    let finish = network("[[503]]");
    let abort = Abort::after(20_000);
    let reading = read(abort.clone());
    abort.abort();
    assert_eq!(
        (reading.await, finished(&finish).as_str()),
        (Err(busy()), "[1,[]]")
    );

    let finish = network("[[503]]");
    let wanted = NewReservation {
        event_type_id: 1,
        slot_start: booking_widget::time::Instant(0),
        slot_duration: None,
        reservation_duration: None,
    };
    let outcome = session.reserve(wanted, None, Abort::after(20_000)).await;
    assert_eq!(
        (outcome.err(), finished(&finish).as_str()),
        (Some(busy()), "[1,[]]")
    );
}

fn network(responses: &str) -> Function {
    let responses = JSON::parse(responses).expect("responses");
    let network = Function::new_with_args("responses", NETWORK);
    let finish = network
        .call1(&JsValue::UNDEFINED, &responses)
        .expect("a network");
    finish.into()
}

fn finished(finish: &Function) -> String {
    let told = finish.call0(&JsValue::UNDEFINED).expect("a record");
    told.as_string().unwrap_or_default()
}
