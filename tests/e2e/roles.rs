//! Roles: permissions that require others, effects of saving, and effects on members.

use crate::common::{
    Engine, Fault, Faults, Key, Locator, Page, Service, TEAM_ROLES, starting, stored_role,
};
use serde_json::{Value, json};

const ORGANIZATION_ROLES: &str = "/v2/organizations/1/roles";

/// User of the demo's token.
const SOFIA: i64 = 4;

/// Page with the roles of the demo's team, which records events.
struct RoleEditor {
    service: Service,
    faults: Faults,
    page: Page,
}

impl RoleEditor {
    fn new() -> RoleEditor {
        RoleEditor::after(|_| ())
    }

    /// Opens the page after `prepare` has changed the service.
    fn after(prepare: impl FnOnce(&Service)) -> RoleEditor {
        let token = "async getToken() { \
                       const answer = await fetch('/demo/token', { method: 'POST' }); \
                       return (await answer.json()).accessToken; \
                     }";
        let service = Service::start();
        prepare(&service);
        RoleEditor::with(service, r#"org-id="1" team-id="1""#, token)
    }

    /// Opens the roles of the organisation, with the session of its owner.
    fn of_the_organization() -> RoleEditor {
        let service = Service::start();
        let token = format!("token: '{}'", service.demo_text("apiKey"));
        RoleEditor::with(service, r#"org-id="1""#, &token)
    }

    fn with(service: Service, attributes: &str, token: &str) -> RoleEditor {
        let faults = Faults::before(&service);
        let html = r#"<!doctype html><html lang="en-US"><meta charset="utf-8"><title>Staff</title>
            <script type="module" src="/embed/embed.js"></script>
            <body><main><h1>Staff</h1><booking-roles ATTRIBUTES></booking-roles></main>
            <script>
              window.events = [];
              for (const name of ["role-created", "role-updated", "role-deleted"])
                document.addEventListener(name, ({ type, detail }) =>
                  events.push(`${type} ${detail.id}`));
              document.querySelector("booking-roles").session =
                { baseUrl: location.origin, TOKEN };
            </script>"#;
        let html = html.replace("ATTRIBUTES", attributes);
        faults.page("/staff.html", &[], &html.replace("TOKEN", token));
        let page = Page::open(&faults.url("/staff.html"));
        page.record_errors();
        page.button("New role").wait();
        page.css("li.role").first().wait();
        RoleEditor {
            service,
            faults,
            page,
        }
    }

    /// Opens the form for a role.
    #[track_caller]
    fn edit(&self, name: &str) {
        self.page.button(format!("Edit: {name}")).click();
        self.page.wait_until("the focus on the name", || {
            self.page.focus() == "textbox \"Name\""
        });
        self.show_individually();
    }

    /// Shows a checkbox for each permission.
    #[track_caller]
    fn show_individually(&self) {
        let individually = self.page.field("Individually");
        if !individually.is_checked() {
            individually.click();
        }
    }

    /// Permission checkbox.
    fn checkbox(&self, resource: &str, action: &str) -> Locator<'_> {
        self.page.role("group", resource).field(action)
    }

    /// Changes shown before saving, line by line.
    fn difference(&self) -> String {
        let shown = self.page.role("group", "Changes to be saved").read_text();
        let lines: Vec<&str> = shown.lines().collect();
        lines.join(", ").replace(", Undo all changes", "")
    }

    #[track_caller]
    fn wait_for_focus(&self, expected: &str) {
        let page = &self.page;
        page.wait_until(&format!("the focus on {expected}"), || {
            page.focus() == expected
        });
    }

    /// Returns the role of that name from the service.
    #[track_caller]
    fn stored(&self, name: &str) -> Value {
        stored_role(&self.service, name)
            .unwrap_or_else(|| self.page.fail(&format!("no role {name}")))
    }

    #[track_caller]
    fn id(&self, name: &str) -> String {
        text(&self.stored(name)["id"])
    }

    /// Returns the body of the last request with this method and path.
    #[track_caller]
    fn sent(&self, method: &str, path: &str) -> Value {
        let bodies = self.faults.bodies(method, path);
        let last = bodies.last().expect("a request");
        serde_json::from_str(last).expect("JSON")
    }

    /// Changes a role as another user.
    #[track_caller]
    fn change_as_another_user(&self, method: &str, id: &str, body: &Value) {
        let path = format!("{TEAM_ROLES}/{id}");
        let answer = self.service.owner().call(method, &path, Some(body));
        answer.expect("an answer").data();
    }
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

/// Returns the permissions of a role or a request, in alphabetical order.
fn permissions(value: &Value) -> Vec<String> {
    let names = value["permissions"].as_array().into_iter().flatten();
    let mut names: Vec<String> = names.map(text).collect();
    names.sort();
    names
}

/// Gives a role to members of the demo's team.
#[track_caller]
fn give(service: &Service, role: &str, users: &[i64]) {
    let members = service.owner().get("/v2/teams/1/memberships").data();
    for member in members.as_array().into_iter().flatten() {
        if users.contains(&member["userId"].as_i64().expect("a user")) {
            let path = format!("/v2/teams/1/memberships/{}", member["id"]);
            let body = json!({ "roleId": role });
            let given = service.owner().call("PATCH", &path, Some(&body));
            given.expect("an answer").data();
        }
    }
}

/// Creates a role with all permissions of the team, and gives it to the signed-in user.
fn give_leads_role(service: &Service) {
    let all = service.owner().get(TEAM_ROLES).data();
    let mut all = all.as_array().cloned().unwrap_or_default().into_iter();
    let owner = all.find(|role| role["name"] == "Owner").expect("Owner");
    let body = json!({ "name": "Leads", "permissions": owner["permissions"] });
    let made = service.owner().post(TEAM_ROLES, &body).data();
    give(service, &text(&made["id"]), &[SOFIA]);
}

#[test]
fn permission_dependencies_are_shown_and_saved_as_shown() {
    let editor = RoleEditor::new();
    let page = &editor.page;
    editor.edit("Integrations");
    assert!(editor.difference().contains("No changes."));
    editor.checkbox("Team", "Change members’ roles").click();
    for line in [
        "Also adds “Team: List members”, which “Team: Change members’ roles” requires. \
         The person is selected from the list of members.",
        "Also adds “Roles: View”, which “Team: Change members’ roles” requires. \
         The role is selected from the list of roles.",
    ] {
        page.wait_for_text(line);
    }
    page.wait_for_text("9 of 37 chosen");
    editor.checkbox("Team", "View").click();
    page.wait_for_text("Also removes “Team: List members”, which requires “Team: View”.");
    page.wait_for_text(
        "Also removes “Team: Change members’ roles”, which requires “Team: List members”.",
    );
    page.wait_for_text("6 of 37 chosen");
    page.button("Undo").click();
    page.wait_for_text("9 of 37 chosen");
    page.wait_for_no_text("Also removes");
    editor.wait_for_focus("checkbox \"Select all\"");
    assert!(
        editor
            .checkbox("Team", "Change members’ roles")
            .is_checked()
    );

    editor.checkbox("Webhooks", "View").click();
    page.wait_for_text("Also removes “Webhooks: Delete”");
    let shown = "Changes to be saved, Added, Team: Change members’ roles, \
                 Also added, Roles: View, Team: List members, \
                 Removed, Webhooks: Create, Webhooks: View, Webhooks: Edit, Webhooks: Delete";
    assert_eq!(editor.difference(), shown);
    page.assert_accessible("permission dependencies and the summary of changes");
    page.button("Save changes").click();
    editor.wait_for_focus("button \"Integrations\"");
    let expected = [
        "eventType.read",
        "role.read",
        "team.changeMemberRole",
        "team.listMembers",
        "team.read",
    ];
    let sent = editor.sent("PATCH", TEAM_ROLES);
    assert_eq!(permissions(&sent), expected);
    assert_eq!(sent.as_object().map(|sent| sent.len()), Some(1), "{sent}");
    assert_eq!(permissions(&editor.stored("Integrations")), expected);

    // Unknown permissions of a newer service are shown by their id, and sent unchanged.
    let mut newer = editor.stored("Integrations");
    let id = text(&newer["id"]);
    newer["permissions"]
        .as_array_mut()
        .expect("permissions")
        .extend([json!("booking.update"), json!("space.fly")]);
    let (list, role) = (TEAM_ROLES.to_owned(), format!("{TEAM_ROLES}/{id}"));
    let answer = |data: &Value| json!({ "status": "success", "data": data }).to_string();
    editor.faults.page(&list, &[], &answer(&json!([newer])));
    editor.faults.page(&role, &[], &answer(&newer));
    page.reload();
    page.button("Integrations").click();
    page.heading("space").wait();
    page.wait_for_text("fly");
    editor.edit("Integrations");
    assert!(editor.checkbox("space", "fly").is_checked());
    page.wait_for_text("Required permissions are missing");
    page.wait_for_text("“Bookings: Edit and confirm” requires “Bookings: View own bookings”.");
    page.button("Add missing permissions").click();
    page.wait_for_no_text("Required permissions are missing");
    editor.wait_for_focus("checkbox \"Select all\"");
    assert!(
        editor
            .difference()
            .contains("Also added, Bookings: View own bookings")
    );
    page.button("Clear selection").click();
    page.wait_for_text("Removed");
    assert!(!editor.difference().contains("space"));
    editor.checkbox("Insights", "View").click();
    page.button("Save changes").click();
    editor.wait_for_focus("button \"Integrations\"");
    let sent = editor.sent("PATCH", &role);
    assert_eq!(permissions(&sent), ["insights.read", "space.fly"]);
}

#[test]
fn changed_role_is_saved_and_focused_in_the_list() {
    let editor = RoleEditor::after(give_leads_role);
    let page = &editor.page;
    let id = editor.id("Scheduler");
    // Without changes, nothing is sent.
    editor.edit("Scheduler");
    page.button("Save changes").click();
    editor.wait_for_focus("button \"Scheduler\"");
    editor.edit("Scheduler");
    page.field("Name").fill("Reception");
    page.field("Description").fill("");
    page.button("Cancel").click();
    editor.wait_for_focus("button \"Scheduler\"");
    assert_eq!(editor.faults.count("PATCH", TEAM_ROLES), 0);
    page.wait_for_text("unsaved changes");
    // The draft is kept, even after the focus moved away and back.
    editor.edit("Scheduler");
    page.field("Name").wait_for_value("Reception");
    editor.checkbox("Insights", "View").click();
    assert_eq!(
        editor.difference(),
        "Changes to be saved, Name, Scheduler Reception, Description, \
         Front desk: looks after the team's calendar without touching its settings not set, \
         Removed, Insights: View"
    );
    page.button("Save changes").click();
    editor.wait_for_focus("button \"Reception\"");
    page.wait_for_text("The role Reception was saved.");
    editor.page.wait_for_event(&format!("role-updated {id}"));
    let sent = editor.sent("PATCH", TEAM_ROLES);
    let names: Vec<&String> = sent.as_object().expect("a change").keys().collect();
    assert_eq!(names, ["description", "name", "permissions"]);
    let role = editor.stored("Reception");
    assert_eq!(role["description"], Value::Null);
    assert_eq!(role["color"], "#0f766e");
    assert_eq!(permissions(&role).len(), 6);
    // The next actions do not move the focus back to the role.
    page.field("Search roles").fill("webhook");
    page.button("Reception").wait_gone();
    page.button("Integrations").wait();
    page.field("Search roles").fill("nobody has this");
    page.wait_for_text("No matching roles");
    page.field("Search roles").fill("");

    // The signed-in user's own role: permissions which that user could not restore are not removed by
    // a single click.
    page.button("Leads").click();
    page.button("Remove Roles: Edit").click();
    page.wait_for_text(
        "This is your own role: without “Roles: Edit” you cannot restore it yourself.",
    );
    editor.wait_for_focus("textbox \"Name\"");
    assert!(
        editor
            .difference()
            .contains("Removed, Roles: Edit, This is")
    );
    page.button("Undo all changes").click();
    editor.wait_for_focus("heading \"Edit Leads\"");
    page.wait_for_no_text("This is your own role");

    // Typing during the save loses nothing.
    page.field("Description").fill("Who leads");
    editor.faults.next("PATCH", TEAM_ROLES, Fault::Hang);
    page.button("Save changes").click();
    page.wait_until("a request", || editor.faults.hanging() == 1);
    page.field("Description").type_text(" the team");
    editor.faults.release();
    page.wait_for_text("The role Leads was saved.");
    page.field("Description")
        .wait_for_value("Who leads the team");
    page.button("Save changes").click();
    editor.wait_for_focus("button \"Leads\"");
    assert_eq!(editor.stored("Leads")["description"], "Who leads the team");
    page.assert_no_errors();
}

#[test]
fn concurrent_change_is_shown_and_merged_or_overwritten() {
    let editor = RoleEditor::new();
    let page = &editor.page;
    let id = editor.id("Scheduler");
    editor.edit("Scheduler");
    editor.checkbox("Bookings", "Edit and confirm").click();
    page.field("Description").fill("Mine");
    editor.change_as_another_user(
        "PATCH",
        &id,
        &json!({ "name": "Reception", "permissions": ["booking.read", "booking.update", "webhook.read"] }),
    );
    page.button("Save changes").click();
    page.wait_for_text("This role has been changed");
    assert_eq!(editor.faults.count("PATCH", TEAM_ROLES), 0);
    let text_of_alert = page.each("alert").read_text().replace('\n', ", ");
    assert!(
        text_of_alert.contains(
            "Name, Scheduler Reception, Added, Webhooks: View, Removed, Event types: View"
        ),
        "{text_of_alert}"
    );
    page.assert_accessible("a role that was changed meanwhile");
    page.button("Merge both versions").click();
    page.wait_for_no_text("This role has been changed");
    editor.wait_for_focus("heading \"Edit Reception\"");
    page.field("Name").wait_for_value("Reception");
    page.field("Description").wait_for_value("Mine");
    assert!(editor.checkbox("Webhooks", "View").is_checked());
    assert!(!editor.checkbox("Bookings", "Edit and confirm").is_checked());
    page.button("Save changes").click();
    editor.wait_for_focus("button \"Reception\"");
    let role = editor.stored("Reception");
    assert_eq!(role["description"], "Mine");
    assert_eq!(permissions(&role), ["booking.read", "webhook.read"]);

    // The other user's version is replaced deliberately.
    editor.edit("Reception");
    editor.checkbox("Insights", "View").click();
    editor.change_as_another_user("PATCH", &id, &json!({ "permissions": ["team.read"] }));
    page.button("Save changes").click();
    page.button("Save my version instead").click();
    editor.wait_for_focus("button \"Reception\"");
    let role = editor.stored("Reception");
    let mine = ["booking.read", "insights.read", "webhook.read"];
    assert_eq!(permissions(&role), mine);

    // The role was deleted: the draft creates another one.
    editor.edit("Reception");
    page.field("Description").fill("Kept");
    editor.change_as_another_user("DELETE", &id, &json!({}));
    page.button("Save changes").click();
    page.wait_for_text("This role has been deleted");
    page.assert_accessible("a role that was deleted meanwhile");
    page.button("Create it again").click();
    editor.wait_for_focus("button \"Reception\"");
    let role = editor.stored("Reception");
    assert_ne!(role["id"], json!(id));
    assert_eq!(role["description"], "Kept");
    assert_eq!(permissions(&role), mine);
    editor
        .page
        .wait_for_event(&format!("role-created {}", text(&role["id"])));
    page.assert_no_errors();
}

#[test]
fn role_deletion_is_confirmed_with_the_affected_members() {
    let editor = RoleEditor::after(|service| {
        give_leads_role(service);
        let scheduler = stored_role(service, "Scheduler").expect("Scheduler");
        give(service, &text(&scheduler["id"]), &[1, 2]);
    });
    let page = &editor.page;
    page.wait_for_text("2 members");
    page.button("Delete: Scheduler").click();
    let dialog = page.role("dialog", "Delete Scheduler?");
    dialog.wait();
    page.wait_for_text("2 members will go back to their default permissions.");
    page.wait_for_text("This cannot be undone.");
    assert!(!page.shows("This is your own role."));
    page.assert_accessible("the deletion dialog");
    page.press(Key::Escape);
    dialog.wait_gone();
    editor.wait_for_focus("button \"Delete: Scheduler\"");
    assert_eq!(editor.faults.count("DELETE", TEAM_ROLES), 0);

    let id = editor.id("Scheduler");
    page.button("Delete: Scheduler").click();
    dialog.button("Delete").click();
    page.button("Scheduler").wait_gone();
    page.wait_for_text("The role Scheduler was deleted.");
    editor.page.wait_for_event(&format!("role-deleted {id}"));
    page.wait_until("the focus somewhere", || page.focus() != "nothing");
    assert!(stored_role(&editor.service, "Scheduler").is_none());
    let members = editor.service.owner().get("/v2/teams/1/memberships").data();
    for member in members.as_array().into_iter().flatten() {
        assert_ne!(member["roleId"], json!(id), "{member}");
    }

    // A rejection is shown at the button that caused it.
    editor
        .faults
        .next("DELETE", TEAM_ROLES, Fault::Status(403, "you need more"));
    page.button("Delete: Integrations").click();
    page.button("Delete").click();
    page.wait_for_text("You do not have permission to do this");
    page.button("Integrations").wait();
    page.wait_until("the focus somewhere", || page.focus() != "nothing");
    // Another user deleted the role first, which counts as done.
    editor.change_as_another_user("DELETE", &editor.id("Integrations"), &json!({}));
    page.button("Delete: Integrations").click();
    page.button("Delete").click();
    page.button("Integrations").wait_gone();
    page.wait_for_text("The role Integrations was deleted.");
    page.wait_until("the focus somewhere", || page.focus() != "nothing");

    page.button("Delete: Leads").click();
    page.wait_for_text("1 member will go back to the default permissions.");
    page.wait_for_text("This is your own role.");
    page.button("Keep").click();
    editor.wait_for_focus("button \"Delete: Leads\"");
    page.assert_no_errors();
}

#[test]
fn role_starts_from_a_copy_or_preset_and_is_compared() {
    let editor = RoleEditor::new();
    let page = &editor.page;
    // The system's own roles can only be copied.
    for name in ["Edit: Owner", "Delete: Owner"] {
        assert!(!page.button(name).exists(), "{name}");
    }
    page.button("Owner").click();
    page.wait_for_text("Change members’ roles");
    assert!(!page.field("Add a permission").exists());
    assert!(!page.button(starting("Remove ")).exists());
    page.button("Duplicate: Owner").click();
    page.field("Name").wait_for_value("Copy of Owner");
    page.wait_for_text("37 of 37 chosen");
    editor.show_individually();

    let start = page.field("Starting point");
    start.choose("Webhooks");
    page.wait_for_text("5 of 37 chosen");
    assert!(editor.checkbox("Webhooks", "Delete").is_checked());
    start.choose("Same as Scheduler");
    page.wait_for_text("7 of 37 chosen");
    // Choosing the same set again after a change applies it again.
    editor.checkbox("Insights", "View").click();
    page.wait_for_text("6 of 37 chosen");
    start.choose("Same as Scheduler");
    page.wait_for_text("7 of 37 chosen");
    page.field("Search permissions").fill("audit");
    page.wait_until("one permission", || {
        page.css(".permission-groups").each("checkbox").count() == 2
    });
    // Enter does not submit.
    page.press(Key::Enter);
    page.field("Search permissions")
        .fill("booking.readTeamAuditLogs");
    editor
        .checkbox("Bookings", "View the team’s audit log")
        .click();
    page.field("Search permissions").fill("");
    page.wait_for_text("8 of 37 chosen");
    assert_eq!(editor.faults.count("POST", TEAM_ROLES), 0);
    page.button("Create role").click();
    editor.wait_for_focus("button \"Copy of Owner\"");
    // A second copy gets another name.
    page.button("Duplicate: Owner").click();
    page.field("Name").wait_for_value("Copy of Owner (2)");
    page.button("Cancel").click();
    // A prefilled name is no draft; a typed one is kept.
    page.button("New role").click();
    page.field("Name").wait_for_value("");
    page.field("Name").fill("Half a role");
    page.button("Cancel").click();
    page.button("Duplicate: Owner").click();
    page.field("Name").wait_for_value("Copy of Owner (2)");
    page.button("Cancel").click();
    page.button("New role").click();
    page.field("Name").wait_for_value("Half a role");
    page.button("Undo all changes").click();
    page.field("Name").wait_for_value("");
    page.button("Cancel").click();

    page.field("Select Scheduler").click();
    page.wait_for_text("1 role selected");
    page.wait_for_text("Select 2 to 4 roles to compare them.");
    page.button("Compare").wait();
    assert!(!page.button("Compare").is_enabled());
    page.field("Select Copy of Owner").click();
    page.wait_for_text("2 roles selected");
    page.assert_accessible("roles, one open, two selected");
    let last = page.button("Delete: Integrations");
    page.field("Select Member").click();
    page.field("Select Member").click();
    tab_until(page, "the last role", || last.has_focus());
    page.button("Compare").click();
    editor.wait_for_focus("heading \"Roles side by side\"");
    let heads = page.each("columnheader").names();
    let heads: Vec<&str> = heads
        .iter()
        .map(String::as_str)
        .filter(|name| !name.is_empty())
        .collect();
    assert_eq!(heads, ["Scheduler", "Copy of Owner"]);
    let rows = page.role("rowheader", starting(""));
    page.wait_until("all permissions", || rows.count() >= 37);
    page.assert_accessible("two roles side by side");
    page.field("Only differences").click();
    page.wait_until("one difference", || {
        rows.names()
            .contains(&"View the team’s audit log".to_owned())
            && rows.count() <= 2
    });
    page.button("Back to roles").click();
    editor.wait_for_focus("button \"Compare\"");
    page.button("Clear selection").click();
    page.wait_for_no_text("selected");
    page.wait_until("the focus somewhere", || page.focus() != "nothing");
    page.assert_no_errors();
}

#[test]
fn single_permissions_are_added_and_removed_in_the_list() {
    let editor = RoleEditor::new();
    let page = &editor.page;
    let id = editor.id("Scheduler");
    let path = format!("{TEAM_ROLES}/{id}/permissions");
    page.button("Scheduler").click();
    let add = page.field("Add a permission");
    // Selecting sends nothing: arrow keys pass many options on the way to one.
    assert!(!page.button("Add").is_enabled());
    add.choose("Webhooks: Edit");
    assert_eq!(editor.faults.count("POST", &path), 0);
    page.button("Add").click();
    page.wait_for_text("Also adds “Webhooks: View”, which “Webhooks: Edit” requires.");
    page.wait_for_text("9 permissions");
    editor.wait_for_focus("button \"Add\"");
    let sent = editor.sent("POST", &path);
    assert_eq!(permissions(&sent), ["webhook.read", "webhook.update"]);
    editor.page.wait_for_event(&format!("role-updated {id}"));
    assert_eq!(permissions(&editor.stored("Scheduler")).len(), 9);

    // The row keeps its element while other roles are filtered out and shown again.
    let panel =
        "(() => document.querySelector('booking-roles').shadowRoot.querySelector('.role-panel'))()";
    page.run(&format!("window.openPanel = {panel}"), &[]);
    page.field("Search roles").fill("Scheduler");
    page.field("Search roles").fill("");
    page.wait_for_text("Scheduler");
    assert_eq!(
        page.run(&format!("return openPanel === {panel}"), &[]),
        true
    );

    // Removed permissions keep their place, with a button to add them again.
    let places = || {
        let script = "const { shadowRoot } = document.querySelector('booking-roles'); \
                      const top = (node) => Math.round(node.getBoundingClientRect().top); \
                      const list = shadowRoot.querySelector('.role-groups'); \
                      return [...list.querySelectorAll('.permission-remove')] \
                        .map((button) => top(button) - top(list))";
        page.run(script, &[])
    };
    let before = places();
    page.button("Remove Bookings: View own bookings").click();
    page.wait_for_text(
        "Also removes “Bookings: View the whole team’s bookings”, which requires \
         “Bookings: View own bookings”.",
    );
    page.wait_for_text("6 permissions");
    editor.wait_for_focus("button \"Add Bookings: View own bookings again\"");
    assert_eq!(places(), before);
    let removed = editor.faults.seen("DELETE", &path);
    assert_eq!(removed.len(), 1);
    let left = [
        "eventType.read",
        "insights.read",
        "team.listMembers",
        "team.read",
        "webhook.read",
        "webhook.update",
    ];
    assert_eq!(permissions(&editor.stored("Scheduler")), left);
    // With what was removed with it.
    page.button("Add Bookings: View own bookings again").click();
    page.wait_for_text("9 permissions");
    assert_eq!(permissions(&editor.stored("Scheduler")).len(), 9);
    page.button("Remove Bookings: View own bookings").click();
    page.wait_for_text("6 permissions");

    // A second click before the first response: both are done, and both are shown.
    editor.faults.always("DELETE", &path, Fault::Hang);
    page.button("Remove Insights: View").click();
    page.wait_until("a request", || editor.faults.hanging() == 1);
    page.button("Remove Webhooks: Edit").click();
    page.wait_until("another", || editor.faults.hanging() == 2);
    editor.faults.clear();
    editor.faults.release();
    page.wait_for_text("4 permissions");
    page.button("Remove Insights: View").wait_gone();
    page.button("Remove Webhooks: Edit").wait_gone();
    assert_eq!(permissions(&editor.stored("Scheduler")).len(), 4);

    editor
        .faults
        .next("POST", &path, Fault::Status(403, "you need it yourself"));
    add.choose("Team: Delete");
    page.button("Add").click();
    page.wait_for_text("You do not have permission to do this");
    page.wait_for_text("4 permissions");
    editor.wait_for_focus("button \"Add\"");
    assert!(!page.button("Remove Team: Delete").exists());
    page.button("Add").click();
    page.button("Remove Team: Delete").wait();
    page.wait_for_no_text("You do not have permission to do this");

    // Another user deletes the role: it is removed, with a notice.
    let role = format!("{TEAM_ROLES}/{id}");
    let deleted = editor.service.owner().call("DELETE", &role, None);
    assert!(deleted.expect("an answer").status < 300);
    page.button("Remove Team: Delete").click();
    page.wait_for_text("This role has been deleted");
    page.wait_for_text("The role Scheduler was deleted.");
    page.button("Scheduler").wait_gone();
    page.wait_until("the focus somewhere", || page.focus() != "nothing");
    page.assert_no_errors();
}

#[test]
fn invalid_role_shows_errors_in_place_and_keeps_input() {
    let editor = RoleEditor::new();
    let page = &editor.page;
    editor.edit("Integrations");
    let (name, code) = (page.field("Name"), page.field("Colour code"));
    let complaint = |field: &Locator| {
        let ids = field.attribute("aria-describedby").unwrap_or_default();
        let ids = ids.split(' ').filter(|id| !id.is_empty());
        ids.map(|id| page.css(&format!("#{id}")).read_text())
            .collect::<Vec<_>>()
            .join(" ")
    };
    name.fill("");
    code.fill("purple");
    page.button("Save changes").click();
    editor.wait_for_focus("textbox \"Name\"");
    assert_eq!(complaint(&name), "Required");
    assert_eq!(
        complaint(&code),
        "Please enter a colour as #RGB or #RRGGBB."
    );
    name.fill("Admin");
    page.wait_until("the name to be taken", || {
        complaint(&name) == "A role with this name already exists."
    });
    page.assert_accessible("an invalid role");
    page.button("Save changes").click();
    assert_eq!(editor.faults.count("PATCH", TEAM_ROLES), 0);

    // Long names do not overflow on a phone.
    page.run("document.querySelector('main').style.width = '320px'", &[]);
    let long = "w".repeat(500);
    name.set_value(&long);
    code.fill("#15803D");
    page.wait_until("no error", || complaint(&name).is_empty());
    assert_eq!(overflowing(page), Vec::<String>::new());
    page.button("Save changes").click();
    page.button(long.as_str()).wait();
    editor.wait_for_focus(&format!("button \"{long}\""));
    page.button(long.as_str()).click();
    page.button("Remove Webhooks: View").wait();
    assert_eq!(overflowing(page), Vec::<String>::new());
    page.run("document.querySelector('main').style.width = ''", &[]);

    // One character is valid, and a rejection by the service shows its message.
    page.button(format!("Edit: {long}")).click();
    name.fill("i");
    page.field("Description").fill("Kept");
    for (fault, title, sentence) in [
        (
            Fault::Status(400, "permissions holds space.fly, which is no permission"),
            "This role could not be saved",
            "permissions holds space.fly, which is no permission",
        ),
        (
            Fault::Status(403, "you need it yourself"),
            "This role could not be saved",
            "You do not have permission to do this",
        ),
        (Fault::Drop, "The service did not respond", "Save again"),
    ] {
        editor.faults.next("PATCH", TEAM_ROLES, fault);
        page.run("scrollTo(0, document.body.scrollHeight)", &[]);
        page.button("Save changes").click();
        page.wait_for_text(title);
        page.wait_for_text(sentence);
        page.wait_until("the reason to be seen", || {
            let script = "const notice = document.querySelector('booking-roles').shadowRoot \
                            .querySelector('.notice').getBoundingClientRect(); \
                          return notice.top >= 0 && notice.bottom <= innerHeight";
            page.run(script, &[]) == true
        });
        name.wait_for_value("i");
        page.field("Description").wait_for_value("Kept");
        page.button("Save changes").wait();
    }
    page.assert_accessible("a role that was not saved");
    page.button("Save changes").click();
    editor.wait_for_focus("button \"i\"");
    assert_eq!(editor.stored("i")["description"], "Kept");
    page.assert_no_errors();
}

/// Returns elements that overflow the roles at either side, without scrollable ones.
fn overflowing(page: &Page) -> Vec<String> {
    let script = "const host = document.querySelector('booking-roles'); \
                  const edge = host.getBoundingClientRect(); \
                  return [...host.shadowRoot.querySelectorAll('*')] \
                    .filter((each) => !each.closest('.visually-hidden, dialog, style, option')) \
                    .filter((each) => { \
                      const box = each.getBoundingClientRect(); \
                      return box.width > 0 && Math.max(box.right - edge.right, edge.left - box.left) > 1; \
                    }) \
                    .map((each) => `${each.localName}.${each.className}`)";
    let found = page.run(script, &[]);
    found.as_array().into_iter().flatten().map(text).collect()
}

/// Script that returns true if the focused element is visible: outlined, in the viewport, and not covered.
const FOCUS_IS_SEEN: &str = "
    let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    const box = at.getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    let top = document.elementFromPoint(x, y);
    for (let inner; (inner = top?.shadowRoot?.elementFromPoint(x, y)) && inner !== top;) top = inner;
    const isFree = at.contains(top) || !!top?.contains(at);
    const isDrawn = (each) => [null, '::before'].some((part) =>
      getComputedStyle(each, part).outlineStyle !== 'none');
    const places = [at, at.parentElement, ...at.parentElement?.children ?? []];
    return at.matches(':focus-visible') && isFree && places.some((each) => each && isDrawn(each));";

/// Presses Tab until `found` holds. Asserts that the focus is always visible.
#[track_caller]
fn tab_until(page: &Page, what: &str, found: impl Fn() -> bool) {
    for _ in 0..90 {
        page.press(Key::Tab);
        let focus = page.focus();
        if focus == "nothing" || page.run(FOCUS_IS_SEEN, &[]) != true {
            page.fail(&format!(
                "the focus is not seen on the way to {what}: {focus}"
            ));
        }
        if found() {
            return;
        }
    }
    page.fail(&format!("Tab does not come to {what}"));
}

#[test]
fn role_is_created_and_deleted_by_keyboard() {
    let editor = RoleEditor::new();
    let page = &editor.page;
    let tab_to = |what: &str| tab_until(page, what, || page.focus() == what);
    page.button("New role").wait();
    page.run(
        "document.querySelector('h1').tabIndex = -1; document.querySelector('h1').focus()",
        &[],
    );
    tab_to("button \"New role\"");
    page.press(Key::Enter);
    editor.wait_for_focus("textbox \"Name\"");
    page.type_text("Night shift");
    tab_to("radio \"Blue\"");
    page.press(Key::Right);
    editor.wait_for_focus("radio \"Teal\"");
    assert_eq!(page.field("Colour code").value(), "#0F766E");

    tab_to("radio \"By resource\"");
    page.press(Key::Right);
    editor.wait_for_focus("radio \"Individually\"");

    // Required permissions are shown in a panel that never covers the focused element.
    tab_to("checkbox \"Change members’ roles\"");
    page.press(Key::Space);
    page.wait_for_text("4 of 37 chosen");
    page.wait_for_text("Also adds “Team: List members”");
    tab_to("checkbox \"Insights\"");
    page.press(Key::ShiftTab);
    editor.wait_for_focus("checkbox \"View the team’s audit log\"");
    for _ in 0..5 {
        page.press(Key::ShiftTab);
    }
    editor.wait_for_focus("checkbox \"Bookings\"");
    page.press(Key::Space);
    page.wait_for_text("9 of 37 chosen");
    tab_to("checkbox \"View recordings\"");
    page.press(Key::Space);
    page.wait_for_text("8 of 37 chosen");
    let whole = page.role("group", "Bookings").field("Bookings");
    assert!(!whole.is_checked());
    let mixed = "return document.querySelector('booking-roles').shadowRoot \
                   .querySelectorAll(':indeterminate[type=checkbox]').length";
    // Roles, team, bookings, and the checkbox for all.
    assert_eq!(page.run(mixed, &[]), 4);
    if page.engine() == Engine::Chromium {
        let tree = page.devtools("Accessibility.getFullAXTree", json!({}));
        let nodes = tree["nodes"].as_array().into_iter().flatten();
        let boxes = nodes.filter(|node| {
            node["role"]["value"] == "checkbox" && node["name"]["value"] == "Bookings"
        });
        let text_of_alert: Vec<bool> = boxes
            .flat_map(|node| node["properties"].as_array().into_iter().flatten())
            .filter(|property| property["name"] == "checked")
            .map(|property| property["value"]["value"] == "mixed")
            .collect();
        assert_eq!(text_of_alert, [true]);
    }

    // Back to the controls above the checkboxes.
    let way = page.role("radiogroup", "Permissions");
    for _ in 0..60 {
        if page.focus() == "radio \"Individually\"" {
            break;
        }
        page.press(Key::ShiftTab);
    }
    editor.wait_for_focus("radio \"Individually\"");
    page.press(Key::Left);
    page.wait_until("the other editor mode", || {
        way.field("By resource").is_checked()
    });
    page.assert_accessible("permissions by resource");
    let bookings = page.role("radiogroup", "Bookings");
    assert!(bookings.field("Custom").is_checked());
    let workflows = page.role("radiogroup", "Workflows");
    tab_until(page, "Workflows", || workflows.field("None").has_focus());
    page.press(Key::Right);
    page.wait_until("workflows to be seen", || {
        workflows.field("View only").is_checked()
    });
    page.wait_for_text("9 of 37 chosen");
    tab_to("button \"Create role\"");
    page.press(Key::Enter);
    editor.wait_for_focus("button \"Night shift\"");
    let role = editor.stored("Night shift");
    assert_eq!(role["color"], "#0F766E");
    let expected = [
        "booking.read",
        "booking.readTeamAuditLogs",
        "booking.readTeamBookings",
        "booking.update",
        "role.read",
        "team.changeMemberRole",
        "team.listMembers",
        "team.read",
        "workflow.read",
    ];
    assert_eq!(permissions(&role), expected);

    page.press(Key::Enter);
    page.heading("Workflows").wait();
    tab_to("button \"Delete: Night shift\"");
    page.press(Key::Enter);
    page.role("dialog", "Delete Night shift?").wait();
    // An extra Enter must not delete.
    editor.wait_for_focus("button \"Keep\"");
    page.press(Key::Tab);
    editor.wait_for_focus("button \"Delete\"");
    page.press(Key::Enter);
    page.button("Night shift").wait_gone();
    page.wait_until("the focus somewhere", || page.focus() != "nothing");
    page.assert_no_errors();
}

#[test]
fn permissions_are_skipped_by_keyboard() {
    let editor = RoleEditor::new();
    let page = &editor.page;
    page.button("New role").click();
    editor.wait_for_focus("textbox \"Name\"");
    let skip = "button \"Skip to changes and saving\"";
    tab_until(page, "the skip button", || page.focus() == skip);
    page.press(Key::Enter);
    editor.wait_for_focus("button \"Create role\"");
    page.assert_no_errors();
}

#[test]
fn organization_role_is_created_in_the_same_editor() {
    let editor = RoleEditor::of_the_organization();
    let page = &editor.page;
    page.button("New role").click();
    page.field("Name").fill("Auditors");
    page.wait_for_text("0 of 59 chosen");
    editor.show_individually();
    editor
        .checkbox("Member attributes", "Edit member attributes")
        .click();
    page.wait_for_text("Also adds “Organisation: View”, which “Member attributes: View” requires.");
    page.wait_for_text("4 of 59 chosen");
    // The permission for everything is separate from the known ones.
    page.field("Select all").click();
    page.wait_for_text("58 of 59 chosen");
    page.field("Full access, including features added later")
        .click();
    page.wait_for_text("This role has full access, including features added later.");
    page.button("Clear selection").click();
    page.wait_for_text("0 of 59 chosen");
    page.wait_for_no_text("This role has full access");
    page.field("By resource").click();
    page.role("radiogroup", "Watchlist")
        .field("View only")
        .click();
    page.button("Create role").click();
    editor.wait_for_focus("button \"Auditors\"");
    let roles = editor.service.owner().get(ORGANIZATION_ROLES).data();
    let mut roles = roles.as_array().cloned().unwrap_or_default().into_iter();
    let role = roles
        .find(|role| role["name"] == "Auditors")
        .expect("the role");
    assert_eq!(permissions(&role), ["watchlist.read"]);
    assert_eq!(role["organizationId"], 1);
    editor
        .page
        .wait_for_event(&format!("role-created {}", text(&role["id"])));
    // Members are not needed here.
    assert_eq!(editor.faults.count("GET", "/v2/teams"), 0);
    assert_eq!(editor.faults.count("GET", "/v2/me"), 0);
    page.assert_no_errors();
}

#[test]
fn new_role_starts_from_a_card_and_is_refined_by_resource() {
    let editor = RoleEditor::new();
    let page = &editor.page;
    page.button("New role").click();
    page.field("Name").fill("Day shift");
    let card = page.button("Front desk 7 permissions");
    assert_eq!(card.attribute("aria-pressed").as_deref(), Some("false"));
    card.click();
    page.wait_for_text("7 of 37 chosen");
    assert_eq!(card.attribute("aria-pressed").as_deref(), Some("true"));
    // Identifiers are folded.
    let bookings = page.role("radiogroup", "Bookings");
    assert!(bookings.field("Team + confirm").is_checked());
    page.wait_for_text("7 permissions");
    // Chosen in one place.
    let more = page.field("Starting point");
    assert_eq!(more.value(), "");
    assert!(!more.read_text().contains("Front desk"));
    // A second press undoes it.
    card.click();
    page.wait_for_text("0 of 37 chosen");
    card.click();
    bookings.field("Custom").click();
    let view_recordings = page.role("group", "Bookings").field("View recordings");
    assert!(view_recordings.is_checked());
    assert!(!page.shows("booking.readRecordings"));
    page.field("Show identifiers").click();
    page.wait_for_text("booking.readRecordings");

    // Ticking in an open row keeps it open, even if the result is another level.
    view_recordings.click();
    page.wait_for_text("6 of 37 chosen");
    page.role("group", "Bookings")
        .field("View own bookings")
        .click();
    page.wait_for_text("3 of 37 chosen");
    assert!(bookings.field("Custom").is_checked());
    page.role("group", "Bookings")
        .field("View own bookings")
        .wait();
    bookings.field("Own").click();
    page.wait_for_text("4 of 37 chosen");
    page.role("group", "Bookings").wait_gone();

    page.role("radiogroup", "Webhooks").field("Custom").click();
    page.role("group", "Webhooks").field("View").click();
    page.wait_for_text("5 of 37 chosen");
    page.button("Create role").click();
    editor.wait_for_focus("button \"Day shift\"");
    let expected = [
        "booking.read",
        "eventType.read",
        "team.listMembers",
        "team.read",
        "webhook.read",
    ];
    assert_eq!(permissions(&editor.stored("Day shift")), expected);
    // The list shows identifiers like the form.
    page.press(Key::Enter);
    page.wait_for_text("webhook.read");
    page.assert_no_errors();
}

#[test]
fn bar_that_saves_a_role_stays_in_sight_and_says_what_it_saves() {
    let editor = RoleEditor::new();
    let page = &editor.page;
    if page.engine() != Engine::Chromium {
        return;
    }
    let is_in_sight = || {
        let is_in_sight = "const bar = document.querySelector('booking-roles').shadowRoot \
                .querySelector('.role-save').getBoundingClientRect(); \
            return bar.top > 0 && bar.bottom <= innerHeight";
        page.run(is_in_sight, &[]) == true
    };
    let bar = page.css(".role-save");
    page.button("New role").click();
    for size in [(320, 640), (390, 844), (1280, 900)] {
        page.emulate_viewport(size, 16);
        for end in ["0", "document.documentElement.scrollHeight"] {
            page.run(&format!("scrollTo(0, {end})"), &[]);
            page.wait_until(&format!("the bar at {size:?} {end}"), is_in_sight);
        }
    }
    bar.text("0 permissions").wait();
    page.button("Front desk 7 permissions").click();
    bar.text("7 permissions").wait();
    bar.button("Cancel").click();

    editor.edit("Scheduler");
    bar.text("No changes.").wait();
    page.field("Name").fill("Reception");
    bar.text("1 change").wait();
    editor.checkbox("Webhooks", "Edit").click();
    // The permission, and the one that it requires.
    bar.text("3 changes").wait();
    page.assert_accessible("the bar that saves a role");
    page.assert_no_errors();
}
