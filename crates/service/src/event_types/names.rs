//! The ways in which a request names an event type (contract 3.4.1, 3.5.1).

use serde_json::Value;

use crate::error::{Error, Result};
use crate::store::event_types::{self, Stored, Which};
use crate::store::{Db, accounts};
use crate::validate::Checks;

/// The parameters that name an event type, as they were given.
#[derive(Clone, Debug, Default)]
pub struct Names {
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

impl Names {
    /// Complains unless exactly one form is used.
    pub fn check(&self, checks: &mut Checks) {
        let by_id = self.id.is_some();
        let by_slug = self.slug.is_some();
        let owners = usize::from(self.username.is_some()) + usize::from(self.team_slug.is_some());
        let sound = match (by_id, by_slug) {
            (true, false) => owners == 0 && self.organization_slug.is_none(),
            (false, true) => owners == 1,
            _ => false,
        };
        if !sound {
            checks.complain(
                "eventTypeId",
                &self.id.map_or(Value::Null, Value::from),
                "oneIdentification",
                "alone, or eventTypeSlug with either username or teamSlug, must name the event type",
            );
        }
    }

    /// Finds the event type. What is not found, the person, the team or the event type, is not
    /// told: it must not tell who has an account.
    pub async fn find(&self, db: &mut Db) -> Result<Stored> {
        if let Some(id) = self.id {
            return event_types::get(db, id)
                .await?
                .ok_or_else(|| self.missing());
        }
        let slug = Some(self.slug.as_deref().unwrap_or_default());
        let organization = self.organization_slug.as_deref();
        let which = match (&self.username, &self.team_slug) {
            (Some(username), _) => accounts::user_id(db, username, organization)
                .await?
                .map(|id| Which::OfUser(id, slug)),
            (None, Some(team_slug)) => accounts::team_by_slug(db, team_slug, organization)
                .await?
                .map(|team| Which::OfTeam(team.id, slug)),
            (None, None) => return Err(Error::Internal),
        };
        let found = match which {
            Some(which) => event_types::find(db, which).await?.pop(),
            None => None,
        };
        found.ok_or_else(|| self.missing())
    }

    /// The error for an event type that does not exist, by the name that was given.
    pub fn missing(&self) -> Error {
        match self.id {
            Some(id) => Error::not_found("Event type", id),
            None => Error::not_found("Event type", self.slug.as_deref().unwrap_or_default()),
        }
    }
}
