//! Layers of the service and of the widget: imports that are forbidden for a module. Cargo knows only the layers that are
//! crates, and those between these modules are not.

use std::path::Path;

use super::cycles::{self, Module};
use crate::process::Outcome;

/// Imports that are forbidden in the service. Those from a lower layer to a higher one would be cycles, which
/// [`cycles::check`] finds.
const SERVICE: [(&str, &str); 8] = [
    ("domain", "axum"),
    ("messages", "axum"),
    ("store", "axum"),
    ("http::v1", "http::v2"),
    ("http::v2", "http::v1"),
    ("http::v2", "booking_store_engine"),
    ("http::v2", "sqlx"),
    ("http::v2", "store"),
];

/// Modules of the widget: each uses the ones before it. `client` and `components` do not use each other.
const WIDGET: [&str; 7] = [
    "time",
    "i18n",
    "client",
    "components",
    "page",
    "features",
    "app",
];

/// Features that connect others.
const CONNECTING: [&str; 2] = ["booking_flow", "booking_picker"];

/// Returns an error with the forbidden imports of the service, whose sources are in `folder`.
pub(crate) fn check_service(folder: &Path) -> Outcome {
    check(folder, is_forbidden_in_service)
}

/// Returns an error with the forbidden imports of the widget, whose sources are in `folder`.
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

fn is_forbidden_in_service(module: &Module, target: &Module) -> bool {
    let is_in = |module: &Module, layer: &str| {
        let layer = layer.split("::");
        layer
            .enumerate()
            .all(|(depth, name)| module.get(depth).is_some_and(|part| part == name))
    };
    let mut forbidden = SERVICE.iter();
    forbidden.any(|(from, to)| is_in(module, from) && is_in(target, to))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn check_imports(is_forbidden: fn(&Module, &Module) -> bool, imports: &[(&str, &str, bool)]) {
        let module = |path: &str| path.split("::").map(str::to_owned).collect::<Module>();
        for &(from, to, expected) in imports {
            assert_eq!(
                is_forbidden(&module(from), &module(to)),
                expected,
                "{from} -> {to}"
            );
        }
    }

    #[test]
    fn import_in_service_is_forbidden_by_layer() {
        let imports = [
            ("domain::roles", "axum", true),
            ("http::v2::roles", "store::people::roles", true),
            ("http::v2::roles", "booking_store_engine", true),
            ("http::v1", "http::v2::roles", true),
            ("http::v1::users", "store::people::users", false),
            ("domain::roles", "store::people::roles", false),
        ];
        check_imports(is_forbidden_in_service, &imports);
    }

    #[test]
    fn import_in_widget_is_forbidden_by_layer() {
        let imports = [
            ("time", "i18n", true),
            ("components::button", "client::http", true),
            ("features::roles", "features::slot_picker::model", true),
            ("features::shared::location", "features::roles", true),
            (
                "features::booking_flow::state",
                "features::slot_picker",
                false,
            ),
            (
                "features::roles::model",
                "features::shared::location",
                false,
            ),
            ("features::roles::model", "features::roles::state", false),
            ("app::shell", "page::events", false),
        ];
        check_imports(is_forbidden_in_widget, &imports);
    }
}
