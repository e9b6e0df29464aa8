//! OpenAPI document of version 1, generated from the table of operations.

use std::collections::BTreeMap;

use booking_wire::v1::{Failure, MessageResponse};
use serde_json::{Map, Value, json};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

use super::operation::{Input, Operation, Parameter, ParameterKind, ResponseKind, TypeSchema};
use super::table::operations;
use crate::api::{API_KEY_PARAMETER, MAX_ID};
use crate::auth::access::Requirement;

const DESCRIPTION: &str = "\
**Deprecated: use version 2.** Every response has the headers `Deprecation` and `Link`, which names the \
replacement.

**Credentials.** An API key, in the query. URLs with keys end up in histories and logs: do not use \
them in browsers. A key has the same permissions as in version 2; each operation lists those it needs. \
Keys with scopes work with version 2 only.

**Responses.** One key with the object or the list, sometimes with `message`. An error is \
`{\"message\", \"url\", \"method\", \"data\"}`, of which all but `message` are optional; if the API key \
is rejected, it is `{\"error\"}`.

**Strictness.** Undocumented parameters and body keys are rejected.";

/// Document of a service with this base URL.
pub fn document(base_url: &str) -> Value {
    let mut schemas: BTreeMap<String, Value> = BTreeMap::new();
    let failure = reference(TypeSchema::of::<Failure>(), &mut schemas);
    let mut paths: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    let mut tags: Vec<String> = Vec::new();
    for operation in operations() {
        let description = describe(operation, &mut schemas);
        let tag = tag(operation);
        if !tags.contains(&tag) {
            tags.push(tag);
        }
        let methods = paths.entry(operation.rule.path).or_default();
        methods.insert(operation.rule.method.to_lowercase(), description);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Scheduling service, version 1",
            "description": DESCRIPTION,
            "version": env!("CARGO_PKG_VERSION"),
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "servers": [{"url": base_url}],
        "security": [{"apiKey": []}],
        "tags": tags.iter().map(|tag| json!({"name": tag})).collect::<Value>(),
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": error_responses(&failure),
            "headers": headers(),
            "securitySchemes": {
                "apiKey": {"type": "apiKey", "in": "query", "name": API_KEY_PARAMETER},
            },
        },
    })
}

fn describe(operation: &Operation, schemas: &mut BTreeMap<String, Value>) -> Value {
    let mut parameters: Vec<Value> = path_parameters(operation);
    parameters.extend(operation.query.iter().map(query_parameter));
    let mut responses = Map::new();
    responses.insert(
        "200".into(),
        json!({
            "description": "Done.",
            "headers": header_references(),
            "content": {"application/json": {"schema": response_schema(operation.response, schemas)}},
        }),
    );
    for status in statuses(operation) {
        let reference = json!({"$ref": format!("#/components/responses/{status}")});
        responses.insert(status.to_string(), reference);
    }
    let mut description = json!({
        "operationId": operation_id(operation),
        "tags": [tag(operation)],
        "summary": operation.summary,
        "description": format!("{} Use `{}`.", allowed_callers(operation.rule.requirement), operation.successor),
        "deprecated": true,
        "security": [{"apiKey": []}],
        "parameters": parameters,
        "responses": responses,
    });
    if let (Some(input), Some(map)) = (&operation.input, description.as_object_mut()) {
        let schema = body_schema(input, schemas);
        map.insert(
            "requestBody".into(),
            json!({"required": true, "content": {"application/json": {"schema": schema}}}),
        );
    }
    description
}

fn allowed_callers(requirement: Requirement) -> String {
    match requirement {
        Requirement::Owner(permission) => {
            format!("For the owner, and for members with `{permission}` in the owning team.")
        }
        Requirement::Host(permission) => format!(
            "For hosts of the booking, the owner of its event type, members with `{permission}` in its team, \
             and administrators of a host's organisation."
        ),
        Requirement::Team(permission) => format!("For members with `{permission}` in the team."),
        _ => "For the owner of the key, on their own records.".to_owned(),
    }
}

