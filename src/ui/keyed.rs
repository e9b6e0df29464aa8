//! Keyed lists: an item that stays in the list keeps its element, and with it focus, caret and scroll position.
//!
//! [`Node::child_with`](super::dom::Node::child_with) renders all of its content again. Use it for content that
//! changes as a whole, and a keyed list for items that come, go and move.
//!
//! Each item has its own owner, which is disposed when the item leaves. The code is compiled once, not for each
//! type of item.

use std::any::Any;
use std::collections::BTreeMap;

use js_sys::Reflect;
use leptos::prelude::{Owner, document, untrack};
use wasm_bindgen::JsCast;
use web_sys::Node as DomNode;

use super::dom::{Node, fragment, render_effect};
use super::signal::{ReadSignal, RwSignal};

/// Renders a list. `view` is called once for each key and returns one element; later values of an item with the same
/// key are ignored. Reads signals in `items` and `key`, not in `view`.
///
/// Equal keys are matched in their order.
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

/// Updates the rows of a list for new items, with as few changes of the document as possible.
fn reconcile(
    before: Vec<Row>,
    items: Vec<(String, Item)>,
    view: &ItemView,
    owner: &Owner,
    parent: &DomNode,
    end: &DomNode,
) -> Vec<Row> {
    let old_keys: Vec<&str> = before.iter().map(|row| row.key.as_str()).collect();
    let new_keys: Vec<&str> = items.iter().map(|(key, _)| key.as_str()).collect();
    let sources = match_keys(&old_keys, &new_keys);

    let mut before: Vec<Option<Row>> = before.into_iter().map(Some).collect();
    let staying: Vec<Option<Row>> = sources
        .iter()
        .map(|source| before.get_mut((*source)?)?.take())
        .collect();
    for row in before.into_iter().flatten() {
        row.remove();
    }

    let rows = items
        .into_iter()
        .zip(staying)
        .filter_map(|((key, item), row)| {
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

    let mut in_place = unmoved(&sources, None);
    if in_place
        .iter()
        .zip(&sources)
        .any(|(stays, source)| !stays && source.is_some())
    {
        in_place = unmoved(&sources, focused(&rows, parent));
    }
    let mut next = end;
    for (row, is_in_place) in rows.iter().zip(in_place).rev() {
        if !is_in_place {
            // Cannot fail: `next` is a child of the parent.
            let _ = parent.insert_before(&row.node, Some(next));
        }
        next = &row.node;
    }
    rows
}

/// Returns the position of the row that has the focus: an element that is moved loses it.
fn focused(rows: &[Row], parent: &DomNode) -> Option<usize> {
    // Of the document or the shadow root. The selector `:focus-within` matches nothing while another window is active.
    let active = Reflect::get(&parent.get_root_node(), &"activeElement".into());
    let active: DomNode = active.ok()?.dyn_into().ok()?;
    rows.iter().position(|row| row.node.contains(Some(&active)))
}

/// Returns the old position of each new key; `None` for an item that is new.
fn match_keys(old: &[&str], new: &[&str]) -> Vec<Option<usize>> {
    let mut positions: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (position, key) in old.iter().enumerate().rev() {
        positions.entry(key).or_default().push(position);
    }
    new.iter()
        .map(|key| positions.get_mut(key)?.pop())
        .collect()
}

/// Returns true for each row that need not be moved, given the old positions: a longest increasing subsequence, which
/// contains the row at `pinned`.
fn unmoved(sources: &[Option<usize>], pinned: Option<usize>) -> Vec<bool> {
    let pinned = pinned.and_then(|at| Some((at, (*sources.get(at)?)?)));
    let candidates = sources.iter().enumerate().filter_map(|(at, source)| {
        let source = (*source)?;
        let fits = |(pin, pin_source): (usize, usize)| at.cmp(&pin) == source.cmp(&pin_source);
        pinned.is_none_or(fits).then_some((at, source))
    });
    let candidates: Vec<(usize, usize)> = candidates.collect();

    // For each length, the index of the candidate with the lowest source that ends a sequence of this length.
    let mut ends: Vec<usize> = Vec::new();
    // Index of the candidate before each one in its sequence.
    let mut previous: Vec<Option<usize>> = Vec::new();
    for (index, (_, source)) in candidates.iter().enumerate() {
        let is_lower = |end: &usize| candidates.get(*end).is_some_and(|(_, end)| end < source);
        let length = ends.partition_point(is_lower);
        previous.push(
            length
                .checked_sub(1)
                .and_then(|last| ends.get(last).copied()),
        );
        match ends.get_mut(length) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }

    let mut stays = vec![false; sources.len()];
    let mut index = ends.last().copied();
    while let Some((at, _)) = index.and_then(|index| candidates.get(index)) {
        if let Some(stays) = stays.get_mut(*at) {
            *stays = true;
        }
        index = index.and_then(|index| previous.get(index).copied().flatten());
    }
    stays
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn match_keys_changed_order_returns_old_positions() {
        for (old, new, expected) in [
            ("", "ab", vec![None, None]),
            ("ab", "", vec![]),
            ("abc", "cxa", vec![Some(2), None, Some(0)]),
            // Equal keys are matched in their order.
            ("aba", "aaa", vec![Some(0), Some(2), None]),
        ] {
            let split = |keys: &'static str| keys.split("").filter(|key| !key.is_empty());
            let old: Vec<&str> = split(old).collect();
            let new: Vec<&str> = split(new).collect();
            assert_eq!(match_keys(&old, &new), expected, "{old:?} {new:?}");
        }
    }

    #[test]
    fn unmoved_changed_order_keeps_longest_sequence() {
        for (sources, pinned, expected) in [
            (vec![], None, ""),
            (vec![None, None], None, "mm"),
            (vec![Some(0), None, Some(1)], None, "sms"),
            // The last becomes the first: one move.
            (vec![Some(3), Some(0), Some(1), Some(2)], None, "msss"),
            // It has the focus: the others move.
            (vec![Some(3), Some(0), Some(1), Some(2)], Some(0), "smmm"),
            (vec![Some(2), Some(1), Some(0)], Some(1), "msm"),
            (
                vec![Some(4), Some(0), Some(2), Some(1), Some(3)],
                Some(2),
                "mssms",
            ),
        ] {
            let found: String = unmoved(&sources, pinned)
                .into_iter()
                .map(|stays| if stays { 's' } else { 'm' })
                .collect();
            assert_eq!(found, expected, "{sources:?} {pinned:?}");
        }
    }
}
