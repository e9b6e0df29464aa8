//! Completes the document with everything that operations have in common: ids, allowed callers,
//! error responses, headers and examples.

use serde_json::{Map, Value, json};
use utoipa::openapi::OpenApi;

use super::{descriptions, examples, parameters};
use crate::auth::access::{self, Requirement, Rule};

/// Methods for which a path can have operations.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// Complete document of a service with this base URL.
pub(super) fn document(openapi: &OpenApi, base_url: &str) -> Value {
    let Ok(Value::Object(mut document)) = serde_json::to_value(openapi) else {
        return Value::Null;
    };
    document.insert("info".into(), info());
    document.insert("servers".into(), json!([{"url": base_url}]));
    let mut schemas = document
        .get_mut("components")
        .and_then(|components| components["schemas"].as_object().cloned())
        .unwrap_or_default();
    add_error_schemas(&mut schemas);
    let originals = schemas.clone();
    schemas
        .values_mut()
        .for_each(|schema| relax(schema, &originals));
    let names: Vec<String> = schemas.keys().cloned().collect();
    for (name, schema) in &mut schemas {
        if let Some(inner) = name.strip_prefix("Envelope_") {
            refine_envelope(inner, schema, &names);
        }
    }

    let mut tags: Vec<String> = Vec::new();
    let mut bodies: Vec<String> = Vec::new();
    if let Some(Value::Object(paths)) = document.get_mut("paths") {
        for (path, item) in paths {
            for method in METHODS {
                let Some(Value::Object(operation)) = item.get_mut(method) else {
                    continue;
                };
                complete(method, path, operation, &schemas);
                let operation_tags = operation.get("tags").and_then(Value::as_array);
                for tag in operation_tags
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                {
                    if !tags.iter().any(|known| known == tag) {
                        tags.push(tag.to_owned());
                    }
                }
                if descriptions::rejects_unknown_keys(path) {
                    bodies.extend(request_schema(operation));
                }
            }
        }
    }
    for name in bodies {
        if let Some(schema) = schemas.get_mut(&name) {
            forbid_other_keys(schema);
        }
    }
    document.insert("tags".into(), descriptions::tags(&tags));
    document.insert(
        "components".into(),
        json!({
            "schemas": schemas,
            "responses": error_responses(),
            "headers": headers(),
            "securitySchemes": security_schemes(),
        }),
    );
    Value::Object(document)
}

fn info() -> Value {
    json!({
        "title": "Scheduling service",
        "description": descriptions::DESCRIPTION,
        "version": env!("CARGO_PKG_VERSION"),
        "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
    })
}

/// Completes one operation.
fn complete(
    method: &str,
    path: &str,
    operation: &mut Map<String, Value>,
    schemas: &Map<String, Value>,
) {
    let rule = access::rule(&method.to_uppercase(), path);
    operation.insert(
        "operationId".into(),
        descriptions::operation_id(method, path).into(),
    );
    if let Some(rule) = rule {
        describe_access(rule, operation);
    }
    let needs_client = rule.is_some_and(|rule| rule.requirement == Requirement::Client);
    parameters::complete(path, needs_client, operation);

    let has_body = operation.contains_key("requestBody");
    let takes_input = has_body || operation.contains_key("parameters");
    let is_guarded =
        rule.is_none_or(|rule| rule.requirement != Requirement::Nothing || rule.scope.is_some());
    let is_write = method != "get";
    let statuses = [
        (400, takes_input),
        (401, true),
        (403, is_guarded || is_write),
        (
            404,
            path.contains('{') || !is_guarded || has_body || has_reference_parameter(operation),
        ),
        (408, has_body),
        (409, may_conflict(method, path)),
        (413, has_body),
        (414, true),
        (415, has_body),
        (422, books_time(method, path)),
        (429, true),
        (498, !needs_client),
        (500, true),
        (503, true),
        (504, true),
    ];
    if let Some(Value::Object(responses)) = operation.get_mut("responses") {
        for (status, _) in statuses.into_iter().filter(|(_, occurs)| *occurs) {
            let reference = json!({"$ref": format!("#/components/responses/{status}")});
            responses.entry(status.to_string()).or_insert(reference);
        }
        for (status, response) in responses.iter_mut() {
            if status.starts_with('2') {
                complete_success(response);
            }
        }
    }
    examples::add(path, operation, schemas);
}

