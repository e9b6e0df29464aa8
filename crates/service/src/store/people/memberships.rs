//! Members of teams and of organisations.

use booking_store_engine::connection::Db;
use booking_store_engine::sql::{self, QueryBuilder};
use booking_wire::{Instant, Membership, MembershipRole, MembershipUser};

use crate::error::Result;
use crate::input_limits::MAX_LIST_ENTRIES;
use crate::store::people::roles::Level;
use crate::store::rows;
use crate::store::user_filter::UserFilter;

const SELECT: &str = "SELECT m.id, m.user_id, m.team_id, m.accepted, m.role, m.role_id,
        m.disable_impersonation, u.email, u.name, u.username, u.avatar_url, u.bio, u.metadata
    FROM memberships m JOIN users u ON u.id = m.user_id WHERE ";

/// Members of an organisation are always accepted: there are no invitations to it.
const SELECT_OF_ORGANIZATION: &str = "SELECT m.id, m.user_id, m.organization_id AS team_id,
        CAST(1 AS BIGINT) AS accepted, m.role,
        m.role_id, m.disable_impersonation, u.email, u.name, u.username, u.avatar_url, u.bio, u.metadata
    FROM organization_members m JOIN users u ON u.id = m.user_id WHERE ";

/// Returns the start of a query for memberships, the column of the team or organisation, and its
/// id.
fn select(level: Level) -> (&'static str, &'static str, i64) {
    match level {
        Level::Team(id) => (SELECT, "m.team_id = ", id),
        Level::Organization(id) => (SELECT_OF_ORGANIZATION, "m.organization_id = ", id),
    }
}

#[derive(sqlx::FromRow)]
struct Row {
    id: i64,
    user_id: i64,
    team_id: i64,
    accepted: i64,
    role: String,
    role_id: Option<String>,
    disable_impersonation: i64,
    email: String,
    name: Option<String>,
    username: String,
    avatar_url: Option<String>,
    bio: Option<String>,
    metadata: String,
}

impl Row {
    fn membership(self) -> Result<Membership> {
        Ok(Membership {
            id: self.id,
            user_id: self.user_id,
            team_id: self.team_id,
            accepted: self.accepted == 1,
            role: MembershipRole::parse(&self.role).unwrap_or_default(),
            role_id: self.role_id,
            disable_impersonation: self.disable_impersonation == 1,
            user: MembershipUser {
                email: self.email,
                name: self.name,
                username: Some(self.username),
                avatar_url: self.avatar_url,
                bio: self.bio,
                metadata: serde_json::from_str(&self.metadata)?,
            },
        })
    }
}

/// Lists memberships of a team or organisation, oldest first; only those of users with `emails`, if
/// any are given. `team_id` of an organisation's membership is the organisation's id.
pub async fn list(
    db: &mut Db,
    level: Level,
    emails: &[String],
    take: i64,
    skip: i64,
) -> Result<Vec<Membership>> {
    let (select, column, level_id) = select(level);
    let mut query = QueryBuilder::new(db.database(), select);
    query.push(column).push_bind(level_id);
    rows::push_emails(&mut query, "u.email", emails);
    query.push(" ORDER BY m.id LIMIT ").push_bind(take);
    query.push(" OFFSET ").push_bind(skip);
    let rows: Vec<Row> = query.build_query_as().fetch_all(db).await?;
    rows.into_iter().map(Row::membership).collect()
}

/// Returns one membership of the team or organisation.
pub async fn get(db: &mut Db, level: Level, id: i64) -> Result<Option<Membership>> {
    let (select, column, level_id) = select(level);
    let row: Option<Row> = sql::query_as(format!("{select} {column} ? AND m.id = ?"))
        .bind(level_id)
        .bind(id)
        .fetch_optional(db)
        .await?;
    row.map(Row::membership).transpose()
}

/// Returns a user's membership of a team.
pub async fn of_user(db: &mut Db, user_id: i64, team_id: i64) -> Result<Option<Membership>> {
    let row: Option<Row> = sql::query_as(format!("{SELECT} m.user_id = ? AND m.team_id = ?"))
        .bind(user_id)
        .bind(team_id)
        .fetch_optional(db)
        .await?;
    row.map(Row::membership).transpose()
}

