//! Scenes of the app and of staff screens.

use crate::common::{Fault, Faults, Page, starting, wait_for_slots};

use super::{Scene, at, html};

const BOOKINGS: &str = "/v2/organizations/1/teams/1/bookings";
const ROLES: &str = "/v2/organizations/1/teams/1/roles";

/// Elements without a session.
const NO_SESSION: &str = r#"<booking-picker></booking-picker><br><booking-list></booking-list><br>
<booking-roles></booking-roles>"#;

/// List with an expired token that the page cannot renew.
const NO_RENEWAL: &str = r#"<booking-list team-id="1"></booking-list>
<script>document.querySelector("booking-list").session = { baseUrl: location.origin, token: "expired",
  getToken: () => Promise.reject(new TypeError("Failed to fetch")) };</script>"#;

pub(super) fn app() -> Vec<Scene> {
    let no_demo = |faults: &Faults| faults.always("GET", "/demo.json", Fault::Status(404, "none"));
    vec![
        at("offers", "list", "/").after(|page| page.link(starting("Intro call")).wait()),
        at("offers", "whose", "/").with(no_demo),
        at("offers", "unreachable", "/")
            .with(|faults| faults.always("GET", "/v2/event-types", Fault::Drop))
            .after(|page| page.button("Try again").wait()),
        at("offers", "unknown-page", "/one/two/three/four"),
        at("offers", "of-user", "/ada").after(|page| page.link(starting("Intro call")).wait()),
        at("offers", "instead", "/ada/no-such-event")
            .after(|page| page.link(starting("Intro call")).wait()),
        at("offers", "unknown-user", "/nobody").after(|page| page.link("Book a time").wait()),
        at("connect", "demo", "/sign-in").after(|page| page.button("Use the demo account").wait()),
        at("connect", "own", "/sign-in").with(no_demo),
        at("connect", "incomplete", "/connect")
            .with(no_demo)
            .after(|page| {
                page.button("Sign in").click();
                page.wait_for_text("Please enter a token or key");
            }),
        at("connect", "connected", "/connect").after(|page| {
            connect(page, "Bookings");
            page.link(starting("Account")).click();
            page.button("Sign out").wait();
        }),
        at("embed", "demo", "/embed/demo.html").after(|page| {
            wait_for_slots(page);
            page.css("tr.booking").first().wait();
            page.css("li.role").first().wait();
        }),
        html("embed", "no-session", NO_SESSION).after(|page| page.wait_for_text("Not signed in")),
    ]
}

pub(super) fn bookings() -> Vec<Scene> {
    vec![
        at("bookings", "not-connected", "/bookings"),
        at("bookings", "upcoming", "/connect").after(|page| open_tab(page, "Upcoming")),
        at("bookings", "unconfirmed", "/connect").after(|page| open_tab(page, "Requests")),
        at("bookings", "recurring", "/connect").after(|page| open_tab(page, "Recurring")),
        at("bookings", "past", "/connect").after(|page| open_tab(page, "Past")),
        at("bookings", "cancelled", "/connect").after(|page| open_tab(page, "Cancelled")),
        at("bookings", "all-by-creation", "/connect").after(|page| {
            open_tab(page, "All");
            page.field("Sort by").choose("Newest first");
            page.wait_for_text("Booked on");
        }),
        at("bookings", "second-page", "/connect").after(|page| {
            open_tab(page, "All");
            page.button("Next page").click();
            page.wait_for_text("21–40 of");
        }),
        at("bookings", "filters", "/connect").after(|page| {
            open_tab(page, "All");
            page.button(starting("Filters")).click();
            page.role("group", "Event types")
                .field("Site visit")
                .click();
            page.field("Dates").choose("Custom range");
            page.field("From date").set_value("2020-01-01");
            page.field("To date").set_value("2019-01-01");
            page.wait_for_text("The end date is before the start date.");
        }),
        at("bookings", "details", "/connect").after(|page| {
            open_tab(page, "Cancelled");
            page.css(".booking-open").nth(1).click();
            page.wait_until("the details", || page.css(".details").count() == 1);
        }),
        at("bookings", "palette", "/connect").after(|page| {
            open_tab(page, "All");
            page.field("Search bookings").click();
            page.press_with_control('k');
            page.role("combobox", "Find bookings and commands")
                .fill("m");
            page.css("[role='option'] .palette-note").nth(3).wait();
            page.wait_for_quiet();
        }),
        at("bookings", "no-match", "/connect").after(|page| {
            open_tab(page, "Upcoming");
            page.field("Search bookings").fill("Nobody");
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
                page.wait_for_text("You do not have access");
            }),
        at("bookings", "signed-out", "/connect")
            .with(|faults| faults.always("GET", BOOKINGS, Fault::Status(498, "expired")))
            .after(|page| {
                connect(page, "Bookings");
                page.wait_for_text("Please sign in again");
            }),
        html("bookings", "session-paused", NO_RENEWAL)
            .with(|faults| {
                faults.always("GET", "/v2/teams/1/bookings", Fault::Status(498, "expired"))
            })
            .after(|page| page.wait_for_text("You may need to sign in again")),
        at("bookings", "selected", "/connect").after(|page| select_page(page, "All")),
        at("bookings", "many-to-cancel", "/connect").after(|page| {
            select_page(page, "Upcoming");
            let bar = page.role("group", "Selected bookings");
            bar.button(starting("Cancel booking")).click();
            page.wait_for_text("bookings?");
        }),
    ]
}

