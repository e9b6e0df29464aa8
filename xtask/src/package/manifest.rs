//! `package.json`, `custom-elements.json` and `react.js`.

use serde_json::{Value, json};

use super::described::{Definitions, Entry, pascal_case};
use super::types::attribute_type;

/// `package.json` of a package with these `files`.
pub(crate) fn package(version: &str, files: &[String]) -> Value {
    let types = |name: &str| json!({ "types": format!("./{name}.d.ts") });
    let script = |name: &str| json!({ "types": format!("./{name}.d.ts"), "default": format!("./{name}.js") });
    json!({
        "name": "booking-widget",
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

/// `custom-elements.json`: custom elements manifest for editors (schema 2.1).
pub(crate) fn custom_elements(definitions: &Definitions) -> Value {
    let declarations: Vec<Value> = definitions
        .list("elements")
        .map(|element| declaration(definitions, element))
        .collect();
    let exports: Vec<Value> = definitions
        .list("elements")
        .map(|element| {
            json!({
                "kind": "custom-element-definition",
                "name": element.name(),
                "declaration": { "name": element.text("class"), "module": "index.js" },
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

fn declaration(definitions: &Definitions, element: Entry<'_>) -> Value {
    let of = |list| definitions.for_element(list, element);
    let named =
        |entry: &Entry<'_>| json!({ "name": entry.name(), "description": entry.description() });
    let typed = |entry: Entry<'_>, kind: &str| json!({ "name": entry.name(), "description": entry.description(), "type": { "text": kind } });
    let attributes = of("attributes").into_iter().map(|entry| {
        let mut attribute = typed(entry, &attribute_type(entry));
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
        .filter(|entry| entry.has("property"));
    let reflected = reflected.map(|entry| {
        let mut field = typed(entry, &attribute_type(entry));
        field["kind"] = "field".into();
        field["name"] = entry.text("property").into();
        field["attribute"] = entry.name().into();
        field["reflects"] = true.into();
        field
    });
    let fields = of("properties").into_iter().map(|entry| {
        let mut field = typed(entry, entry.text("type"));
        field["kind"] = "field".into();
        field
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
            "description": entry.description(),
            "parameters": parameters.collect::<Vec<_>>(),
            "return": { "type": { "text": entry.text("returns") } },
        })
    });
    let events = of("events").into_iter();
    let events = events.map(|entry| typed(entry, &format!("{}Event", pascal_case(entry.name()))));
    let tokens = definitions.list("tokens").map(|entry| {
        json!({ "name": entry.name(), "description": entry.description(), "default": entry.text("light") })
    });
    json!({
        "kind": "class",
        "customElement": true,
        "tagName": element.name(),
        "name": element.text("class"),
        "description": element.description(),
        "superclass": { "name": "HTMLElement" },
        "attributes": attributes.collect::<Vec<_>>(),
        "members": reflected.chain(fields).chain(methods).collect::<Vec<_>>(),
        "events": events.collect::<Vec<_>>(),
        "slots": of("slots").iter().map(named).collect::<Vec<_>>(),
        "cssParts": of("parts").iter().map(named).collect::<Vec<_>>(),
        "cssProperties": tokens.collect::<Vec<_>>(),
    })
}

/// `react.js`: the shared wrapper and one component per element.
pub(crate) fn react(definitions: &Definitions) -> String {
    let mut script = include_str!("react.js").to_owned();
    for element in definitions.list("elements") {
        let attributes: serde_json::Map<String, Value> = definitions
            .for_element("attributes", element)
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
        let properties: Vec<&str> = definitions
            .for_element("properties", element)
            .iter()
            .map(|entry| entry.name())
            .collect();
        let events: serde_json::Map<String, Value> = definitions
            .for_element("events", element)
            .into_iter()
            .map(|entry| {
                let property = format!("on{}", pascal_case(entry.name()));
                (property, entry.name().into())
            })
            .collect();
        script.push_str(&format!(
            "\nexport const {} = /* @__PURE__ */ wrap({:?}, {}, {}, {});\n",
            element.text("class"),
            element.name(),
            Value::from(attributes),
            json!(properties),
            Value::from(events),
        ));
    }
    script
}
