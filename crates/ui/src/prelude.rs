//! The names that a view needs. No other crate imports Leptos: it has types and functions of the same names, such as
//! `RwSignal` and `provide_context`, which do not work together with these.

pub use leptos::IntoView;
pub use leptos::prelude::{Owner, View, component, document, on_cleanup, untrack, view, window};

pub use crate::console::console_warn;
pub use crate::context::{provide_context, use_context};
pub use crate::dom::{
    Child, Node, RadioGroup, Root, el, fragment, fragment_of, is_checked, is_right_to_left,
    listen_to, on_resize, render_effect, scroll_into_view, svg, text, value_of,
};
pub use crate::first_rendering::{FirstRendering, in_own_task};
pub use crate::keyed::{keyed, keyed_signal};
pub use crate::lazy::{ChunkSource, ChunkState, LazyChunk, PendingExports};
pub use crate::signal::{
    Callback, ReadSignal, RwSignal, Signal, StoredValue, Trigger, effect, effect_after,
};
pub use crate::style_sheet::{add_style_sheet, adopt_style_sheet, style_sheet};
pub use crate::task::{
    TimeoutHandle, request_animation_frame, set_interval, set_scoped_timeout, set_timeout,
    set_timeout_with_handle, spawn_local, spawn_with_promise,
};
