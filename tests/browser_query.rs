//! Queries that change while a request is in flight, and views that are mounted and removed.

#![cfg(target_arch = "wasm32")]
#![allow(clippy::expect_used)]

mod mounted;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use booking_widget::client::query::{Latest, Load, latest};
use booking_widget::client::session::Session;
use booking_widget::client::{Abort, ApiError, DeclineReason, Dialect};
use booking_widget::ui::dom::{Node, el, fragment, fragment_of};
use booking_widget::ui::signal::RwSignal;
use booking_wire::NewReservation;
use js_sys::{Function, JSON, Promise};
use leptos::prelude::*;
use mounted::{Mounted, Told, mount, tick};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::AbortSignal;

wasm_bindgen_test_configure!(run_in_browser);

/// Request whose response the test controls.
struct Asked {
    question: u32,
    signal: AbortSignal,
    answer: Function,
    refuse: Function,
}

impl Asked {
    fn answer(&self) {
        let _ = self.answer.call0(&JsValue::UNDEFINED);
    }

    fn refuse(&self) {
        let _ = self.refuse.call0(&JsValue::UNDEFINED);
    }
}

struct Scene {
    page: Mounted,
    question: RwSignal<Option<u32>>,
    answers: Latest<u32>,
    asked: Told<Asked>,
}

/// Mounts a view that shows the response to a query.
fn scene() -> Scene {
    let asked: Told<Asked> = Told::default();
    let noted = asked.clone();
    let mut made = None;
    let page = mount(|| -> Node {
        let question = RwSignal::new(Some(1));
        let answers = latest(
            move || question.get(),
            move |question, abort: Abort| {
                let noted = noted.clone();
                let promise = Promise::new(&mut |answer, refuse| {
                    noted.borrow_mut().push(Asked {
                        question,
                        signal: abort.signal().expect("a signal"),
                        answer,
                        refuse,
                    });
                });
                async move {
                    match JsFuture::from(promise).await {
                        Ok(_) => Ok(question),
                        Err(_) => Err(ApiError::Unreachable),
                    }
                }
            },
        );
        made = Some((question, answers));
        let words = move || match answers.signal().get() {
            Load::Pending => "waiting".to_owned(),
            Load::Ready(answer) => format!("answer {answer}"),
            Load::Failed(_) => "failed".to_owned(),
        };
        el("p").text_with(words)
    });
    let (question, answers) = made.expect("a view");
    Scene {
        page,
        question,
        answers,
        asked,
    }
}

impl Scene {
    fn asked(&self) -> Vec<u32> {
        self.asked
            .borrow()
            .iter()
            .map(|asked| asked.question)
            .collect()
    }

    fn aborted(&self) -> Vec<bool> {
        self.asked
            .borrow()
            .iter()
            .map(|asked| asked.signal.aborted())
            .collect()
    }

    fn answer(&self, index: usize) {
        self.asked.borrow().get(index).expect("a question").answer();
    }
}

#[wasm_bindgen_test]
async fn a_slow_answer_to_an_old_question_is_never_shown() {
    let scene = scene();
    tick().await;
    scene.question.set(Some(2));
    tick().await;
    assert_eq!(scene.asked(), [1, 2]);
    assert_eq!(scene.aborted(), [true, false]);
    scene.answer(1);
    tick().await;
    assert_eq!(scene.page.text(), "answer 2");
    scene.answer(0);
    tick().await;
    assert_eq!(scene.page.text(), "answer 2");

    // Also if the response to the old query arrives while the new one is pending.
    scene.question.set(Some(3));
    tick().await;
    assert_eq!(scene.page.text(), "waiting");
    scene.question.set(Some(4));
    tick().await;
    scene.answer(2);
    tick().await;
    assert_eq!(scene.page.text(), "waiting");
    assert!(scene.answers.is_busy().get_untracked());
    scene.answer(3);
    tick().await;
    assert_eq!(scene.page.text(), "answer 4");
    assert!(!scene.answers.is_busy().get_untracked());
}

