//! People: how they come, change and go.

use booking_wire::{Instant, JsonMap, ManagedUser};
use sqlx::QueryBuilder;

use crate::error::Result;
use crate::store::connection::Db;
use crate::store::schedules;

/// A person to be stored.
#[derive(Clone, Debug, Default)]
pub struct NewUser {
    /// Unique.
    pub username: String,
    /// Unique.
    pub email: String,
    /// Full name.
    pub name: Option<String>,
    /// Picture.
    pub avatar_url: Option<String>,
    /// A few words.
    pub bio: Option<String>,
    /// IANA id.
    pub time_zone: String,
    /// 12 or 24.
    pub time_format: i64,
    /// A day's English name.
    pub week_start: String,
    /// Language code.
    pub locale: Option<String>,
    /// The platform's own keys.
    pub metadata: JsonMap,
    /// Where the person works.
    pub organization_id: Option<i64>,
    /// The platform that manages the person.
    pub oauth_client_id: Option<String>,
    /// Whether the person runs the whole service.
    pub is_admin: bool,
    /// When they came.
    pub created: Instant,
}

/// Stores a person with working hours from Monday to Friday, 9 to 17, in their zone.
pub async fn insert(db: &mut Db, user: &NewUser) -> Result<i64, sqlx::Error> {
    let id: i64 = sqlx::query_scalar(
        "INSERT INTO users (username, email, name, avatar_url, bio, time_zone, time_format, week_start,
             locale, metadata, organization_id, oauth_client_id, is_admin, created_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
    )
    .bind(&user.username)
    .bind(&user.email)
    .bind(&user.name)
    .bind(&user.avatar_url)
    .bind(&user.bio)
    .bind(&user.time_zone)
    .bind(user.time_format)
    .bind(&user.week_start)
    .bind(&user.locale)
    .bind(serde_json::Value::Object(user.metadata.clone()).to_string())
    .bind(user.organization_id)
    .bind(&user.oauth_client_id)
    .bind(i64::from(user.is_admin))
    .bind(user.created.0)
    .fetch_one(&mut *db)
    .await?;
    let schedule_id: i64 = sqlx::query_scalar(
        "INSERT INTO schedules (owner_id, name, time_zone) VALUES (?, 'Working hours', ?) RETURNING id",
    )
    .bind(id)
    .bind(&user.time_zone)
    .fetch_one(&mut *db)
    .await?;
    schedules::insert_hours(db, schedule_id, &schedules::office_hours()).await?;
    sqlx::query("UPDATE users SET default_schedule_id = ? WHERE id = ?")
        .bind(schedule_id)
        .bind(id)
        .execute(&mut *db)
        .await?;
    if let Some(organization_id) = user.organization_id {
        join_organization(db, organization_id, id, "MEMBER").await?;
    }
    Ok(id)
}

/// Makes a person a member of an organisation, or changes what they are there.
pub async fn join_organization(
    db: &mut Db,
    organization_id: i64,
    user_id: i64,
    role: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO organization_members (organization_id, user_id, role) VALUES (?, ?, ?)
         ON CONFLICT (organization_id, user_id) DO UPDATE SET role = excluded.role",
    )
    .bind(organization_id)
    .bind(user_id)
    .bind(role)
    .execute(db)
    .await?;
    Ok(())
}

/// The person with that user name or proven e-mail address.
pub async fn by_username_or_email(db: &mut Db, text: &str) -> Result<Option<i64>> {
    Ok(
        sqlx::query_scalar(
            "SELECT id FROM users WHERE username = ? OR lower(coalesce(proven_email, email)) = lower(?)",
        )
        .bind(text)
        .bind(text)
        .fetch_optional(db)
        .await?,
    )
}

/// The address that a person is known by: what is booked under it concerns them. It is the one
/// under which they were let in. One that they have given themselves since is shown and proves
/// nothing, or anybody could take the bookings of others by naming their address.
pub async fn proven_email(db: &mut Db, user_id: i64) -> Result<Option<String>> {
    Ok(
        sqlx::query_scalar("SELECT coalesce(proven_email, email) FROM users WHERE id = ?")
            .bind(user_id)
            .fetch_optional(db)
            .await?,
    )
}

/// Takes the address that a person has given themselves for proven; gives it. It fails if
/// somebody else is known by it (see [`error::is_duplicate`]).
pub async fn prove_email(db: &mut Db, user_id: i64) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar("UPDATE users SET proven_email = NULL WHERE id = ? RETURNING email")
        .bind(user_id)
        .fetch_optional(db)
        .await
}

