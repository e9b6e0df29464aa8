//! Layers of the service: imports that a folder must not have.

use std::path::Path;

use crate::cycles::{self, Module};
use crate::step::Outcome;

/// Use cases and the rules that they apply, one module for each noun of the interface.
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

/// Modules of `from` import nothing of `not`.
struct Layer {
    from: &'static [&'static str],
    not: &'static [&'static [&'static str]],
}

const LAYERS: &[Layer] = &[
    Layer {
        from: &["availability", "lifecycle"],
        not: &[
            USE_CASES,
            HTTP,
            &["app", "auth", "sqlx", "store", "validate"],
        ],
    },
    Layer {
        from: &["store"],
        not: &[USE_CASES, HTTP, &["app", "auth", "validate"]],
    },
    Layer {
        from: USE_CASES,
        not: &[HTTP],
    },
    Layer {
        from: &["v1"],
        not: &[&["v2"]],
    },
    Layer {
        from: &["v2"],
        not: &[&["v1", "store", "sqlx"]],
    },
];

/// Checks the imports of the service, whose sources are in `folder`.
///
/// # Errors
///
/// The imports that a layer must not have, or a file that cannot be read.
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
    Err(format!("imports across layers: {}", forbidden.join(", ")).into())
}

impl Layer {
    fn forbids(&self, module: &Module, target: &Module) -> bool {
        let (Some(from), Some(to)) = (module.first(), target.first()) else {
            return false;
        };
        self.from.contains(&from.as_str())
            && self.not.iter().any(|names| names.contains(&to.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn import_of_a_higher_layer_is_reported_with_both_modules() {
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
