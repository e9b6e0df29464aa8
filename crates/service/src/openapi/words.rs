//! The document's own words: what the interface is, what its parts are called, and a name for
//! each operation.

use serde_json::{Value, json};

/// What the interface is about.
pub(super) const ABOUT: &str = "\
Event types, free times, bookings, and the people, teams and roles around them.

**Credentials.** An API key (`svc_...`) acts with all rights of its user, or within the scopes that \
it was made with. An access token of a managed user is limited to the scopes of its OAuth client. The id and secret of an OAuth client \
act as the client's owner. What a visitor of a booking page needs can be called without any of \
them. Each operation says who may call it.

**Answers.** A success is `{\"status\": \"success\", \"data\": ...}`. A failure is \
`{\"status\": \"error\", \"error\": {\"code\", \"message\", \"details\"}}`; where the input was at \
fault, `details.errors` names every property and the rule that it breaks. Every answer carries \
`X-Request-Id`.

**Unknown parameters and body keys.** They are refused (400) below `/v2/slots` and `/v2/bookings`, and \
ignored elsewhere.

**Times.** Instants are UTC with milliseconds; zones are IANA ids.";

/// Returns true if unknown parameters and body keys are refused at `path`, and not ignored.
pub(super) fn refuses_unknown_keys(path: &str) -> bool {
    ["/v2/slots", "/v2/bookings"]
        .iter()
        .any(|family| path.starts_with(family))
}

/// Tags in the order in which they are read, with what they are about.
const TAGS: [(&str, &str); 20] = [
    (
        "Slots",
        "Times that can be booked, and short holds on them.",
    ),
    (
        "Bookings",
        "Made by visitors, looked after by hosts. The uid of a booking gives access to it.",
    ),
    ("Event types", "What a person offers to be booked."),
    ("Team event types", "What a team offers, by whose hosts."),
    ("Schedules", "Working hours, with their exceptions."),
    (
        "Out of office",
        "Days on which a member of an organisation cannot be booked.",
    ),
    ("Profile", "The caller's own data."),
    ("Teams", "People who work together."),
    ("Memberships", "Who belongs to a team, and as what."),
    (
        "Organization memberships",
        "Who belongs to an organisation, and as what. Whoever runs the service adds people.",
    ),
    ("Team roles", "Named sets of permissions of a team."),
    (
        "Organization roles",
        "Named sets of permissions of an organisation.",
    ),
    (
        "Webhooks",
        "Programs that are told of what happens to a person's bookings and absences.",
    ),
    (
        "Webhooks of event types",
        "Programs that are told of one event type's bookings.",
    ),
    (
        "Webhooks of team event types",
        "Programs that are told of one team event type's bookings.",
    ),
    (
        "Webhooks of organizations",
        "Programs that are told of all bookings in an organisation.",
    ),
    (
        "Webhooks of OAuth clients",
        "Programs that are told of the bookings of a platform's users.",
    ),
    (
        "Managed users",
        "Users whom a platform looks after through its OAuth client, and their tokens.",
    ),
    (
        "OAuth clients",
        "Platforms that act for users of their own.",
    ),
    ("Organizations", "Teams under one roof."),
];

/// The tags that are used, the known ones first and in their order.
pub(super) fn tags(used: &[String]) -> Value {
    let known = TAGS
        .iter()
        .filter(|(name, _)| used.iter().any(|tag| tag == name))
        .map(|(name, description)| json!({"name": name, "description": description}));
    let other = used
        .iter()
        .filter(|tag| TAGS.iter().all(|(name, _)| name != tag))
        .map(|tag| json!({"name": tag}));
    known.chain(other).collect()
}

/// Last words of a path that name what is done, and not what it is done to.
const ACTIONS: [&str; 7] = [
    "cancel",
    "reschedule",
    "confirm",
    "decline",
    "mark-absent",
    "reassign",
    "force-refresh",
];

