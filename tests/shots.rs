//! Pictures of every screen in every state, for people to look at: `cargo xtask shots`.
//!
//! A scene is a way to bring a page into a state. Each is brought there once; then the page is
//! photographed whole at every width, light and dark, and mirrored at some.

#![allow(clippy::expect_used, clippy::indexing_slicing)]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use common::{Fault, Faults, Page, Service, starting};
use serde_json::{Value, json};

/// In CSS pixels.
const WIDTHS: [u32; 4] = [320, 480, 768, 1200];

/// The widths of the mirrored pictures.
const MIRRORED: [u32; 2] = [480, 1200];

const BOOKINGS: &str = "/v2/teams/1/bookings";
const ROLES: &str = "/v2/organizations/1/teams/1/roles";

/// A page with elements that were given no session.
const NO_SESSION: &str = r#"<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>No session</title>
<link rel="stylesheet" href="/embed/demo.css">
<script type="module" src="/embed/embed.js"></script>
<main><booking-picker></booking-picker><br><booking-list></booking-list><br>
<booking-roles></booking-roles></main>"#;

#[derive(Clone, Copy)]
struct Scene {
    screen: &'static str,
    state: &'static str,
    path: &'static str,
    /// What goes wrong before the page is opened.
    faults: fn(&Faults),
    /// What is done on the page, once it is open.
    steps: fn(&Page),
}

/// A scene that only has to be opened.
const fn at(screen: &'static str, state: &'static str, path: &'static str) -> Scene {
    Scene {
        screen,
        state,
        path,
        faults: |_| {},
        steps: |_| {},
    }
}

impl Scene {
    const fn with(mut self, faults: fn(&Faults)) -> Scene {
        self.faults = faults;
        self
    }

    const fn after(mut self, steps: fn(&Page)) -> Scene {
        self.steps = steps;
        self
    }
}

const INTRO: &str = "/ada/intro-call";
const REVIEW: &str = "/team/1/design-review";
const ONBOARDING: &str = "/team/1/onboarding";
const VISIT: &str = "/team/1/site-visit";

fn scenes() -> Vec<Scene> {
    [picker(), form(), confirmation(), app(), bookings(), roles()].concat()
}

fn picker() -> Vec<Scene> {
    vec![
        at("picker", "opening", INTRO)
            .with(|faults| faults.always("GET", "/v2/event-types", Fault::Hang)),
        at("picker", "loading", INTRO)
            .with(|faults| faults.always("GET", "/v2/slots", Fault::Hang)),
        at("picker", "slow", INTRO)
            .with(|faults| faults.always("GET", "/v2/slots", Fault::Hang))
            .after(|page| page.wait_for_text("This takes longer than usual")),
        at("picker", "times", INTRO).after(times),
        at("picker", "times-24h", INTRO).after(|page| {
            times(page);
            page.field("24 h").click();
        }),
        at("picker", "lengths", "/ada/consultation").after(times),
        at("picker", "empty-month", INTRO).after(|page| {
            times(page);
            // Bookings are taken for ninety days.
            for _ in 0..5 {
                page.button("Next month").click();
                page.wait_for_quiet();
            }
            page.wait_for_text("No times are free in");
        }),
        at("picker", "unreachable", INTRO)
            .with(|faults| faults.always("GET", "/v2/slots", Fault::Drop))
            .after(|page| page.button("Try again").wait()),
        at("picker", "nonsense", INTRO)
            .with(|faults| faults.always("GET", "/v2/event-types", Fault::Html))
            .after(|page| page.button("Try again").wait()),
        at("picker", "not-found", "/ada/nothing-here")
            .after(|page| page.wait_for_text("This cannot be booked here")),
        at("picker", "lost-slot", INTRO)
            .with(|faults| faults.next("POST", "/v2/bookings", Fault::Status(409, "taken")))
            .after(|page| {
                book(page, "Confirm booking");
                page.wait_for_text("That time has just been taken");
            }),
        at("picker", "chosen-before", INTRO).after(|page| {
            choose(page);
            page.button("Change time").click();
            page.button(starting("Continue with")).wait();
        }),
    ]
}

