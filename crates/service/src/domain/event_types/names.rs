//! Identification of an event type by the parameters of a request.

use serde_json::Value;

use crate::error::{Error, Result};
use crate::store::Db;
use crate::store::event_types::{self, EventTypeFilter, StoredEventType};
use crate::store::people::accounts;
use crate::validate::Checks;

/// The parameters of a request that identify an event type.
#[derive(Clone, Debug, Default)]
pub struct EventTypeNames {
    /// `eventTypeId`.
    pub id: Option<i64>,
    /// `eventTypeSlug`.
    pub slug: Option<String>,
    /// `username`.
    pub username: Option<String>,
    /// `teamSlug`.
    pub team_slug: Option<String>,
    /// `organizationSlug`.
    pub organization_slug: Option<String>,
}

impl EventTypeNames {
    /// Adds a validation error unless exactly one form of identification is used.
    pub fn check(&self, checks: &mut Checks) {
        let by_id = self.id.is_some();
        let by_slug = self.slug.is_some();
        let owners = usize::from(self.username.is_some()) + usize::from(self.team_slug.is_some());
        let is_valid = match (by_id, by_slug) {
            (true, false) => owners == 0 && self.organization_slug.is_none(),
            (false, true) => owners == 1,
            _ => false,
        };
        if !is_valid {
            checks.report(
                "eventTypeId",
                &self.id.map_or(Value::Null, Value::from),
                "oneIdentification",
                "alone, or eventTypeSlug with either username or teamSlug, must name the event type",
            );
        }
    }

    /// Finds the event type. The error does not tell if the user, the team or the event type is
    /// missing, so that it does not reveal accounts.
    pub async fn find(&self, db: &mut Db) -> Result<StoredEventType> {
        if let Some(id) = self.id {
            return event_types::get(db, id)
                .await?
                .ok_or_else(|| self.missing());
        }
        let slug = Some(self.slug.as_deref().unwrap_or_default());
        let organization = self.organization_slug.as_deref();
        let filter = match (&self.username, &self.team_slug) {
            (Some(username), _) => accounts::user_id(db, username, organization)
                .await?
                .map(|id| EventTypeFilter::OfUser(id, slug)),
            (None, Some(team_slug)) => accounts::team_by_slug(db, team_slug, organization)
                .await?
                .map(|team| EventTypeFilter::OfTeam(team.id, slug)),
            (None, None) => return Err(Error::internal("an event type without an owner")),
        };
        let found = match filter {
            Some(filter) => event_types::find(db, filter).await?.pop(),
            None => None,
        };
        found.ok_or_else(|| self.missing())
    }

    /// The error for an event type that does not exist, with its id or slug.
    pub fn missing(&self) -> Error {
        match self.id {
            Some(id) => Error::not_found("Event type", id),
            None => Error::not_found("Event type", self.slug.as_deref().unwrap_or_default()),
        }
    }
}
