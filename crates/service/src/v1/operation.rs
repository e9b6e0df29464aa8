//! One row of the table of operations, and how a call goes through it.

use std::borrow::Cow;

use axum::Json;
use axum::extract::{FromRequest, FromRequestParts, Request};
use booking_wire::JsonMap;
use booking_wire::v1::Told;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

use super::call::Call;
use crate::api::API_KEY_PARAMETER;
use crate::app::AppState;
use crate::auth::access::{Needs, Rule};
use crate::error::{Error, Result};
use crate::extract::caller_by_key;
use crate::extract::json::JsonObject;
use crate::extract::path::PathParams;
use crate::extract::query::query_of;
use crate::store::BoxFuture;
use crate::validate::{Checks, Query};

/// What an operation does.
pub type Run = fn(Call) -> BoxFuture<'static, Result<Value>>;

/// An `async fn` of a [`Call`] as a [`Run`].
macro_rules! run {
    ($handler:path) => {
        |call| Box::pin($handler(call))
    };
}

pub(super) use run;

/// One operation.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// Method, path, and what the caller must be.
    pub rule: Rule,
    /// What it does, in a line.
    pub summary: &'static str,
    /// The path of version 2 that takes its place; parameters of the same name are filled in.
    pub successor: &'static str,
    /// Parameters of the query besides the API key.
    pub query: &'static [Parameter],
    /// What is sent.
    pub input: Option<Input>,
    /// What is answered.
    pub answer: Answer,
    run: Run,
}

/// A parameter of the query.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// Whether it must be there.
    pub required: bool,
    /// What it is for.
    pub about: &'static str,
}

/// What a parameter holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A whole number of at least 1.
    Positive,
    /// Ids, separated by commas or given repeatedly.
    Ids,
    /// A text.
    Text,
    /// Texts, separated by commas or given repeatedly.
    Texts,
    /// `true` or `false`.
    Claim,
    /// ISO 8601.
    Moment,
}

/// What an operation reads.
#[derive(Clone, Copy, Debug)]
pub struct Input {
    /// All that can be said of the resource.
    pub schema: Described,
    /// The keys that must be there.
    pub required: &'static [&'static str],
    /// The other keys that may be there.
    pub optional: &'static [&'static str],
}

/// What an operation answers.
#[derive(Clone, Copy, Debug)]
pub enum Answer {
    /// An array under this key.
    List(&'static str, Described),
    /// An object under this key.
    Item(&'static str, Described),
    /// An object under this key, and what has been done.
    Made(&'static str, Described, &'static str),
    /// As it comes.
    Bare(Described),
    /// An array as it comes.
    BareList(Described),
    /// Nothing but words.
    Told,
}

/// A type's name and schemas.
#[derive(Clone, Copy, Debug)]
pub struct Described {
    /// Its name among the schemas.
    pub name: fn() -> Cow<'static, str>,
    /// Its own schema.
    pub schema: fn() -> RefOr<Schema>,
    /// Adds those that it refers to.
    pub add_parts: fn(&mut Vec<(String, RefOr<Schema>)>),
}

impl Described {
    const fn of<T: ToSchema>() -> Self {
        Self {
            name: T::name,
            schema: T::schema,
            add_parts: T::schemas,
        }
    }
}

const fn operation(method: &'static str, path: &'static str, run: Run) -> Operation {
    Operation {
        rule: Rule {
            method,
            path,
            scope: None,
            needs: Needs::Caller,
        },
        summary: "",
        successor: "/v2/openapi.json",
        query: &[],
        input: None,
        answer: Answer::Told,
        run,
    }
}

/// Reads.
pub(super) const fn get(path: &'static str, run: Run) -> Operation {
    operation("GET", path, run)
}

/// Makes.
pub(super) const fn post(path: &'static str, run: Run) -> Operation {
    operation("POST", path, run)
}

/// Changes.
pub(super) const fn patch(path: &'static str, run: Run) -> Operation {
    operation("PATCH", path, run)
}

/// Removes.
pub(super) const fn delete(path: &'static str, run: Run) -> Operation {
    operation("DELETE", path, run)
}

impl Operation {
    pub(super) const fn about(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }

    /// Needs of the caller what the operation of version 2 needs that does the same.
    pub(super) const fn needs(mut self, needs: Needs) -> Self {
        self.rule.needs = needs;
        self
    }

    pub(super) const fn replaced_by(mut self, path: &'static str) -> Self {
        self.successor = path;
        self
    }

    pub(super) const fn asks(mut self, query: &'static [Parameter]) -> Self {
        self.query = query;
        self
    }

    pub(super) const fn takes<T: ToSchema>(
        mut self,
        required: &'static [&'static str],
        optional: &'static [&'static str],
    ) -> Self {
        self.input = Some(Input {
            schema: Described::of::<T>(),
            required,
            optional,
        });
        self
    }

