//! An admin creates roles.

use crate::common::{Fault, Faults, Page, Service, TEAM_ROLES, stored_role};
use serde_json::{Value, json};

/// Opens the roles in the app, as the demo's admin.
fn open_roles(url: &dyn Fn(&str) -> String) -> Page {
    let page = Page::open(&url("/connect"));
    page.record_errors();
    page.button("Use the demo account").click();
    page.link("Team & roles").click();
    page.button("Scheduler").wait();
    page
}

fn role_count(service: &Service) -> usize {
    let roles = service.owner().get(TEAM_ROLES).data();
    roles.as_array().map_or(0, Vec::len)
}

#[test]
fn created_role_is_shown_in_the_list() {
    let service = Service::start();
    let page = open_roles(&|path| service.url(path));
    page.button("New role").click();
    page.wait_until("the focus on the name", || {
        page.focus() == "textbox \"Name\""
    });
    page.field("Name").fill("Front desk");
    page.field("Description")
        .fill("Answers the telephone & moves bookings");
    page.field("Teal").click();
    assert_eq!(page.field("Colour code").value().to_uppercase(), "#0F766E");
    page.wait_for_text("0 of 37 chosen");
    page.field("Individually").click();
    let group = |name: &str| page.role("group", name);
    group("Bookings").field("Bookings").click();
    group("Event types").field("View").click();
    group("Bookings").field("View recordings").click();
    group("Team").field("Invite members").click();
    page.wait_for_text("Also adds “Team: View”");
    group("Team").field("Invite members").click();

    // Required permissions stay selected: they are useful alone.
    let expected = json!([
        "eventType.read",
        "team.read",
        "booking.read",
        "booking.readTeamBookings",
        "booking.readTeamAuditLogs",
        "booking.update",
    ]);
    page.wait_for_text("6 of 37 chosen");
    page.button("Create role").click();
    page.button("Front desk").wait();
    page.wait_for_text("6 permissions");
    page.wait_for_text("Answers the telephone & moves bookings");
    page.wait_until("the focus on the new role", || {
        page.focus() == "button \"Front desk\""
    });

    let role = stored_role(&service, "Front desk").expect("the role");
    assert_eq!(
        role["color"].as_str().unwrap_or("").to_uppercase(),
        "#0F766E"
    );
    assert_eq!(
        role["description"],
        "Answers the telephone & moves bookings"
    );
    assert_eq!(role["type"], "CUSTOM");
    let sorted = |value: &Value| {
        let mut names: Vec<_> = value.as_array().cloned().unwrap_or_default();
        names.sort_by_key(Value::to_string);
        names
    };
    assert_eq!(sorted(&role["permissions"]), sorted(&expected));

    page.button("Front desk").click();
    for words in [
        "Event types",
        "View the whole team’s bookings",
        "Edit and confirm",
    ] {
        page.wait_for_text(words);
    }
    assert!(!page.shows("Invite members"));
    assert!(!page.shows("booking.readTeamBookings"));
    // The form is empty again.
    page.button("New role").click();
    assert_eq!(page.field("Name").value(), "");
    page.wait_for_text("0 of 37 chosen");
    page.assert_no_errors();
}

#[test]
fn all_permissions_are_selected_and_cleared_at_once() {
    let service = Service::start();
    let page = open_roles(&|path| service.url(path));
    page.button("New role").click();
    page.field("Name").fill("Everything");
    page.field("Select all").click();
    page.wait_for_text("37 of 37 chosen");
    page.button("Clear selection").click();
    page.wait_for_text("0 of 37 chosen");
    page.field("Select all").click();
    page.button("Create role").click();
    page.button("Everything").wait();
    let role = stored_role(&service, "Everything").expect("the role");
    assert_eq!(role["permissions"].as_array().map(Vec::len), Some(37));
    page.assert_no_errors();
}