/// Returns true if a query parameter refers to an object that may not exist.
fn has_reference_parameter(operation: &Map<String, Value>) -> bool {
    let parameters = operation.get("parameters").and_then(Value::as_array);
    parameters.into_iter().flatten().any(|parameter| {
        let name = parameter.get("name").and_then(Value::as_str);
        parameter.get("in").and_then(Value::as_str) == Some("query")
            && name.is_some_and(|name| {
                matches!(name, "username" | "usernames" | "orgSlug" | "teamSlug")
                    || name.ends_with("Id")
                    || name.ends_with("Ids")
            })
    })
}

/// Returns true if a request can conflict with a concurrent one, a name that is taken or the state of its object.
fn may_conflict(method: &str, path: &str) -> bool {
    /// Last path segments of collections with a unique property.
    const UNIQUE_COLLECTIONS: [&str; 7] = [
        "attendees",
        "event-types",
        "memberships",
        "ooo",
        "teams",
        "users",
        "webhooks",
    ];
    let mut segments = path.rsplit('/');
    let last = segments.next().unwrap_or_default();
    match method {
        "post" => {
            books_time(method, path)
                || matches!(last, "confirm" | "resend")
                || UNIQUE_COLLECTIONS.contains(&last)
        }
        "patch" => {
            books_time(method, path)
                || last == "me"
                || (last != "{membershipId}"
                    && segments
                        .next()
                        .is_some_and(|segment| UNIQUE_COLLECTIONS.contains(&segment)))
        }
        _ => false,
    }
}

/// Returns true if a request books or reserves time, which fails for event types without hosts.
fn books_time(method: &str, path: &str) -> bool {
    match method {
        "post" => matches!(
            path,
            "/v2/slots/reservations" | "/v2/bookings" | "/v2/bookings/{bookingUid}/reschedule"
        ),
        "patch" => path == "/v2/slots/reservations/{reservationUid}",
        _ => false,
    }
}

/// Adds the allowed callers to the description, to `security` and to extensions, from the access
/// rule of the operation.
fn describe_access(rule: &Rule, operation: &mut Map<String, Value>) {
    let scopes: Vec<&str> = rule.scope.into_iter().collect();
    let client = json!({"clientId": [], "clientSecret": []});
    let any_credentials = [
        json!({"apiKey": []}),
        json!({"accessToken": scopes}),
        client,
    ];
    let (callers, permission, security) = match rule.requirement {
        Requirement::Nothing => (
            "Anyone.".to_owned(),
            None,
            std::iter::once(json!({})).chain(any_credentials).collect(),
        ),
        Requirement::Caller => (
            "Every authenticated caller, on their own records.".to_owned(),
            None,
            Vec::from(any_credentials),
        ),
        Requirement::Client => (
            "The OAuth client in the path, with its secret.".to_owned(),
            None,
            vec![json!({"clientSecret": []})],
        ),
        Requirement::Team(permission) => (
            format!("Members with `{permission}` in the team."),
            Some(permission),
            Vec::from(any_credentials),
        ),
        Requirement::Organization(permission) => (
            format!("Members with `{permission}` in the organisation."),
            Some(permission),
            Vec::from(any_credentials),
        ),
        Requirement::Owner(permission) => (
            format!(
                "The owner, or members with `{permission}` in the owning team or organisation."
            ),
            Some(permission),
            Vec::from(any_credentials),
        ),
        Requirement::Host(permission) => (
            format!(
                "A host of the booking, the owner of its event type, or members with `{permission}` in its team."
            ),
            Some(permission),
            Vec::from(any_credentials),
        ),
    };
    let mut access = format!("**Who may call:** {callers}");
    if let Some(scope) = rule.scope {
        access.push_str(&format!(" An access token needs the scope `{scope}`."));
        operation.insert("x-scope".into(), scope.into());
    }
    if let Some(permission) = permission {
        operation.insert("x-permission".into(), permission.into());
    }
    let description = match operation.get("description").and_then(Value::as_str) {
        Some(description) if !description.trim().is_empty() => format!("{description}\n\n{access}"),
        _ => access,
    };
    operation.insert("description".into(), description.into());
    operation.insert("security".into(), Value::Array(security));
}

