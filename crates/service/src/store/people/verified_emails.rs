//! E-mail addresses that users have verified by a code, for themselves or for a team.

use booking_store_engine::connection::Db;
use booking_store_engine::error::is_orphan;
use booking_store_engine::sql;
use booking_wire::{Instant, VerifiedEmail};

use crate::error::{Error, Result};

/// Owner of verified addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmailOwner {
    /// A user.
    User(i64),
    /// A team.
    Team(i64),
}

impl EmailOwner {
    /// Returns the condition on the rows of the owner, and its parameter.
    fn condition(self) -> (&'static str, i64) {
        match self {
            Self::User(id) => ("user_id = ?1 AND team_id IS NULL", id),
            Self::Team(id) => ("team_id = ?1", id),
        }
    }
}

#[derive(sqlx::FromRow)]
struct Row {
    id: i64,
    email: String,
    user_id: i64,
    team_id: Option<i64>,
}

impl From<Row> for VerifiedEmail {
    fn from(row: Row) -> Self {
        Self {
            id: Some(row.id),
            email: row.email,
            user_id: Some(row.user_id),
            team_id: row.team_id,
        }
    }
}

/// Returns a page of the addresses of an owner, in the order of their verification.
pub async fn list(
    db: &mut Db,
    owner: EmailOwner,
    take: i64,
    skip: i64,
) -> Result<Vec<VerifiedEmail>> {
    let (condition, id) = owner.condition();
    let rows: Vec<Row> = sql::query_as(format!(
        "SELECT id, email, user_id, team_id FROM verified_emails WHERE {condition}
         ORDER BY id LIMIT ?2 OFFSET ?3"
    ))
    .bind(id)
    .bind(take)
    .bind(skip)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(VerifiedEmail::from).collect())
}

/// Returns one of the addresses of an owner.
pub async fn find(db: &mut Db, owner: EmailOwner, id: i64) -> Result<Option<VerifiedEmail>> {
    let (condition, owner_id) = owner.condition();
    let row: Option<Row> = sql::query_as(format!(
        "SELECT id, email, user_id, team_id FROM verified_emails WHERE {condition} AND id = ?2"
    ))
    .bind(owner_id)
    .bind(id)
    .fetch_optional(db)
    .await?;
    Ok(row.map(VerifiedEmail::from))
}

/// Returns true if a user has verified the address, in lower case, for themselves.
pub async fn is_verified(db: &mut Db, user_id: i64, email: &str) -> Result<bool> {
    Ok(sql::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM verified_emails
         WHERE user_id = ? AND email = ? AND team_id IS NULL)",
    )
    .bind(user_id)
    .bind(email)
    .fetch_one(db)
    .await?)
}

/// Stores an address that a user has verified, for themselves or a team, unless it is stored.
pub async fn insert(
    db: &mut Db,
    user_id: i64,
    team_id: Option<i64>,
    email: &str,
    now: Instant,
) -> Result<VerifiedEmail> {
    let target = match team_id {
        None => "(user_id, email) WHERE team_id IS NULL",
        Some(_) => "(team_id, email) WHERE team_id IS NOT NULL",
    };
    // An update without a change returns the stored row.
    let row: Row = sql::query_as(format!(
        "INSERT INTO verified_emails (email, user_id, team_id, created_ms) VALUES (?, ?, ?, ?)
         ON CONFLICT {target} DO UPDATE SET email = excluded.email
         RETURNING id, email, user_id, team_id"
    ))
    .bind(email)
    .bind(user_id)
    .bind(team_id)
    .bind(now.0)
    .fetch_one(db)
    .await
    .map_err(|error| match (is_orphan(&error), team_id) {
        // It was deleted after the caller's access was checked.
        (true, Some(team_id)) => Error::not_found("Team", team_id),
        (true, None) => Error::not_found("User", user_id),
        _ => error.into(),
    })?;
    Ok(row.into())
}
