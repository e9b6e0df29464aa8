//! Cached responses: known ones are shown at once, stale ones are fetched again.

#![cfg(target_arch = "wasm32")]
#![allow(clippy::expect_used)]

mod mounted;

use std::cell::Cell;
use std::rc::Rc;

use booking_widget::client::cache::CachedResource;
use booking_widget::client::cache::cached;
use booking_widget::client::query::Load;
use booking_widget::client::{Abort, ApiError};
use booking_widget::time::{Clock, Instant};
use booking_widget::ui::dom::{Node, el};
use booking_widget::ui::signal::RwSignal;
use js_sys::{Function, Promise};
use mounted::{Mounted, Told, mount, tick};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

thread_local! {
    static NOW_MS: Cell<i64> = const { Cell::new(0) };
}

/// Request whose response the test controls.
struct Asked {
    question: u32,
    is_aborted: Box<dyn Fn() -> bool>,
    answer: Function,
    refuse: Function,
}

struct Scene {
    page: Mounted,
    question: RwSignal<u32>,
    answers: CachedResource<u32, u32>,
    asked: Told<Asked>,
}

/// Mounts a view that shows the response to a query. Each response is ten times the query plus the
/// number of earlier requests for it, and fresh for a second.
fn scene() -> Scene {
    let asked: Told<Asked> = Told::default();
    let noted = Rc::clone(&asked);
    let mut made = None;
    let page = mount(|| -> Node {
        let question = RwSignal::new(1);
        let fetch = move |question: u32, abort: Abort| {
            let is_this = |asked: &&Asked| asked.question == question;
            let before = noted.borrow().iter().filter(is_this).count();
            let number = u32::try_from(before).unwrap_or(0);
            let noted = Rc::clone(&noted);
            let promise = Promise::new(&mut |answer, refuse| {
                let signal = abort.signal().expect("a signal");
                noted.borrow_mut().push(Asked {
                    question,
                    is_aborted: Box::new(move || signal.aborted()),
                    answer,
                    refuse,
                });
            });
            async move {
                match JsFuture::from(promise).await {
                    Ok(_) => Ok(question * 10 + number),
                    Err(_) => Err(ApiError::Unreachable),
                }
            }
        };
        let clock = Clock::of(|| Instant(NOW_MS.get()));
        let answers = cached(move || Some(question.get()), fetch, clock, 1000);
        made = Some((question, answers));
        el("p").text_with(move || match answers.signal().get() {
            Load::Pending => "waiting".to_owned(),
            Load::Ready(answer) => format!("answer {answer}"),
            Load::Failed(_) => "failed".to_owned(),
        })
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
        let asked = self.asked.borrow();
        asked.iter().map(|asked| asked.question).collect()
    }

    fn is_aborted(&self, index: usize) -> bool {
        let asked = self.asked.borrow();
        (asked.get(index).expect("a question").is_aborted)()
    }

    async fn answer(&self, index: usize) {
        let answer = self
            .asked
            .borrow()
            .get(index)
            .expect("a question")
            .answer
            .clone();
        let _ = answer.call0(&JsValue::UNDEFINED);
        tick().await;
    }

    async fn refuse(&self, index: usize) {
        let refuse = self
            .asked
            .borrow()
            .get(index)
            .expect("a question")
            .refuse
            .clone();
        let _ = refuse.call0(&JsValue::UNDEFINED);
        tick().await;
    }

    async fn ask(&self, question: u32) {
        self.question.set(question);
        tick().await;
    }
}

#[wasm_bindgen_test]
async fn a_known_answer_comes_at_once_and_an_old_one_until_there_is_a_new_one() {
    let scene = scene();
    tick().await;
    scene.answer(0).await;
    scene.ask(2).await;
    assert_eq!(scene.page.text(), "waiting");
    scene.answer(1).await;
    scene.ask(1).await;
    assert_eq!(scene.page.text(), "answer 10");
    assert_eq!(scene.asked(), [1, 2]);
    assert!(!scene.answers.is_busy().get_untracked());

    NOW_MS.set(NOW_MS.get() + 2000);
    scene.ask(2).await;
    assert_eq!(
        (scene.page.text(), scene.asked()),
        ("answer 20".into(), vec![1, 2, 2])
    );
    assert!(scene.answers.is_busy().get_untracked());
    scene.answer(2).await;
    assert_eq!(scene.page.text(), "answer 21");
    // A stale response stays on screen if the refresh fails.
    scene.ask(1).await;
    scene.refuse(3).await;
    assert_eq!(scene.page.text(), "answer 10");
    assert!(!scene.answers.is_busy().get_untracked());
}

#[wasm_bindgen_test]
async fn a_question_asked_ahead_is_not_asked_twice() {
    let scene = scene();
    tick().await;
    scene.answer(0).await;
    for _ in 0..2 {
        scene.answers.ahead(2);
    }
    scene.ask(2).await;
    assert_eq!(
        (scene.page.text(), scene.asked()),
        ("waiting".into(), vec![1, 2])
    );
    // Another prefetch does not abort a request that is awaited.
    scene.answers.ahead(3);
    assert!(!scene.is_aborted(1));
    scene.answer(1).await;
    assert_eq!(scene.page.text(), "answer 20");
    assert!(!scene.answers.is_busy().get_untracked());

    // A newer prefetch replaces an older one; one that fails is retried once it is needed.
    scene.answers.ahead(3);
    scene.answers.ahead(4);
    assert!(scene.is_aborted(2));
    scene.ask(4).await;
    scene.refuse(3).await;
    assert_eq!(scene.asked(), [1, 2, 3, 4, 4]);
    scene.answer(4).await;
    assert_eq!(scene.page.text(), "answer 41");
}

#[wasm_bindgen_test]
async fn asking_again_forgets_the_others_and_a_refresh_that_fails_changes_nothing() {
    let scene = scene();
    tick().await;
    scene.answer(0).await;
    scene.answers.refresh();
    tick().await;
    scene.refuse(1).await;
    assert_eq!(scene.page.text(), "answer 10");
    scene.ask(2).await;
    scene.answer(2).await;
    scene.answers.again();
    tick().await;
    assert_eq!(scene.page.text(), "answer 20");
    scene.answer(3).await;
    assert_eq!(scene.page.text(), "answer 21");
    scene.ask(1).await;
    assert_eq!(scene.page.text(), "waiting");
    scene.refuse(4).await;
    assert_eq!(scene.page.text(), "failed");
}

#[wasm_bindgen_test]
async fn what_is_asked_ahead_ends_with_the_view() {
    let mut scene = scene();
    tick().await;
    scene.answer(0).await;
    scene.answers.ahead(2);
    scene.page.end();
    assert!(scene.is_aborted(1));
}
