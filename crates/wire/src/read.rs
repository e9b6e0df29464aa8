//! Reading answers leniently: what is there and understood is taken, the rest is let go.

use std::marker::PhantomData;

use serde_json::{Map, Value};

/// Metadata and answers: keys chosen by customers, any JSON as values.
pub type JsonMap = serde_json::Map<String, serde_json::Value>;

/// A type that can be read from whatever a service sent.
pub trait Read: Sized {
    /// `None` only if nothing useful can be made of `value`.
    fn read(value: &Value) -> Option<Self>;

    /// Stands in for an absent or unreadable key. `None` makes the key required.
    fn absent() -> Option<Self> {
        None
    }
}

/// The keys of one JSON object.
#[derive(Clone, Copy)]
pub struct Fields<'a>(&'a Map<String, Value>);

impl<'a> Fields<'a> {
    /// `None` if `value` is not an object.
    pub fn of(value: &'a Value) -> Option<Self> {
        value.as_object().map(Self)
    }

    /// The raw value; JSON `null` counts as absent.
    pub fn value(&self, key: &str) -> Option<&'a Value> {
        self.0.get(key).filter(|value| !value.is_null())
    }

    /// The value of `key`, or what stands in for its absence; `None` if it is required.
    pub fn get<T: Read>(&self, key: &str) -> Option<T> {
        self.value(key).and_then(T::read).or_else(T::absent)
    }

    /// A nested object.
    pub fn object(&self, key: &str) -> Option<Fields<'a>> {
        self.value(key).and_then(Fields::of)
    }

    /// Text, empty when absent.
    pub fn text(&self, key: &str) -> String {
        self.get(key).unwrap_or_default()
    }

    /// A whole number, 0 when absent.
    pub fn integer(&self, key: &str) -> i64 {
        self.get(key).unwrap_or_default()
    }

    /// A claim, `false` when absent.
    pub fn flag(&self, key: &str) -> bool {
        self.get(key).unwrap_or_default()
    }

    /// All readable elements; empty when absent or not an array.
    pub fn list<T: Read>(&self, key: &str) -> Vec<T> {
        self.get(key).unwrap_or_default()
    }

    /// A free-form map, empty when absent.
    pub fn map(&self, key: &str) -> Map<String, Value> {
        match self.value(key) {
            Some(Value::Object(map)) => map.clone(),
            _ => Map::new(),
        }
    }
}

impl Read for Value {
    fn read(value: &Value) -> Option<Self> {
        Some(value.clone())
    }
}

/// Numbers are taken as text too: ids arrive either way.
impl Read for String {
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }
}

/// `30`, `30.0` and `"30"` are the same number.
impl Read for i64 {
    fn read(value: &Value) -> Option<Self> {
        match value {
            // The digits before the point: parsing a float would bring tables of 16 KB with it.
            Value::Number(number) => number
                .as_i64()
                .or_else(|| number.to_string().split('.').next()?.parse().ok()),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        }
    }
}

impl Read for bool {
    fn read(value: &Value) -> Option<Self> {
        value.as_bool()
    }
}

impl<T: Read> Read for Option<T> {
    fn read(value: &Value) -> Option<Self> {
        Some(T::read(value))
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

/// Unreadable elements are dropped, the others stay in order.
impl<T: Read> Read for Vec<T> {
    fn read(value: &Value) -> Option<Self> {
        value
            .as_array()
            .map(|items| items.iter().filter_map(T::read).collect())
    }
}

/// Something as it came, which is read where it is needed: what reads it is code, too, and need not be
/// there before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unread<T> {
    value: Value,
    kind: PhantomData<fn() -> T>,
}

impl<T: Read> Unread<T> {
    /// What it says; `None` if nothing useful can be made of it.
    pub fn get(&self) -> Option<T> {
        T::read(&self.value)
    }
}

impl<T> Read for Unread<T> {
    fn read(value: &Value) -> Option<Self> {
        Some(Self {
            value: value.clone(),
            kind: PhantomData,
        })
    }

    fn absent() -> Option<Self> {
        Self::read(&Value::Null)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_read_from_every_form_seen_on_the_wire() {
        for value in [json!(30), json!(30.0), json!("30"), json!(" 30 ")] {
            assert_eq!(i64::read(&value), Some(30), "{value}");
        }
        assert_eq!(i64::read(&json!({})), None);
    }

    #[test]
    fn what_is_read_later_is_read_as_at_once() {
        let later = Unread::<Vec<i64>>::read(&json!([1, "2", {}])).unwrap();
        assert_eq!(later.get(), Some(vec![1, 2]));
        assert_eq!(Unread::<Vec<i64>>::absent().unwrap().get(), None);
    }

    #[test]
    fn one_odd_element_does_not_cost_the_list() {
        assert_eq!(
            Vec::<i64>::read(&json!([1, {}, null, "3"])),
            Some(vec![1, 3])
        );
    }

    #[test]
    fn null_is_absence() {
        let value = json!({"a": null});
        let fields = Fields::of(&value).unwrap();
        assert_eq!(fields.text("a"), "");
        assert_eq!(fields.get::<Option<String>>("a"), Some(None));
        assert_eq!(fields.get::<i64>("a"), None);
    }
}