/// Adds headers to a success response, and a description if it has none.
fn complete_success(response: &mut Value) {
    if let Value::Object(response) = response {
        let description = response.entry("description").or_insert(Value::Null);
        if description.as_str().is_none_or(str::is_empty) {
            *description = "Done.".into();
        }
        response.insert("headers".into(), header_references(false));
    }
}

/// Schema name of an operation's request body.
fn request_schema(operation: &Map<String, Value>) -> Option<String> {
    operation
        .get("requestBody")?
        .pointer("/content/application~1json/schema/$ref")?
        .as_str()?
        .strip_prefix("#/components/schemas/")
        .map(str::to_owned)
}

/// Forbids additional properties.
fn forbid_other_keys(schema: &mut Value) {
    if let Value::Object(schema) = schema
        && schema.contains_key("properties")
    {
        schema
            .entry("additionalProperties")
            .or_insert(Value::Bool(false));
    }
}

/// Refines an envelope: `status` is `success`, and `data` a reference instead of a copy.
fn refine_envelope(inner: &str, schema: &mut Value, names: &[String]) {
    if let Some(status) = schema.pointer_mut("/properties/status") {
        *status = json!({"type": "string", "enum": ["success"]});
    }
    let reference = |name: &str| {
        let is_known = names.iter().any(|known| known == name);
        is_known.then(|| json!({"$ref": format!("#/components/schemas/{name}")}))
    };
    let data = match inner.strip_prefix("Vec_") {
        Some(element) => reference(element).map(|items| json!({"type": "array", "items": items})),
        None => reference(inner),
    };
    if let (Some(data), Some(target)) = (data, schema.pointer_mut("/properties/data")) {
        *target = data;
    }
}

/// Relaxes derived schemas that are too strict. An optional flattened struct is derived as `allOf`
/// with "struct or null", which no object satisfies; its properties become optional instead.
fn relax(schema: &mut Value, schemas: &Map<String, Value>) {
    if let Some(parts) = schema.get_mut("allOf").and_then(Value::as_array_mut) {
        for part in parts {
            let Some(choices) = part.get("oneOf").and_then(Value::as_array) else {
                continue;
            };
            let (nulls, others): (Vec<&Value>, Vec<&Value>) =
                choices.iter().partition(|choice| choice["type"] == "null");
            let ([_], [only]) = (nulls.as_slice(), others.as_slice()) else {
                continue;
            };
            let named = only["$ref"].as_str().and_then(|reference| {
                schemas.get(reference.strip_prefix("#/components/schemas/")?)
            });
            let mut relaxed = named.unwrap_or(only).clone();
            if let Value::Object(relaxed) = &mut relaxed {
                relaxed.remove("required");
            }
            *part = relaxed;
        }
    }
    // Variants that differ only in optional keys can match at the same time.
    let overlaps = schema
        .get("oneOf")
        .and_then(Value::as_array)
        .is_some_and(|choices| {
            choices.len() > 1
                && choices.iter().any(|choice| {
                    choice.get("properties").is_some() && choice.get("required").is_none()
                })
        });
    if overlaps
        && let Value::Object(schema) = schema
        && let Some(choices) = schema.remove("oneOf")
    {
        schema.insert("anyOf".into(), choices);
    }
    match schema {
        Value::Object(map) => map.values_mut().for_each(|value| relax(value, schemas)),
        Value::Array(list) => list.iter_mut().for_each(|value| relax(value, schemas)),
        _ => {}
    }
}

