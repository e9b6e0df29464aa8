//! UI layer: keyed lists, attributes and borrows.

#![cfg(target_arch = "wasm32")]
#![allow(clippy::expect_used, clippy::indexing_slicing)]

mod mounted;

use std::rc::Rc;
use std::time::Duration;

use booking_ui::prelude::*;
use booking_widget::client::session::use_session;
use booking_widget::components::Segmented;
use booking_widget::components::focus::focus_soon;
use booking_widget::i18n::{Catalogue, Language, localized, use_formats};
use booking_widget::page::settings::{use_clock, use_settings};
use mounted::{Mounted, Recorded, SERVICE, focus, mount, tick};
use send_wrapper::SendWrapper;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::HtmlElement;

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn mounted_view_finds_clock_zone_and_session_of_test() {
    let page = mount(|| {
        let settings = use_settings();
        let time = settings.time(use_formats(), use_clock().now());
        let zone = settings.zone.get_untracked().0;
        let session = use_session();
        el("p").child(format!("{time} {zone} {}", session.base_url()))
    });
    assert_eq!(page.text(), format!("12:00 Europe/Rome {SERVICE}"));
}

/// Signal of a mounted list.
type Items<T> = RwSignal<Vec<T>>;

/// Mounts a list of buttons, between two other elements. Records the items whose views are disposed.
fn list(items: &str, disposed: &Recorded<char>) -> (Mounted, Items<char>) {
    let (signals, disposed) = (Recorded::default(), disposed.clone());
    let page = {
        let signals = signals.clone();
        let items: Vec<char> = items.chars().collect();
        mount(move || {
            let items = RwSignal::new(items);
            signals.borrow_mut().push(items);
            let view = move |item: char| {
                let disposed = SendWrapper::new(disposed.clone());
                on_cleanup(move || disposed.borrow_mut().push(item));
                el("button").child(item.to_string())
            };
            el("div")
                .child(el("p").child("before"))
                .child(keyed(move || items.get(), char::to_string, view))
                .child(el("p").child("after"))
        })
    };
    let items = signals.borrow()[0];
    (page, items)
}

fn chars(text: &str) -> Vec<char> {
    text.chars().collect()
}

/// Finds the buttons with their texts.
fn buttons(page: &Mounted) -> Vec<(String, HtmlElement)> {
    let buttons = page.all("p ~ button");
    let text = |button: HtmlElement| (button.text_content().unwrap_or_default(), button);
    buttons.into_iter().map(text).collect()
}

#[wasm_bindgen_test]
async fn keyed_list_changed_keeps_elements_of_staying_items() {
    for (before, after) in [
        ("", "abc"),
        ("abc", ""),
        ("abc", "abc"),
        ("abc", "abcd"),
        ("abc", "xabc"),
        ("abcd", "ad"),
        ("abcd", "dcba"),
        ("abcd", "bcda"),
        ("abcd", "dabc"),
        ("abcdef", "fxbyda"),
    ] {
        let disposed = Recorded::default();
        let (page, items) = list(before, &disposed);
        tick().await;
        let old = buttons(&page);
        items.set(chars(after));
        tick().await;
        let new = buttons(&page);
        let text: String = new.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(text, after, "{before} {after}");
        for (text, button) in &new {
            let same = old.iter().find(|(old, _)| old == text);
            if let Some((_, old)) = same {
                assert!(old.is_same_node(Some(button)), "{text} {before} {after}");
            }
        }
        let mut gone = chars(before);
        gone.retain(|item| !after.contains(*item));
        assert_eq!(*disposed.borrow(), gone, "{before} {after}");
    }
}

