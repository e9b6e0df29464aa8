//! Operations of both versions, from the OpenAPI documents of the service.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::Outcome;
use crate::client::{Client, Request};
use crate::process::Service;

/// One operation.
pub(crate) struct Operation {
    /// HTTP method.
    pub(crate) method: &'static str,
    /// Path with `{parameters}`.
    pub(crate) path: String,
    /// Query parameters.
    pub(crate) query: Vec<String>,
    /// Body properties with optional examples.
    pub(crate) properties: Vec<(String, Option<Value>)>,
    /// True if the document describes a request body.
    pub(crate) has_body: bool,
    /// Valid body.
    pub(crate) example: Map<String, Value>,
    /// True for version 1, which takes the API key in the query.
    pub(crate) is_v1: bool,
}

impl Operation {
    /// Returns true if the response is a list, an export or a set of slots, whose size depends on
    /// the stored data.
    pub(crate) fn is_list(&self) -> bool {
        self.method == "GET"
            && (self.path.ends_with('s') || self.path.ends_with("ooo"))
            && !self.path.ends_with("openapi.json")
    }
}

/// Reads the documents of both versions.
pub(crate) fn read(service: &Service) -> Outcome<Vec<Operation>> {
    let mut operations = Vec::new();
    let mut client = Client::new(&service.address);
    for version in ["v1", "v2"] {
        let request = Request {
            name: "the document".to_owned(),
            method: "GET",
            target: format!("/{version}/openapi.json"),
            headers: String::new(),
            body: None,
        };
        let response = client.send(&request.bytes(&service.address))?;
        let document = response.ok_or("there is no OpenAPI document")?.body;
        let document: Value = serde_json::from_slice(&document)?;
        let Some(paths) = document["paths"].as_object() else {
            return Err("the OpenAPI document has no paths".into());
        };
        for (path, methods) in paths {
            for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
                if let Some(described) = methods.get(method.to_lowercase()) {
                    operations.push(operation(&document, method, path, described));
                }
            }
        }
    }
    if operations.len() < 150 {
        return Err(format!("only {} operations are described", operations.len()).into());
    }
    Ok(operations)
}

fn operation(document: &Value, method: &'static str, path: &str, described: &Value) -> Operation {
    let parameters = described["parameters"].as_array();
    let query = parameters
        .into_iter()
        .flatten()
        .filter(|parameter| parameter["in"] == "query")
        .filter_map(|parameter| Some(parameter["name"].as_str()?.to_owned()))
        .collect();
    let body = &described["requestBody"]["content"]["application/json"];
    let mut properties = Map::new();
    collect(document, &body["schema"], &mut properties, 0);
    let example = match &body["example"] {
        Value::Object(example) => example.clone(),
        _ => body["examples"]
            .as_object()
            .and_then(|examples| examples.values().next()?["value"].as_object().cloned())
            .unwrap_or_default(),
    };
    let names: BTreeSet<&String> = properties.keys().chain(example.keys()).collect();
    let properties = names
        .into_iter()
        .map(|name| {
            let described = properties
                .get(name)
                .and_then(|schema| schema.get("example"));
            (name.clone(), example.get(name).or(described).cloned())
        })
        .collect();
    Operation {
        method,
        path: path.to_owned(),
        query,
        properties,
        has_body: !body.is_null(),
        example,
        is_v1: path.starts_with("/v1"),
    }
}

/// Adds the properties of a schema, through references and combinations of schemas.
fn collect(document: &Value, schema: &Value, properties: &mut Map<String, Value>, depth: usize) {
    if depth > 6 {
        return;
    }
    if let Some(reference) = schema["$ref"].as_str() {
        let pointer = reference.trim_start_matches('#');
        if let Some(schema) = document.pointer(pointer) {
            collect(document, schema, properties, depth + 1);
        }
    }
    for combination in ["allOf", "oneOf", "anyOf"] {
        for part in schema[combination].as_array().into_iter().flatten() {
            collect(document, part, properties, depth + 1);
        }
    }
    for (name, described) in schema["properties"].as_object().into_iter().flatten() {
        properties.insert(name.clone(), described.clone());
    }
}