#[test]
fn invalid_role_shows_errors_and_keeps_input() {
    let service = Service::start();
    let before = role_count(&service);
    let page = open_roles(&|path| service.url(path));
    page.button("New role").click();
    page.field("Description").fill("Kept");
    page.role("radiogroup", "Webhooks")
        .field("View only")
        .click();

    page.button("Create role").click();
    page.wait_for_text("Required");
    page.wait_until("the focus on the name", || {
        page.focus() == "textbox \"Name\""
    });
    page.field("Name").fill("   ");
    page.button("Create role").click();
    page.wait_for_text("Required");

    page.field("Name").fill("Scheduler");
    page.wait_for_text("A role with this name already exists.");
    page.button("Create role").click();
    page.wait_for_text("A role with this name already exists.");
    // Names of system roles are taken, too.
    page.field("Name").fill("Owner");
    page.wait_for_text("A role with this name already exists.");
    page.field("Name").fill("Scheduler 2");
    page.wait_for_no_text("A role with this name already exists.");

    page.field("Colour code").fill("teal");
    page.button("Create role").click();
    page.wait_for_text("Please enter a colour as #RGB or #RRGGBB.");
    page.wait_until("the focus on the colour", || {
        page.focus() == "textbox \"Colour code\""
    });
    assert_eq!(role_count(&service), before, "nothing was stored so far");

    page.field("Colour code").fill("#1a2");
    page.wait_for_no_text("Please enter a colour");
    assert_eq!(page.field("Description").value(), "Kept");
    page.button("Create role").click();
    page.button("Scheduler 2").wait();
    let role = stored_role(&service, "Scheduler 2").expect("the role");
    assert_eq!(role["description"], "Kept");
    assert_eq!(role["color"], "#1a2");
    assert_eq!(role["permissions"], json!(["webhook.read"]));
    page.assert_no_errors();
}

#[test]
fn name_taken_concurrently_is_reported_and_input_kept() {
    let service = Service::start();
    let page = open_roles(&|path| service.url(path));
    page.button("New role").click();
    page.field("Name").fill("Night shift");
    page.field("Description").fill("From ten to six");
    let rival = service
        .owner()
        .post(TEAM_ROLES, &json!({ "name": "Night shift" }));
    assert_eq!(rival.status, 201, "{rival:?}");
    let before = role_count(&service);

    page.button("Create role").click();
    page.wait_for_text("This role could not be created");
    // The list is fetched again: it shows the other role, and the form says why.
    page.wait_for_text("A role with this name already exists.");
    assert_eq!(page.field("Description").value(), "From ten to six");
    assert_eq!(role_count(&service), before);
    page.field("Name").fill("Late night shift");
    page.button("Create role").click();
    page.button("Late night shift").wait();
    assert!(stored_role(&service, "Late night shift").is_some());
    page.assert_no_errors();
}

#[test]
fn role_with_lost_response_is_not_created_twice() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let before = role_count(&service);
    let page = open_roles(&|path| faults.url(path));
    page.button("New role").click();
    page.field("Name").fill("Night shift");
    faults.next("POST", TEAM_ROLES, Fault::ResponseLost);
    page.button("Create role").click();
    page.wait_for_text("The service did not respond");
    page.wait_for_text("We do not know whether the role was created");
    // The new list shows that the role was created.
    page.wait_for_text("A role with this name already exists.");
    page.button("Cancel").click();
    page.button("Night shift").wait();
    page.button("New role").click();
    page.field("Name").wait_for_value("Night shift");
    page.button("Create role").click();
    page.wait_until("the focus on the name", || {
        page.focus() == "textbox \"Name\""
    });
    assert_eq!(faults.count("POST", TEAM_ROLES), 1);
    assert_eq!(role_count(&service), before + 1);
    page.assert_no_errors();
}

#[test]
fn closed_form_keeps_its_draft() {
    let service = Service::start();
    let page = open_roles(&|path| service.url(path));
    page.button("New role").click();
    page.field("Name").fill("Half a role");
    page.role("radiogroup", "Workflows")
        .field("View only")
        .click();
    page.button("Cancel").click();
    page.wait_until("the focus on the way back", || {
        page.focus() == "button \"New role\""
    });
    assert!(!page.field("Name").exists());
    page.button("New role").click();
    assert_eq!(page.field("Name").value(), "Half a role");
    page.wait_for_text("1 of 37 chosen");
    page.assert_no_errors();
}
