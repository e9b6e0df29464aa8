//! `/v1/openapi.json` compared with the operations and with actual responses.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::app::TestApp;
use crate::cases::cases;

async fn document(app: &TestApp) -> Value {
    let response = app.service.get("/v1/openapi.json").await;
    assert_eq!(response.status, 200, "{}", response.text);
    assert!(response.headers.contains_key("deprecation"));
    response.body
}

#[tokio::test]
async fn document_describes_all_operations() {
    let app = TestApp::new().await;
    let document = document(&app).await;
    let paths = document["paths"].as_object().unwrap();
    let described: BTreeSet<String> = paths
        .iter()
        .flat_map(|(path, item)| {
            let methods = item.as_object().unwrap().keys();
            methods.map(move |method| format!("{} {path}", method.to_uppercase()))
        })
        .collect();
    let covered: BTreeSet<String> = cases().map(|case| case.name.to_owned()).collect();
    assert_eq!(described, covered);
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
async fn responses_match_documented_schemas() {
    let app = TestApp::new().await;
    let document = document(&app).await;
    for case in cases() {
        let (method, path) = case.name.split_once(' ').unwrap();
        let app = TestApp::new().await;
        let (target, body) = ((case.target)(&app), (case.body)(&app));
        let response = app.request(case.caller_id, method, &target, body).await;
        let operation = &document["paths"][path][method.to_lowercase()];
        let schema = &operation["responses"]["200"]["content"]["application/json"]["schema"];
        check(&document, schema, &response.body, case.name);
    }
}

/// Checks a value against the types, required keys and known properties of a schema.
fn check(document: &Value, schema: &Value, value: &Value, path: &str) {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = document.pointer(reference.trim_start_matches('#')).unwrap();
        return check(document, target, value, path);
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        let matches = |choice: &&Value| match choice["type"].as_str() {
            Some("null") => value.is_null(),
            _ => !value.is_null(),
        };
        let choice = choices
            .iter()
            .find(matches)
            .unwrap_or_else(|| panic!("{path}: {value}"));
        return check(document, choice, value, path);
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        actual_type => actual_type.as_str().into_iter().collect(),
    };
    let actual_type = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_i64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    assert!(
        types.is_empty() || types.contains(&actual_type),
        "{path}: {value} is none of {types:?}"
    );
    for key in schema["required"].as_array().into_iter().flatten() {
        let key = key.as_str().unwrap();
        assert!(
            value.get(key).is_some(),
            "{path}: {key} is missing in {value}"
        );
    }
    if let (Value::Object(map), Some(properties)) = (value, schema["properties"].as_object()) {
        for (key, value) in map {
            let property = properties.get(key);
            let property = property.unwrap_or_else(|| panic!("{path}: {key} is not described"));
            check(document, property, value, &format!("{path}.{key}"));
        }
    }
    for item in value.as_array().into_iter().flatten() {
        check(document, &schema["items"], item, path);
    }
}
