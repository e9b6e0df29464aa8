//! Stands in for `wasm-streams`, by `[patch.crates-io]` in the workspace's `Cargo.toml`.
//!
//! `leptos` brings the real one for server functions that stream, which the widget does not have.
//! Its three exported classes cannot be left out by the linker, and cost every visitor 4 KB. Here
//! is just what `server_fn` needs to compile; nothing can be streamed with it.

use futures_util::stream::{self, Stream};
use wasm_bindgen::JsValue;

/// A stream of the browser's.
#[derive(Debug)]
pub struct ReadableStream(web_sys::ReadableStream);

impl ReadableStream {
    /// Holds `raw`.
    pub fn from_raw(raw: web_sys::ReadableStream) -> Self {
        Self(raw)
    }

    /// What was held.
    pub fn into_raw(self) -> web_sys::ReadableStream {
        self.0
    }

    /// A stream that ends at once, whatever `_source` has.
    pub fn from_stream(_source: impl Stream<Item = Result<JsValue, JsValue>> + 'static) -> Self {
        // Without a source it is never refused.
        Self(web_sys::ReadableStream::new().unwrap_or_else(wasm_bindgen::JsCast::unchecked_into))
    }

    /// One error, whatever is held.
    pub fn into_stream(self) -> impl Stream<Item = Result<JsValue, JsValue>> {
        stream::iter([Err(JsValue::from_str("streams are left out of this build"))])
    }
}
