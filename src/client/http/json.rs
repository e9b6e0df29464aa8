//! Reads JSON with the browser's own parser. A parser in the WebAssembly would cost every visitor 9 KB.

use js_sys::{Array, JSON, Object};
use serde_json::{Map, Number, Value};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;

/// Maximum nesting: external input must not exhaust the stack.
const MAX_DEPTH: u8 = 100;

/// Separator between keys, in none that the API uses. A character, because text search costs 2 KB of code.
const SEPARATOR: char = '\0';

/// The separator in JavaScript, created once and not for each of hundreds of objects.
fn separator() -> JsValue {
    thread_local!(static TEXT: JsValue = JsValue::from_str("\0"));
    TEXT.with(JsValue::clone)
}

#[wasm_bindgen]
extern "C" {
    // The response text stays in JavaScript: the `js_sys` function would copy it here and back.
    #[wasm_bindgen(js_namespace = JSON, js_name = parse, catch)]
    fn parsed(text: &JsValue) -> Result<JsValue, JsValue>;

    type Keys;
    #[wasm_bindgen(method, js_name = join)]
    fn joined(this: &Keys, separator: &JsValue) -> String;
}

/// Parses JSON text; `None` if it is invalid or nested too deep.
pub fn parse(text: &JsValue) -> Option<Value> {
    value_of(&parsed(text).ok()?)
}

/// Converts a JavaScript value; `None` if it is nested too deep or cyclic.
pub fn value_of(js: &JsValue) -> Option<Value> {
    value(js, MAX_DEPTH)
}

fn value(js: &JsValue, depth: u8) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    if let Some(text) = js.as_string() {
        return Some(Value::String(text));
    }
    if let Some(flag) = js.as_bool() {
        return Some(Value::Bool(flag));
    }
    if let Some(number) = js.as_f64() {
        let whole = number as i64;
        // Other numbers are kept as digits: formatting a float would cost 2 KB, see `serde_json` in
        // `Cargo.toml`.
        return Some(Value::Number(if whole as f64 == number {
            whole.into()
        } else {
            let digits = JSON::stringify(js).ok()?.as_string()?;
            Number::from_string_unchecked(digits)
        }));
    }
    // Unlike `instanceof`, this accepts arrays from another frame of the page.
    if Array::is_array(js) {
        let items = js
            .unchecked_ref::<Array>()
            .iter()
            .map(|item| value(&item, depth));
        return items.collect::<Option<_>>().map(Value::Array);
    }
    if !js.is_object() {
        return Some(Value::Null);
    }
    let object: &Object = js.unchecked_ref();
    let values = Object::values(object);
    // One text for all keys: a list of 250 bookings has 15,000 of them.
    let keys = Object::keys(object);
    let names = keys.unchecked_ref::<Keys>().joined(&separator());
    let mut names: Vec<&str> = names.split(SEPARATOR).collect();
    if values.length() == 0 {
        names.clear();
    }
    if names.len() as u32 != values.length() {
        // The API has no key with the separator.
        return Some(Value::Null);
    }
    let mut map = Map::new();
    for (name, item) in names.into_iter().zip(values.iter()) {
        map.insert(name.to_owned(), value(&item, depth)?);
    }
    Some(Value::Object(map))
}