/// A name for an operation that no other one has: `listTeamBookings` for GET
/// `/v2/teams/{teamId}/bookings`.
pub(super) fn operation_id(method: &str, path: &str) -> String {
    match (method, path) {
        ("get", "/v2/me") => return "getMe".into(),
        ("patch", "/v2/me") => return "updateMe".into(),
        ("get", "/v2/schedules/default") => return "getDefaultSchedule".into(),
        ("get", "/v2/bookings/by-seat/{seatUid}") => return "getBookingBySeat".into(),
        ("post", "/v2/bookings/{bookingUid}/reassign/{userId}") => {
            return "reassignBookingToUser".into();
        }
        ("post", "/v2/oauth/{clientId}/refresh") => return "refreshTokens".into(),
        _ => {}
    }
    let mut parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    if parts.first() == Some(&"v2") {
        parts.remove(0);
    }
    let action = parts
        .last()
        .filter(|last| method == "post" && ACTIONS.contains(last))
        .copied();
    if action.is_some() {
        parts.pop();
    }
    let is_one = parts.last().is_none_or(|last| last.starts_with('{'));
    let last = parts.last().copied().unwrap_or_default();
    let is_collection = !is_one && last.ends_with('s') || last == "ooo";
    let verb = match (method, action) {
        (_, Some(action)) => camel(&[action], false),
        ("get", _) if is_collection => "list".into(),
        ("post", _) if matches!(last, "permissions" | "guests") => "add".into(),
        ("post", _) => "create".into(),
        ("put", _) => "replace".into(),
        ("patch", _) => "update".into(),
        (other, _) => other.to_owned(),
    };
    let things: Vec<&str> = parts
        .iter()
        .copied()
        .filter(|part| !part.starts_with('{'))
        .collect();
    let keeps_plural = is_collection && verb != "create";
    let count = things.len();
    let names: Vec<String> = things
        .iter()
        .enumerate()
        .map(|(place, thing)| {
            let plural = keeps_plural && place + 1 == count;
            let thing = if plural { thing } else { singular(thing) };
            camel(&[thing], true)
        })
        .collect();
    format!("{verb}{}", names.concat())
}

/// `teams` to `team`; `oauth-clients` to `oauth-client`.
fn singular(plural: &str) -> &str {
    plural.strip_suffix('s').unwrap_or(plural)
}

/// `["mark-absent"]` to `MarkAbsent` or `markAbsent`.
fn camel(words: &[&str], capital: bool) -> String {
    let mut text = String::new();
    for part in words.iter().flat_map(|word| word.split('-')) {
        let mut letters = part.chars();
        let Some(first) = letters.next() else {
            continue;
        };
        if text.is_empty() && !capital {
            text.push(first);
        } else {
            text.extend(first.to_uppercase());
        }
        text.push_str(letters.as_str());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_named_after_what_they_do_to_what() {
        for (method, path, expected) in [
            ("get", "/v2/slots", "listSlots"),
            ("post", "/v2/slots/reservations", "createSlotReservation"),
            (
                "get",
                "/v2/slots/reservations/{reservationUid}",
                "getSlotReservation",
            ),
            ("post", "/v2/bookings", "createBooking"),
            ("post", "/v2/bookings/{bookingUid}/cancel", "cancelBooking"),
            (
                "post",
                "/v2/bookings/{bookingUid}/mark-absent",
                "markAbsentBooking",
            ),
            (
                "post",
                "/v2/bookings/{bookingUid}/guests",
                "addBookingGuests",
            ),
            (
                "patch",
                "/v2/bookings/{bookingUid}/location",
                "updateBookingLocation",
            ),
            ("get", "/v2/teams/{teamId}/bookings", "listTeamBookings"),
            (
                "delete",
                "/v2/event-types/{eventTypeId}/webhooks",
                "deleteEventTypeWebhooks",
            ),
            (
                "put",
                "/v2/organizations/{orgId}/roles/{roleId}/permissions",
                "replaceOrganizationRolePermissions",
            ),
            (
                "delete",
                "/v2/organizations/{orgId}/roles/{roleId}/permissions/{permission}",
                "deleteOrganizationRolePermission",
            ),
            (
                "get",
                "/v2/organizations/{orgId}/ooo",
                "listOrganizationOoo",
            ),
            (
                "post",
                "/v2/oauth-clients/{clientId}/users/{userId}/force-refresh",
                "forceRefreshOauthClientUser",
            ),
        ] {
            assert_eq!(operation_id(method, path), expected, "{method} {path}");
        }
    }
}
