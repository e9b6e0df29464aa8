//! Focus and scroll position in lists of slots.

use booking_ui::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Document, Element, HtmlElement};

/// All slot buttons and their continue buttons.
const TIMES: &str = ".times button";

/// Restores focus and scroll positions in `root` a frame later, as far as its elements still exist. Called before
/// they are replaced.
pub(super) fn preserve_position(root: &HtmlElement) {
    // Without slots there is no position to keep, and reading scroll positions forces a layout.
    if all(root, TIMES).is_empty() {
        return;
    }
    let scrolled = all(root, ".times, .days");
    let scrolled: Vec<i32> = scrolled.iter().map(Element::scroll_top).collect();
    let focus = focused(root).map(|element| {
        let index = all(root, TIMES).iter().position(|each| *each == element);
        (index.unwrap_or(0), element.text_content())
    });
    if focus.is_none() && scrolled.iter().all(|top| *top == 0) {
        return;
    }
    let root = root.clone();
    request_animation_frame(move || {
        for (list, top) in all(&root, ".times, .days").iter().zip(scrolled) {
            list.set_scroll_top(top);
        }
        let Some((index, text)) = focus else { return };
        let buttons = all(&root, TIMES);
        let same = buttons.iter().find(|each| each.text_content() == text);
        let near = buttons.get(index.min(buttons.len().saturating_sub(1)));
        if let Some(time) = same.or(near) {
            focus_on(time);
        }
    });
}

/// Moves the focus between slots by their positions on the screen. True if `key` is handled.
pub(super) fn arrow(root: &HtmlElement, key: &str) -> bool {
    let Some(focused) = focused(root) else {
        return false;
    };
    let Ok(Some(list)) = focused.closest(".times") else {
        return false;
    };
    let buttons = all(&list, ".time");
    let is_here = |each: &Element| {
        let row = each.parent_node();
        row.is_some_and(|row| row.contains(Some(&focused)))
    };
    let Some(index) = buttons.iter().position(is_here) else {
        return false;
    };
    let forward = match key {
        "ArrowDown" => return go(buttons.get(index + 1)),
        "ArrowUp" => return go(index.checked_sub(1).and_then(|index| buttons.get(index))),
        "Home" => return go(buttons.first()),
        "End" => return go(buttons.last()),
        "ArrowRight" => !is_right_to_left(root),
        "ArrowLeft" => is_right_to_left(root),
        _ => return false,
    };
    // Days are side by side, or there is only one.
    let lists = all(root, ".times");
    let step = |index: usize| {
        if forward {
            index.checked_add(1)
        } else {
            index.checked_sub(1)
        }
    };
    if lists.len() < 2 {
        return go(step(index).and_then(|index| buttons.get(index)));
    }
    let neighbour = lists.iter().position(|each| *each == list).and_then(step);
    let buttons = neighbour
        .and_then(|index| lists.get(index))
        .map_or_else(Vec::new, |list| all(list, ".time"));
    go(buttons.get(index.min(buttons.len().saturating_sub(1))))
}

fn go(time: Option<&Element>) -> bool {
    if let Some(time) = time {
        focus_on(time);
    }
    true
}

fn focus_on(element: &Element) {
    // Fails for a removed element, and then there is nothing to do.
    let _ = element.unchecked_ref::<HtmlElement>().focus();
}

/// Focused element among the slots.
fn focused(root: &HtmlElement) -> Option<Element> {
    // The root is a document or a shadow root: both have `activeElement`.
    let document: Document = root.get_root_node().unchecked_into();
    let focused = document.active_element()?;
    let is_time = root.contains(Some(&focused)) && focused.closest(".times").ok()?.is_some();
    is_time.then_some(focused)
}

fn all(root: &Element, selector: &str) -> Vec<Element> {
    let Ok(found) = root.query_selector_all(selector) else {
        return Vec::new();
    };
    (0..found.length())
        .filter_map(|index| found.get(index)?.dyn_into().ok())
        .collect()
}