fn form() -> Vec<Scene> {
    vec![
        at("form", "plain", INTRO).after(choose),
        at("form", "plain-24h", INTRO).after(|page| {
            page.field("24 h").click();
            choose(page);
        }),
        at("form", "every-kind", ONBOARDING).after(choose),
        at("form", "every-kind-errors", ONBOARDING).after(|page| {
            choose(page);
            page.button("Confirm booking").click();
            page.wait_for_text("need your attention");
        }),
        at("form", "places", VISIT).after(|page| {
            choose(page);
            page.field("At your address").click();
            page.field("Your address").wait();
        }),
        at("form", "busy", INTRO)
            .with(|faults| faults.next("POST", "/v2/bookings", Fault::Hang))
            .after(|page| {
                book(page, "Confirm booking");
                page.button("Booking…").wait();
            }),
        at("form", "no-answer", INTRO)
            .with(|faults| faults.next("POST", "/v2/bookings", Fault::Drop))
            .after(|page| {
                book(page, "Confirm booking");
                page.wait_for_text("We could not reach the service");
            }),
        at("form", "refused", INTRO)
            .with(|faults| {
                let words = "attendee.email must be an email address of your company";
                faults.next("POST", "/v2/bookings", Fault::Status(400, words));
            })
            .after(|page| {
                book(page, "Confirm booking");
                page.wait_for_text("This could not be booked");
            }),
    ]
}

fn confirmation() -> Vec<Scene> {
    vec![
        at("confirmation", "booked", INTRO).after(|page| {
            book(page, "Confirm booking");
            page.heading("You are booked").wait();
        }),
        at("confirmation", "requested", REVIEW).after(|page| {
            choose(page);
            page.field("Which project is it about?")
                .fill("Checkout redesign");
            fill_in(page);
            page.button("Request booking").click();
            page.heading("Your request was sent").wait();
        }),
    ]
}

fn app() -> Vec<Scene> {
    let no_demo = |faults: &Faults| faults.always("GET", "/demo.json", Fault::Status(404, "none"));
    vec![
        at("offers", "list", "/").after(|page| page.link(starting("Intro call")).wait()),
        at("offers", "whose", "/").with(no_demo),
        at("offers", "unreachable", "/")
            .with(|faults| faults.always("GET", "/v2/event-types", Fault::Drop))
            .after(|page| page.button("Try again").wait()),
        at("offers", "unknown-page", "/one/two/three/four"),
        at("connect", "demo", "/connect").after(|page| page.button("Use the demo account").wait()),
        at("connect", "own", "/connect").with(no_demo),
        at("connect", "incomplete", "/connect")
            .with(no_demo)
            .after(|page| {
                page.button("Connect").click();
                page.wait_for_text("Please give a token or key");
            }),
        at("connect", "connected", "/connect").after(|page| {
            connect(page, "Bookings");
            page.link("Connect").click();
            page.button("Disconnect").wait();
        }),
        at("embed", "demo", "/embed/demo.html").after(|page| {
            times(page);
            page.css("li.booking").first().wait();
            page.css("li.role").first().wait();
        }),
        at("embed", "no-session", "/no-session.html")
            .after(|page| page.wait_for_text("Not connected")),
    ]
}

