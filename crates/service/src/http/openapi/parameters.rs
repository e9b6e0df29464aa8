//! Completes the parameters that handlers declare.

use booking_wire::StatusFilter;
use serde_json::{Map, Value, json};

use crate::api::MAX_ID;

/// API versions by the first path segment.
const VERSIONS: [(&str, &str); 4] = [
    ("slots", "2024-09-04"),
    ("bookings", "2024-08-13"),
    ("event-types", "2024-06-14"),
    ("schedules", "2024-06-11"),
];

/// Completes the parameters of an operation, and adds the version header.
pub(super) fn complete(path: &str, needs_client: bool, operation: &mut Map<String, Value>) {
    let mut parameters = match operation.remove("parameters") {
        Some(Value::Array(parameters)) => parameters,
        _ => Vec::new(),
    };
    add_path_parameters(path, &mut parameters);
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
                    .is_some_and(|declared| declared.eq_ignore_ascii_case(name))
        })
    };
    if needs_client {
        // The operation's `security` contains it already.
        parameters.retain(|parameter| {
            parameter["in"] != "header" || parameter["name"] != "x-svc-secret-key"
        });
    }
    let version = VERSIONS.iter().find(|(segment, _)| {
        path.strip_prefix("/v2/")
            .and_then(|rest| rest.split('/').next())
            == Some(segment)
    });
    if let Some((_, version)) = version
        && !is_declared(&parameters, "svc-api-version")
    {
        parameters.push(json!({
            "name": "svc-api-version",
            "in": "header",
            "required": false,
            "description": "Other versions are rejected.",
            "schema": {"type": "string", "enum": [version]},
        }));
    }
    if !parameters.is_empty() {
        operation.insert("parameters".into(), parameters.into());
    }
}

/// Ids in paths that are texts; all others are integers.
const TEXT_IDS: [&str; 4] = ["clientId", "deliveryId", "roleId", "webhookId"];

/// Adds the parameters of the path that the handler does not describe, in the order of the path.
fn add_path_parameters(path: &str, parameters: &mut Vec<Value>) {
    let names = path
        .split('/')
        .filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'));
    for (index, name) in names.enumerate() {
        if parameters.iter().any(|parameter| parameter["name"] == name) {
            continue;
        }
        let schema = if name.ends_with("Id") && !TEXT_IDS.contains(&name) {
            json!({"type": "integer", "format": "int64"})
        } else {
            json!({"type": "string"})
        };
        let parameter = json!({"name": name, "in": "path", "required": true, "schema": schema});
        parameters.insert(index.min(parameters.len()), parameter);
    }
}

/// Adds range and example to a numeric id in a path. The example is an id that most likely exists.
fn describe_id(parameter: &mut Value) {
    if let Value::Object(parameter) = parameter
        && let Some(Value::Object(schema)) = parameter.get_mut("schema")
        && schema.get("type").is_some_and(|kind| kind == "integer")
    {
        schema.entry("minimum").or_insert(json!(1));
        schema.entry("maximum").or_insert(json!(MAX_ID));
        parameter.entry("example").or_insert(json!(1));
    }
}

fn refine(path: &str, parameter: &mut Value) {
    let name = parameter["name"].as_str().unwrap_or_default().to_owned();
    if name == "search" && path.ends_with("/bookings") {
        // No parameter of Cal.com's interface.
        parameter["x-extension"] = json!(true);
    }
    let Some(schema) = parameter.get_mut("schema") else {
        return;
    };
    remove_null(schema);
    if name == "status" && path.ends_with("/bookings") {
        let statuses: Vec<&str> = StatusFilter::ALL
            .iter()
            .map(|status| status.as_str())
            .collect();
        if let Some(items) = schema.get_mut("items") {
            restrict_to(items, &statuses);
        }
    }
    if name.starts_with("sort") {
        restrict_to(schema, &["asc", "desc"]);
    }
    if name == "format" && path == "/v2/slots" {
        restrict_to(schema, &["time", "range"]);
    }
}

/// Restricts a string to these values, unless the handler has declared values.
fn restrict_to(schema: &mut Value, values: &[&str]) {
    if let Value::Object(schema) = schema
        && schema.get("type").is_some_and(|kind| kind == "string")
        && !schema.contains_key("enum")
    {
        schema.insert("enum".into(), json!(values));
    }
}

/// Removes `null`, which a URL cannot contain: a parameter is absent or has a value.
fn remove_null(schema: &mut Value) {
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