#[wasm_bindgen_test]
async fn the_request_of_a_view_that_is_gone_is_aborted_and_its_answer_harmless() {
    let mut scene = scene();
    tick().await;
    assert_eq!(scene.aborted(), [false]);
    scene.page.end();
    assert_eq!(scene.aborted(), [true]);
    scene.answer(0);
    tick().await;
    assert_eq!(scene.page.text(), "");
}

#[wasm_bindgen_test]
async fn asking_again_keeps_the_answer_until_there_is_another() {
    let scene = scene();
    tick().await;
    scene.answer(0);
    tick().await;
    scene.answers.again();
    tick().await;
    assert_eq!(scene.asked(), [1, 1]);
    assert_eq!(scene.page.text(), "answer 1");
    assert!(scene.answers.is_busy().get_untracked());
    scene.asked.borrow().get(1).expect("a question").refuse();
    tick().await;
    assert_eq!(scene.page.text(), "failed");
    scene.answers.again();
    tick().await;
    scene.answer(2);
    tick().await;
    assert_eq!(scene.page.text(), "answer 1");
}

#[wasm_bindgen_test]
async fn an_equal_question_is_not_asked_twice_and_none_not_at_all() {
    let scene = scene();
    tick().await;
    scene.question.set(Some(1));
    tick().await;
    assert_eq!(scene.asked(), [1]);
    scene.question.set(None);
    tick().await;
    assert_eq!((scene.asked(), scene.aborted()), (vec![1], vec![true]));
    assert!(!scene.answers.is_busy().get_untracked());
}

#[wasm_bindgen_test]
async fn a_request_that_takes_too_long_is_ended_and_one_that_is_settled_is_not() {
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
async fn a_view_within_a_view_is_replaced_alone_and_cleaned_up_with_what_holds_it() {
    let ended = Rc::new(RefCell::new(Vec::new()));
    let made = Rc::new(Cell::new(0));
    let mut handles = None;
    let (note, count) = (ended.clone(), made.clone());
    let mut page = mount(|| -> Node {
        let (outer, inner) = (RwSignal::new(1), RwSignal::new(1));
        handles = Some((outer, inner));
        let (note, count) = (StoredValue::new_local(note), StoredValue::new_local(count));
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
    assert_eq!(made.get(), 1, "what is around it stays");
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
    assert!(!page.place.has_child_nodes());
    let all = ended.borrow().clone();
    for last in ["outer 2", "inner 2"] {
        let times = all.iter().filter(|what| *what == last).count();
        assert_eq!(times, 1, "{last} in {all:?}");
    }
}

#[wasm_bindgen_test]
async fn a_handler_is_silent_once_its_view_is_gone() {
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

/// Mocks `fetch` with `answers`, each a status and a `Retry-After`; the last one repeats, and status 0 is a
/// network error. Timers fire at once. Records requests and delays.
const NETWORK: &str = "
    const { fetch, setTimeout } = window;
    const [asked, waited] = [[], []];
    window.fetch = async (request) => {
      const [status, after] = answers[Math.min(asked.push(request.method), answers.length) - 1];
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
      return JSON.stringify([asked.length, waited]);
    };
";

#[wasm_bindgen_test]
async fn failed_reads_are_retried_where_that_may_help_and_writes_are_not() {
    let session = Session::public("https://book.example", Dialect::Svc);
    let read = |abort: Abort| {
        let session = session.clone();
        async move { session.event_types_of_team(1, abort).await.map(|_| ()) }
    };
    let busy = || ApiError::Unexpected {
        status: 503,
        request_id: None,
    };
    let too_many = |wait_s| ApiError::Declined(DeclineReason::TooMany { wait_s });
    for (answers, outcome, told) in [
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
        let finish = network(answers);
        assert_eq!(read(Abort::after(20_000)).await, outcome, "{answers}");
        assert_eq!(finished(&finish), told, "{answers}");
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

fn network(answers: &str) -> Function {
    let answers = JSON::parse(answers).expect("answers");
    let network = Function::new_with_args("answers", NETWORK);
    let finish = network
        .call1(&JsValue::UNDEFINED, &answers)
        .expect("a network");
    finish.into()
}

fn finished(finish: &Function) -> String {
    let told = finish.call0(&JsValue::UNDEFINED).expect("a record");
    told.as_string().unwrap_or_default()
}