    pub(super) const fn lists<T: ToSchema>(mut self, key: &'static str) -> Self {
        self.answer = Answer::List(key, Described::of::<T>());
        self
    }

    pub(super) const fn gives<T: ToSchema>(mut self, key: &'static str) -> Self {
        self.answer = Answer::Item(key, Described::of::<T>());
        self
    }

    pub(super) const fn makes<T: ToSchema>(
        mut self,
        key: &'static str,
        told: &'static str,
    ) -> Self {
        self.answer = Answer::Made(key, Described::of::<T>(), told);
        self
    }

    pub(super) const fn gives_bare<T: ToSchema>(mut self) -> Self {
        self.answer = Answer::Bare(Described::of::<T>());
        self
    }

    pub(super) const fn lists_bare<T: ToSchema>(mut self) -> Self {
        self.answer = Answer::BareList(Described::of::<T>());
        self
    }

    /// Puts what a handler gives into its wrapper.
    fn wrap(&self, value: Value) -> Value {
        match self.answer {
            Answer::List(key, _) | Answer::Item(key, _) => json!({key: value}),
            Answer::Made(key, _, told) => json!({key: value, "message": told}),
            Answer::Bare(_) | Answer::BareList(_) => value,
            Answer::Told => json!(Told {
                message: value.as_str().unwrap_or_default().to_owned(),
            }),
        }
    }
}

impl Parameter {
    pub(super) const fn new(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self {
            name,
            kind,
            required: false,
            about,
        }
    }

    pub(super) const fn required(mut self) -> Self {
        self.required = true;
        self
    }
}

impl Input {
    /// The keys whose `null` takes nothing away, so that it is as wrong as any other value of
    /// another type.
    pub(super) fn firm(&self) -> Vec<&'static str> {
        let whole = json!((self.schema.schema)());
        let is_firm = |key: &&'static str| !takes_null(&whole["properties"][*key]);
        let keys = self.required.iter().chain(self.optional).copied();
        keys.filter(is_firm).collect()
    }
}

/// Whether a schema has a place for `null`.
fn takes_null(schema: &Value) -> bool {
    let is_null = |kind: &Value| kind == "null";
    let kinds = schema["type"].as_array();
    let choices = schema["oneOf"].as_array();
    kinds.is_some_and(|kinds| kinds.iter().any(is_null))
        || choices.is_some_and(|choices| choices.iter().any(|choice| is_null(&choice["type"])))
}

/// Lets a call through: key, parameters and keys of the body are checked here, so that no handler
/// can forget it.
pub(super) async fn serve(
    app: AppState,
    operation: &'static Operation,
    firm: &[&'static str],
    request: Request,
) -> Result<Json<Value>> {
    let (mut parts, body) = request.into_parts();
    let query = query_of(&parts.uri);
    let key = query
        .get(API_KEY_PARAMETER)
        .filter(|key| !key.is_empty())
        .ok_or(Error::Unauthorized("No apiKey provided"))?;
    let caller = caller_by_key(&app, key, &operation.rule).await?;
    let path = PathParams::from_request_parts(&mut parts, &app).await?;
    check_query(operation, &query)?;
    let body = match &operation.input {
        Some(input) => {
            let request = Request::from_parts(parts, body);
            let JsonObject(body) = JsonObject::from_request(request, &app).await?;
            check_keys(input, firm, &body)?;
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
    let value = (operation.run)(call).await?;
    Ok(Json(operation.wrap(value)))
}

fn check_query(operation: &Operation, query: &Query) -> Result<()> {
    let mut checks = Checks::default();
    let mut known = vec![API_KEY_PARAMETER];
    known.extend(operation.query.iter().map(|parameter| parameter.name));
    query.allow(&known, &mut checks);
    for parameter in operation.query {
        let missing = query.get(parameter.name).is_none_or(str::is_empty);
        if parameter.required && missing {
            checks.complain(parameter.name, &Value::Null, "isDefined", "is required");
        }
    }
    checks.finish()
}

fn check_keys(input: &Input, firm: &[&str], body: &JsonMap) -> Result<()> {
    let mut checks = Checks::default();
    for (key, value) in body {
        let known = input.required.iter().chain(input.optional);
        if !known.into_iter().any(|known| known == key) {
            checks.complain(key, value, "whitelistValidation", "should not exist");
        } else if value.is_null()
            && firm.contains(&key.as_str())
            && !input.required.contains(&key.as_str())
        {
            checks.complain(key, value, "isDefined", "must not be null");
        }
    }
    for key in input.required {
        if body.get(*key).is_none_or(Value::is_null) {
            checks.complain(key, &Value::Null, "isDefined", "is required");
        }
    }
    checks.finish()
}
