//! The OpenAPI document of version 1, made from the table of operations.

use std::collections::BTreeMap;

use booking_wire::v1::{Failure, Told};
use serde_json::{Map, Value, json};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;
use utoipa::{PartialSchema, ToSchema};

use super::call::LARGEST_ID;
use super::operation::{Answer, Described, Input, Kind, Operation, Parameter};
use super::table::operations;
use crate::api::API_KEY_PARAMETER;
use crate::auth::access::Needs;

const ABOUT: &str = "\
**Deprecated: use version 2.** Every answer says so (`Deprecation`), and names what takes its place (`Link`).

**Credentials.** An API key, in the query. Addresses with keys end up in histories and logs: keep them \
out of browsers. What a key may do is the same as in version 2; each operation says what it needs. \
Keys that were made with scopes are for version 2 alone.

**Answers.** One key with the object or the list, sometimes with `message`. A failure is \
`{\"message\", \"url\", \"method\", \"data\"}`, of which all but `message` may be missing; where the key \
itself is refused, it is `{\"error\"}`.

**Strictness.** Parameters and body keys that are not described here are refused.";

/// The whole document of a service that is reached at `base_url`.
pub fn document(base_url: &str) -> Value {
    let mut schemas: BTreeMap<String, Value> = BTreeMap::new();

    add::<Failure>(&mut schemas);
    add::<Told>(&mut schemas);
    let mut paths: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    let mut tags: Vec<String> = Vec::new();
    for operation in operations() {
        let written = written(operation, &mut schemas);
        let tag = tag(operation);
        if !tags.contains(&tag) {
            tags.push(tag);
        }
        let methods = paths.entry(operation.rule.path).or_default();
        methods.insert(operation.rule.method.to_lowercase(), written);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Scheduling service, version 1",
            "description": ABOUT,
            "version": env!("CARGO_PKG_VERSION"),
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "servers": [{"url": base_url}],
        "security": [{"apiKey": []}],
        "tags": tags.iter().map(|tag| json!({"name": tag})).collect::<Value>(),
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": failures(),
            "headers": headers(),
            "securitySchemes": {
                "apiKey": {"type": "apiKey", "in": "query", "name": API_KEY_PARAMETER},
            },
        },
    })
}

fn written(operation: &Operation, schemas: &mut BTreeMap<String, Value>) -> Value {
    let mut parameters: Vec<Value> = path_parameters(operation);
    parameters.extend(operation.query.iter().map(query_parameter));
    let mut responses = Map::new();
    responses.insert(
        "200".into(),
        json!({
            "description": "Done.",
            "headers": header_references(),
            "content": {"application/json": {"schema": answer(operation.answer, schemas)}},
        }),
    );
    for status in statuses(operation) {
        let reference = json!({"$ref": format!("#/components/responses/{status}")});
        responses.insert(status.to_string(), reference);
    }
    let mut written = json!({
        "operationId": operation_id(operation),
        "tags": [tag(operation)],
        "summary": operation.summary,
        "description": format!("{} Use `{}`.", who(operation.rule.needs), operation.successor),
        "deprecated": true,
        "security": [{"apiKey": []}],
        "parameters": parameters,
        "responses": responses,
    });
    if let (Some(input), Some(map)) = (&operation.input, written.as_object_mut()) {
        let schema = body(input, schemas);
        map.insert(
            "requestBody".into(),
            json!({"required": true, "content": {"application/json": {"schema": schema}}}),
        );
    }
    written
}

fn who(needs: Needs) -> String {
    match needs {
        Needs::Owner(permission) => format!(
            "For the owner, and for who holds `{permission}` in the team that it belongs to."
        ),
        Needs::Host(permission) => format!(
            "For hosts of the booking, the owner of what was booked, who holds `{permission}` in its team, \
             and those who run a host's organisation."
        ),
        Needs::Team(permission) => format!("For who holds `{permission}` in the team."),
        _ => "For whoever the key belongs to, on what is their own.".to_owned(),
    }
}

