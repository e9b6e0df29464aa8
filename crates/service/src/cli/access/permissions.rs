//! `booking-service permissions`: prints the requirements of every operation for its caller.

use clap::Args;
use serde_json::{Value, json};

use crate::auth::access::Requirement;
use crate::cli::table::columns;
use crate::http::openapi;

/// Options of `booking-service permissions`.
#[derive(Clone, Debug, Args)]
pub struct Permissions {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Runs `booking-service permissions`.
pub fn run(options: &Permissions) -> String {
    let rows: Vec<[&str; 5]> = openapi::access_rules()
        .iter()
        .map(|rule| {
            let (requirement, permission) = requirement_labels(rule.requirement);
            let scope = rule.scope.unwrap_or_default();
            [rule.method, rule.path, scope, requirement, permission]
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
        .map(|[method, path, scope, requirement, permission]| {
            json!({
                "method": method,
                "path": path,
                "scope": or_null(scope),
                "caller": requirement,
                "permission": or_null(permission),
            })
        })
        .collect();
    format!("{:#}\n", Value::Array(rules))
}

/// Label of a requirement, and its permission.
fn requirement_labels(requirement: Requirement) -> (&'static str, &'static str) {
    match requirement {
        Requirement::Nothing => ("anybody", ""),
        Requirement::Caller => ("user", ""),
        Requirement::Client => ("client", ""),
        Requirement::Team(permission) => ("team", permission),
        Requirement::Organization(permission) => ("organization", permission),
        Requirement::Owner(permission) => ("owner", permission),
        Requirement::Host(permission) => ("host", permission),
    }
}
