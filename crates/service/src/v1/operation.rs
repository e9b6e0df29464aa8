//! An entry of the table of operations, and the pipeline from a request to its handler.

use std::borrow::Cow;

use axum::Json;
use axum::extract::{FromRequest, FromRequestParts, Request};
use booking_wire::JsonMap;
use booking_wire::v1::MessageResponse;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

use super::call::Call;
use crate::api::API_KEY_PARAMETER;
use crate::app::AppState;
use crate::auth::access::{Requirement, Rule};
use crate::error::{Error, Result};
use crate::extract::caller_of_api_key;
use crate::extract::json::JsonObject;
use crate::extract::path::PathParams;
use crate::extract::query::parse_query;
use crate::store::BoxFuture;
use crate::validate::{Checks, Query};

/// Handler of an operation.
pub type Handler = fn(Call) -> BoxFuture<'static, Result<Value>>;

/// Wraps an `async fn` of a [`Call`] as a [`Handler`].
macro_rules! handler {
    ($handler:path) => {
        |call| Box::pin($handler(call))
    };
}

pub(super) use handler;

/// One operation.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// Method, path and access rule.
    pub rule: Rule,
    /// Summary in one line.
    pub summary: &'static str,
    /// Path of version 2 that replaces it; parameters of the same name are filled in.
    pub successor: &'static str,
    /// Query parameters in addition to the API key.
    pub query: &'static [Parameter],
    /// Request body.
    pub input: Option<Input>,
    /// Response body.
    pub response: ResponseKind,
    handler: Handler,
}

/// A query parameter.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Type.
    pub kind: ParameterKind,
    /// True if it is required.
    pub required: bool,
    /// Description, without a full stop.
    pub description: &'static str,
}

/// Type of a query parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// An integer of at least 1.
    Positive,
    /// Ids, separated by commas or repeated.
    Ids,
    /// A text.
    Text,
    /// Texts, separated by commas or repeated.
    Texts,
    /// `true` or `false`.
    Boolean,
    /// An instant in ISO 8601.
    DateTime,
}

/// Request body of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Input {
    /// Schema with all properties of the resource.
    pub schema: TypeSchema,
    /// Required keys.
    pub required: &'static [&'static str],
    /// Optional keys.
    pub optional: &'static [&'static str],
}

/// Response body of an operation.
#[derive(Clone, Copy, Debug)]
pub enum ResponseKind {
    /// An array under this key.
    List(&'static str, TypeSchema),
    /// An object under this key.
    Item(&'static str, TypeSchema),
    /// An object under this key, with a `message`.
    Created(&'static str, TypeSchema, &'static str),
    /// An object without a wrapper.
    Bare(TypeSchema),
    /// An array without a wrapper.
    BareList(TypeSchema),
    /// Only a `message`.
    Message,
}

/// Name and schemas of a type.
#[derive(Clone, Copy, Debug)]
pub struct TypeSchema {
    /// Name among the schemas of the document.
    pub name: fn() -> Cow<'static, str>,
    /// Schema of the type itself.
    pub schema: fn() -> RefOr<Schema>,
    /// Adds the schemas that it refers to.
    pub add_referenced: fn(&mut Vec<(String, RefOr<Schema>)>),
}

impl TypeSchema {
    const fn of<T: ToSchema>() -> Self {
        Self {
            name: T::name,
            schema: T::schema,
            add_referenced: T::schemas,
        }
    }
}

const fn operation(method: &'static str, path: &'static str, handler: Handler) -> Operation {
    Operation {
        rule: Rule {
            method,
            path,
            scope: None,
            requirement: Requirement::Caller,
        },
        summary: "",
        successor: "/v2/openapi.json",
        query: &[],
        input: None,
        response: ResponseKind::Message,
        handler,
    }
}

/// GET operation.
pub(super) const fn get(path: &'static str, handler: Handler) -> Operation {
    operation("GET", path, handler)
}

/// POST operation.
pub(super) const fn post(path: &'static str, handler: Handler) -> Operation {
    operation("POST", path, handler)
}

/// PATCH operation.
pub(super) const fn patch(path: &'static str, handler: Handler) -> Operation {
    operation("PATCH", path, handler)
}

/// DELETE operation.
pub(super) const fn delete(path: &'static str, handler: Handler) -> Operation {
    operation("DELETE", path, handler)
}

impl Operation {
    pub(super) const fn summary(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }

    /// Sets the requirement, which is that of the equivalent operation of version 2.
    pub(super) const fn requires(mut self, requirement: Requirement) -> Self {
        self.rule.requirement = requirement;
        self
    }

    pub(super) const fn replaced_by(mut self, path: &'static str) -> Self {
        self.successor = path;
        self
    }

    pub(super) const fn query(mut self, query: &'static [Parameter]) -> Self {
        self.query = query;
        self
    }

    pub(super) const fn input<T: ToSchema>(
        mut self,
        required: &'static [&'static str],
        optional: &'static [&'static str],
    ) -> Self {
        self.input = Some(Input {
            schema: TypeSchema::of::<T>(),
            required,
            optional,
        });
        self
    }

