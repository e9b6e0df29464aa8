//! Lazy chunks: code in a file of its own that is loaded when it is needed.
//!
//! A chunk is entered only by its exports (type `E`): code that is reachable otherwise is in the first
//! file. So a screen does not name exports; the program passes it their [`ChunkSource`]. `xtask` splits the
//! program by the functions marked `wasm_split`.

use std::any::Any;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

use super::signal::{RwSignal, StoredValue};
use super::task::{request_animation_frame, set_timeout, spawn_local};

/// Source of the exports `E` of a chunk.
pub enum ChunkSource<E: 'static> {
    /// Linked into the same file.
    Linked(&'static E),
    /// In a file to be fetched.
    Separate(fn() -> PendingExports<E>),
}

impl<E> Clone for ChunkSource<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for ChunkSource<E> {}

/// Exports that are being fetched.
pub struct PendingExports<E>(Pin<Box<ExportsFuture>>, PhantomData<fn() -> E>);

type ExportsFuture = dyn Future<Output = Option<&'static dyn Any>>;

impl<E: Any> PendingExports<E> {
    /// Awaits `exports`; an error counts as a failed fetch.
    pub fn new<Error>(exports: impl Future<Output = Result<&'static E, Error>> + 'static) -> Self {
        let exports = Box::pin(async { exports.await.ok().map(|exports| exports as &dyn Any) });
        Self(exports, PhantomData)
    }
}

/// State of a chunk.
#[derive(Clone, Copy)]
pub enum ChunkState {
    /// Not requested yet.
    Idle,
    /// Being fetched.
    Loading,
    /// The exports.
    Loaded(&'static dyn Any),
    /// Could not be fetched.
    Failed,
}

type OnLoad = Rc<dyn Fn(&'static dyn Any)>;

/// A chunk in one root.
pub struct LazyChunk<E: 'static> {
    source: ChunkSource<E>,
    loader: ChunkLoader,
}

impl<E> Clone for LazyChunk<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for LazyChunk<E> {}

impl<E: Any> LazyChunk<E> {
    /// Loads from `source` when needed.
    pub fn new(source: ChunkSource<E>) -> Self {
        let state = match source {
            ChunkSource::Linked(exports) => ChunkState::Loaded(exports),
            ChunkSource::Separate(_) => ChunkState::Idle,
        };
        let loader = ChunkLoader {
            state: RwSignal::new(state),
            on_load: StoredValue::new(Rc::new(|_| ())),
        };
        Self { source, loader }
    }

    /// Calls `prepare` before the chunk is shown.
    pub fn on_load(self, prepare: impl Fn(&'static E) + 'static) {
        match self.source {
            ChunkSource::Linked(exports) => prepare(exports),
            ChunkSource::Separate(_) => self.loader.on_load.set_value(Rc::new(move |exports| {
                if let Some(exports) = exports.downcast_ref() {
                    prepare(exports);
                }
            })),
        }
    }

    /// Returns the exports once loaded. A view that reads them is rendered again then.
    pub fn exports(self) -> Option<&'static E> {
        match self.loader.state.get() {
            ChunkState::Loaded(exports) => exports.downcast_ref(),
            _ => None,
        }
    }

    /// Signal of its state.
    pub fn state(self) -> RwSignal<ChunkState> {
        self.loader.state
    }

    /// Fetches the chunk, unless it is loaded or loading.
    pub fn fetch(self) {
        if let ChunkSource::Separate(fetch) = self.source {
            self.loader.fetch(move || fetch().0);
        }
    }

    /// Fetches the chunk after the next paint.
    pub fn fetch_after_paint(self) {
        request_animation_frame(move || set_timeout(move || self.fetch(), Duration::ZERO));
    }
}

/// Loading of a chunk, independent of the type of its exports.
#[derive(Clone, Copy)]
struct ChunkLoader {
    state: RwSignal<ChunkState>,
    on_load: StoredValue<OnLoad>,
}

impl ChunkLoader {
    fn fetch(self, fetch: impl FnOnce() -> Pin<Box<ExportsFuture>>) {
        // The view may be disposed before the chunk is requested.
        let Some(ChunkState::Idle | ChunkState::Failed) = self.state.try_get_untracked() else {
            return;
        };
        self.state.set(ChunkState::Loading);
        let exports = fetch();
        spawn_local(async move {
            match exports.await {
                Some(exports) => self.loaded(exports),
                None => self.state.set(ChunkState::Failed),
            }
        });
    }

    fn loaded(self, exports: &'static dyn Any) {
        // The view may be disposed before the chunk is loaded.
        if let Some(on_load) = self.on_load.try_get_value() {
            on_load(exports);
        }
        self.state.set(ChunkState::Loaded(exports));
    }
}
