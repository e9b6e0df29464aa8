//! Reads JSON with the browser's own parser. A parser in the artefact would cost every visitor
//! 9 KB.

use js_sys::{Array, JSON, Object};
use serde_json::{Map, Number, Value};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;

/// How deep values may be nested: what comes from outside must not exhaust the stack.
const MOST_LEVELS: u8 = 100;

/// Stands between names, and in none that means something. A character: to look for a text takes 2 KB
/// of code.
const SEPARATOR: char = '\0';

#[wasm_bindgen]
extern "C" {
    // The text of an answer stays where it is: what `js_sys` has would copy it here and back.
    #[wasm_bindgen(js_namespace = JSON, js_name = parse, catch)]
    fn parsed(text: &JsValue) -> Result<JsValue, JsValue>;
}

/// The value that a text of JavaScript writes; `None` if it is not JSON.
pub fn parse(text: &JsValue) -> Option<Value> {
    value_of(&parsed(text).ok()?)
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
    if let Some(number) = js.as_f64() {
        let whole = number as i64;
        // Other numbers are kept as digits: writing a float would cost 2 KB, see `serde_json` in
        // `Cargo.toml`.
        return Some(Value::Number(if whole as f64 == number {
            whole.into()
        } else {
            let digits = JSON::stringify(js).ok()?.as_string()?;
            Number::from_string_unchecked(digits)
        }));
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
    let object: &Object = js.unchecked_ref();
    let values = Object::values(object);
    // A text at once for all names: a list of 250 bookings has 15,000 of them.
    let names = Object::keys(object).join("\0").as_string()?;
    let mut names: Vec<&str> = names.split(SEPARATOR).collect();
    if values.length() == 0 {
        names.clear();
    }
    if names.len() as u32 != values.length() {
        // Nothing of ours is called that way.
        return Some(Value::Null);
    }
    let mut map = Map::new();
    for (name, item) in names.into_iter().zip(values.iter()) {
        map.insert(name.to_owned(), value(&item, levels)?);
    }
    Some(Value::Object(map))
}
