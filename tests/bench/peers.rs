//! Published booking widgets, served with a mock of their services by `peers/serve.mjs`.

use serde_json::Value;

use super::{BOTH, Subject, Visit};

/// URL of the server, set by `cargo xtask bench` unless the peers could not be installed.
const SERVER: &str = "BOOKING_BENCH_PEERS";

const MANIFEST: &str = include_str!("peers/package.json");

pub(super) const SUBJECTS: [Subject; 2] = [
    Subject {
        name: "@calcom/atoms",
        body: r#"<link rel="stylesheet" href="PEERS/calcom-atoms/calcom-atoms.css">
            <script type="module" src="PEERS/calcom-atoms/calcom-atoms.js"></script>
            <div id="calcom"></div>"#,
        script: r#"
            const one = (selector) => () => document.querySelector(selector);
            const slot = one("[data-testid=time]");
            await note("slot", slot);
            seen.view = seen.slot;
            await rest();
            await time("form", () => slot().click(), one("form input[name=email]"));"#,
        conditions: BOTH,
        visit: Visit::First,
    },
    Subject {
        name: "@nylas/web-elements",
        body: r#"<script type="module" src="PEERS/nylas-web-elements/nylas-web-elements.js"></script>
            <nylas-scheduling scheduler-api-url="PEERS" configuration-id="intro-call"></nylas-scheduling>"#,
        // The form is shown after a second click, on "Next".
        script: r#"
            const one = (...path) => () => path.reduce(
              (root, selector) => (root?.shadowRoot ?? root)?.querySelector(selector), document);
            const slot = one("nylas-scheduling", "nylas-timeslot-picker", "button.time");
            await note("slot", slot);
            seen.view = seen.slot;
            await rest();
            const fields = () =>
              one("nylas-scheduling", "nylas-booking-form")()?.shadowRoot?.querySelectorAll("input-component") ?? [];
            const email = () =>
              [...fields()].map((field) => field.shadowRoot?.querySelector("input[type=email]")).find(Boolean);
            const next = one("nylas-scheduling", "nylas-timeslot-picker", "button.button-primary");
            const before = performance.now();
            slot().click();
            (await found(next)).click();
            await found(email);
            seen.form = await painted() - before;"#,
        conditions: BOTH,
        visit: Visit::First,
    },
];

/// URL of the server, if there is one.
pub(super) fn server() -> Option<String> {
    std::env::var(SERVER).ok()
}

/// Version of the npm package of this name, if it is a peer.
pub(super) fn version(name: &str) -> Option<String> {
    let manifest: Value = serde_json::from_str(MANIFEST).ok()?;
    manifest["dependencies"][name].as_str().map(str::to_owned)
}
