//! Lazy chunks of a program, each in its own file, and the views that show them.
//!
//! A chunk is entered only by its exports (type `D`): code that is reachable otherwise is in the first
//! file. So a screen does not name exports; the program passes it their [`ChunkSource`]. `xtask/src/parts.rs`
//! splits the program.

use std::any::Any;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

use leptos::prelude::{request_animation_frame, set_timeout};
use leptos::task::spawn_local;

use crate::api::ApiError;
use crate::components::live_region;
use crate::dom::{Html, el, nothing};
use crate::i18n::{Key, use_texts};
use crate::problem::problem;
use crate::signal::{RwSignal, StoredValue};

/// Source of the exports `D` of a chunk.
pub enum ChunkSource<D: 'static> {
    /// In the same file.
    Here(&'static D),
    /// In a chunk to be fetched.
    Away(fn() -> PendingExports<D>),
}

impl<D> Clone for ChunkSource<D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D> Copy for ChunkSource<D> {}

/// Exports that are being fetched.
pub struct PendingExports<D>(Pin<Box<ExportsFuture>>, PhantomData<fn() -> D>);

type ExportsFuture = dyn Future<Output = Option<&'static dyn Any>>;

impl<D: Any> PendingExports<D> {
    /// Awaits `doors`; an error counts as a failed fetch.
    pub fn new<E>(doors: impl Future<Output = Result<&'static D, E>> + 'static) -> Self {
        let doors = Box::pin(async { doors.await.ok().map(|doors| doors as &dyn Any) });
        Self(doors, PhantomData)
    }
}

#[derive(Clone, Copy)]
enum Arrival {
    /// Not requested yet.
    Away,
    Awaited,
    Here(&'static dyn Any),
    /// Failed to load.
    Missing,
}

type OnArrival = Box<dyn Fn(&'static dyn Any)>;

/// A chunk in one root.
pub struct LazyChunk<D: 'static> {
    source: ChunkSource<D>,
    course: ChunkLoader,
}

impl<D> Clone for LazyChunk<D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D> Copy for LazyChunk<D> {}

impl<D: Any> LazyChunk<D> {
    /// Loads from `source` when needed.
    pub fn new(source: ChunkSource<D>) -> Self {
        let arrival = match source {
            ChunkSource::Here(doors) => Arrival::Here(doors),
            ChunkSource::Away(_) => Arrival::Away,
        };
        let course = ChunkLoader {
            arrival: RwSignal::new(arrival),
            on_arrival: StoredValue::new(Box::new(|_| ())),
        };
        Self { source, course }
    }

    /// Calls `prepare` before the chunk is shown.
    pub fn on_arrival(self, prepare: impl Fn(&'static D) + 'static) {
        match self.source {
            ChunkSource::Here(doors) => prepare(doors),
            ChunkSource::Away(_) => self.course.on_arrival.set_value(Box::new(move |doors| {
                if let Some(doors) = doors.downcast_ref() {
                    prepare(doors);
                }
            })),
        }
    }

    /// Returns the exports once loaded. A view that reads them is rendered again then.
    pub fn doors(self) -> Option<&'static D> {
        match self.course.arrival.get() {
            Arrival::Here(doors) => doors.downcast_ref(),
            _ => None,
        }
    }

    /// Fetches the chunk, unless it is loaded or loading.
    pub fn fetch(self) {
        if let ChunkSource::Away(fetch) = self.source {
            self.course.begin(move || fetch().0);
        }
    }

    /// Fetches the chunk after the next paint.
    pub fn fetch_soon(self) {
        request_animation_frame(move || set_timeout(move || self.fetch(), Duration::ZERO));
    }

    /// Shows `view` of the exports. Before that, shows a skeleton, or an error with a retry button, both
    /// wrapped by `around`.
    pub fn show(
        self,
        around: impl Fn(Html) -> Html + 'static,
        view: impl Fn(&'static D) -> Html + 'static,
    ) -> Html {
        self.fetch();
        self.course.show(
            Box::new(around),
            Box::new(move |doors| doors.downcast_ref().map_or_else(nothing, &view)),
            Box::new(move || self.fetch()),
        )
    }
}

/// Loading of a chunk, independent of its exports.
#[derive(Clone, Copy)]
struct ChunkLoader {
    arrival: RwSignal<Arrival>,
    on_arrival: StoredValue<OnArrival>,
}

impl ChunkLoader {
    fn arrive(self, doors: &'static dyn Any) {
        // The view may be disposed before the chunk is loaded.
        self.on_arrival
            .try_with_value(|on_arrival| on_arrival(doors));
        self.arrival.set(Arrival::Here(doors));
    }

    fn begin(self, fetch: impl FnOnce() -> Pin<Box<ExportsFuture>>) {
        // The view may be disposed before the chunk is requested.
        let Some(Arrival::Away | Arrival::Missing) = self.arrival.try_get_untracked() else {
            return;
        };
        self.arrival.set(Arrival::Awaited);
        let doors = fetch();
        spawn_local(async move {
            match doors.await {
                Some(doors) => self.arrive(doors),
                None => self.arrival.set(Arrival::Missing),
            }
        });
    }

    fn show(
        self,
        around: Box<dyn Fn(Html) -> Html>,
        view: Box<dyn Fn(&'static dyn Any) -> Html>,
        again: Box<dyn Fn()>,
    ) -> Html {
        let again = Rc::new(again);
        nothing().show(move || match self.arrival.get() {
            Arrival::Here(doors) => view(doors),
            Arrival::Missing => {
                let again = again.clone();
                around(problem(&ApiError::Unreachable, move || again()))
            }
            Arrival::Away | Arrival::Awaited => around(waiting()),
        })
    }
}

fn waiting() -> Html {
    let words = use_texts().get(Key::Loading);
    el("div")
        .class("part-wait ghost-block")
        .attr("aria-busy", "true")
        .add(live_region(move || words.to_owned()))
}
