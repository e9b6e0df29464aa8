//! Focus restoration in the list of roles.

use booking_ui::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, Node as DomNode};

/// Rows of the list, and the controls of a row.
const ROWS: &str = "[data-role]";
const CONTROLS: &str = "button, input, select";

/// Restores a focus in the list below `root` in the next frame, if its element is removed: on the control at its
/// position in the same role, or on the role at the position of a removed one.
pub(crate) fn restore_list_focus(root: &HtmlElement) {
    let has_focus = |element: &Element| element.matches(":focus-within").unwrap_or(false);
    let rows = all(root, ROWS);
    let mut rows = rows.iter().enumerate();
    let Some((position, row)) = rows.find(|(_, row)| has_focus(row)) else {
        return;
    };
    let id = role_of(row);
    let controls = all(row, CONTROLS);
    let control = controls.iter().position(has_focus).unwrap_or_default();
    let root = root.clone();
    request_animation_frame(move || {
        let is_kept = |control: &Element| control.is_connected();
        if has_focus(&root) || controls.get(control).is_some_and(is_kept) {
            return;
        }
        let rows = all(&root, ROWS);
        let next = match rows.iter().find(|row| role_of(row) == id) {
            Some(row) => {
                let controls = all(row, CONTROLS);
                controls.get(control).or(controls.last()).cloned()
            }
            None => {
                let row = rows.get(position).or_else(|| rows.last());
                row.and_then(|row| row.query_selector(".role-open").ok().flatten())
            }
        };
        let next = next.or_else(|| root.query_selector(".roles-new").ok().flatten());
        if let Some(next) = next {
            // Fails for a removed element, which needs no handling.
            let _ = next.unchecked_ref::<HtmlElement>().focus();
        }
    });
}

fn role_of(row: &Element) -> Option<String> {
    row.get_attribute("data-role")
}

fn all(parent: &Element, selector: &str) -> Vec<Element> {
    let Ok(found) = parent.query_selector_all(selector) else {
        return Vec::new();
    };
    let nodes = (0..found.length()).filter_map(|index| found.item(index));
    nodes.map(DomNode::unchecked_into).collect()
}