#[wasm_bindgen_test]
async fn keyed_list_reordered_keeps_focus() {
    for after in ["dcba", "bcda", "cabd", "xaybzcd", "a", "da"] {
        let (page, items) = list("abcd", &Recorded::default());
        tick().await;
        let (_, button) = buttons(&page).remove(0);
        button.focus().expect("a focus");
        let blurred = Recorded::default();
        let on_blur = {
            let blurred = blurred.clone();
            Closure::<dyn FnMut()>::new(move || {
                blurred.borrow_mut().push(());
            })
        };
        button.set_onblur(Some(on_blur.as_ref().unchecked_ref()));
        items.set(chars(after));
        tick().await;
        assert_eq!(focus(), "a", "{after}");
        assert!(blurred.borrow().is_empty(), "{after}");
        button.set_onblur(None);
    }
}

#[wasm_bindgen_test]
async fn keyed_list_unmounted_disposes_items() {
    let disposed = Recorded::default();
    let (mut page, items) = list("ab", &disposed);
    tick().await;
    page.end();
    let mut gone = disposed.borrow().clone();
    gone.sort_unstable();
    assert_eq!(gone, ['a', 'b']);
    items.set(chars("abc"));
    tick().await;
    assert_eq!(page.text(), "");
}

#[wasm_bindgen_test]
async fn keyed_list_duplicate_keys_shows_all_items() {
    let disposed = Recorded::default();
    let (page, items) = list("aba", &disposed);
    tick().await;
    assert_eq!(page.text(), "beforeabaafter");
    let first = buttons(&page).remove(0).1;
    items.set(chars("aabaa"));
    tick().await;
    assert_eq!(page.text(), "beforeaabaaafter");
    assert!(buttons(&page)[0].1.is_same_node(Some(&first)));
    items.set(chars("ba"));
    tick().await;
    assert_eq!(page.text(), "beforebaafter");
    assert_eq!(*disposed.borrow(), ['a', 'a', 'a']);
}

#[wasm_bindgen_test]
async fn keyed_signal_changed_item_updates_in_place() {
    let (signals, rendered) = (Recorded::default(), Recorded::default());
    let page = {
        let (signals, rendered) = (signals.clone(), rendered.clone());
        mount(move || {
            let items = RwSignal::new(vec![(1, "one"), (2, "two")]);
            signals.borrow_mut().push(items);
            let view = move |item: ReadSignal<(i32, &'static str)>| {
                rendered.borrow_mut().push(item.get_untracked().0);
                el("li").text_with(move || item.get().1.to_owned())
            };
            let key = |(id, _): &(i32, &str)| id.to_string();
            el("ul").child(keyed_signal(move || items.get(), key, view))
        })
    };
    let items = signals.borrow()[0];
    tick().await;
    let second = page.all("li").remove(1);
    items.set(vec![(2, "two, changed"), (3, "three"), (1, "one")]);
    tick().await;
    let texts: Vec<_> = page.all("li").iter().map(HtmlElement::inner_text).collect();
    assert_eq!(texts, ["two, changed", "three", "one"]);
    assert!(second.is_same_node(Some(&page.all("li").remove(0))));
    assert_eq!(*rendered.borrow(), [1, 2, 3]);
}

#[wasm_bindgen_test]
async fn keyed_list_signal_read_in_view_does_not_render_again() {
    let (signals, rendered) = (Recorded::default(), Recorded::default());
    let page = {
        let (signals, rendered) = (signals.clone(), rendered.clone());
        mount(move || {
            let other = RwSignal::new(1);
            signals.borrow_mut().push(other);
            let view = move |item: &'static str| {
                rendered.borrow_mut().push(item);
                el("li").child(other.get().to_string())
            };
            el("ul").child(keyed(|| vec!["a", "b"], |item| (*item).to_owned(), view))
        })
    };
    let other = signals.borrow()[0];
    tick().await;
    other.set(2);
    tick().await;
    assert_eq!(page.text(), "11");
    assert_eq!(*rendered.borrow(), ["a", "b"]);
}

