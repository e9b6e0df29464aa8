//! Adds to the described operations what they have in common: names, who may call, failures,
//! headers, and examples.

use serde_json::{Map, Value, json};
use utoipa::openapi::OpenApi;

use super::{examples, parameters, words};
use crate::auth::access::{self, Needs, Rule};

/// The methods under which a path lists operations.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// The whole document of a service that is reached at `base_url`.
pub(super) fn document(described: &OpenApi, base_url: &str) -> Value {
    let Ok(Value::Object(mut document)) = serde_json::to_value(described) else {
        return Value::Null;
    };
    document.insert("info".into(), info());
    document.insert("servers".into(), json!([{"url": base_url}]));
    let mut schemas = document
        .get_mut("components")
        .and_then(|components| components["schemas"].as_object().cloned())
        .unwrap_or_default();
    add_failure_schemas(&mut schemas);
    let before = schemas.clone();
    schemas
        .values_mut()
        .for_each(|schema| loosen(schema, &before));
    let known: Vec<String> = schemas.keys().cloned().collect();
    for (name, schema) in &mut schemas {
        if let Some(inner) = name.strip_prefix("Envelope_") {
            envelope(inner, schema, &known);
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
                let own = operation.get("tags").and_then(Value::as_array);
                for tag in own.into_iter().flatten().filter_map(Value::as_str) {
                    if !tags.iter().any(|known| known == tag) {
                        tags.push(tag.to_owned());
                    }
                }
                if words::refuses_unknown_keys(path) {
                    bodies.extend(request_schema(operation));
                }
            }
        }
    }
    for name in bodies {
        if let Some(schema) = schemas.get_mut(&name) {
            close(schema);
        }
    }
    document.insert("tags".into(), words::tags(&tags));
    document.insert(
        "components".into(),
        json!({
            "schemas": schemas,
            "responses": failures(),
            "headers": headers(),
            "securitySchemes": security_schemes(),
        }),
    );
    Value::Object(document)
}

fn info() -> Value {
    json!({
        "title": "Scheduling service",
        "description": words::ABOUT,
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
        words::operation_id(method, path).into(),
    );
    if let Some(rule) = rule {
        say_who_may_call(rule, operation);
    }
    let needs_client = rule.is_some_and(|rule| rule.needs == Needs::Client);
    parameters::complete(path, needs_client, operation);

    let has_body = operation.contains_key("requestBody");
    let takes_input = has_body || operation.contains_key("parameters");
    let is_guarded = rule.is_none_or(|rule| rule.needs != Needs::Nothing || rule.scope.is_some());
    let changes = method != "get";
    let statuses = [
        (400, takes_input),
        (401, true),
        (403, is_guarded || changes),
        (
            404,
            path.contains('{') || !is_guarded || has_body || names_others(operation),
        ),
        (408, has_body),
        (409, may_conflict(method, path)),
        (413, has_body),
        (414, true),
        (415, has_body),
        (422, takes_times(method, path)),
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
                success(response);
            }
        }
    }
    examples::add(path, operation, schemas);
}