/// The person who is known by that e-mail address and works with `user_id`: in the same
/// organisation, or in a team that both have joined.
pub async fn colleague_by_email(db: &mut Db, user_id: i64, email: &str) -> Result<Option<i64>> {
    Ok(sqlx::query_scalar(
        "SELECT u.id FROM users u WHERE lower(coalesce(u.proven_email, u.email)) = lower(?1) AND (
             u.id = ?2
             OR EXISTS (SELECT 1 FROM organization_members a
                 JOIN organization_members b ON b.organization_id = a.organization_id
                 WHERE a.user_id = u.id AND b.user_id = ?2)
             OR EXISTS (SELECT 1 FROM memberships a JOIN memberships b ON b.team_id = a.team_id
                 WHERE a.user_id = u.id AND b.user_id = ?2 AND a.accepted = 1 AND b.accepted = 1))",
    )
    .bind(email)
    .bind(user_id)
    .fetch_optional(db)
    .await?)
}

/// Whether somebody but `user_id` has that user name.
pub async fn username_is_taken(db: &mut Db, username: &str, user_id: i64) -> Result<bool> {
    let found: Option<i64> =
        sqlx::query_scalar("SELECT id FROM users WHERE username = ? AND id <> ?")
            .bind(username)
            .bind(user_id)
            .fetch_optional(db)
            .await?;
    Ok(found.is_some())
}

/// Returns true if somebody but `user_id` is known by that e-mail address. Letters count the same in both
/// cases. An address that somebody has only named is nobody's.
pub async fn email_is_taken(db: &mut Db, email: &str, user_id: i64) -> Result<bool> {
    let found: Option<i64> = sqlx::query_scalar(
        "SELECT id FROM users WHERE lower(coalesce(proven_email, email)) = lower(?) AND id <> ?
             LIMIT 1",
    )
    .bind(email)
    .bind(user_id)
    .fetch_optional(db)
    .await?;
    Ok(found.is_some())
}

/// The organisation with that slug.
pub async fn organization_by_slug(db: &mut Db, slug: &str) -> Result<Option<i64>> {
    Ok(
        sqlx::query_scalar("SELECT id FROM organizations WHERE slug = ?")
            .bind(slug)
            .fetch_optional(db)
            .await?,
    )
}

/// Stores an organisation.
pub async fn insert_organization(db: &mut Db, name: &str, slug: &str) -> Result<i64> {
    Ok(
        sqlx::query_scalar("INSERT INTO organizations (name, slug) VALUES (?, ?) RETURNING id")
            .bind(name)
            .bind(slug)
            .fetch_one(db)
            .await?,
    )
}

/// A person as they and their platform see them.
#[derive(Clone, Debug)]
pub struct Profile {
    /// All that can be changed.
    pub user: ManagedUser,
    /// The platform that manages the person.
    pub oauth_client_id: Option<String>,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: i64,
    email: String,
    username: String,
    name: Option<String>,
    bio: Option<String>,
    time_zone: String,
    week_start: String,
    created_ms: i64,
    time_format: i64,
    default_schedule_id: Option<i64>,
    locale: Option<String>,
    avatar_url: Option<String>,
    metadata: String,
    oauth_client_id: Option<String>,
}

impl Row {
    fn profile(self) -> Result<Profile> {
        Ok(Profile {
            user: ManagedUser {
                id: self.id,
                email: self.email,
                username: self.username,
                name: self.name,
                bio: self.bio,
                time_zone: self.time_zone,
                week_start: self.week_start,
                created_date: Instant(self.created_ms),
                time_format: self.time_format,
                default_schedule_id: self.default_schedule_id,
                locale: self.locale,
                avatar_url: self.avatar_url,
                metadata: serde_json::from_str(&self.metadata)?,
            },
            oauth_client_id: self.oauth_client_id,
        })
    }
}

const SELECT: &str = "SELECT id, email, username, name, bio, time_zone, week_start, created_ms,
        time_format, default_schedule_id, locale, avatar_url, metadata, oauth_client_id
    FROM users WHERE ";

/// One person.
pub async fn profile(db: &mut Db, user_id: i64) -> Result<Option<Profile>> {
    let row: Option<Row> = sqlx::query_as(&format!("{SELECT} id = ?"))
        .bind(user_id)
        .fetch_optional(db)
        .await?;
    row.map(Row::profile).transpose()
}