/// Error statuses of an operation.
fn statuses(operation: &Operation) -> Vec<u16> {
    let mut statuses = vec![400, 401, 403, 404, 414, 429, 500, 503, 504];
    if operation.input.is_some() {
        statuses.extend([408, 409, 413, 415]);
    }
    statuses
}

/// Operation id, e.g. `updateAttendeesId` for PATCH `/v1/attendees/{id}`.
fn operation_id(operation: &Operation) -> String {
    let verb = match operation.rule.method {
        "POST" => "create",
        "PATCH" => "update",
        "DELETE" => "delete",
        _ => "get",
    };
    let path = operation.rule.path.trim_start_matches("/v1/");
    let name: String = path
        .split(['/', '-'])
        .map(|word| word.trim_matches(['{', '}']))
        .map(|word| {
            let mut letters = word.chars();
            let first = letters.next().map(|letter| letter.to_ascii_uppercase());
            first.into_iter().chain(letters).collect::<String>()
        })
        .collect();
    format!("{verb}{name}")
}

/// Tag: the name of the resource with spaces, e.g. `Event types`.
fn tag(operation: &Operation) -> String {
    let path = operation.rule.path;
    let resource = match path {
        "/v1/teams/{teamId}/event-types" => "event-types",
        other => other.trim_start_matches("/v1/"),
    };
    let name = resource
        .split('/')
        .next()
        .unwrap_or_default()
        .replace('-', " ");
    let (first, rest) = name.split_at_checked(1).unwrap_or_default();
    format!("{}{rest}", first.to_uppercase())
}

fn path_parameters(operation: &Operation) -> Vec<Value> {
    let path = operation.rule.path;
    let names = path.split('/').filter_map(|part| {
        let name = part.strip_prefix('{')?;
        name.strip_suffix('}')
    });
    names
        .map(|name| {
            // Ids that are not integers.
            let is_text = name == "recordingId"
                || ["/v1/memberships/", "/v1/selected-calendars/", "/v1/webhooks/"]
                    .iter()
                    .any(|start| path.starts_with(start));
            let (schema, example) = if is_text {
                (json!({"type": "string", "minLength": 1}), json!("1_1"))
            } else {
                (json!({"type": "integer", "minimum": 1, "maximum": MAX_ID}), json!(1))
            };
            json!({"name": name, "in": "path", "required": true, "schema": schema, "example": example})
        })
        .collect()
}

fn query_parameter(parameter: &Parameter) -> Value {
    let id = json!({"type": "integer", "minimum": 1, "maximum": MAX_ID});
    let schema = match parameter.kind {
        ParameterKind::Positive => id,
        ParameterKind::Ids => json!({"type": "array", "items": id, "minItems": 1}),
        ParameterKind::Texts => {
            json!({"type": "array", "items": {"type": "string"}, "minItems": 1})
        }
        ParameterKind::Boolean => json!({"type": "boolean"}),
        ParameterKind::DateTime => json!({"type": "string", "format": "date-time"}),
        ParameterKind::Text => json!({"type": "string"}),
    };
    let mut description = json!({
        "name": parameter.name,
        "in": "query",
        "required": parameter.required,
        "description": format!("{}.", parameter.description),
        "schema": schema,
    });
    if let (ParameterKind::Ids | ParameterKind::Texts, Some(map)) =
        (parameter.kind, description.as_object_mut())
    {
        map.insert("explode".into(), json!(false));
    }
    description
}

/// Schema of a request body: only the keys that the operation accepts.
fn body_schema(input: &Input, schemas: &mut BTreeMap<String, Value>) -> Value {
    add_referenced(input.schema, schemas);
    let schema = json!((input.schema.schema)());
    let accepted = input.required.iter().chain(input.optional);
    let properties: Map<String, Value> = accepted
        .filter_map(|key| Some(((*key).to_owned(), schema["properties"].get(key)?.clone())))
        .collect();
    json!({
        "type": "object",
        "required": input.required,
        "properties": properties,
        "additionalProperties": false,
    })
}

