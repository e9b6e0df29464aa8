//! View of a lazy chunk: a placeholder while it loads, and an error with "Try again" if it cannot be loaded.

use std::any::Any;
use std::cell::Cell;
use std::rc::Rc;

use booking_ui::prelude::*;

use super::error_notice::error_notice;
use crate::client::ApiError;
use crate::components::live_region;
use crate::i18n::{Key, localized, use_texts};

/// Loads the page again, or calls the function if the page cannot be loaded. Provided where the page and its chunks are of
/// one version: after an update of the service, those of the old one are gone.
#[derive(Clone, Copy)]
pub struct ReloadPage(pub fn(Rc<dyn Fn()>));

/// Fetches `chunk` and shows `view` of its exports. Before that, shows the placeholder or the error, wrapped by
/// `around`.
pub fn lazy_view<E: Any>(
    chunk: LazyChunk<E>,
    around: impl Fn(Node) -> Node + 'static,
    view: impl Fn(&'static E) -> Node + 'static,
) -> Node {
    chunk.fetch();
    show(
        chunk.state(),
        Box::new(around),
        Box::new(move |exports| exports.downcast_ref().map_or_else(fragment, &view)),
        retry(use_context(), Box::new(move || chunk.fetch())),
    )
}

/// Fetches a chunk once more; if that has failed, loads the page again.
fn retry(reload: Option<ReloadPage>, fetch: Box<dyn Fn()>) -> Box<dyn Fn()> {
    let Some(ReloadPage(reload)) = reload else {
        return fetch;
    };
    let (is_repeated, fetch) = (Cell::new(false), Rc::from(fetch));
    Box::new(move || match is_repeated.replace(true) {
        true => reload(Rc::clone(&fetch)),
        false => fetch(),
    })
}

/// [`lazy_view`], compiled once for all types of exports.
fn show(
    state: RwSignal<ChunkState>,
    around: Box<dyn Fn(Node) -> Node>,
    view: Box<dyn Fn(&'static dyn Any) -> Node>,
    retry: Box<dyn Fn()>,
) -> Node {
    let (around, retry) = (Rc::new(around), Rc::new(retry));
    fragment().child_with(move || {
        let state = state.get();
        if let ChunkState::Loaded(exports) = state {
            return view(exports);
        }
        let (around, retry) = (around.clone(), retry.clone());
        localized(move || {
            let retry = retry.clone();
            around(match state {
                ChunkState::Failed => error_notice(&ApiError::Unreachable, move || retry()),
                _ => placeholder(),
            })
        })
    })
}

fn placeholder() -> Node {
    let text = use_texts().get(Key::Loading);
    el("div")
        .class("part-wait ghost-block")
        .attr("aria-busy", "true")
        .child(live_region(move || text.to_owned()))
}