fn add_error_schemas(schemas: &mut Map<String, Value>) {
    let text = |description: &str| json!({"type": "string", "description": description});
    schemas.insert(
        "ErrorBody".into(),
        json!({
            "type": "object",
            "description": "Body of every error response.",
            "required": ["status", "timestamp", "path", "error"],
            "properties": {
                "status": {"type": "string", "enum": ["error"]},
                "timestamp": {"type": "string", "format": "date-time"},
                "path": text("Path and query string of the request."),
                "error": {"$ref": "#/components/schemas/ErrorDetail"},
            },
        }),
    );
    schemas.insert(
        "ErrorDetail".into(),
        json!({
            "type": "object",
            "required": ["code", "message"],
            "properties": {
                "code": text("Name of the exception, such as `BadRequestException`."),
                "message": text("Message for developers. Programs should use the HTTP status."),
                "details": {
                    "type": "object",
                    "required": ["statusCode", "error", "message"],
                    "properties": {
                        "statusCode": {"type": "integer"},
                        "error": text("Reason phrase of the status."),
                        "message": text("The same message."),
                        "errors": {
                            "type": "array",
                            "description": "Properties with invalid values.",
                            "items": {"$ref": "#/components/schemas/ErrorProperty"},
                        },
                    },
                },
            },
        }),
    );
    schemas.insert(
        "ErrorProperty".into(),
        json!({
            "type": "object",
            "required": ["property", "children"],
            "properties": {
                "target": {"type": "object"},
                "property": text("Name of the property. Parent objects are represented by the elements around it."),
                "value": {"description": "Value that was sent, possibly shortened."},
                "children": {"type": "array", "items": {"$ref": "#/components/schemas/ErrorProperty"}},
                "constraints": {
                    "type": "object",
                    "description": "Messages by the name of the broken rule.",
                    "additionalProperties": {"type": "string"},
                },
            },
        }),
    );
}

/// Error responses to which operations refer, by status.
fn error_responses() -> Value {
    let errors = [
        (
            "400",
            "Invalid input, with each broken rule; or the request is rejected with a reason.",
            "BadRequestException",
            "Bad Request",
            "eventTypeId must be a whole number",
        ),
        (
            "401",
            "Missing, unknown, wrong or expired credentials.",
            "UnauthorizedException",
            "Unauthorized",
            "unknown API key",
        ),
        (
            "403",
            "Authenticated, but not allowed.",
            "ForbiddenException",
            "Forbidden",
            "this needs the permission role.create",
        ),
        (
            "404",
            "The object does not exist, or the caller may not know that it does.",
            "NotFoundException",
            "Not Found",
            "Team 7 not found",
        ),
        (
            "408",
            "The body did not arrive in time.",
            "RequestTimeoutException",
            "Request Timeout",
            "the request body did not arrive in time",
        ),
        (
            "409",
            "A concurrent request has won, the name is taken, or the state of the object does not allow it.",
            "ConflictException",
            "Conflict",
            "this time is no longer available: another booking has taken it",
        ),
        (
            "413",
            "The body is too large. Limit: 256 KiB; 128 KiB for bookings and slots.",
            "PayloadTooLargeException",
            "Payload Too Large",
            "request entity too large",
        ),
        (
            "414",
            "The request's URL is too long.",
            "UriTooLongException",
            "URI Too Long",
            "the request's address is too long",
        ),
        (
            "415",
            "The `Content-Type` is not JSON.",
            "UnsupportedMediaTypeException",
            "Unsupported Media Type",
            "content type must be application/json",
        ),
        (
            "422",
            "The request is valid but cannot be carried out, or its `Idempotency-Key` was used for another request.",
            "UnprocessableEntityException",
            "Unprocessable Entity",
            "the event type has no hosts",
        ),
        (
            "429",
            "Too many requests.",
            "ThrottlerException",
            "Too Many Requests",
            "Too many requests. Please try again later.",
        ),
        (
            "498",
            "The access token has expired: refresh it and retry.",
            "TokenExpiredException",
            "Token Expired",
            "ACCESS_TOKEN_IS_EXPIRED",
        ),
        (
            "500",
            "Internal error. `X-Request-Id` identifies the request in the log.",
            "InternalServerErrorException",
            "Internal Server Error",
            "Internal server error",
        ),
        (
            "503",
            "The service is overloaded or its database is unavailable. Retry after `Retry-After`.",
            "ServiceUnavailableException",
            "Service Unavailable",
            "the service has more to do than it can: try again shortly",
        ),
        (
            "504",
            "The response was not ready in time. The request may still have been carried out.",
            "GatewayTimeoutException",
            "Gateway Timeout",
            "the answer took too long",
        ),
    ];
    let mut responses = Map::new();
    for (status, description, code, error, message) in errors {
        let mut details = json!({
            "statusCode": status.parse::<i64>().unwrap_or_default(),
            "error": error,
            "message": message,
        });
        if status == "400"
            && let Value::Object(details) = &mut details
        {
            details.insert(
                "errors".into(),
                json!([{
                    "target": {},
                    "value": "x",
                    "property": "eventTypeId",
                    "children": [],
                    "constraints": {"isNumber": message},
                }]),
            );
        }
        let example = json!({
            "status": "error",
            "timestamp": "2027-02-01T10:00:00.000Z",
            "path": "/v2/slots?eventTypeId=x",
            "error": {"code": code, "message": message, "details": details},
        });
        let has_retry_after = matches!(status, "429" | "503");
        responses.insert(
            status.into(),
            error_response(description, has_retry_after, &example),
        );
    }
    Value::Object(responses)
}