/// Failures that an operation can end with, besides those of every one.
fn statuses(operation: &Operation) -> Vec<u16> {
    let mut statuses = vec![400, 401, 403, 404, 414, 429, 500, 503, 504];
    if operation.input.is_some() {
        statuses.extend([408, 409, 413, 415]);
    }
    statuses
}

/// `updateAttendee` for PATCH `/v1/attendees/{id}`.
fn operation_id(operation: &Operation) -> String {
    let verb = match operation.rule.method {
        "POST" => "create",
        "PATCH" => "update",
        "DELETE" => "delete",
        _ => "get",
    };
    let words = operation.rule.path.trim_start_matches("/v1/");
    let words = words
        .split(['/', '-'])
        .map(|word| word.trim_matches(['{', '}']));
    let name: String = words
        .map(|word| {
            let mut letters = word.chars();
            let first = letters.next().map(|letter| letter.to_ascii_uppercase());
            first.into_iter().chain(letters).collect::<String>()
        })
        .collect();
    format!("{verb}{name}")
}

/// The resource, in words.
fn tag(operation: &Operation) -> String {
    let path = operation.rule.path;
    let resource = match path {
        "/v1/teams/{teamId}/event-types" => "event-types",
        other => other.trim_start_matches("/v1/"),
    };
    let words = resource
        .split('/')
        .next()
        .unwrap_or_default()
        .replace('-', " ");
    let (first, rest) = words.split_at_checked(1).unwrap_or_default();
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
            // Ids that are not whole numbers.
            let text = name == "recordingId"
                || ["/v1/memberships/", "/v1/selected-calendars/", "/v1/webhooks/"]
                    .iter()
                    .any(|start| path.starts_with(start));
            let (schema, example) = if text {
                (json!({"type": "string", "minLength": 1}), json!("1_1"))
            } else {
                (json!({"type": "integer", "minimum": 1, "maximum": LARGEST_ID}), json!(1))
            };
            json!({"name": name, "in": "path", "required": true, "schema": schema, "example": example})
        })
        .collect()
}

fn query_parameter(parameter: &Parameter) -> Value {
    let id = json!({"type": "integer", "minimum": 1, "maximum": LARGEST_ID});
    let schema = match parameter.kind {
        Kind::Positive => id,
        Kind::Ids => json!({"type": "array", "items": id, "minItems": 1}),
        Kind::Texts => json!({"type": "array", "items": {"type": "string"}, "minItems": 1}),
        Kind::Claim => json!({"type": "boolean"}),
        Kind::Moment => json!({"type": "string", "format": "date-time"}),
        Kind::Text => json!({"type": "string"}),
    };
    let mut written = json!({
        "name": parameter.name,
        "in": "query",
        "required": parameter.required,
        "description": format!("{}.", parameter.about),
        "schema": schema,
    });
    if let (Kind::Ids | Kind::Texts, Some(map)) = (parameter.kind, written.as_object_mut()) {
        map.insert("explode".into(), json!(false));
    }
    written
}

/// The keys that an operation takes of all that can be said.
fn body(input: &Input, schemas: &mut BTreeMap<String, Value>) -> Value {
    add_parts(input.schema, schemas);
    let whole = json!((input.schema.schema)());
    let known = input.required.iter().chain(input.optional);
    let properties: Map<String, Value> = known
        .filter_map(|key| Some(((*key).to_owned(), whole["properties"].get(key)?.clone())))
        .collect();
    json!({
        "type": "object",
        "required": input.required,
        "properties": properties,
        "additionalProperties": false,
    })
}

fn answer(answer: Answer, schemas: &mut BTreeMap<String, Value>) -> Value {
    let wrapped = |key: &str, value: Value, is_told: bool| {
        let mut properties = Map::from_iter([(key.to_owned(), value)]);
        let mut required = vec![key];
        if is_told {
            properties.insert("message".into(), json!({"type": "string"}));
            required.push("message");
        }
        json!({"type": "object", "required": required, "properties": properties})
    };
    match answer {
        Answer::List(key, described) => {
            let items = reference(described, schemas);
            wrapped(key, json!({"type": "array", "items": items}), false)
        }
        Answer::Item(key, described) => wrapped(key, reference(described, schemas), false),
        Answer::Made(key, described, _) => wrapped(key, reference(described, schemas), true),
        Answer::Bare(described) => reference(described, schemas),
        Answer::BareList(described) => {
            json!({"type": "array", "items": reference(described, schemas)})
        }
        Answer::Told => json!({"$ref": "#/components/schemas/Told"}),
    }
}

