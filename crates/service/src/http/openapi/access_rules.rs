//! Access rules, which handlers declare as the extension `x-access` of their operations.

use utoipa::openapi::OpenApi;
use utoipa::openapi::path::{Operation, PathItem};

use crate::auth::access::{Access, Rule};

/// Name of the extension. It is not part of the published document.
const EXTENSION: &str = "x-access";

/// Removes the access rules from a description and returns them. An operation without a rule, or
/// with one that cannot be read, has none and rejects all callers.
pub(super) fn take(description: &mut OpenApi) -> Vec<Rule> {
    let mut rules = Vec::new();
    for (path, item) in &mut description.paths.paths {
        let path: &'static str = path.clone().leak();
        for (method, operation) in operations(item) {
            rules.extend(access(operation).map(|access| Rule {
                method,
                path,
                scope: access.scope,
                requirement: access.requirement,
            }));
        }
    }
    rules
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = (&'static str, &mut Operation)> {
    [
        ("GET", &mut item.get),
        ("POST", &mut item.post),
        ("PATCH", &mut item.patch),
        ("PUT", &mut item.put),
        ("DELETE", &mut item.delete),
    ]
    .into_iter()
    .filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
}

fn access(operation: &mut Operation) -> Option<Access> {
    let extensions = operation.extensions.as_mut()?;
    let declared = extensions.remove(EXTENSION)?;
    if extensions.is_empty() {
        operation.extensions = None;
    }
    // Rules live as long as the process, as the paths do.
    serde_json::from_str(declared.to_string().leak()).ok()
}