fn error_response(description: &str, has_retry_after: bool, example: &Value) -> Value {
    json!({
        "description": description,
        "headers": header_references(has_retry_after),
        "content": {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/ErrorBody"},
                "example": example,
            },
        },
    })
}

const HEADERS: [(&str, &str, &str); 5] = [
    (
        "X-Request-Id",
        "string",
        "Identifies the request in the service's log.",
    ),
    (
        "X-RateLimit-Limit-Default",
        "integer",
        "Allowed requests per minute. Absent without a rate limit, as are the two headers below.",
    ),
    (
        "X-RateLimit-Remaining-Default",
        "integer",
        "Remaining requests.",
    ),
    (
        "X-RateLimit-Reset-Default",
        "integer",
        "Seconds until the limit is reset.",
    ),
    ("Retry-After", "integer", "Seconds to wait before a retry."),
];

fn headers() -> Value {
    HEADERS
        .into_iter()
        .map(|(name, kind, description)| {
            let header = json!({"description": description, "schema": {"type": kind}});
            (name.to_owned(), header)
        })
        .collect::<Map<_, _>>()
        .into()
}

fn header_references(has_retry_after: bool) -> Value {
    HEADERS
        .into_iter()
        .filter(|(name, _, _)| has_retry_after || *name != "Retry-After")
        .map(|(name, _, _)| {
            let reference = json!({"$ref": format!("#/components/headers/{name}")});
            (name.to_owned(), reference)
        })
        .collect::<Map<_, _>>()
        .into()
}

fn security_schemes() -> Value {
    json!({
        "apiKey": {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "svc_...",
            "description": "An API key. It has all permissions of its user, unless it was created with scopes.",
        },
        "accessToken": {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "JWT",
            "description": "The access token of a managed user, limited to the scopes of its OAuth client. \
                            After its expiry (status 498), refresh it with `refreshTokens`.",
        },
        "clientId": {
            "type": "apiKey",
            "in": "header",
            "name": "x-svc-client-id",
            "description": "The id of an OAuth client, sent with its secret.",
        },
        "clientSecret": {
            "type": "apiKey",
            "in": "header",
            "name": "x-svc-secret-key",
            "description": "The secret of an OAuth client. Do not use it in a browser.",
        },
    })
}