/// Selects all bookings of the first page of a tab.
fn select_page(page: &Page, name: &str) {
    open_tab(page, name);
    page.field("Select all on this page").click();
    page.role("group", "Selected bookings").wait();
}

pub(super) fn roles() -> Vec<Scene> {
    vec![
        at("roles", "not-connected", "/roles"),
        at("roles", "list", "/connect").after(open_roles),
        at("roles", "expanded", "/connect").after(|page| {
            open_roles(page);
            page.button("Owner").click();
            page.button("Scheduler").click();
            page.wait_for_text("View the whole team’s bookings");
        }),
        at("roles", "form", "/connect").after(|page| {
            open_roles(page);
            page.button("New role").click();
            page.field("Name").wait();
        }),
        at("roles", "form-filled", "/connect").after(|page| {
            open_roles(page);
            page.button("New role").click();
            page.field("Name").fill("Night shift");
            page.field("Description")
                .fill("Looks after what comes in between ten and six");
            page.field("Violet").click();
            page.role("radiogroup", "Bookings")
                .field("Everything")
                .click();
            page.role("radiogroup", "Team").field("Custom").click();
            page.role("group", "Team").field("Invite members").click();
        }),
        at("roles", "changed", "/connect").after(change_role),
        at("roles", "individually", "/connect").after(|page| {
            change_role(page);
            page.field("Individually").click();
            page.field("Show identifiers").click();
        }),
        at("roles", "changed-meanwhile", "/connect").after(|page| {
            change_role(page);
            page.run(CHANGE_CONCURRENTLY, &[]);
            page.wait_until("the other's change", || {
                page.run("return window.changedMeanwhile === true", &[]) == true
            });
            page.button("Save changes").click();
            page.wait_for_text("This role has been changed");
        }),
        at("roles", "delete", "/connect").after(|page| {
            open_roles(page);
            page.button("Delete: Scheduler").click();
            page.wait_for_text("This cannot be undone");
        }),
        at("roles", "compared", "/connect").after(|page| {
            open_roles(page);
            for name in ["Admin", "Scheduler", "Integrations"] {
                page.field(format!("Select {name}").as_str()).click();
            }
            page.button("Compare").click();
            page.heading("Roles side by side").wait();
        }),
        at("roles", "organization", "/connect").after(|page| {
            connect(page, "Team & roles");
            page.link("Organisation").click();
            page.wait_for_text("You do not have access");
        }),
        at("roles", "errors", "/connect").after(|page| {
            open_roles(page);
            page.button("New role").click();
            page.field("Colour code").fill("teal");
            page.button("Create role").click();
            page.wait_for_text("Required");
        }),
        at("roles", "refused", "/connect")
            .with(|faults| faults.next("POST", ROLES, Fault::Status(400, "name is reserved")))
            .after(|page| {
                open_roles(page);
                page.button("New role").click();
                page.field("Name").fill("Reserved");
                page.button("Create role").click();
                page.wait_for_text("This role could not be created");
            }),
        at("roles", "created", "/connect").after(|page| {
            open_roles(page);
            page.button("New role").click();
            page.field("Name").fill("Created for a picture");
            page.field("Pink").click();
            page.button("Create role").click();
            page.button("Created for a picture").wait();
        }),
        at("roles", "loading", "/connect")
            .with(|faults| faults.always("GET", ROLES, Fault::Hang))
            .after(|page| connect(page, "Team & roles")),
        at("roles", "failed", "/connect")
            .with(|faults| faults.always("GET", ROLES, Fault::Drop))
            .after(|page| {
                connect(page, "Team & roles");
                page.button("Try again").wait();
            }),
    ]
}

/// Connects the demo account and opens a screen.
fn connect(page: &Page, screen: &str) {
    page.button("Use the demo account").click();
    page.link(screen).click();
}

fn open_tab(page: &Page, name: &str) {
    connect(page, "Bookings");
    page.css("tr.booking").first().wait();
    // A number may follow the name.
    let tabs = page.role("group", "Status");
    tabs.button(starting(name)).first().click();
    page.wait_for_quiet();
    page.css("tr.booking").first().wait();
}

/// Changes the description of the open role, as another user would.
const CHANGE_CONCURRENTLY: &str = r#"
    (async () => {
      const json = async (path, options) => (await fetch(path, options)).json();
      const { accessToken } = await json("/demo/token", { method: "POST" });
      const headers = { authorization: `Bearer ${accessToken}`, "content-type": "application/json" };
      const path = "/v2/organizations/1/teams/1/roles";
      const roles = (await json(path, { headers })).data;
      const role = roles.find((role) => role.name === "Scheduler");
      const description = `Seen at ${new Date().toISOString()}`;
      await json(`${path}/${role.id}`, { method: "PATCH", headers, body: JSON.stringify({ description }) });
      window.changedMeanwhile = true;
    })();"#;

/// Opens a role's form and makes unsaved changes of each kind.
fn change_role(page: &Page) {
    open_roles(page);
    page.button("Edit: Scheduler").click();
    page.field("Name").fill("Reception");
    page.field("Amber").click();
    page.role("radiogroup", "Team").field("Custom").click();
    page.role("group", "Team")
        .field("Change members’ roles")
        .click();
    page.role("group", "Bookings")
        .field("View own bookings")
        .click();
    page.wait_for_text("Also removes");
}

fn open_roles(page: &Page) {
    connect(page, "Team & roles");
    page.button("Scheduler").wait();
}