fn bookings() -> Vec<Scene> {
    vec![
        at("bookings", "not-connected", "/bookings"),
        at("bookings", "upcoming", "/connect").after(|page| tab(page, "Upcoming")),
        at("bookings", "unconfirmed", "/connect").after(|page| tab(page, "Unconfirmed")),
        at("bookings", "recurring", "/connect").after(|page| tab(page, "Recurring")),
        at("bookings", "past", "/connect").after(|page| tab(page, "Past")),
        at("bookings", "cancelled", "/connect").after(|page| tab(page, "Cancelled")),
        at("bookings", "all-by-creation", "/connect").after(|page| {
            tab(page, "All");
            page.field("Order").choose("Made, newest first");
            page.wait_for_text("Made on");
        }),
        at("bookings", "second-page", "/connect").after(|page| {
            tab(page, "All");
            page.button("Next page").click();
            page.wait_for_text("21–40 of");
        }),
        at("bookings", "filters", "/connect").after(|page| {
            tab(page, "All");
            page.button(starting("Filters")).click();
            page.role("group", "Event types")
                .field("Site visit")
                .click();
            page.field("From day").set_value("2020-01-01");
            page.field("To day").set_value("2019-01-01");
            page.wait_for_text("This day comes before the first.");
        }),
        at("bookings", "details", "/connect").after(|page| {
            tab(page, "Cancelled");
            for index in 0..2 {
                page.css(".booking-open").nth(index).click();
            }
            page.wait_until("two details", || page.css(".details").count() == 2);
        }),
        at("bookings", "no-match", "/connect").after(|page| {
            tab(page, "Upcoming");
            page.button(starting("Filters")).click();
            page.field("Attendee’s name").fill("Nobody");
            page.wait_for_text("No bookings match");
        }),
        at("bookings", "loading", "/connect")
            .with(|faults| faults.always("GET", BOOKINGS, Fault::Hang))
            .after(|page| connect(page, "Bookings")),
        at("bookings", "failed", "/connect")
            .with(|faults| faults.always("GET", BOOKINGS, Fault::Status(500, "boom")))
            .after(|page| {
                connect(page, "Bookings");
                page.button("Try again").wait();
            }),
        at("bookings", "forbidden", "/connect")
            .with(|faults| faults.always("GET", BOOKINGS, Fault::Status(403, "Forbidden")))
            .after(|page| {
                connect(page, "Bookings");
                page.wait_for_text("You may not see this");
            }),
        at("bookings", "signed-out", "/connect")
            .with(|faults| faults.always("GET", BOOKINGS, Fault::Status(498, "expired")))
            .after(|page| {
                connect(page, "Bookings");
                page.wait_for_text("Please sign in again");
            }),
    ]
}

fn roles() -> Vec<Scene> {
    vec![
        at("roles", "not-connected", "/roles"),
        at("roles", "list", "/connect").after(list_of_roles),
        at("roles", "expanded", "/connect").after(|page| {
            list_of_roles(page);
            page.button("Owner").click();
            page.button("Scheduler").click();
            page.wait_for_text("booking.readTeamBookings");
        }),
        at("roles", "form", "/connect").after(|page| {
            list_of_roles(page);
            page.button("New role").click();
            page.field("Name").wait();
        }),
        at("roles", "form-filled", "/connect").after(|page| {
            list_of_roles(page);
            page.button("New role").click();
            page.field("Name").fill("Night shift");
            page.field("Description")
                .fill("Looks after what comes in between ten and six");
            page.field("Violet").click();
            page.role("group", "Bookings").field("Bookings").click();
            page.role("group", "Team").field("Invite members").click();
        }),
        at("roles", "errors", "/connect").after(|page| {
            list_of_roles(page);
            page.button("New role").click();
            page.field("Colour code").fill("teal");
            page.button("Create role").click();
            page.wait_for_text("Please fill this in.");
        }),
        at("roles", "refused", "/connect")
            .with(|faults| faults.next("POST", ROLES, Fault::Status(400, "name is reserved")))
            .after(|page| {
                list_of_roles(page);
                page.button("New role").click();
                page.field("Name").fill("Reserved");
                page.button("Create role").click();
                page.wait_for_text("This role could not be created");
            }),
        at("roles", "created", "/connect").after(|page| {
            list_of_roles(page);
            page.button("New role").click();
            page.field("Name").fill("Created for a picture");
            page.field("Pink").click();
            page.button("Create role").click();
            page.button("Created for a picture").wait();
        }),
        at("roles", "loading", "/connect")
            .with(|faults| faults.always("GET", ROLES, Fault::Hang))
            .after(|page| connect(page, "Roles")),
        at("roles", "failed", "/connect")
            .with(|faults| faults.always("GET", ROLES, Fault::Drop))
            .after(|page| {
                connect(page, "Roles");
                page.button("Try again").wait();
            }),
    ]
}

fn times(page: &Page) {
    page.role("list", starting("Times on")).wait();
}

/// Chooses the first time and waits for the form.
fn choose(page: &Page) {
    times(page);
    page.role("list", starting("Times on"))
        .each("button")
        .first()
        .click();
    page.heading("Your details").wait();
}

fn fill_in(page: &Page) {
    page.field("Your name").fill("Grace Hopper");
    page.field("Email address").fill("grace@example.org");
}

fn book(page: &Page, press: &str) {
    choose(page);
    fill_in(page);
    page.button(press).click();
}

/// Uses the demo account and goes to a screen.
fn connect(page: &Page, screen: &str) {
    page.button("Use the demo account").click();
    page.link(screen).click();
}