/// Whether a parameter of the query names somebody or something that may not exist.
fn names_others(operation: &Map<String, Value>) -> bool {
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

/// Whether a call can lose to somebody else, or meet a name that is taken.
fn may_conflict(method: &str, path: &str) -> bool {
    /// The last words of addresses to which something is added that must be the only one.
    const KEPT_APART: [&str; 7] = [
        "attendees",
        "event-types",
        "memberships",
        "ooo",
        "teams",
        "users",
        "webhooks",
    ];
    let mut parts = path.rsplit('/');
    let last = parts.next().unwrap_or_default();
    match method {
        "post" => takes_times(method, path) || last == "confirm" || KEPT_APART.contains(&last),
        "patch" => {
            takes_times(method, path)
                || last == "me"
                || (last != "{membershipId}"
                    && parts.next().is_some_and(|word| KEPT_APART.contains(&word)))
        }
        _ => false,
    }
}

/// Whether a time is taken, which an event type without hosts does not have.
fn takes_times(method: &str, path: &str) -> bool {
    match method {
        "post" => matches!(
            path,
            "/v2/slots/reservations" | "/v2/bookings" | "/v2/bookings/{bookingUid}/reschedule"
        ),
        "patch" => path == "/v2/slots/reservations/{reservationUid}",
        _ => false,
    }
}

/// Says in words, in `security` and in extensions who may call an operation. All of it comes from
/// the rule that decides about it.
fn say_who_may_call(rule: &Rule, operation: &mut Map<String, Value>) {
    let scopes: Vec<&str> = rule.scope.into_iter().collect();
    let client = json!({"clientId": [], "clientSecret": []});
    let caller = [
        json!({"apiKey": []}),
        json!({"accessToken": scopes}),
        client,
    ];
    let (who, permission, security) = match rule.needs {
        Needs::Nothing => (
            "Anyone.".to_owned(),
            None,
            std::iter::once(json!({})).chain(caller).collect(),
        ),
        Needs::Caller => (
            "Whoever is signed in, on what is their own.".to_owned(),
            None,
            Vec::from(caller),
        ),
        Needs::Client => (
            "The OAuth client in the path, with its secret.".to_owned(),
            None,
            vec![json!({"clientSecret": []})],
        ),
        Needs::Team(permission) => (
            format!("Who holds `{permission}` in the team."),
            Some(permission),
            Vec::from(caller),
        ),
        Needs::Organization(permission) => (
            format!("Who holds `{permission}` in the organisation."),
            Some(permission),
            Vec::from(caller),
        ),
        Needs::Owner(permission) => (
            format!(
                "The owner, or who holds `{permission}` in the team or organisation that it belongs to."
            ),
            Some(permission),
            Vec::from(caller),
        ),
        Needs::Host(permission) => (
            format!(
                "A host of the booking, the owner of what was booked, or who holds `{permission}` in its team."
            ),
            Some(permission),
            Vec::from(caller),
        ),
    };
    let mut said = format!("**Who may call:** {who}");
    if let Some(scope) = rule.scope {
        said.push_str(&format!(" An access token needs the scope `{scope}`."));
        operation.insert("x-scope".into(), scope.into());
    }
    if let Some(permission) = permission {
        operation.insert("x-permission".into(), permission.into());
    }
    let description = match operation.get("description").and_then(Value::as_str) {
        Some(description) if !description.trim().is_empty() => format!("{description}\n\n{said}"),
        _ => said,
    };
    operation.insert("description".into(), description.into());
    operation.insert("security".into(), Value::Array(security));
}

/// Headers of a success, and a description where there is none.
fn success(response: &mut Value) {
    if let Value::Object(response) = response {
        let description = response.entry("description").or_insert(Value::Null);
        if description.as_str().is_none_or(str::is_empty) {
            *description = "Done.".into();
        }
        response.insert("headers".into(), header_references(false));
    }
}

/// The name of the schema of an operation's body.
fn request_schema(operation: &Map<String, Value>) -> Option<String> {
    operation
        .get("requestBody")?
        .pointer("/content/application~1json/schema/$ref")?
        .as_str()?
        .strip_prefix("#/components/schemas/")
        .map(str::to_owned)
}

/// Says that a body has no other keys.
fn close(schema: &mut Value) {
    if let Value::Object(schema) = schema
        && schema.contains_key("properties")
    {
        schema
            .entry("additionalProperties")
            .or_insert(Value::Bool(false));
    }
}

/// The status of a success is one word, and what is wrapped is named rather than repeated.
fn envelope(inner: &str, schema: &mut Value, known: &[String]) {
    if let Some(status) = schema.pointer_mut("/properties/status") {
        *status = json!({"type": "string", "enum": ["success"]});
    }
    let reference = |name: &str| {
        let is_known = known.iter().any(|known| known == name);
        is_known.then(|| json!({"$ref": format!("#/components/schemas/{name}")}))
    };
    let data = match inner.strip_prefix("Vec_") {
        Some(element) => reference(element).map(|items| json!({"type": "array", "items": items})),
        None => reference(inner),
    };
    if let (Some(data), Some(place)) = (data, schema.pointer_mut("/properties/data")) {
        *place = data;
    }
}

/// Mends what the derived schemas say too strictly. Properties that come from a part which may be
/// missing as a whole are described as "that part or null", which no object meets: each of them may
/// be missing.
fn loosen(schema: &mut Value, schemas: &Map<String, Value>) {
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
            let mut loose = named.unwrap_or(only).clone();
            if let Value::Object(loose) = &mut loose {
                loose.remove("required");
            }
            *part = loose;
        }
    }
    // Variants that are told apart by keys which may be missing can both be met.
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
        Value::Object(map) => map.values_mut().for_each(|value| loosen(value, schemas)),
        Value::Array(list) => list.iter_mut().for_each(|value| loosen(value, schemas)),
        _ => {}
    }
}

