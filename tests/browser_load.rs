//! Questions that change while they are answered, and views that come and go.

#![cfg(target_arch = "wasm32")]
#![allow(clippy::expect_used)]

mod mounted;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use booking_widget::api::{Abort, ApiError};
use booking_widget::dom::{Html, el, nothing, row};
use booking_widget::load::{Latest, Load, latest};
use booking_widget::signal::RwSignal;
use js_sys::{Function, Promise};
use leptos::prelude::*;
use mounted::{Mounted, Told, mount, tick};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::AbortSignal;

wasm_bindgen_test_configure!(run_in_browser);

/// A question that the test answers when it likes.
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

/// A view that shows the answer to a question.
fn scene() -> Scene {
    let asked: Told<Asked> = Told::default();
    let noted = asked.clone();
    let mut made = None;
    let page = mount(|| -> Html {
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

    // Also when the old one answers while the new one is awaited.
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
    let mut page = mount(|| -> Html {
        let (outer, inner) = (RwSignal::new(1), RwSignal::new(1));
        handles = Some((outer, inner));
        let (note, count) = (StoredValue::new_local(note), StoredValue::new_local(count));
        let end = move |what: String| {
            on_cleanup(move || {
                let _ = note.try_with_value(|note| note.borrow_mut().push(what));
            });
        };
        el("div")
            .add("before ")
            .show(move || {
                let number = outer.get();
                count.with_value(|count| count.set(count.get() + 1));
                end(format!("outer {number}"));
                el("section")
                    .add(format!("[{number} "))
                    .show(move || {
                        let number = inner.get();
                        end(format!("inner {number}"));
                        row((0..number).map(|index| el("i").add(format!("{index}"))))
                    })
                    .add("]")
            })
            .add(" after")
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
    let page = mount(|| -> Html {
        let is_shown = RwSignal::new(true);
        shown = Some(is_shown);
        nothing().show(move || {
            let count = count.clone();
            is_shown.get().then(|| {
                el("button")
                    .add("Press")
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
