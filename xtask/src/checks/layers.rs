//! Layers of the service and of the widget: imports that are forbidden for a module.

use std::path::Path;

use super::cycles::{self, Module};
use crate::process::Outcome;

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

/// Modules of the widget: each uses the ones before it. `client` and `components` do not use each other.
const WIDGET: [&str; 8] = [
    "ui",
    "time",
    "i18n",
    "client",
    "components",
    "element",
    "features",
    "app",
];

/// Features that connect others.
const CONNECTING: [&str; 2] = ["booking_flow", "booking_picker"];

/// Checks the imports of the service, whose sources are in `folder`.
///
/// # Errors
///
/// Returns the forbidden imports, or an error for an unreadable file.
pub(crate) fn check_service(folder: &Path) -> Outcome {
    check(folder, |module, target| {
        LAYERS.iter().any(|layer| layer.forbids(module, target))
    })
}

/// Checks the imports of the widget, whose sources are in `folder`.
///
/// # Errors
///
/// Returns the forbidden imports, or an error for an unreadable file.
pub(crate) fn check_widget(folder: &Path) -> Outcome {
    check(folder, is_forbidden_in_widget)
}

fn check(folder: &Path, is_forbidden: impl Fn(&Module, &Module) -> bool) -> Outcome {
    let mut forbidden = Vec::new();
    for (module, targets) in cycles::imports(folder)? {
        let targets = targets
            .iter()
            .filter(|target| is_forbidden(&module, target));
        forbidden.extend(targets.map(|to| format!("{} -> {}", module.join("::"), to.join("::"))));
    }
    if forbidden.is_empty() {
        return Ok(());
    }
    Err(format!("forbidden imports between layers: {}", forbidden.join(", ")).into())
}

fn is_forbidden_in_widget(module: &Module, target: &Module) -> bool {
    let name = |path: &Module, depth: usize| path.get(depth).cloned().unwrap_or_default();
    let layer = |path: &Module| WIDGET.iter().position(|layer| *layer == name(path, 0));
    let (Some(from), Some(to)) = (layer(module), layer(target)) else {
        return false;
    };
    let (from_feature, to_feature) = (name(module, 1), name(target, 1));
    match (name(module, 0).as_str(), name(target, 0).as_str()) {
        ("components", "client") => true,
        ("features", "features") => {
            from_feature != to_feature
                && to_feature != "shared"
                && !CONNECTING.contains(&from_feature.as_str())
        }
        _ => to > from,
    }
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

    /// Returns the error for a crate with `modules` and one file with imports.
    fn error(
        check: fn(&Path) -> Outcome,
        modules: &[&str],
        (file, source): (&str, &str),
    ) -> String {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, source: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, source).unwrap();
        };
        for module in modules {
            write(&format!("{module}.rs"), "");
        }
        assert!(check(folder.path()).is_ok());
        write(file, source);
        check(folder.path()).map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn forbidden_import_in_service_is_reported_with_both_modules() {
        let modules = ["store", "validate", "roles", "v1", "v2"];
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
            let error = error(check_service, &modules, (file, source));
            assert!(error.ends_with(expected), "{error}");
        }
    }

    #[test]
    fn forbidden_import_in_widget_is_reported_with_both_modules() {
        let features = ["booking_flow", "role_form", "slot_picker", "shared"];
        let features = features.map(|feature| format!("features/{feature}"));
        let modules = ["ui/dom", "time", "client", "components"].into_iter();
        let modules: Vec<_> = modules.chain(features.iter().map(String::as_str)).collect();
        for (file, source, expected) in [
            ("ui/dom.rs", "use crate::time::Zone;", "ui::dom -> time"),
            (
                "components.rs",
                "use crate::client::Client;",
                "components -> client",
            ),
            (
                "features/role_form.rs",
                "use super::slot_picker::SlotPicker;",
                "features::role_form -> features::slot_picker",
            ),
            (
                "features/shared.rs",
                "use super::role_form::RoleForm;",
                "features::shared -> features::role_form",
            ),
            (
                "features/booking_flow.rs",
                "use super::slot_picker::SlotPicker;",
                "",
            ),
            (
                "features/role_form.rs",
                "use super::shared::text; use crate::ui::dom;",
                "",
            ),
        ] {
            let error = error(check_widget, &modules, (file, source));
            assert!(
                error.ends_with(expected) && error.is_empty() == expected.is_empty(),
                "{error}"
            );
        }
    }
}
