//! Checks of every call of version 1: API key, parameters and keys of the body.

use axum::Json;
use axum::extract::{FromRequest, FromRequestParts, Request};
use booking_wire::JsonMap;
use serde_json::Value;

use super::call::Call;
use crate::api::API_KEY_PARAMETER;
use crate::app::AppState;
use crate::error::{Error, Result};
use crate::http::extract::caller_of_api_key;
use crate::http::extract::json::JsonObject;
use crate::http::extract::path::PathParams;
use crate::http::extract::query::parse_query;
use crate::http::v1::operation::{Input, Operation};
use crate::validate::{Checks, Query};

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
    query.get(API_KEY_PARAMETER);
    for parameter in operation.query {
        let missing = query.get(parameter.name).is_none_or(str::is_empty);
        if parameter.required && missing {
            checks.report(parameter.name, &Value::Null, "isDefined", "is required");
        }
    }
    query.reject_unread(&mut checks);
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
