//! Keyed lists: an item that stays in the list keeps its element, and with it focus, caret and scroll position.
//!
//! [`Node::child_with`](super::dom::Node::child_with) renders all of its content again. Use it for content that
//! changes as a whole, and a keyed list for items that come, go and move.
//!
//! Each item has its own owner, which is disposed when the item leaves. The code is compiled once, not for each
//! type of item.

use std::any::Any;

use js_sys::Reflect;
use leptos::prelude::{Owner, document, untrack};
use wasm_bindgen::JsCast;
use web_sys::Node as DomNode;

use super::dom::{Node, fragment, render_effect};
use super::signal::{ReadSignal, RwSignal};

/// Renders a list. `view` is called once for each key and returns one element; later values of an item with the same
/// key are ignored. Reads signals in `items` and `key`, not in `view`.
///
/// Equal keys are matched in their order. Changing the order of many items takes time that grows with the square of
/// their number.
pub fn keyed<T: 'static>(
    items: impl Fn() -> Vec<T> + 'static,
    key: impl Fn(&T) -> String + 'static,
    view: impl Fn(T) -> Node + 'static,
) -> Node {
    render_list(
        erased(items, key),
        Box::new(move |item| {
            let item = item.downcast::<T>().ok()?;
            Some((view(*item), None))
        }),
    )
}

/// Renders a list whose items may change: `view` receives a signal of its item, which is set when the item with this
/// key differs. Otherwise as [`keyed`].
pub fn keyed_signal<T: PartialEq + 'static>(
    items: impl Fn() -> Vec<T> + 'static,
    key: impl Fn(&T) -> String + 'static,
    view: impl Fn(ReadSignal<T>) -> Node + 'static,
) -> Node {
    render_list(
        erased(items, key),
        Box::new(move |item| {
            let signal = RwSignal::new(*item.downcast::<T>().ok()?);
            let update: Update = Box::new(move |item| {
                if let Ok(item) = item.downcast::<T>()
                    && signal.with_untracked(|before| *before != *item)
                {
                    signal.set(*item);
                }
            });
            Some((view(signal.read_only()), Some(update)))
        }),
    )
}

/// Item of any type.
type Item = Box<dyn Any>;
/// Passes the new value of an item to its view.
type Update = Box<dyn Fn(Item)>;
/// Items with their keys.
type Items = Box<dyn Fn() -> Vec<(String, Item)>>;
/// Renders an item; `None` for an item of another type, which there is not.
type ItemView = Box<dyn Fn(Item) -> Option<(Node, Option<Update>)>>;

fn erased<T: 'static>(
    items: impl Fn() -> Vec<T> + 'static,
    key: impl Fn(&T) -> String + 'static,
) -> Items {
    Box::new(move || {
        let with_key = |item| (key(&item), Box::new(item) as Item);
        items().into_iter().map(with_key).collect()
    })
}

/// Rendered item.
struct Row {
    key: String,
    node: DomNode,
    owner: Owner,
    update: Option<Update>,
}

impl Row {
    fn remove(self) {
        // Before the element is removed, so that no handler is called for the `blur` that the removal may cause.
        self.owner.cleanup();
        if let Some(parent) = self.node.parent_node() {
            // Cannot fail: it is a child of its parent.
            let _ = parent.remove_child(&self.node);
        }
    }
}

fn render_list(items: Items, view: ItemView) -> Node {
    // The items belong to this owner, not to that of the effect, which is cleaned up before each run.
    let owner = Owner::new();
    let end: DomNode = document().create_comment("").into();
    let list = fragment().child(Node(end.clone()));
    let mut rows = Vec::new();
    render_effect(Box::new(move || {
        let items = items();
        if let Some(parent) = end.parent_node() {
            let before = std::mem::take(&mut rows);
            rows = untrack(|| reconcile(before, items, &view, &owner, &parent, &end));
        }
    }));
    list
}

/// Updates the rows of a list for new items. Rows are placed from the end, and those in place are not moved, nor
/// is the row with the focus: an element that is moved loses it.
fn reconcile(
    before: Vec<Row>,
    items: Vec<(String, Item)>,
    view: &ItemView,
    owner: &Owner,
    parent: &DomNode,
    end: &DomNode,
) -> Vec<Row> {
    let mut before: Vec<Option<Row>> = before.into_iter().map(Some).collect();
    let mut position = 0;
    let staying: Vec<Option<Row>> = items
        .iter()
        .map(|(key, _)| take_row(&mut before, key, &mut position))
        .collect();
    let rows = items.into_iter().zip(staying);
    let rows = rows.filter_map(|((key, item), row)| {
        if let Some(row) = row {
            if let Some(update) = &row.update {
                update(item);
            }
            return Some(row);
        }
        let owner = owner.child();
        let (content, update) = owner.with(|| view(item))?;
        Some(Row {
            key,
            node: content.into_single(),
            owner,
            update,
        })
    });
    let rows: Vec<Row> = rows.collect();
    // After the last read of a signal: a `blur` of a removed element may make the page end the view.
    for row in before.into_iter().flatten() {
        row.remove();
    }
    if rows.is_empty() {
        // Also forgets the owners of the rows.
        owner.cleanup();
    }

    // From the focused row to both sides, or from the end of the list.
    let focused = focused(&rows, parent).unwrap_or(rows.len());
    let mut next = end.clone();
    if let Some(row) = rows.get(focused) {
        next = row.node.clone();
        let mut last = next.clone();
        for row in rows.iter().skip(focused + 1) {
            place(&row.node, last.next_sibling(), parent);
            last = row.node.clone();
        }
    }
    for row in rows.iter().take(focused).rev() {
        if row.node.next_sibling().as_ref() != Some(&next) {
            place(&row.node, Some(next), parent);
        }
        next = row.node.clone();
    }
    rows
}

/// Takes the row with this key, searching from `position`, where it is if the order is the same.
fn take_row(rows: &mut [Option<Row>], key: &str, position: &mut usize) -> Option<Row> {
    let has_key = |row: &Option<Row>| row.as_ref().is_some_and(|row| row.key == key);
    let after = rows.iter().skip(*position).position(has_key);
    let found = after
        .map(|offset| offset + *position)
        .or_else(|| rows.iter().take(*position).position(has_key))?;
    *position = found + 1;
    rows.get_mut(found)?.take()
}

/// Inserts `node` before `next`, unless it is there.
fn place(node: &DomNode, next: Option<DomNode>, parent: &DomNode) {
    if next.as_ref() != Some(node) {
        // Cannot fail: `next` is a child of the parent.
        let _ = parent.insert_before(node, next.as_ref());
    }
}

/// Returns the position of the row that has the focus.
fn focused(rows: &[Row], parent: &DomNode) -> Option<usize> {
    // Of the document or the shadow root. The selector `:focus-within` matches nothing while another window is active.
    let active = Reflect::get(&parent.get_root_node(), &"activeElement".into());
    let active: DomNode = active.ok()?.dyn_into().ok()?;
    rows.iter().position(|row| row.node.contains(Some(&active)))
}
