//! What is said of parameters beyond what their handlers say.

use booking_wire::StatusFilter;
use serde_json::{Map, Value, json};

/// The largest whole number that every client can write.
const LARGEST_ID: i64 = 9_007_199_254_740_991;

/// Versions by the first word of the path (contract 9).
const VERSIONS: [(&str, &str); 4] = [
    ("slots", "2024-09-04"),
    ("bookings", "2024-08-13"),
    ("event-types", "2024-06-14"),
    ("schedules", "2024-06-11"),
];

/// Completes the parameters of an operation, and adds the headers that it understands.
pub(super) fn complete(path: &str, needs_client: bool, operation: &mut Map<String, Value>) {
    let mut parameters = match operation.remove("parameters") {
        Some(Value::Array(parameters)) => parameters,
        _ => Vec::new(),
    };
    for parameter in parameters.iter_mut() {
        refine(path, parameter);
        if parameter["in"] == "path" {
            describe_id(parameter);
        }
    }
    let is_declared = |parameters: &[Value], name: &str| {
        parameters.iter().any(|parameter| {
            parameter["in"] == "header"
                && parameter["name"]
                    .as_str()
                    .is_some_and(|given| given.eq_ignore_ascii_case(name))
        })
    };
    if needs_client {
        // Said by the operation's security; a parameter of that name would be a second truth.
        parameters.retain(|parameter| {
            parameter["in"] != "header" || parameter["name"] != "x-svc-secret-key"
        });
    }
    let version = VERSIONS.iter().find(|(word, _)| {
        path.strip_prefix("/v2/")
            .and_then(|rest| rest.split('/').next())
            == Some(word)
    });
    if let Some((_, version)) = version
        && !is_declared(&parameters, "svc-api-version")
    {
        parameters.push(json!({
            "name": "svc-api-version",
            "in": "header",
            "required": false,
            "description": "Any other version is refused.",
            "schema": {"type": "string", "enum": [version]},
        }));
    }
    if !parameters.is_empty() {
        operation.insert("parameters".into(), parameters.into());
    }
}

/// A numeric id in a path. The example is what calls that are made from the document most likely
/// find.
fn describe_id(parameter: &mut Value) {
    if let Value::Object(parameter) = parameter
        && let Some(Value::Object(schema)) = parameter.get_mut("schema")
        && schema.get("type").is_some_and(|kind| kind == "integer")
    {
        schema.entry("minimum").or_insert(json!(1));
        schema.entry("maximum").or_insert(json!(LARGEST_ID));
        parameter.entry("example").or_insert(json!(1));
    }
}

fn refine(path: &str, parameter: &mut Value) {
    let name = parameter["name"].as_str().unwrap_or_default().to_owned();
    let Some(schema) = parameter.get_mut("schema") else {
        return;
    };
    not_null(schema);
    if name == "status" && path.ends_with("/bookings") {
        let words: Vec<&str> = StatusFilter::ALL
            .iter()
            .map(|status| status.as_str())
            .collect();
        if let Some(items) = schema.get_mut("items") {
            limit(items, &words);
        }
    }
    if name.starts_with("sort") {
        limit(schema, &["asc", "desc"]);
    }
    if name == "format" && path == "/v2/slots" {
        limit(schema, &["time", "range"]);
    }
}

/// Only these words, unless a handler said so itself.
fn limit(schema: &mut Value, words: &[&str]) {
    if let Value::Object(schema) = schema
        && schema.get("type").is_some_and(|kind| kind == "string")
        && !schema.contains_key("enum")
    {
        schema.insert("enum".into(), json!(words));
    }
}

/// A parameter is absent or has a value; there is no null in an address.
fn not_null(schema: &mut Value) {
    let Value::Object(schema) = schema else {
        return;
    };
    if let Some(Value::Array(kinds)) = schema.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [kind] = kinds.as_slice() {
            let kind = kind.clone();
            schema.insert("type".into(), kind);
        }
    }
    if let Some(Value::Array(choices)) = schema.get_mut("oneOf") {
        choices.retain(|choice| choice["type"] != "null");
        if let [only] = choices.as_mut_slice() {
            let only = only.take();
            schema.remove("oneOf");
            if let Value::Object(only) = only {
                schema.extend(only);
            }
        }
    }
}
