//! Event types.

use booking_wire::{EventTypeKey, PublicEventType, Read};
use serde_json::Value;

use crate::client::dialect::VersionGroup;
use crate::client::error::{ApiError, DeclineReason};
use crate::client::http::abort::Abort;
use crate::client::http::{Call, Client};

impl Client {
    /// Loads the event type `key`. `organization` is the slug of the person's organisation, within which user
    /// names are unique.
    pub async fn event_type(
        &self,
        key: EventTypeKey,
        organization: Option<String>,
        abort: Abort,
    ) -> Result<PublicEventType, ApiError> {
        let group = VersionGroup::EventTypes;
        let is_named_team = matches!(&key, EventTypeKey::Team { team, .. } if is_name(team));
        let call = match key {
            EventTypeKey::Id(id) => Call::get(group, format!("/v2/event-types/{id}"), Vec::new()),
            EventTypeKey::User { username, slug } => Call::get(
                group,
                "/v2/event-types".to_owned(),
                of_user(username, Some(slug), organization),
            ),
            EventTypeKey::Team { team, slug } => Call::get(
                VersionGroup::None,
                format!("/v2/teams/{team}/event-types"),
                vec![("eventSlug", slug)],
            ),
        };
        let found = self.data(call, &abort).await;
        let Found(offer) = found.map_err(|error| of_team(error, is_named_team))?;
        offer.ok_or(ApiError::Declined(DeclineReason::NotFound))
    }

    /// Loads the public event types of a user.
    pub async fn event_types_of_user(
        &self,
        username: String,
        organization: Option<String>,
        abort: Abort,
    ) -> Result<Vec<PublicEventType>, ApiError> {
        let query = of_user(username, None, organization);
        self.data(
            Call::get(
                VersionGroup::EventTypes,
                "/v2/event-types".to_owned(),
                query,
            ),
            &abort,
        )
        .await
    }

    /// Loads the event types of a team, by its id or, in services of this project, its slug. `T` is [`PublicEventType`],
    /// or a type with fewer fields.
    pub async fn event_types_of_team<T: Read>(
        &self,
        team: String,
        abort: Abort,
    ) -> Result<Vec<T>, ApiError> {
        let path = format!("/v2/teams/{team}/event-types");
        self.data(Call::get(VersionGroup::None, path, Vec::new()), &abort)
            .await
            .map_err(|error| of_team(error, is_name(&team)))
    }
}

/// True for the slug of a team, false for its id.
fn is_name(team: &str) -> bool {
    team.parse::<i64>().is_err()
}

/// Error for a team. A service without names of teams rejects one as invalid: the team is unknown there.
fn of_team(error: ApiError, is_named: bool) -> ApiError {
    match error {
        ApiError::Declined(DeclineReason::Invalid(_)) if is_named => {
            ApiError::Declined(DeclineReason::NotFound)
        }
        error => error,
    }
}

/// Query for a user's event types, in the same order as in the prefetch request.
fn of_user(
    username: String,
    slug: Option<String>,
    organization: Option<String>,
) -> Vec<(&'static str, String)> {
    let mut query = vec![("username", username)];
    query.extend(slug.map(|slug| ("eventSlug", slug)));
    query.extend(organization.map(|slug| ("orgSlug", slug)));
    query
}

/// Response to a query by id (one event type) or by name (a list).
struct Found(Option<PublicEventType>);

impl Read for Found {
    fn read(value: &Value) -> Option<Self> {
        match value.as_array() {
            Some(list) => Some(Self(list.iter().find_map(PublicEventType::read))),
            None => PublicEventType::read(value).map(|offer| Self(Some(offer))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_is_unknown_for_names_of_teams_only() {
        let invalid = || ApiError::Declined(DeclineReason::Invalid("numeric".to_owned()));
        let unknown = ApiError::Declined(DeclineReason::NotFound);
        assert_eq!(of_team(invalid(), is_name("customer-success")), unknown);
        assert_eq!(of_team(invalid(), is_name("4711")), invalid());
        assert_eq!(of_team(unknown.clone(), false), unknown);
    }
}
