//! An entry of the table of operations.

use std::borrow::Cow;

use booking_wire::v1::MessageResponse;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

use super::call::Call;
use crate::auth::access::{Requirement, Rule};
use crate::error::Result;
use crate::store::BoxFuture;

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
    pub(super) handler: Handler,
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
    pub(super) const fn of<T: ToSchema>() -> Self {
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
    pub(super) fn wrap(&self, value: Value) -> Value {
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
