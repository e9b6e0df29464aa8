//! Layers of the service: imports that are forbidden for a module.

use std::path::Path;

use crate::cycles::{self, Module};
use crate::step::Outcome;

/// Use cases and their rules, one module per noun of the API.
const USE_CASES: &[&str] = &[
    "bookings",
    "event_types",
    "idempotency",
    "memberships",
    "out_of_office",
    "reservations",
    "roles",
    "schedules",
    "slots",
    "teams",
    "users",
];

/// Modules that know HTTP.
const HTTP: &[&str] = &[
    "axum",
    "cli",
    "extract",
    "middleware",
    "openapi",
    "router",
    "unversioned",
    "v1",
    "v2",
];

/// Modules, and groups of modules and frameworks that they must not import.
struct Layer {
    modules: &'static [&'static str],
    forbidden: &'static [&'static [&'static str]],
}

const LAYERS: &[Layer] = &[
    Layer {
        modules: &["availability", "lifecycle"],
        forbidden: &[
            USE_CASES,
            HTTP,
            &["app", "auth", "sqlx", "store", "validate"],
        ],
    },
    Layer {
        modules: &["store"],
        forbidden: &[USE_CASES, HTTP, &["app", "auth", "validate"]],
    },
    Layer {
        modules: USE_CASES,
        forbidden: &[HTTP],
    },
    Layer {
        modules: &["v1"],
        forbidden: &[&["v2"]],
    },
    Layer {
        modules: &["v2"],
        forbidden: &[&["v1", "store", "sqlx"]],
    },
];

/// Checks the imports of the service, whose sources are in `folder`.
///
/// # Errors
///
/// Returns the forbidden imports, or an error for an unreadable file.
pub(crate) fn check(folder: &Path) -> Outcome {
    let mut forbidden = Vec::new();
    for (module, targets) in cycles::imports(folder)? {
        for target in targets {
            if LAYERS.iter().any(|layer| layer.forbids(&module, &target)) {
                forbidden.push(format!("{} -> {}", module.join("::"), target.join("::")));
            }
        }
    }
    if forbidden.is_empty() {
        return Ok(());
    }
    Err(format!("forbidden imports between layers: {}", forbidden.join(", ")).into())
}

impl Layer {
    fn forbids(&self, module: &Module, target: &Module) -> bool {
        let (Some(from), Some(to)) = (module.first(), target.first()) else {
            return false;
        };
        self.modules.contains(&from.as_str()) && self.forbidden.concat().contains(&to.as_str())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn forbidden_import_is_reported_with_both_modules() {
        for (file, source, expected) in [
            (
                "store.rs",
                "use crate::validate::Checks;",
                "store -> validate",
            ),
            ("roles.rs", "use axum::http::Uri;", "roles -> axum"),
            ("v2.rs", "fn f() { crate::store::f() }", "v2 -> store"),
            ("v1.rs", "use crate::v2::f;", "v1 -> v2"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            for module in ["store", "validate", "roles", "v1", "v2"] {
                fs::write(folder.path().join(format!("{module}.rs")), "").unwrap();
            }
            assert!(check(folder.path()).is_ok());
            fs::write(folder.path().join(file), source).unwrap();
            let error = check(folder.path()).unwrap_err().to_string();
            assert!(error.ends_with(expected), "{error}");
        }
    }
}