    pub(super) const fn returns_list<T: ToSchema>(mut self, key: &'static str) -> Self {
        self.response = ResponseKind::List(key, TypeSchema::of::<T>());
        self
    }

    pub(super) const fn returns<T: ToSchema>(mut self, key: &'static str) -> Self {
        self.response = ResponseKind::Item(key, TypeSchema::of::<T>());
        self
    }

    pub(super) const fn returns_created<T: ToSchema>(
        mut self,
        key: &'static str,
        message: &'static str,
    ) -> Self {
        self.response = ResponseKind::Created(key, TypeSchema::of::<T>(), message);
        self
    }

    pub(super) const fn returns_bare<T: ToSchema>(mut self) -> Self {
        self.response = ResponseKind::Bare(TypeSchema::of::<T>());
        self
    }

    pub(super) const fn returns_bare_list<T: ToSchema>(mut self) -> Self {
        self.response = ResponseKind::BareList(TypeSchema::of::<T>());
        self
    }

    /// Wraps the value of a handler.
    fn wrap(&self, value: Value) -> Value {
        match self.response {
            ResponseKind::List(key, _) | ResponseKind::Item(key, _) => json!({key: value}),
            ResponseKind::Created(key, _, message) => json!({key: value, "message": message}),
            ResponseKind::Bare(_) | ResponseKind::BareList(_) => value,
            ResponseKind::Message => json!(MessageResponse {
                message: value.as_str().unwrap_or_default().to_owned(),
            }),
        }
    }
}

impl Parameter {
    pub(super) const fn new(
        name: &'static str,
        kind: ParameterKind,
        description: &'static str,
    ) -> Self {
        Self {
            name,
            kind,
            required: false,
            description,
        }
    }

    pub(super) const fn required(mut self) -> Self {
        self.required = true;
        self
    }
}

impl Input {
    /// Keys whose schema does not allow `null`: for these it is an error like any other value of
    /// the wrong type.
    pub(super) fn non_null_keys(&self) -> Vec<&'static str> {
        let schema = json!((self.schema.schema)());
        let is_non_null = |key: &&'static str| !allows_null(&schema["properties"][*key]);
        let keys = self.required.iter().chain(self.optional).copied();
        keys.filter(is_non_null).collect()
    }
}

/// Returns true if a schema allows `null`.
fn allows_null(schema: &Value) -> bool {
    let is_null = |kind: &Value| kind == "null";
    let kinds = schema["type"].as_array();
    let choices = schema["oneOf"].as_array();
    kinds.is_some_and(|kinds| kinds.iter().any(is_null))
        || choices.is_some_and(|choices| choices.iter().any(|choice| is_null(&choice["type"])))
}

/// Handles a request: checks API key, parameters and body keys for all operations, then calls the
/// handler.
pub(super) async fn serve(
    app: AppState,
    operation: &'static Operation,
    non_null_keys: &[&'static str],
    request: Request,
) -> Result<Json<Value>> {
    let (mut parts, body) = request.into_parts();
    let query = parse_query(&parts.uri);
    let key = query
        .get(API_KEY_PARAMETER)
        .filter(|key| !key.is_empty())
        .ok_or(Error::Unauthorized("No apiKey provided"))?;
    let caller = caller_of_api_key(&app, key, &operation.rule).await?;
    let path = PathParams::from_request_parts(&mut parts, &app).await?;
    check_query(operation, &query)?;
    let body = match &operation.input {
        Some(input) => {
            let request = Request::from_parts(parts, body);
            let JsonObject(body) = JsonObject::from_request(request, &app).await?;
            check_keys(input, non_null_keys, &body)?;
            body
        }
        None => JsonMap::new(),
    };
    let call = Call {
        app,
        caller,
        path,
        query,
        body,
    };
    let value = (operation.handler)(call).await?;
    Ok(Json(operation.wrap(value)))
}

fn check_query(operation: &Operation, query: &Query) -> Result<()> {
    let mut checks = Checks::default();
    let mut accepted = vec![API_KEY_PARAMETER];
    accepted.extend(operation.query.iter().map(|parameter| parameter.name));
    query.allow(&accepted, &mut checks);
    for parameter in operation.query {
        let missing = query.get(parameter.name).is_none_or(str::is_empty);
        if parameter.required && missing {
            checks.report(parameter.name, &Value::Null, "isDefined", "is required");
        }
    }
    checks.finish()
}

fn check_keys(input: &Input, non_null_keys: &[&str], body: &JsonMap) -> Result<()> {
    let mut checks = Checks::default();
    for (key, value) in body {
        let mut accepted = input.required.iter().chain(input.optional);
        if !accepted.any(|accepted| accepted == key) {
            checks.report(key, value, "whitelistValidation", "should not exist");
        } else if value.is_null()
            && non_null_keys.contains(&key.as_str())
            && !input.required.contains(&key.as_str())
        {
            checks.report(key, value, "isDefined", "must not be null");
        }
    }
    for key in input.required {
        if body.get(*key).is_none_or(Value::is_null) {
            checks.report(key, &Value::Null, "isDefined", "is required");
        }
    }
    checks.finish()
}