fn add_failure_schemas(schemas: &mut Map<String, Value>) {
    let text = |description: &str| json!({"type": "string", "description": description});
    schemas.insert(
        "ErrorBody".into(),
        json!({
            "type": "object",
            "description": "The body of every failure.",
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
                "code": text("The exception's name, such as `BadRequestException`."),
                "message": text("For developers. Programs decide by the HTTP status."),
                "details": {
                    "type": "object",
                    "required": ["statusCode", "error", "message"],
                    "properties": {
                        "statusCode": {"type": "integer"},
                        "error": text("The status in words."),
                        "message": text("As above."),
                        "errors": {
                            "type": "array",
                            "description": "Every property that breaks a rule.",
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
                "property": text("The last part of its name; what it is inside of is around it."),
                "value": {"description": "What was sent, perhaps shortened."},
                "children": {"type": "array", "items": {"$ref": "#/components/schemas/ErrorProperty"}},
                "constraints": {
                    "type": "object",
                    "description": "What it breaks, by the rule's name.",
                    "additionalProperties": {"type": "string"},
                },
            },
        }),
    );
}

/// The failures that operations refer to, by status.
fn failures() -> Value {
    let known = [
        (
            "400",
            "The input breaks rules, which are named; or the request is refused for the reason given.",
            "BadRequestException",
            "Bad Request",
            "eventTypeId must be a whole number",
        ),
        (
            "401",
            "No credentials, or unknown, wrong or expired ones.",
            "UnauthorizedException",
            "Unauthorized",
            "unknown API key",
        ),
        (
            "403",
            "Known, but not allowed.",
            "ForbiddenException",
            "Forbidden",
            "this needs the permission role.create",
        ),
        (
            "404",
            "There is no such object, or the caller may not know of it.",
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
            "Somebody else was faster, or the name is taken.",
            "ConflictException",
            "Conflict",
            "this time is no longer available: another booking has taken it",
        ),
        (
            "413",
            "The body is larger than the operation reads: 256 KiB, or 128 KiB for bookings and slots.",
            "PayloadTooLargeException",
            "Payload Too Large",
            "request entity too large",
        ),
        (
            "414",
            "The address is longer than any that means something here.",
            "UriTooLongException",
            "URI Too Long",
            "the request's address is too long",
        ),
        (
            "415",
            "The body is not declared as JSON.",
            "UnsupportedMediaTypeException",
            "Unsupported Media Type",
            "content type must be application/json",
        ),
        (
            "422",
            "Sound, but it cannot be done, or its `Idempotency-Key` was used for another request.",
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
            "The access token has expired: renew it and call again.",
            "TokenExpiredException",
            "Token Expired",
            "ACCESS_TOKEN_IS_EXPIRED",
        ),
        (
            "500",
            "The service is at fault. `X-Request-Id` finds the cause in its log.",
            "InternalServerErrorException",
            "Internal Server Error",
            "Internal server error",
        ),
        (
            "503",
            "The service has too much to do. `Retry-After` says when to come back.",
            "ServiceUnavailableException",
            "Service Unavailable",
            "the service has more to do than it can: try again shortly",
        ),
        (
            "504",
            "The answer was not ready in time. What was asked for may still have been done.",
            "GatewayTimeoutException",
            "Gateway Timeout",
            "the answer took too long",
        ),
    ];
    let mut failures = Map::new();
    for (status, description, code, error, message) in known {
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
        let waits = matches!(status, "429" | "503");
        failures.insert(status.into(), failure(description, waits, &example));
    }
    Value::Object(failures)
}

fn failure(description: &str, waits: bool, example: &Value) -> Value {
    json!({
        "description": description,
        "headers": header_references(waits),
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
        "Names this request in the service's log.",
    ),
    (
        "X-RateLimit-Limit-Default",
        "integer",
        "Requests that are allowed in a minute. Absent where none are counted, as are the two below.",
    ),
    (
        "X-RateLimit-Remaining-Default",
        "integer",
        "How many are left.",
    ),
    (
        "X-RateLimit-Reset-Default",
        "integer",
        "Seconds until they are counted anew.",
    ),
    ("Retry-After", "integer", "Seconds to wait."),
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

fn header_references(waits: bool) -> Value {
    HEADERS
        .into_iter()
        .filter(|(name, _, _)| waits || *name != "Retry-After")
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
            "description": "An API key; it has all rights of its user, unless it was made with scopes.",
        },
        "accessToken": {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "JWT",
            "description": "The access token of a managed user, limited to the scopes of its OAuth client. \
                            After its expiry (status 498) it is renewed with `refreshTokens`.",
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
            "description": "The secret of an OAuth client. Never in a browser.",
        },
    })
}
