//! Descriptions of the API and its tags, and ids of operations.

use std::borrow::Cow;

use serde_json::{Value, json};

/// Description of the API.
pub(super) const DESCRIPTION: &str = "\
Event types, slots, bookings, users, teams and roles.

**Credentials.** An API key (`svc_...`) has all permissions of its user, or only the scopes that \
it was created with. An access token of a managed user is limited to the scopes of its OAuth \
client. The id and secret of an OAuth client act as the client's owner. The operations that a \
booking page needs work without credentials. Each operation lists its allowed callers.

**Responses.** A success is `{\"status\": \"success\", \"data\": ...}`. An error is \
`{\"status\": \"error\", \"error\": {\"code\", \"message\", \"details\"}}`; for invalid input, \
`details.errors` lists every invalid property and the rule that it breaks. Every response has the \
header `X-Request-Id`.

**Unknown parameters and body keys.** They are rejected (400) below `/v2/slots` and `/v2/bookings`, \
and ignored elsewhere.

**Times.** Instants are UTC with milliseconds; zones are IANA ids.";

/// Returns true if unknown parameters and body keys are rejected at `path`, and not ignored.
pub(super) fn rejects_unknown_keys(path: &str) -> bool {
    ["/v2/slots", "/v2/bookings"]
        .iter()
        .any(|prefix| path.starts_with(prefix))
}

/// Tags with their descriptions, in display order.
const TAGS: [(&str, &str); 22] = [
    (
        "Slots",
        "Times that can be booked, and reservations of them.",
    ),
    (
        "Bookings",
        "Bookings of slots. The uid of a booking gives access to it.",
    ),
    ("Event types", "Bookable event types of a user."),
    (
        "Team event types",
        "Bookable event types of a team, and their hosts.",
    ),
    ("Schedules", "Working hours with date overrides."),
    (
        "Out of office",
        "Days on which a member of an organisation cannot be booked.",
    ),
    ("Profile", "The caller's own data."),
    (
        "Verified emails",
        "E-mail addresses that the caller, or a visitor who books, has verified by a code.",
    ),
    (
        "Verified emails of teams",
        "E-mail addresses that members have verified for their team.",
    ),
    ("Teams", "Groups of users."),
    ("Memberships", "Members of a team and their roles."),
    (
        "Organization memberships",
        "Members of an organisation and their roles. Operators of the service add users.",
    ),
    ("Team roles", "Named sets of permissions of a team."),
    (
        "Organization roles",
        "Named sets of permissions of an organisation.",
    ),
    (
        "Webhooks",
        "Subscriptions to events of a user's bookings and absences.",
    ),
    (
        "Webhooks of event types",
        "Subscriptions to events of one event type's bookings.",
    ),
    (
        "Webhooks of team event types",
        "Subscriptions to events of one team event type's bookings.",
    ),
    (
        "Webhooks of organizations",
        "Subscriptions to events of all bookings in an organisation.",
    ),
    (
        "Webhooks of OAuth clients",
        "Subscriptions to events of the bookings of a platform's users.",
    ),
    (
        "Managed users",
        "Users that a platform manages through its OAuth client, and their tokens.",
    ),
    ("OAuth clients", "Platforms that act for their own users."),
    ("Organizations", "Groups of teams."),
];

/// Used tags, the known ones first and in display order.
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

/// Last path segments that are actions, not resources.
const ACTIONS: [&str; 8] = [
    "cancel",
    "reschedule",
    "confirm",
    "decline",
    "mark-absent",
    "reassign",
    "force-refresh",
    "resend",
];

/// Unique id of an operation: `listTeamBookings` for GET `/v2/teams/{teamId}/bookings`.
pub(super) fn operation_id(method: &str, path: &str) -> String {
    match (method, path) {
        ("get", "/v2/me") => return "getMe".into(),
        ("patch", "/v2/me") => return "updateMe".into(),
        ("get", "/v2/schedules/default") => return "getDefaultSchedule".into(),
        ("get", "/v2/bookings/by-seat/{seatUid}") => return "getBookingBySeat".into(),
        ("post", "/v2/bookings/{bookingUid}/reassign/{userId}") => {
            return "reassignBookingToUser".into();
        }
        ("post", "/v2/bookings/{bookingUid}/correct-email") => {
            return "correctBookingEmail".into();
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
        (_, Some(action)) => camel_case(action, false),
        ("get", _) if is_collection => "list".into(),
        ("post", _) if matches!(last, "permissions" | "guests") => "add".into(),
        ("post", _) => "create".into(),
        ("put", _) => "replace".into(),
        ("patch", _) => "update".into(),
        (other, _) => other.to_owned(),
    };
    let resources: Vec<&str> = parts
        .iter()
        .copied()
        .filter(|part| !part.starts_with('{'))
        .collect();
    let is_plural = is_collection && verb != "create";
    let count = resources.len();
    let names: Vec<String> = resources
        .iter()
        .enumerate()
        .map(|(index, resource)| {
            let is_plural = is_plural && index + 1 == count;
            let name = if is_plural {
                Cow::from(*resource)
            } else {
                singular(resource)
            };
            camel_case(&name, true)
        })
        .collect();
    format!("{verb}{}", names.concat())
}

/// Singular of a resource: `oauth-clients` to `oauth-client`, `deliveries` to `delivery`.
fn singular(plural: &str) -> Cow<'_, str> {
    match plural.strip_suffix("ies") {
        Some(stem) => format!("{stem}y").into(),
        None => plural.strip_suffix('s').unwrap_or(plural).into(),
    }
}

/// Converts `mark-absent` to `MarkAbsent` or `markAbsent`.
fn camel_case(name: &str, is_capitalised: bool) -> String {
    let mut text = String::new();
    for part in name.split('-') {
        let mut letters = part.chars();
        let Some(first) = letters.next() else {
            continue;
        };
        if text.is_empty() && !is_capitalised {
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
    fn operation_id_consists_of_verb_and_resources() {
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
                "get",
                "/v2/webhooks/{webhookId}/deliveries",
                "listWebhookDeliveries",
            ),
            (
                "post",
                "/v2/webhooks/{webhookId}/deliveries/{deliveryId}/resend",
                "resendWebhookDelivery",
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