/// The people whom a platform manages, oldest first; only those with `emails`, if any are given.
pub async fn managed_by(
    db: &mut Db,
    client_id: &str,
    emails: &[String],
    take: i64,
    skip: i64,
) -> Result<Vec<ManagedUser>> {
    let mut query = QueryBuilder::<sqlx::Sqlite>::new(SELECT);
    query.push("oauth_client_id = ").push_bind(client_id);
    if !emails.is_empty() {
        query.push(" AND lower(email) IN (");
        let mut list = query.separated(", ");
        for email in emails {
            list.push_bind(email.to_lowercase());
        }
        query.push(")");
    }
    query.push(" ORDER BY id LIMIT ").push_bind(take);
    query.push(" OFFSET ").push_bind(skip);
    let rows: Vec<Row> = query.build_query_as().fetch_all(db).await?;
    rows.into_iter()
        .map(|row| row.profile().map(|profile| profile.user))
        .collect()
}

/// Who says that an e-mail address is somebody's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vouched {
    /// They themselves: that proves nothing.
    ByThemselves,
    /// The platform that manages them, which answers for its users.
    ByPlatform,
}

/// Stores what has changed about a person.
pub async fn update(db: &mut Db, user: &ManagedUser, vouched: Vouched) -> Result<(), sqlx::Error> {
    sqlx::query(
        "UPDATE users SET
             proven_email = CASE
                 WHEN lower(email) = lower(?1) AND ?2 = 0 THEN proven_email
                 WHEN ?2 = 1 OR lower(coalesce(proven_email, email)) = lower(?1) THEN NULL
                 ELSE coalesce(proven_email, email)
             END,
             email = ?1, name = ?3, bio = ?4, time_zone = ?5, week_start = ?6,
             time_format = ?7, default_schedule_id = ?8, locale = ?9, avatar_url = ?10, metadata = ?11
         WHERE id = ?12",
    )
    .bind(&user.email)
    .bind(i64::from(vouched == Vouched::ByPlatform))
    .bind(&user.name)
    .bind(&user.bio)
    .bind(&user.time_zone)
    .bind(&user.week_start)
    .bind(user.time_format)
    .bind(user.default_schedule_id)
    .bind(&user.locale)
    .bind(&user.avatar_url)
    .bind(serde_json::Value::Object(user.metadata.clone()).to_string())
    .bind(user.id)
    .execute(db)
    .await?;
    Ok(())
}

/// Stores whether others may book meetings of a group of people that the person is named in.
pub async fn set_allow_dynamic_bookings(db: &mut Db, user_id: i64, allows: bool) -> Result<()> {
    sqlx::query("UPDATE users SET allow_dynamic_bookings = ? WHERE id = ?")
        .bind(i64::from(allows))
        .bind(user_id)
        .execute(db)
        .await?;
    Ok(())
}

/// Whether the schedule is the person's own.
pub async fn owns_schedule(db: &mut Db, user_id: i64, schedule_id: i64) -> Result<bool> {
    let found: Option<i64> =
        sqlx::query_scalar("SELECT id FROM schedules WHERE id = ? AND owner_id = ?")
            .bind(schedule_id)
            .bind(user_id)
            .fetch_optional(db)
            .await?;
    Ok(found.is_some())
}

/// Moves a schedule to another zone: its hours are the same by the clock there.
pub async fn move_schedule(db: &mut Db, schedule_id: i64, time_zone: &str) -> Result<()> {
    sqlx::query("UPDATE schedules SET time_zone = ? WHERE id = ?")
        .bind(time_zone)
        .bind(schedule_id)
        .execute(db)
        .await?;
    Ok(())
}

/// A team that would be without an owner if a person went.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct OwnedTeam {
    /// Identifier.
    pub id: i64,
    /// What it is called.
    pub name: String,
    /// How many others take part.
    pub others: i64,
}

/// The teams whose only owner the person is.
pub async fn teams_owned_alone(db: &mut Db, user_id: i64) -> Result<Vec<OwnedTeam>> {
    Ok(sqlx::query_as(
        "SELECT t.id, t.name,
                (SELECT count(*) FROM memberships o
                 WHERE o.team_id = t.id AND o.user_id <> m.user_id AND o.accepted = 1) AS others
         FROM memberships m JOIN teams t ON t.id = m.team_id
         WHERE m.user_id = ? AND m.role = 'OWNER' AND m.role_id IS NULL AND m.accepted = 1
           AND NOT EXISTS (SELECT 1 FROM memberships o
                WHERE o.team_id = t.id AND o.user_id <> m.user_id AND o.role = 'OWNER'
                  AND o.role_id IS NULL AND o.accepted = 1)
         ORDER BY t.id",
    )
    .bind(user_id)
    .fetch_all(db)
    .await?)
}