fn tab(page: &Page, name: &str) {
    connect(page, "Bookings");
    page.css("li.booking").first().wait();
    page.role("group", "Status").button(name).click();
    page.wait_for_quiet();
    page.css("li.booking").first().wait();
}

fn list_of_roles(page: &Page) {
    connect(page, "Roles");
    page.button("Scheduler").wait();
}

fn main() -> ExitCode {
    let only = std::env::args().nth(1).unwrap_or_default();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/shots");
    fs::create_dir_all(&folder).expect("a folder for the pictures");

    let service = Service::start();
    let faults = Faults::before(&service);
    faults.page("/no-session.html", &[], NO_SESSION);
    let page = Page::open("about:blank");
    let mut failed = Vec::new();
    for scene in scenes() {
        let name = format!("{}-{}", scene.screen, scene.state);
        if !name.contains(&only) {
            continue;
        }
        let start = Instant::now();
        // One scene that cannot be reached must not cost the pictures of all others.
        let taken = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            photograph(&page, &faults, &scene, &folder.join(&name))
        }));
        faults.clear();
        faults.release();
        match taken {
            Ok(count) => println!("{name}: {count} pictures in {:.1?}", start.elapsed()),
            Err(_) => failed.push(name),
        }
    }
    if failed.is_empty() {
        return ExitCode::SUCCESS;
    }
    println!("not reached: {}", failed.join(", "));
    ExitCode::FAILURE
}

/// Takes all pictures of a scene; their names start with `path`. Gives how many.
fn photograph(page: &Page, faults: &Faults, scene: &Scene, path: &Path) -> usize {
    show(page, 1200, "light");
    (scene.faults)(faults);
    page.go("about:blank");
    page.go(&faults.url(scene.path));
    page.wait_for_quiet();
    (scene.steps)(page);

    let mut count = 0;
    for scheme in ["light", "dark"] {
        for width in WIDTHS {
            show(page, width, scheme);
            save(page, &named(path, &format!("{width}-{scheme}")));
            count += 1;
        }
    }
    page.run("document.documentElement.dir = 'rtl'", &[]);
    for width in MIRRORED {
        show(page, width, "light");
        save(page, &named(path, &format!("{width}-light-rtl")));
        count += 1;
    }
    count
}

/// Gives the page exactly this width and colour scheme.
fn show(page: &Page, width: u32, scheme: &str) {
    resize(page, width.into(), 900);
    let features = json!([
        { "name": "prefers-color-scheme", "value": scheme },
        { "name": "prefers-reduced-motion", "value": "reduce" },
    ]);
    page.devtools(
        "Emulation.setEmulatedMedia",
        json!({ "features": features }),
    );
}

fn resize(page: &Page, width: u64, height: u64) {
    let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
    page.devtools("Emulation.setDeviceMetricsOverride", size);
}

/// Photographs the whole page, also what is below the window: what is far below it is drawn only
/// once the window reaches it.
fn save(page: &Page, path: &Path) {
    page.wait_for_quiet();
    let measure = || page.devtools("Page.getLayoutMetrics", json!({}));
    let window = page.run("return [innerWidth, innerHeight]", &[]);
    let side = |value: &Value| value.as_f64().unwrap_or(0.0).ceil() as u64;
    let tall = side(&measure()["cssContentSize"]["height"]);
    resize(page, side(&window[0]), tall.clamp(side(&window[1]), 12_000));
    page.wait_for_quiet();
    let metrics = measure();
    let size = &metrics["cssContentSize"];
    let clip = json!({
        "x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1,
    });
    let options = json!({ "format": "png", "captureBeyondViewport": true, "clip": clip });
    let picture = page.devtools("Page.captureScreenshot", options);
    let data = picture["data"].as_str().unwrap_or("");
    let png = BASE64_STANDARD.decode(data).expect("a picture");
    fs::write(path, png).expect("the picture is written");
    let wide = size["width"].as_u64();
    let window = page.run("return window.innerWidth", &[]);
    if wide > window.as_u64() {
        println!(
            "{}: the page is {} wide and scrolls sideways",
            path.display(),
            Value::from(wide)
        );
    }
}

fn named(path: &Path, variant: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!("-{variant}.png"));
    PathBuf::from(name)
}
