//! Reads JSON with the browser's own parser. A parser in the artefact would cost every visitor
//! 9 KB.

use js_sys::{Array, JSON, Object};
use serde_json::{Map, Number, Value};
use wasm_bindgen::{JsCast, JsValue};

/// How deep values may be nested: what comes from outside must not exhaust the stack.
const MOST_LEVELS: u8 = 100;

/// The value that `text` writes; `None` if it is not JSON.
pub fn parse(text: &str) -> Option<Value> {
    value_of(&JSON::parse(text).ok()?)
}

/// What a value of JavaScript is in JSON; `None` if it is nested too deep, as in a circle.
pub fn value_of(js: &JsValue) -> Option<Value> {
    value(js, MOST_LEVELS)
}

fn value(js: &JsValue, levels: u8) -> Option<Value> {
    let levels = levels.checked_sub(1)?;
    if let Some(text) = js.as_string() {
        return Some(Value::String(text));
    }
    if let Some(flag) = js.as_bool() {
        return Some(Value::Bool(flag));
    }
    if js.as_f64().is_some() {
        // Kept as digits: writing a float would cost 2 KB, see `serde_json` in `Cargo.toml`.
        let digits = JSON::stringify(js).ok()?.as_string()?;
        return Some(Value::Number(Number::from_string_unchecked(digits)));
    }
    // Asked so that a value from another frame of the page counts, whose classes are not these.
    if Array::is_array(js) {
        let items = js
            .unchecked_ref::<Array>()
            .iter()
            .map(|item| value(&item, levels));
        return items.collect::<Option<_>>().map(Value::Array);
    }
    if !js.is_object() {
        return Some(Value::Null);
    }
    let mut map = Map::new();
    for pair in Object::entries(js.unchecked_ref()).iter() {
        let pair: Array = pair.unchecked_into();
        map.insert(pair.get(0).as_string()?, value(&pair.get(1), levels)?);
    }
    Some(Value::Object(map))
}