#[wasm_bindgen_test]
async fn callback_unmounts_its_own_view_without_panic() {
    let (pages, read) = (Recorded::<Mounted>::default(), Recorded::default());
    let page = {
        let (pages, read) = (pages.clone(), read.clone());
        mount(move || -> Node {
            let state = RwSignal::new(0);
            let on_press = Callback::new(move |()| {
                let mut all = std::mem::take(&mut *pages.borrow_mut());
                all.iter_mut().for_each(Mounted::end);
                // No effect: the view is disposed.
                state.set(1);
                state.update(|state| *state += 1);
                assert_eq!(state.try_get_untracked(), None);
                assert_eq!(state.get_untracked(), 0);
                let read = read.clone();
                request_animation_frame(move || read.borrow_mut().push(state.get_untracked()));
            });
            el("button")
                .on("click", move |_| on_press.run(()))
                .child("end")
        })
    };
    tick().await;
    let button = page.button("end");
    pages.borrow_mut().push(page);
    button.click();
    tick().await;
    assert!(!button.is_connected());
    assert_eq!(*read.borrow(), [0]);
}

#[wasm_bindgen_test]
async fn task_of_removed_view_reads_last_values() {
    let read = Recorded::default();
    let mut page = {
        let read = read.clone();
        mount(move || {
            let state = RwSignal::new(4);
            let half = Signal::memo(move || state.get() / 2);
            let stored = StoredValue::new(7);
            let note = move || {
                state.set(6);
                let values = (state.get_untracked(), half.get_untracked());
                read.borrow_mut().push((values, stored.get_value()));
            };
            spawn_local(async move {
                tick().await;
                tick().await;
                note();
                // Begins after the disposal, in code that began before.
                set_timeout(note, Duration::ZERO);
            });
            el("p")
        })
    };
    tick().await;
    page.end();
    tick().await;
    assert!(read.borrow().is_empty());
    tick().await;
    tick().await;
    assert_eq!(*read.borrow(), [((4, 2), 7); 2]);
}

#[wasm_bindgen_test]
async fn cleared_timer_of_removed_view_frees_its_values() {
    let value = Rc::new(());
    let kept = Rc::downgrade(&value);
    let mut page = mount(move || {
        StoredValue::new(value);
        el("p")
    });
    tick().await;
    let timer = set_timeout_with_handle(|| (), Duration::from_secs(60));
    page.end();
    tick().await;
    assert!(kept.upgrade().is_some());
    timer.expect("a timer").clear();
    assert!(kept.upgrade().is_none());
}

#[wasm_bindgen_test]
async fn view_takes_the_focus_once_and_not_in_another_language() {
    let language = Recorded::default();
    let page = {
        let language = language.clone();
        mount(move || {
            language.borrow_mut().extend(use_context::<Language>());
            let view = || {
                // Also in views inside it.
                el("section").child_with(|| {
                    let title = el("h2").attr("tabindex", "-1").child("Title");
                    focus_soon(&title);
                    title
                })
            };
            el("div")
                .child(el("button").child("outside"))
                .child(localized(view))
        })
    };
    tick().await;
    assert_eq!(focus(), "Title");
    page.button("outside").focus().expect("the focus");
    let title = page.one("h2");
    language.borrow()[0].set_locale("de", Catalogue::default());
    tick().await;
    assert!(!title.is_connected(), "not rendered again");
    assert_eq!(focus(), "outside");
}

#[wasm_bindgen_test]
async fn segmented_controls_in_one_root_keep_their_own_selection() {
    let page = mount(|| {
        let bar = |label: &str| {
            let hours = RwSignal::new(true);
            let options = vec![(true, "12h".to_owned()), (false, "24h".to_owned())];
            view! {
                <Segmented label options value=hours on_pick=move |is_12: bool| hours.set(is_12) />
            }
        };
        el("div").child(bar("page")).child(bar("dialog"))
    });
    tick().await;
    assert_eq!(page.all("input:checked").len(), 2);
    // A choice in one leaves the other.
    page.all("input")[3].click();
    tick().await;
    let inputs = page.all("input");
    let is_checked = |input: &HtmlElement| input.matches(":checked").expect("a valid selector");
    let checked: Vec<bool> = inputs.iter().map(is_checked).collect();
    assert_eq!(checked, [true, false, false, true]);
}