/// Lists the memberships of users, oldest first; only of these teams, if any are given.
pub async fn of_users(
    db: &mut Db,
    users: &UserFilter,
    team_ids: &[i64],
) -> Result<Vec<Membership>> {
    let mut query = QueryBuilder::new(db.database(), SELECT);
    users.push_user_condition(&mut query, "m.user_id");
    if !team_ids.is_empty() {
        query.push(" AND ");
        UserFilter::Ids(team_ids.to_vec()).push_user_condition(&mut query, "m.team_id");
    }
    query.push(" ORDER BY m.id");
    let rows: Vec<Row> = rows::unpaged(db, query, MAX_LIST_ENTRIES).await?;
    rows.into_iter().map(Row::membership).collect()
}

/// Stores a membership and returns its id. Fails if the user is a member of the team already.
pub async fn insert(
    db: &mut Db,
    membership: &Membership,
    now: Instant,
) -> Result<i64, sqlx::Error> {
    sql::query_scalar(
        "INSERT INTO memberships (team_id, user_id, role, role_id, accepted, disable_impersonation, created_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
    )
    .bind(membership.team_id)
    .bind(membership.user_id)
    .bind(membership.role.as_str())
    .bind(&membership.role_id)
    .bind(i64::from(membership.accepted))
    .bind(i64::from(membership.disable_impersonation))
    .bind(now.0)
    .fetch_one(db)
    .await
}

/// Updates a membership.
pub async fn update(db: &mut Db, level: Level, membership: &Membership) -> Result<()> {
    let statement = match level {
        Level::Team(_) => {
            "UPDATE memberships SET role = ?1, role_id = ?2, disable_impersonation = ?3, accepted = ?5
             WHERE id = ?4"
        }
        Level::Organization(_) => {
            "UPDATE organization_members SET role = ?1, role_id = ?2, disable_impersonation = ?3
             WHERE id = ?4"
        }
    };
    let mut query = sql::query(statement)
        .bind(membership.role.as_str())
        .bind(&membership.role_id)
        .bind(i64::from(membership.disable_impersonation))
        .bind(membership.id);
    if let Level::Team(_) = level {
        query = query.bind(i64::from(membership.accepted));
    }
    query.execute(db).await?;
    Ok(())
}

/// Deletes a membership. A trigger removes the user from the hosts of the team's event types.
/// Existing bookings keep their hosts.
pub async fn delete(db: &mut Db, membership: &Membership) -> Result<()> {
    sql::query("DELETE FROM memberships WHERE id = ?")
        .bind(membership.id)
        .execute(db)
        .await?;
    Ok(())
}

/// Returns true if the team or organisation has another owner than the user: an accepted member
/// with an owner's rights. A custom role does not restrict the owner of an organisation.
pub async fn has_other_owner(db: &mut Db, level: Level, user_id: i64) -> Result<bool> {
    let (statement, level_id) = match level {
        Level::Team(id) => (
            "SELECT id FROM memberships
             WHERE team_id = ? AND user_id <> ? AND role = 'OWNER' AND role_id IS NULL AND accepted = 1
             LIMIT 1",
            id,
        ),
        Level::Organization(id) => (
            "SELECT id FROM organization_members
             WHERE organization_id = ? AND user_id <> ? AND role = 'OWNER' LIMIT 1",
            id,
        ),
    };
    let found: Option<i64> = sql::query_scalar(statement)
        .bind(level_id)
        .bind(user_id)
        .fetch_optional(db)
        .await?;
    Ok(found.is_some())
}

/// Returns true if the user can be invited to the team: both have the same organisation or none,
/// and outside of organisations both users have the same platform, or the inviter owns it.
pub async fn can_be_invited(
    db: &mut Db,
    team_id: i64,
    user_id: i64,
    inviter_id: i64,
) -> Result<bool> {
    let found: Option<i64> = sql::query_scalar(
        "SELECT u.id FROM users u JOIN teams t ON t.id = ? JOIN users i ON i.id = ?
         LEFT JOIN oauth_clients c ON c.id = u.oauth_client_id
         WHERE u.id = ? AND (i.is_admin = 1 OR (
             COALESCE(u.organization_id, 0) = COALESCE(t.organization_id, 0)
             AND (t.organization_id IS NOT NULL OR c.owner_id = i.id
                 OR COALESCE(u.oauth_client_id, '') = COALESCE(i.oauth_client_id, ''))))",
    )
    .bind(team_id)
    .bind(inviter_id)
    .bind(user_id)
    .fetch_optional(db)
    .await?;
    Ok(found.is_some())
}
