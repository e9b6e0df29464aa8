//! Who may do what: one table of operations, and one authoriser that every guarded operation asks.
//!
//! An operation is known by its method and path, so a handler cannot ask with another one's rule:
//! [`super::Caller`] finds the rule of the route that it was extracted for, and enforces its
//! scope at once. What remains for the handler is to say on what the caller acts ([`Subject`]).

use crate::error::{Error, Result};
use crate::store::accounts::{self, MembershipRole};
use crate::store::booking_acts::Known;
use crate::store::roles::Level;
use crate::store::{Db, roles};

/// One operation and what it asks of its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// HTTP method.
    pub method: &'static str,
    /// Path with its parameters in braces.
    pub path: &'static str,
    /// What an access token's client must have been granted; none where every token will do.
    pub scope: Option<&'static str>,
    /// What the caller must be.
    pub needs: Needs,
}

/// What an operation asks of its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Nothing: public, or the uid in the path is the capability (contract 2.4).
    Nothing,
    /// To be signed in. The operation acts on what is the caller's own.
    Caller,
    /// This permission in the team.
    Team(&'static str),
    /// This permission in the organisation.
    Organization(&'static str),
    /// To own the object, or this permission in the team or organisation that it belongs to.
    Owner(&'static str),
    /// To host the booking or own what was booked, or this permission in its team.
    Host(&'static str),
    /// The id and secret of the OAuth client in the path.
    Client,
}

/// What an operation acts on, as far as it decides about access.
#[derive(Clone, Debug, Default)]
pub struct Subject {
    /// Users who own it or host it.
    pub user_ids: Vec<i64>,
    /// The team that it belongs to.
    pub team_id: Option<i64>,
    /// The organisation that it belongs to; a team's own organisation need not be named.
    pub organization_id: Option<i64>,
}

impl Subject {
    /// A booking: its hosts, the owner of what was booked, and those who run the team may act on it.
    pub fn of_booking(booking: &Known) -> Self {
        Self {
            user_ids: booking
                .host_ids
                .iter()
                .copied()
                .chain(booking.owner_id)
                .collect(),
            team_id: booking.team_id,
            organization_id: None,
        }
    }

    /// Something that belongs to one person alone.
    pub fn of_user(user_id: i64) -> Self {
        Self {
            user_ids: vec![user_id],
            ..Self::default()
        }
    }

    /// Something that belongs to a team.
    pub fn of_team(team_id: i64) -> Self {
        Self {
            team_id: Some(team_id),
            ..Self::default()
        }
    }

    /// Something that belongs to an organisation.
    pub fn of_organization(organization_id: i64) -> Self {
        Self {
            organization_id: Some(organization_id),
            ..Self::default()
        }
    }

    /// Something that belongs to a team or an organisation.
    pub fn of_level(level: Level) -> Self {
        match level {
            Level::Team(id) => Self::of_team(id),
            Level::Organization(id) => Self::of_organization(id),
        }
    }
}

/// The rule of a route. HEAD counts as GET.
pub fn rule(method: &str, path: &str) -> Option<&'static Rule> {
    let method = if method == "HEAD" { "GET" } else { method };
    TABLE
        .iter()
        .find(|rule| rule.method == method && rule.path == path)
}

/// Refuses a user who is not what `rule` asks for.
pub async fn authorise(db: &mut Db, rule: &Rule, user_id: i64, subject: &Subject) -> Result<()> {
    let permission = match rule.needs {
        // Client credentials were checked when they were read.
        Needs::Nothing | Needs::Client => return Ok(()),
        Needs::Caller => {
            return if subject.user_ids.contains(&user_id) {
                Ok(())
            } else {
                Err(Error::Forbidden("only its owner may do this".into()))
            };
        }
        Needs::Owner(_) | Needs::Host(_) if subject.user_ids.contains(&user_id) => return Ok(()),
        Needs::Team(permission)
        | Needs::Organization(permission)
        | Needs::Owner(permission)
        | Needs::Host(permission) => permission,
    };
    if holds(db, user_id, permission, subject).await? {
        Ok(())
    } else {
        Err(Error::Forbidden(format!(
            "this needs the permission {permission}"
        )))
    }
}

/// Whether the user holds `permission` in the subject's team or organisation.
pub async fn holds(db: &mut Db, user_id: i64, permission: &str, subject: &Subject) -> Result<bool> {
    if accounts::runs_the_service(db, user_id).await? {
        return Ok(true);
    }
    let mut organization_id = subject.organization_id;
    if let Some(team_id) = subject.team_id {
        let team = accounts::team(db, team_id).await?;
        organization_id = organization_id.or(team.and_then(|team| team.organization_id));
        if let Some(standing) = accounts::standing(db, user_id, team_id).await? {
            let role_id = standing.role_id.as_deref();
            let role_id = role_id.unwrap_or(standing.role.system_role());
            if roles::allows(db, role_id, permission).await? {
                return Ok(true);
            }
        }
    }
    let Some(organization_id) = organization_id else {
        return Ok(false);
    };
    let Some(standing) = accounts::organization_standing(db, user_id, organization_id).await?
    else {
        return Ok(false);
    };
    // Whoever runs the organisation runs all that is in it.
    if standing.role >= MembershipRole::Admin {
        return Ok(true);
    }
    let Some(role_id) = standing.role_id else {
        return Ok(false);
    };
    for name in [permission, of_organization(permission), "*.*"] {
        if roles::allows(db, &role_id, name).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The name under which an organisation's role gives a permission of its teams (contract 4.5).
fn of_organization(permission: &str) -> &str {
    match permission {
        "booking.readTeamBookings" => "booking.readOrgBookings",
        "booking.readTeamAuditLogs" => "booking.readOrgAuditLogs",
        other => other,
    }
}

macro_rules! table {
    ($($method:ident $path:literal, $scope:expr, $needs:expr;)*) => {
        &[$(Rule {
            method: stringify!($method),
            path: $path,
            scope: $scope,
            needs: $needs,
        }),*]
    };
}

const NO_SCOPE: Option<&str> = None;
const EVENT_TYPE_READ: Option<&str> = Some("EVENT_TYPE_READ");
const EVENT_TYPE_WRITE: Option<&str> = Some("EVENT_TYPE_WRITE");
const BOOKING_READ: Option<&str> = Some("BOOKING_READ");
const BOOKING_WRITE: Option<&str> = Some("BOOKING_WRITE");
const SCHEDULE_READ: Option<&str> = Some("SCHEDULE_READ");
const SCHEDULE_WRITE: Option<&str> = Some("SCHEDULE_WRITE");
const PROFILE_READ: Option<&str> = Some("PROFILE_READ");
const PROFILE_WRITE: Option<&str> = Some("PROFILE_WRITE");
const APPS_READ: Option<&str> = Some("APPS_READ");
const APPS_WRITE: Option<&str> = Some("APPS_WRITE");

use Needs::{Caller, Client, Host, Nothing, Organization, Owner, Team};

/// Every operation of the interface. Teams, members and roles are guarded by the scopes of the
/// profile, webhooks by those of apps: the interface has no scopes of their own for them.
pub static TABLE: &[Rule] = table! {
    GET "/v2/event-types", EVENT_TYPE_READ, Nothing;
    POST "/v2/event-types", EVENT_TYPE_WRITE, Caller;
    GET "/v2/event-types/{eventTypeId}", EVENT_TYPE_READ, Nothing;
    PATCH "/v2/event-types/{eventTypeId}", EVENT_TYPE_WRITE, Owner("eventType.update");
    DELETE "/v2/event-types/{eventTypeId}", EVENT_TYPE_WRITE, Owner("eventType.delete");
    GET "/v2/teams/{teamId}/event-types", EVENT_TYPE_READ, Nothing;
    POST "/v2/teams/{teamId}/event-types", EVENT_TYPE_WRITE, Team("eventType.create");
    GET "/v2/teams/{teamId}/event-types/{eventTypeId}", EVENT_TYPE_READ, Nothing;
    PATCH "/v2/teams/{teamId}/event-types/{eventTypeId}", EVENT_TYPE_WRITE, Team("eventType.update");
    DELETE "/v2/teams/{teamId}/event-types/{eventTypeId}", EVENT_TYPE_WRITE, Team("eventType.delete");

    GET "/v2/slots", NO_SCOPE, Nothing;
    POST "/v2/slots/reservations", NO_SCOPE, Nothing;
    GET "/v2/slots/reservations/{reservationUid}", NO_SCOPE, Nothing;
    PATCH "/v2/slots/reservations/{reservationUid}", NO_SCOPE, Nothing;
    DELETE "/v2/slots/reservations/{reservationUid}", NO_SCOPE, Nothing;

    GET "/v2/bookings", BOOKING_READ, Caller;
    POST "/v2/bookings", BOOKING_WRITE, Nothing;
    GET "/v2/bookings/by-seat/{seatUid}", BOOKING_READ, Nothing;
    GET "/v2/bookings/{bookingUid}", BOOKING_READ, Nothing;
    POST "/v2/bookings/{bookingUid}/cancel", BOOKING_WRITE, Nothing;
    POST "/v2/bookings/{bookingUid}/reschedule", BOOKING_WRITE, Nothing;
    POST "/v2/bookings/{bookingUid}/confirm", BOOKING_WRITE, Host("booking.update");
    POST "/v2/bookings/{bookingUid}/decline", BOOKING_WRITE, Host("booking.update");
    POST "/v2/bookings/{bookingUid}/mark-absent", BOOKING_WRITE, Host("booking.update");
    POST "/v2/bookings/{bookingUid}/reassign", BOOKING_WRITE, Host("booking.update");
    POST "/v2/bookings/{bookingUid}/reassign/{userId}", BOOKING_WRITE, Host("booking.update");
    POST "/v2/bookings/{bookingUid}/guests", BOOKING_WRITE, Host("booking.update");
    GET "/v2/bookings/{bookingUid}/attendees", BOOKING_READ, Host("booking.readTeamBookings");
    POST "/v2/bookings/{bookingUid}/attendees", BOOKING_WRITE, Host("booking.update");
    GET "/v2/bookings/{bookingUid}/attendees/{attendeeId}", BOOKING_READ, Host("booking.readTeamBookings");
    PATCH "/v2/bookings/{bookingUid}/location", BOOKING_WRITE, Host("booking.update");
    GET "/v2/bookings/{bookingUid}/calendar-links", BOOKING_READ, Host("booking.readTeamBookings");
    GET "/v2/bookings/{bookingUid}/references", BOOKING_READ, Host("booking.readTeamBookings");
    GET "/v2/bookings/{bookingUid}/recordings", BOOKING_READ, Host("booking.readRecordings");
    GET "/v2/bookings/{bookingUid}/transcripts", BOOKING_READ, Host("booking.readRecordings");
    GET "/v2/teams/{teamId}/bookings", BOOKING_READ, Team("booking.readTeamBookings");
    GET "/v2/organizations/{orgId}/teams/{teamId}/bookings", BOOKING_READ, Team("booking.readTeamBookings");

    GET "/v2/organizations/{orgId}/teams/{teamId}/roles", PROFILE_READ, Team("role.read");
    POST "/v2/organizations/{orgId}/teams/{teamId}/roles", PROFILE_WRITE, Team("role.create");
    GET "/v2/organizations/{orgId}/teams/{teamId}/roles/{roleId}", PROFILE_READ, Team("role.read");
    PATCH "/v2/organizations/{orgId}/teams/{teamId}/roles/{roleId}", PROFILE_WRITE, Team("role.update");
    DELETE "/v2/organizations/{orgId}/teams/{teamId}/roles/{roleId}", PROFILE_WRITE, Team("role.delete");
    GET "/v2/organizations/{orgId}/teams/{teamId}/roles/{roleId}/permissions", PROFILE_READ, Team("role.read");
    POST "/v2/organizations/{orgId}/teams/{teamId}/roles/{roleId}/permissions", PROFILE_WRITE, Team("role.update");
    PUT "/v2/organizations/{orgId}/teams/{teamId}/roles/{roleId}/permissions", PROFILE_WRITE, Team("role.update");
    DELETE "/v2/organizations/{orgId}/teams/{teamId}/roles/{roleId}/permissions", PROFILE_WRITE, Team("role.update");
    DELETE "/v2/organizations/{orgId}/teams/{teamId}/roles/{roleId}/permissions/{permission}", PROFILE_WRITE, Team("role.update");

    GET "/v2/organizations/{orgId}/roles", PROFILE_READ, Organization("role.read");
    POST "/v2/organizations/{orgId}/roles", PROFILE_WRITE, Organization("role.create");
    GET "/v2/organizations/{orgId}/roles/{roleId}", PROFILE_READ, Organization("role.read");
    PATCH "/v2/organizations/{orgId}/roles/{roleId}", PROFILE_WRITE, Organization("role.update");
    DELETE "/v2/organizations/{orgId}/roles/{roleId}", PROFILE_WRITE, Organization("role.delete");
    GET "/v2/organizations/{orgId}/roles/{roleId}/permissions", PROFILE_READ, Organization("role.read");
    POST "/v2/organizations/{orgId}/roles/{roleId}/permissions", PROFILE_WRITE, Organization("role.update");
    PUT "/v2/organizations/{orgId}/roles/{roleId}/permissions", PROFILE_WRITE, Organization("role.update");
    DELETE "/v2/organizations/{orgId}/roles/{roleId}/permissions", PROFILE_WRITE, Organization("role.update");
    DELETE "/v2/organizations/{orgId}/roles/{roleId}/permissions/{permission}", PROFILE_WRITE, Organization("role.update");

    GET "/v2/organizations/{orgId}/memberships", PROFILE_READ, Organization("organization.listMembers");
    GET "/v2/organizations/{orgId}/memberships/{membershipId}", PROFILE_READ, Owner("organization.listMembers");
    PATCH "/v2/organizations/{orgId}/memberships/{membershipId}", PROFILE_WRITE, Owner("organization.changeMemberRole");

    GET "/v2/teams", PROFILE_READ, Caller;
    POST "/v2/teams", PROFILE_WRITE, Caller;
    GET "/v2/teams/{teamId}", PROFILE_READ, Team("team.read");
    PATCH "/v2/teams/{teamId}", PROFILE_WRITE, Team("team.update");
    DELETE "/v2/teams/{teamId}", PROFILE_WRITE, Team("team.delete");
    GET "/v2/teams/{teamId}/memberships", PROFILE_READ, Team("team.listMembers");
    POST "/v2/teams/{teamId}/memberships", PROFILE_WRITE, Team("team.invite");
    GET "/v2/teams/{teamId}/memberships/{membershipId}", PROFILE_READ, Owner("team.listMembers");
    PATCH "/v2/teams/{teamId}/memberships/{membershipId}", PROFILE_WRITE, Owner("team.changeMemberRole");
    DELETE "/v2/teams/{teamId}/memberships/{membershipId}", PROFILE_WRITE, Owner("team.remove");
    GET "/v2/teams/{teamId}/schedules", SCHEDULE_READ, Team("team.listMembers");

    GET "/v2/schedules", SCHEDULE_READ, Caller;
    POST "/v2/schedules", SCHEDULE_WRITE, Caller;
    GET "/v2/schedules/default", SCHEDULE_READ, Caller;
    GET "/v2/schedules/{scheduleId}", SCHEDULE_READ, Caller;
    PATCH "/v2/schedules/{scheduleId}", SCHEDULE_WRITE, Caller;
    DELETE "/v2/schedules/{scheduleId}", SCHEDULE_WRITE, Caller;
    GET "/v2/organizations/{orgId}/ooo", SCHEDULE_READ, Organization("organization.listMembers");
    GET "/v2/organizations/{orgId}/users/{userId}/ooo", SCHEDULE_READ, Owner("organization.listMembers");
    POST "/v2/organizations/{orgId}/users/{userId}/ooo", SCHEDULE_WRITE, Owner("organization.update");
    PATCH "/v2/organizations/{orgId}/users/{userId}/ooo/{oooId}", SCHEDULE_WRITE, Owner("organization.update");
    DELETE "/v2/organizations/{orgId}/users/{userId}/ooo/{oooId}", SCHEDULE_WRITE, Owner("organization.update");

    GET "/v2/me", PROFILE_READ, Caller;
    PATCH "/v2/me", PROFILE_WRITE, Caller;

    GET "/v2/webhooks", APPS_READ, Caller;
    POST "/v2/webhooks", APPS_WRITE, Caller;
    GET "/v2/webhooks/{webhookId}", APPS_READ, Caller;
    PATCH "/v2/webhooks/{webhookId}", APPS_WRITE, Caller;
    DELETE "/v2/webhooks/{webhookId}", APPS_WRITE, Caller;
    GET "/v2/event-types/{eventTypeId}/webhooks", APPS_READ, Owner("webhook.read");
    POST "/v2/event-types/{eventTypeId}/webhooks", APPS_WRITE, Owner("webhook.create");
    DELETE "/v2/event-types/{eventTypeId}/webhooks", APPS_WRITE, Owner("webhook.delete");
    GET "/v2/event-types/{eventTypeId}/webhooks/{webhookId}", APPS_READ, Owner("webhook.read");
    PATCH "/v2/event-types/{eventTypeId}/webhooks/{webhookId}", APPS_WRITE, Owner("webhook.update");
    DELETE "/v2/event-types/{eventTypeId}/webhooks/{webhookId}", APPS_WRITE, Owner("webhook.delete");
    GET "/v2/teams/{teamId}/event-types/{eventTypeId}/webhooks", APPS_READ, Team("webhook.read");
    POST "/v2/teams/{teamId}/event-types/{eventTypeId}/webhooks", APPS_WRITE, Team("webhook.create");
    DELETE "/v2/teams/{teamId}/event-types/{eventTypeId}/webhooks", APPS_WRITE, Team("webhook.delete");
    GET "/v2/teams/{teamId}/event-types/{eventTypeId}/webhooks/{webhookId}", APPS_READ, Team("webhook.read");
    PATCH "/v2/teams/{teamId}/event-types/{eventTypeId}/webhooks/{webhookId}", APPS_WRITE, Team("webhook.update");
    DELETE "/v2/teams/{teamId}/event-types/{eventTypeId}/webhooks/{webhookId}", APPS_WRITE, Team("webhook.delete");
    GET "/v2/organizations/{orgId}/webhooks", APPS_READ, Organization("webhook.read");
    POST "/v2/organizations/{orgId}/webhooks", APPS_WRITE, Organization("webhook.create");
    GET "/v2/organizations/{orgId}/webhooks/{webhookId}", APPS_READ, Organization("webhook.read");
    PATCH "/v2/organizations/{orgId}/webhooks/{webhookId}", APPS_WRITE, Organization("webhook.update");
    DELETE "/v2/organizations/{orgId}/webhooks/{webhookId}", APPS_WRITE, Organization("webhook.delete");
    GET "/v2/oauth-clients/{clientId}/webhooks", NO_SCOPE, Client;
    POST "/v2/oauth-clients/{clientId}/webhooks", NO_SCOPE, Client;
    DELETE "/v2/oauth-clients/{clientId}/webhooks", NO_SCOPE, Client;
    GET "/v2/oauth-clients/{clientId}/webhooks/{webhookId}", NO_SCOPE, Client;
    PATCH "/v2/oauth-clients/{clientId}/webhooks/{webhookId}", NO_SCOPE, Client;
    DELETE "/v2/oauth-clients/{clientId}/webhooks/{webhookId}", NO_SCOPE, Client;

    POST "/v2/oauth/{clientId}/refresh", NO_SCOPE, Client;
    GET "/v2/oauth-clients/{clientId}/users", NO_SCOPE, Client;
    POST "/v2/oauth-clients/{clientId}/users", NO_SCOPE, Client;
    GET "/v2/oauth-clients/{clientId}/users/{userId}", NO_SCOPE, Client;
    PATCH "/v2/oauth-clients/{clientId}/users/{userId}", NO_SCOPE, Client;
    DELETE "/v2/oauth-clients/{clientId}/users/{userId}", NO_SCOPE, Client;
    POST "/v2/oauth-clients/{clientId}/users/{userId}/force-refresh", NO_SCOPE, Client;
};
