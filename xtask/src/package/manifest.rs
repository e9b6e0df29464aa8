//! What the package says of itself: to npm, to editors, to whoever pins what a page loads, and the
//! components for React.

use serde_json::{Value, json};

use super::described::{Described, Entry, pascal};

/// The name of the package.
pub(crate) const NAME: &str = "booking-widget";

/// `package.json` of a package with these `files`.
pub(crate) fn package(version: &str, files: &[String]) -> Value {
    let types = |name: &str| json!({ "types": format!("./{name}.d.ts") });
    let script = |name: &str| json!({ "types": format!("./{name}.d.ts"), "default": format!("./{name}.js") });
    json!({
        "name": NAME,
        "version": version,
        "description": "Booking elements: free times, a team's bookings, its roles. WebAssembly in custom elements.",
        "license": "MIT OR Apache-2.0",
        "type": "module",
        "main": "./index.js",
        "module": "./index.js",
        "types": "./index.d.ts",
        "customElements": "custom-elements.json",
        "exports": {
            ".": script("index"),
            "./react": script("react"),
            "./jsx": types("jsx"),
            "./vue": types("vue"),
            "./svelte": types("svelte"),
            "./*": "./*",
        },
        "sideEffects": ["./index.js", "./embed.js", format!("./embed-{version}.js"), "./react.js"],
        "files": files,
        "peerDependencies": { "react": ">=18" },
        "peerDependenciesMeta": { "react": { "optional": true } },
        "keywords": ["booking", "scheduling", "custom-elements", "web-components", "webassembly"],
    })
}

/// `custom-elements.json`, the elements as editors know them (schema 2.1).
pub(crate) fn custom_elements(described: &Described) -> Value {
    let declarations: Vec<Value> = described
        .list("elements")
        .map(|it| declaration(described, it))
        .collect();
    let exports: Vec<Value> = described
        .list("elements")
        .map(|it| {
            json!({
                "kind": "custom-element-definition",
                "name": it.name(),
                "declaration": { "name": it.text("class"), "module": "index.js" },
            })
        })
        .collect();
    json!({
        "schemaVersion": "2.1.0",
        "readme": "README.md",
        "modules": [{
            "kind": "javascript-module",
            "path": "index.js",
            "declarations": declarations,
            "exports": exports,
        }],
    })
}

fn declaration(described: &Described, it: Entry<'_>) -> Value {
    let of = |list| described.of(list, it);
    let told = |entry: &Entry<'_>| json!({ "name": entry.name(), "description": entry.does() });
    let attributes = of("attributes").into_iter().map(|entry| {
        let mut attribute = json!({
            "name": entry.name(),
            "description": entry.does(),
            "type": { "text": super::types::given(entry) },
        });
        if entry.has("property") {
            attribute["fieldName"] = entry.text("property").into();
        }
        if entry.has("default") {
            attribute["default"] = entry.text("default").into();
        }
        attribute
    });
    let reflected = of("attributes")
        .into_iter()
        .filter(|entry| entry.has("property"))
        .map(|entry| {
            json!({
                "kind": "field",
                "name": entry.text("property"),
                "attribute": entry.name(),
                "reflects": true,
                "description": entry.does(),
                "type": { "text": super::types::given(entry) },
            })
        });
    let fields = of("properties").into_iter().map(|entry| {
        json!({
            "kind": "field",
            "name": entry.name(),
            "description": entry.does(),
            "type": { "text": entry.text("type") },
        })
    });
    let methods = of("methods").into_iter().map(|entry| {
        let parameters = entry.list("parameters").map(|parameter| {
            json!({
                "name": parameter.name(),
                "optional": parameter.has("optional"),
                "type": { "text": parameter.text("type") },
            })
        });
        json!({
            "kind": "method",
            "name": entry.name(),
            "description": entry.does(),
            "parameters": parameters.collect::<Vec<_>>(),
            "return": { "type": { "text": entry.text("returns") } },
        })
    });
    let events = of("events").into_iter().map(|entry| {
        json!({
            "name": entry.name(),
            "description": entry.does(),
            "type": { "text": format!("{}Event", pascal(entry.name())) },
        })
    });
    let tokens = described.list("tokens").map(|entry| {
        json!({ "name": entry.name(), "description": entry.does(), "default": entry.text("light") })
    });
    json!({
        "kind": "class",
        "customElement": true,
        "tagName": it.name(),
        "name": it.text("class"),
        "description": it.does(),
        "superclass": { "name": "HTMLElement" },
        "attributes": attributes.collect::<Vec<_>>(),
        "members": reflected.chain(fields).chain(methods).collect::<Vec<_>>(),
        "events": events.collect::<Vec<_>>(),
        "slots": of("slots").iter().map(told).collect::<Vec<_>>(),
        "cssParts": of("parts").iter().map(told).collect::<Vec<_>>(),
        "cssProperties": tokens.collect::<Vec<_>>(),
    })
}

/// The components for React: what they share, and what is each one's.
pub(crate) fn react(described: &Described) -> String {
    let mut script = include_str!("react.js").to_owned();
    for it in described.list("elements") {
        let attributes: serde_json::Map<String, Value> = described
            .of("attributes", it)
            .into_iter()
            .map(|entry| {
                let property = entry.text("property");
                let name = if property.is_empty() {
                    entry.name()
                } else {
                    property
                };
                (name.to_owned(), entry.name().into())
            })
            .collect();
        let properties: Vec<&str> = described
            .of("properties", it)
            .iter()
            .map(|entry| entry.name())
            .collect();
        let events: serde_json::Map<String, Value> = described
            .of("events", it)
            .into_iter()
            .map(|entry| (format!("on{}", pascal(entry.name())), entry.name().into()))
            .collect();
        script.push_str(&format!(
            "\nexport const {} = /* @__PURE__ */ wrap({:?}, {}, {}, {});\n",
            it.text("class"),
            it.name(),
            Value::from(attributes),
            json!(properties),
            Value::from(events),
        ));
    }
    script
}
