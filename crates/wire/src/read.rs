//! Lenient JSON reader: reads what is present and understood, ignores the rest.

use std::marker::PhantomData;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// Metadata and form responses: keys chosen by customers, any JSON as values.
pub type JsonMap = serde_json::Map<String, serde_json::Value>;

/// A type that can be read leniently from JSON.
pub trait Read: Sized {
    /// Reads `value`; `None` only if it is unusable.
    fn read(value: &Value) -> Option<Self>;

    /// Returns the default of an absent or unreadable key. `None` makes the key required.
    fn absent() -> Option<Self> {
        None
    }
}

/// The keys of one JSON object.
#[derive(Clone, Copy)]
pub struct Fields<'a>(&'a Map<String, Value>);

impl<'a> Fields<'a> {
    /// Returns the keys of `value`; `None` if it is not an object.
    pub fn of(value: &'a Value) -> Option<Self> {
        value.as_object().map(Self)
    }

    /// Returns the raw value; JSON `null` counts as absent.
    pub fn value(&self, key: &str) -> Option<&'a Value> {
        self.0.get(key).filter(|value| !value.is_null())
    }

    /// Returns the value of `key` or its default; `None` if it is required.
    pub fn get<T: Read>(&self, key: &str) -> Option<T> {
        self.value(key).and_then(T::read).or_else(T::absent)
    }

    /// Returns a nested object.
    pub fn object(&self, key: &str) -> Option<Fields<'a>> {
        self.value(key).and_then(Fields::of)
    }

    /// Returns a text, empty when absent.
    pub fn text(&self, key: &str) -> String {
        self.get(key).unwrap_or_default()
    }

    /// Returns an integer, 0 when absent.
    pub fn integer(&self, key: &str) -> i64 {
        self.get(key).unwrap_or_default()
    }

    /// Returns a Boolean, `false` when absent.
    pub fn flag(&self, key: &str) -> bool {
        self.get(key).unwrap_or_default()
    }

    /// Returns all readable elements; empty when absent or not an array.
    pub fn list<T: Read>(&self, key: &str) -> Vec<T> {
        self.get(key).unwrap_or_default()
    }

    /// Returns a free-form map, empty when absent.
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

impl Read for JsonMap {
    fn read(value: &Value) -> Option<Self> {
        value.as_object().cloned()
    }
}

/// Accepts numbers as well: ids have either form.
impl Read for String {
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }
}

/// Accepts `30`, `30.0` and `"30"`.
impl Read for i64 {
    fn read(value: &Value) -> Option<Self> {
        match value {
            // Reads the digits before the point: parsing a float would add tables of 16 KB.
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

/// Drops unreadable elements and preserves the order of the others.
impl<T: Read> Read for Vec<T> {
    fn read(value: &Value) -> Option<Self> {
        value
            .as_array()
            .map(|items| items.iter().filter_map(T::read).collect())
    }
}

/// The `data` of a successful response, for clients that use serde: `response.json::<ResponseData<Booking>>()`.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseData<T>(pub T);

impl<'de, T: Read> Deserialize<'de> for ResponseData<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let response = Value::deserialize(deserializer)?;
        let data = Fields::of(&response).and_then(|fields| fields.get("data"));
        data.map(Self).ok_or_else(|| {
            let name = std::any::type_name::<T>();
            D::Error::custom(format_args!("a response without a {name}"))
        })
    }
}

/// JSON that is read on demand, so that the code that reads it can be loaded later.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawJson<T> {
    value: Value,
    kind: PhantomData<fn() -> T>,
}

impl<T: Read> RawJson<T> {
    /// Reads the value; `None` if it is unusable.
    pub fn get(&self) -> Option<T> {
        T::read(&self.value)
    }

    /// Returns the value as it came.
    pub fn value(&self) -> &Value {
        &self.value
    }
}

impl<T> Read for RawJson<T> {
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
    fn integer_is_read_from_every_json_form() {
        for value in [json!(30), json!(30.0), json!("30"), json!(" 30 ")] {
            assert_eq!(i64::read(&value), Some(30), "{value}");
        }
        assert_eq!(i64::read(&json!({})), None);
    }

    #[test]
    fn raw_json_is_read_on_demand() {
        let raw = RawJson::<Vec<i64>>::read(&json!([1, "2", {}])).unwrap();
        assert_eq!(raw.get(), Some(vec![1, 2]));
        assert_eq!(RawJson::<Vec<i64>>::absent().unwrap().get(), None);
    }

    #[test]
    fn serde_reads_the_data_of_a_response_leniently() {
        let read = serde_json::from_str::<ResponseData<crate::Host>>;
        let host = read(
            r#"{"status": "success", "data": {"id": 7, "email": "ada@example.org", "name": null}}"#,
        );
        let ResponseData(host) = host.unwrap();
        assert_eq!((host.id.as_str(), host.name.as_str()), ("7", ""));
        assert_eq!(host.display_email, "ada@example.org");
        let error = read(r#"{"data": []}"#).unwrap_err().to_string();
        assert!(error.contains("Host"), "{error}");
    }

    #[test]
    fn unreadable_element_is_dropped_from_the_list() {
        assert_eq!(
            Vec::<i64>::read(&json!([1, {}, null, "3"])),
            Some(vec![1, 3])
        );
    }

    #[test]
    fn null_counts_as_absent() {
        let value = json!({"a": null});
        let fields = Fields::of(&value).unwrap();
        assert_eq!(fields.text("a"), "");
        assert_eq!(fields.get::<Option<String>>("a"), Some(None));
        assert_eq!(fields.get::<i64>("a"), None);
    }
}