fn response_schema(response: ResponseKind, schemas: &mut BTreeMap<String, Value>) -> Value {
    let wrapped = |key: &str, value: Value, has_message: bool| {
        let mut properties = Map::from_iter([(key.to_owned(), value)]);
        let mut required = vec![key];
        if has_message {
            properties.insert("message".into(), json!({"type": "string"}));
            required.push("message");
        }
        json!({"type": "object", "required": required, "properties": properties})
    };
    match response {
        ResponseKind::List(key, schema) => {
            let items = reference(schema, schemas);
            wrapped(key, json!({"type": "array", "items": items}), false)
        }
        ResponseKind::Item(key, schema) => wrapped(key, reference(schema, schemas), false),
        ResponseKind::Created(key, schema, _) => wrapped(key, reference(schema, schemas), true),
        ResponseKind::Bare(schema) => reference(schema, schemas),
        ResponseKind::BareList(schema) => {
            json!({"type": "array", "items": reference(schema, schemas)})
        }
        ResponseKind::Message => reference(TypeSchema::of::<MessageResponse>(), schemas),
    }
}

/// Reference to a schema, which is added to `schemas`; the schema itself for strings.
fn reference(type_schema: TypeSchema, schemas: &mut BTreeMap<String, Value>) -> Value {
    add_referenced(type_schema, schemas);
    let schema = json!((type_schema.schema)());
    if schema["type"] == "string" {
        return schema;
    }
    let name = (type_schema.name)();
    let reference = json!({"$ref": format!("#/components/schemas/{name}")});
    schemas.insert(name.into_owned(), schema);
    reference
}

fn add_referenced(type_schema: TypeSchema, schemas: &mut BTreeMap<String, Value>) {
    let mut parts: Vec<(String, RefOr<Schema>)> = Vec::new();
    (type_schema.add_referenced)(&mut parts);
    for (name, part) in parts {
        schemas.insert(name, json!(part));
    }
}

fn error_responses(failure: &Value) -> Value {
    let errors = [
        (
            400,
            "Invalid input, with each broken rule; or the request is rejected with a reason.",
        ),
        (401, "No API key, or an unknown or expired one."),
        (403, "Authenticated, but not allowed."),
        (404, "There is no such object."),
        (408, "The body did not arrive in time."),
        (409, "The name is taken, or a concurrent request has won."),
        (
            413,
            "The body is too large. Limit: 256 KiB; 128 KiB for bookings and slots.",
        ),
        (414, "The request's URL is too long."),
        (415, "The `Content-Type` is not JSON."),
        (429, "Too many requests."),
        (
            500,
            "Internal error. `X-Request-Id` identifies the request in the log.",
        ),
        (503, "The service is overloaded."),
        (
            504,
            "The response was not ready in time. The request may still have been carried out.",
        ),
    ];
    errors
        .into_iter()
        .map(|(status, description)| {
            let response = json!({
                "description": description,
                "headers": header_references(),
                "content": {"application/json": {"schema": failure}},
            });
            (status.to_string(), response)
        })
        .collect()
}

const HEADERS: [(&str, &str); 3] = [
    (
        "X-Request-Id",
        "Identifies the request in the service's log.",
    ),
    ("Deprecation", "Date since which version 1 is deprecated."),
    ("Link", "Operation of version 2 that replaces this one."),
];

fn headers() -> Value {
    HEADERS
        .into_iter()
        .map(|(name, description)| {
            (
                name,
                json!({"description": description, "schema": {"type": "string"}}),
            )
        })
        .collect()
}

fn header_references() -> Value {
    HEADERS
        .into_iter()
        .map(|(name, _)| {
            (
                name,
                json!({"$ref": format!("#/components/headers/{name}")}),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_accepted_key_is_documented() {
        for operation in operations() {
            let Some(input) = &operation.input else {
                continue;
            };
            let schema = json!((input.schema.schema)());
            for key in input.required.iter().chain(input.optional) {
                assert!(
                    schema["properties"].get(key).is_some(),
                    "{} {}: {key}",
                    operation.rule.method,
                    operation.rule.path
                );
            }
        }
    }

    #[test]
    fn every_reference_resolves() {
        let document = document("http://localhost");
        let text = document.to_string();
        for part in text.split("\"$ref\":\"#").skip(1) {
            let pointer = part.split('"').next().unwrap_or_default();
            assert!(document.pointer(pointer).is_some(), "{pointer}");
        }
    }
}
