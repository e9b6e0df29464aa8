//! `package.json` and `custom-elements.json`.

use serde_json::{Value, json};

use super::definitions::{Definitions, entries, pascal_case};

/// `package.json` of a package with these `files`.
pub(crate) fn package(version: &str, files: &[String]) -> Value {
    let types = |name: &str| json!({ "types": format!("./{name}.d.ts") });
    // Without conditions, whose order counts: TypeScript finds the types beside the script.
    let script = |name: &str| format!("./{name}.js");
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
    let elements = || definitions.list("elements");
    let declarations = elements().map(|element| declaration(definitions, element));
    let exports = elements().map(|element| {
        json!({
            "kind": "custom-element-definition",
            "name": element["name"],
            "declaration": { "name": element["class"], "module": "index.js" },
        })
    });
    json!({
        "schemaVersion": "2.1.0",
        "readme": "README.md",
        "modules": [{
            "kind": "javascript-module",
            "path": "index.js",
            "declarations": Value::from_iter(declarations),
            "exports": Value::from_iter(exports),
        }],
    })
}

fn declaration(definitions: &Definitions, element: &Value) -> Value {
    let of = |list: &str| entries(&element[list]);
    let named = |entry: &Value| json!({ "name": entry["name"], "description": entry["does"] });
    let typed = |entry: &Value, kind: &Value| json!({ "name": entry["name"], "description": entry["does"], "type": { "text": kind } });
    let field = |mut field: Value| {
        field["kind"] = "field".into();
        field
    };
    let attributes = of("attributes").map(|entry| {
        let mut attribute = typed(entry, &entry["typescript"]);
        for (key, from) in [("fieldName", "property"), ("default", "default")] {
            if entry[from].is_string() {
                attribute[key] = entry[from].clone();
            }
        }
        attribute
    });
    let reflected = of("attributes").filter(|entry| entry["property"].is_string());
    let reflected = reflected.map(|entry| {
        let mut member = typed(entry, &entry["typescript"]);
        member["name"] = entry["property"].clone();
        member["attribute"] = entry["name"].clone();
        member["reflects"] = true.into();
        field(member)
    });
    let fields = of("properties").map(|entry| field(typed(entry, &entry["type"])));
    let methods = of("methods").map(|entry| {
        let parameters = entries(&entry["parameters"]).map(|parameter| {
            json!({
                "name": parameter["name"],
                "optional": parameter["optional"] == true,
                "type": { "text": parameter["type"] },
            })
        });
        json!({
            "kind": "method",
            "name": entry["name"],
            "description": entry["does"],
            "parameters": Value::from_iter(parameters),
            "return": { "type": { "text": entry["returns"] } },
        })
    });
    let events = of("events").map(|entry| {
        let name = pascal_case(entry["name"].as_str().unwrap_or_default());
        typed(entry, &format!("{name}Event").into())
    });
    let tokens = definitions.list("tokens").map(|entry| {
        json!({ "name": entry["name"], "description": entry["does"], "default": entry["light"] })
    });
    json!({
        "kind": "class",
        "customElement": true,
        "tagName": element["name"],
        "name": element["class"],
        "description": element["does"],
        "superclass": { "name": "HTMLElement" },
        "attributes": Value::from_iter(attributes),
        "members": Value::from_iter(reflected.chain(fields).chain(methods)),
        "events": Value::from_iter(events),
        "slots": Value::from_iter(of("slots").map(named)),
        "cssParts": Value::from_iter(of("parts").map(named)),
        "cssProperties": Value::from_iter(tokens),
    })
}
