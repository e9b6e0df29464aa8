//! Replaces `wasm-streams`, by `[patch.crates-io]` in the workspace's `Cargo.toml`.
//!
//! `leptos` needs the original for server functions that stream, which the widget does not have. The linker
//! cannot remove its three exported classes, which cost every visitor 4 KB. This crate has only what
//! `server_fn` needs to compile; nothing can be streamed with it.

use futures_util::stream::{self, Stream};
use wasm_bindgen::JsValue;

/// A stream of the browser.
#[derive(Debug)]
pub struct ReadableStream(web_sys::ReadableStream);

impl ReadableStream {
    /// Wraps `raw`.
    pub fn from_raw(raw: web_sys::ReadableStream) -> Self {
        Self(raw)
    }

    /// Returns the wrapped stream.
    pub fn into_raw(self) -> web_sys::ReadableStream {
        self.0
    }

    /// Creates an empty stream, whatever `_source` contains.
    pub fn from_stream(_source: impl Stream<Item = Result<JsValue, JsValue>> + 'static) -> Self {
        // Cannot fail without a source.
        Self(web_sys::ReadableStream::new().unwrap_or_else(wasm_bindgen::JsCast::unchecked_into))
    }

    /// Returns a stream with one error.
    pub fn into_stream(self) -> impl Stream<Item = Result<JsValue, JsValue>> {
        stream::iter([Err(JsValue::from_str("streams are left out of this build"))])
    }
}