/// Deletes a person with what is theirs alone: schedules, event types, tokens, memberships. Bookings
/// no longer name them as who cancelled or moved them.
pub async fn delete(db: &mut Db, user_id: i64) -> Result<()> {
    for column in ["cancelled_by_email", "rescheduled_by_email"] {
        sqlx::query(&format!(
            "UPDATE bookings SET {column} = NULL
             WHERE lower({column}) = (SELECT lower(email) FROM users WHERE id = ?)"
        ))
        .bind(user_id)
        .execute(&mut *db)
        .await?;
    }
    sqlx::query("DELETE FROM users WHERE id = ?")
        .bind(user_id)
        .execute(db)
        .await?;
    Ok(())
}

/// A person in the operator's list.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct ListedUser {
    /// Identifier.
    pub id: i64,
    /// User name.
    pub username: String,
    /// E-mail address.
    pub email: String,
    /// The organisation's name.
    pub organization: Option<String>,
    /// The role in it.
    pub role: Option<String>,
    /// True if the person runs the whole service.
    pub is_admin: bool,
    /// The platform that manages the person.
    pub oauth_client_id: Option<String>,
    /// Since when all credentials are refused: epoch milliseconds.
    pub disabled_ms: Option<i64>,
}

/// All people, oldest first.
pub async fn list(db: &mut Db) -> Result<Vec<ListedUser>> {
    Ok(sqlx::query_as(
        "SELECT u.id, u.username, u.email, o.name AS organization, m.role, u.is_admin, u.oauth_client_id,
                u.disabled_ms
         FROM users u LEFT JOIN organizations o ON o.id = u.organization_id
         LEFT JOIN organization_members m ON m.organization_id = o.id AND m.user_id = u.id
         ORDER BY u.id",
    )
    .fetch_all(db)
    .await?)
}

/// Refuses all credentials of a person from then on, or none any more. False if that was so before.
pub async fn set_disabled(db: &mut Db, user_id: i64, disabled_ms: Option<i64>) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE users SET disabled_ms = ?1 WHERE id = ?2 AND (disabled_ms IS NULL) <> (?1 IS NULL)",
    )
    .bind(disabled_ms)
    .bind(user_id)
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// The address by which the service knows a platform's user: `ada+<client id>@example.org`, so
/// that several platforms may have users with the same address.
pub fn managed_email(email: &str, client_id: &str) -> String {
    match email.split_once('@') {
        Some((local, domain)) if !local.ends_with(&format!("+{client_id}")) => {
            format!("{local}+{client_id}@{domain}")
        }
        _ => email.to_owned(),
    }
}

/// The address without the platform's part (contract 4.1).
pub fn display_email(email: &str) -> String {
    if let Some((local, domain)) = email.split_once('@')
        && let Some((name, part)) = local.rsplit_once('+')
        && is_client_id(part)
    {
        return format!("{name}@{domain}");
    }
    email.to_owned()
}

/// Whether `text` looks like the id of an OAuth client: `cl` and at least 23 more small letters
/// and digits.
fn is_client_id(text: &str) -> bool {
    text.len() >= 25
        && text.starts_with("cl")
        && text
            .chars()
            .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::{display_email, managed_email};

    #[test]
    fn a_platforms_part_of_an_address_can_be_put_in_and_taken_out() {
        let id = "cl0123456789abcdef01234567";
        let managed = managed_email("ada@example.org", id);
        assert_eq!(managed, format!("ada+{id}@example.org"));
        assert_eq!(managed_email(&managed, id), managed);
        assert_eq!(display_email(&managed), "ada@example.org");
        let tagged = managed_email("ada+news@example.org", id);
        assert_eq!(display_email(&tagged), "ada+news@example.org");
    }

    #[test]
    fn an_address_of_ones_own_is_shown_as_it_is() {
        for email in [
            "ada@example.org",
            "ada+news@example.org",
            "ada+cl7@example.org",
            "nobody",
            "",
        ] {
            assert_eq!(display_email(email), email);
        }
    }
}
