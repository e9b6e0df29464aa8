//! `service permissions`: what every operation asks of its caller.

use clap::Args;
use serde_json::{Value, json};

use super::table::columns;
use crate::auth::access::{Needs, TABLE};

/// Options of `service permissions`.
#[derive(Clone, Debug, Args)]
pub struct Permissions {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Runs `service permissions`: what every operation asks of its caller.
pub fn run(options: &Permissions) -> String {
    let rows: Vec<[&str; 5]> = TABLE
        .iter()
        .map(|rule| {
            let (needs, permission) = words(rule.needs);
            let scope = rule.scope.unwrap_or_default();
            [rule.method, rule.path, scope, needs, permission]
        })
        .collect();
    if !options.json {
        return columns(["METHOD", "PATH", "SCOPE", "CALLER", "PERMISSION"], &rows);
    }
    let or_null = |text: &str| {
        if text.is_empty() {
            Value::Null
        } else {
            text.into()
        }
    };
    let rules: Vec<Value> = rows
        .iter()
        .map(|[method, path, scope, needs, permission]| {
            json!({
                "method": method,
                "path": path,
                "scope": or_null(scope),
                "caller": needs,
                "permission": or_null(permission),
            })
        })
        .collect();
    format!("{:#}\n", Value::Array(rules))
}

/// Callers that are let in, and the permission that it takes or that stands in for it.
fn words(needs: Needs) -> (&'static str, &'static str) {
    match needs {
        Needs::Nothing => ("anybody", ""),
        Needs::Caller => ("user", ""),
        Needs::Client => ("client", ""),
        Needs::Team(permission) => ("team", permission),
        Needs::Organization(permission) => ("organization", permission),
        Needs::Owner(permission) => ("owner", permission),
        Needs::Host(permission) => ("host", permission),
    }
}