/// Names a schema that is kept with the others, unless it is a text.
fn reference(described: Described, schemas: &mut BTreeMap<String, Value>) -> Value {
    add_parts(described, schemas);
    let schema = json!((described.schema)());
    if schema["type"] == "string" {
        return schema;
    }
    let name = (described.name)();
    let reference = json!({"$ref": format!("#/components/schemas/{name}")});
    schemas.insert(name.into_owned(), schema);
    reference
}

fn add_parts(described: Described, schemas: &mut BTreeMap<String, Value>) {
    let mut parts: Vec<(String, RefOr<Schema>)> = Vec::new();
    (described.add_parts)(&mut parts);
    for (name, part) in parts {
        schemas.insert(name, json!(part));
    }
}

fn add<T: ToSchema + PartialSchema>(schemas: &mut BTreeMap<String, Value>) {
    let mut parts: Vec<(String, RefOr<Schema>)> = vec![(T::name().into_owned(), T::schema())];
    T::schemas(&mut parts);
    for (name, part) in parts {
        schemas.insert(name, json!(part));
    }
}

fn failures() -> Value {
    let known = [
        (
            400,
            "The input breaks rules, which are named; or the request is refused for the reason given.",
        ),
        (401, "No API key, or an unknown or expired one."),
        (403, "Known, but not allowed."),
        (404, "There is no such object."),
        (408, "The body did not arrive in time."),
        (409, "The name is taken, or somebody else was faster."),
        (
            413,
            "The body is larger than the operation reads: 256 KiB, or 128 KiB for bookings and slots.",
        ),
        (
            414,
            "The address is longer than any that means something here.",
        ),
        (415, "The body is not declared as JSON."),
        (429, "Too many requests."),
        (
            500,
            "The service is at fault. `X-Request-Id` finds the cause in its log.",
        ),
        (503, "The service has too much to do."),
        (
            504,
            "The answer was not ready in time. What was asked for may still have been done.",
        ),
    ];
    known
        .into_iter()
        .map(|(status, description)| {
            let failure = json!({
                "description": description,
                "headers": header_references(),
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Failure"}}},
            });
            (status.to_string(), failure)
        })
        .collect::<Map<_, _>>()
        .into()
}

const HEADERS: [(&str, &str); 3] = [
    ("X-Request-Id", "Names this request in the service's log."),
    ("Deprecation", "Since when version 1 is deprecated."),
    (
        "Link",
        "What of version 2 takes the place of this operation.",
    ),
];

fn headers() -> Value {
    let header = |(name, about): (&str, &str)| {
        (
            name.to_owned(),
            json!({"description": about, "schema": {"type": "string"}}),
        )
    };
    HEADERS
        .into_iter()
        .map(header)
        .collect::<Map<_, _>>()
        .into()
}

fn header_references() -> Value {
    let reference = |(name, _): (&str, &str)| {
        (
            name.to_owned(),
            json!({"$ref": format!("#/components/headers/{name}")}),
        )
    };
    HEADERS
        .into_iter()
        .map(reference)
        .collect::<Map<_, _>>()
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_that_is_read_is_described() {
        for operation in operations() {
            let Some(input) = &operation.input else {
                continue;
            };
            let whole = json!((input.schema.schema)());
            for key in input.required.iter().chain(input.optional) {
                assert!(
                    whole["properties"].get(key).is_some(),
                    "{} {}: {key}",
                    operation.rule.method,
                    operation.rule.path
                );
            }
        }
    }

    #[test]
    fn no_reference_leads_nowhere() {
        let document = document("http://localhost");
        let text = document.to_string();
        for part in text.split("\"$ref\":\"#").skip(1) {
            let pointer = part.split('"').next().unwrap_or_default();
            assert!(document.pointer(pointer).is_some(), "{pointer}");
        }
    }
}
