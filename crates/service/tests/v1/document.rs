//! `/v1/openapi.json` against the table of operations and against what is answered.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::cases::cases;
use crate::world::World;

async fn document(world: &World) -> Value {
    let answer = world.service.get("/v1/openapi.json").await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert!(answer.headers.contains_key("deprecation"));
    answer.body
}

#[tokio::test]
async fn the_document_and_the_cases_name_the_same_operations() {
    let world = World::new().await;
    let document = document(&world).await;
    let paths = document["paths"].as_object().unwrap();
    let described: BTreeSet<String> = paths
        .iter()
        .flat_map(|(path, item)| {
            let methods = item.as_object().unwrap().keys();
            methods.map(move |method| format!("{} {path}", method.to_uppercase()))
        })
        .collect();
    let named: BTreeSet<String> = cases().map(|case| case.name.to_owned()).collect();
    assert_eq!(described, named);
    let mut ids = BTreeSet::new();
    for operation in paths
        .values()
        .flat_map(|item| item.as_object().unwrap().values())
    {
        let id = operation["operationId"].as_str().unwrap();
        assert!(ids.insert(id.to_owned()), "{id} is the name of two");
        assert_eq!(operation["deprecated"], true, "{id}");
        assert!(
            operation["summary"]
                .as_str()
                .is_some_and(|text| text.ends_with('.')),
            "{id}"
        );
        for status in ["200", "400", "401", "403", "404", "429"] {
            assert!(
                operation["responses"].get(status).is_some(),
                "{id}: {status}"
            );
        }
    }
}

#[tokio::test]
async fn every_answer_holds_what_the_document_promises() {
    let world = World::new().await;
    let document = document(&world).await;
    for case in cases() {
        let (method, path) = case.name.split_once(' ').unwrap();
        let world = World::new().await;
        let (target, body) = ((case.target)(&world), (case.body)(&world));
        let answer = world.ask(case.by, method, &target, body).await;
        let operation = &document["paths"][path][method.to_lowercase()];
        let schema = &operation["responses"]["200"]["content"]["application/json"]["schema"];
        check(&document, schema, &answer.body, case.name);
    }
}

/// Holds a value against the part of a schema that says what must be there and of which type.
fn check(document: &Value, schema: &Value, value: &Value, at: &str) {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = document.pointer(reference.trim_start_matches('#')).unwrap();
        return check(document, target, value, at);
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        let fits = |choice: &&Value| match choice["type"].as_str() {
            Some("null") => value.is_null(),
            _ => !value.is_null(),
        };
        let choice = choices
            .iter()
            .find(fits)
            .unwrap_or_else(|| panic!("{at}: {value}"));
        return check(document, choice, value, at);
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        kind => kind.as_str().into_iter().collect(),
    };
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_i64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    assert!(
        kinds.is_empty() || kinds.contains(&kind),
        "{at}: {value} is none of {kinds:?}"
    );
    for key in schema["required"].as_array().into_iter().flatten() {
        let key = key.as_str().unwrap();
        assert!(
            value.get(key).is_some(),
            "{at}: {key} is missing in {value}"
        );
    }
    if let (Value::Object(map), Some(properties)) = (value, schema["properties"].as_object()) {
        for (key, value) in map {
            let property = properties.get(key);
            let property = property.unwrap_or_else(|| panic!("{at}: {key} is not described"));
            check(document, property, value, &format!("{at}.{key}"));
        }
    }
    for item in value.as_array().into_iter().flatten() {
        check(document, &schema["items"], item, at);
    }
}
