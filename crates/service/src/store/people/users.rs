//! Users, their e-mail addresses, and organisations.

use booking_store_engine::connection::Db;
use booking_store_engine::sql::{self, QueryBuilder};
use booking_wire::{Instant, JsonMap, ManagedUser};

use crate::error::Result;
use crate::store::hours::schedules;
use crate::store::rows;

/// A user to be stored.
#[derive(Clone, Debug, Default)]
pub struct NewUser {
    /// User name, unique.
    pub username: String,
    /// E-mail address, unique.
    pub email: String,
    /// Full name.
    pub name: Option<String>,
    /// URL of the picture.
    pub avatar_url: Option<String>,
    /// Biography.
    pub bio: Option<String>,
    /// Time zone, IANA id.
    pub time_zone: String,
    /// Hours of the clock, 12 or 24.
    pub time_format: i64,
    /// First day of the week, English name.
    pub week_start: String,
    /// Language code.
    pub locale: Option<String>,
    /// Metadata of the platform.
    pub metadata: JsonMap,
    /// Organisation of the user.
    pub organization_id: Option<i64>,
    /// Id of the platform that manages the user.
    pub oauth_client_id: Option<String>,
    /// True for an administrator of the service.
    pub is_admin: bool,
    /// Creation.
    pub created: Instant,
}

/// Stores a user with working hours from Monday to Friday, 9 to 17, in the user's time zone.
pub async fn insert(db: &mut Db, user: &NewUser) -> Result<i64, sqlx::Error> {
    let id: i64 = sql::query_scalar(
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
    let schedule_id = schedules::insert(db, id, "Working hours", &user.time_zone).await?;
    schedules::insert_hours(db, schedule_id, &schedules::office_hours()).await?;
    schedules::make_default(db, id, schedule_id).await?;
    if let Some(organization_id) = user.organization_id {
        join_organization(db, organization_id, id, "MEMBER").await?;
    }
    Ok(id)
}

/// Makes a user a member of an organisation, or updates the role of the member.
pub async fn join_organization(
    db: &mut Db,
    organization_id: i64,
    user_id: i64,
    role: &str,
) -> Result<(), sqlx::Error> {
    sql::query(
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

/// Returns the id of the user with that user name or verified e-mail address.
pub async fn by_username_or_email(db: &mut Db, text: &str) -> Result<Option<i64>> {
    Ok(
        sql::query_scalar(
            "SELECT id FROM users WHERE username = ? OR lower(coalesce(proven_email, email)) = lower(?)",
        )
        .bind(text)
        .bind(text)
        .fetch_optional(db)
        .await?,
    )
}

/// Returns the verified e-mail address of a user (column `proven_email`), which identifies the
/// user's bookings. It is the address that the account was created with. An address that the user
/// has entered since is only displayed: otherwise anyone could access bookings of others by
/// entering their address.
pub async fn verified_email(db: &mut Db, user_id: i64) -> Result<Option<String>> {
    Ok(
        sql::query_scalar("SELECT coalesce(proven_email, email) FROM users WHERE id = ?")
            .bind(user_id)
            .fetch_optional(db)
            .await?,
    )
}

/// Makes an address the verified one of a user who has named it and shown that it is theirs, unless it is that of somebody
/// else.
pub async fn confirm_email(db: &mut Db, user_id: i64, email: &str) -> Result<()> {
    sql::query(
        "UPDATE users SET proven_email = NULL
         WHERE id = ?1 AND proven_email IS NOT NULL AND lower(email) = lower(?2) AND NOT EXISTS (
             SELECT 1 FROM users other
             WHERE other.id <> ?1 AND lower(coalesce(other.proven_email, other.email)) = lower(?2))",
    )
    .bind(user_id)
    .bind(email)
    .execute(db)
    .await?;
    Ok(())
}

/// Address and settings for messages to a user.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct MailProfile {
    /// Verified e-mail address.
    pub email: String,
    /// BCP 47 tag.
    pub locale: Option<String>,
    /// 12 or 24.
    pub time_format: i64,
    /// Start of the rejection of all credentials, in epoch milliseconds.
    pub disabled_ms: Option<i64>,
}

/// Returns what messages to a user depend on.
pub async fn mail_profile(db: &mut Db, user_id: i64) -> Result<Option<MailProfile>> {
    Ok(sql::query_as(
        "SELECT coalesce(proven_email, email) AS email, locale, time_format, disabled_ms FROM users WHERE id = ?",
    )
    .bind(user_id)
    .fetch_optional(db)
    .await?)
}

/// Makes the displayed address of a user the verified one and returns it. Fails if it is the
/// verified address of another user (see [`crate::store::is_duplicate`]).
pub async fn verify_email(db: &mut Db, user_id: i64) -> Result<Option<String>, sqlx::Error> {
    sql::query_scalar("UPDATE users SET proven_email = NULL WHERE id = ? RETURNING email")
        .bind(user_id)
        .fetch_optional(db)
        .await
}

/// Returns the user with that verified e-mail address if the user is `user_id`, or is in the same
/// organisation or in a team with `user_id`.
pub async fn colleague_by_email(db: &mut Db, user_id: i64, email: &str) -> Result<Option<i64>> {
    Ok(sql::query_scalar(
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

/// Returns true if another user than `user_id` has that user name.
pub async fn username_is_taken(db: &mut Db, username: &str, user_id: i64) -> Result<bool> {
    let found: Option<i64> =
        sql::query_scalar("SELECT id FROM users WHERE username = ? AND id <> ?")
            .bind(username)
            .bind(user_id)
            .fetch_optional(db)
            .await?;
    Ok(found.is_some())
}

/// Returns true if another user than `user_id` has that verified e-mail address, in any case.
/// Unverified addresses are ignored.
pub async fn email_is_taken(db: &mut Db, email: &str, user_id: i64) -> Result<bool> {
    let found: Option<i64> = sql::query_scalar(
        "SELECT id FROM users WHERE lower(coalesce(proven_email, email)) = lower(?) AND id <> ?
             LIMIT 1",
    )
    .bind(email)
    .bind(user_id)
    .fetch_optional(db)
    .await?;
    Ok(found.is_some())
}

/// Returns the id of the organisation with that slug.
pub async fn organization_by_slug(db: &mut Db, slug: &str) -> Result<Option<i64>> {
    Ok(
        sql::query_scalar("SELECT id FROM organizations WHERE slug = ?")
            .bind(slug)
            .fetch_optional(db)
            .await?,
    )
}

/// Stores an organisation and returns its id.
pub async fn insert_organization(db: &mut Db, name: &str, slug: &str) -> Result<i64> {
    Ok(
        sql::query_scalar("INSERT INTO organizations (name, slug) VALUES (?, ?) RETURNING id")
            .bind(name)
            .bind(slug)
            .fetch_one(db)
            .await?,
    )
}

/// A user, as the user and the platform see it.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Fields that can be changed.
    pub user: ManagedUser,
    /// Id of the platform that manages the user.
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

/// Returns the profile of one user.
pub async fn profile(db: &mut Db, user_id: i64) -> Result<Option<Profile>> {
    let row: Option<Row> = sql::query_as(format!("{SELECT} id = ?"))
        .bind(user_id)
        .fetch_optional(db)
        .await?;
    row.map(Row::profile).transpose()
}

/// Lists the users that a platform manages, oldest first; only those with `emails`, if any are
/// given.
pub async fn managed_by(
    db: &mut Db,
    client_id: &str,
    emails: &[String],
    take: i64,
    skip: i64,
) -> Result<Vec<ManagedUser>> {
    let mut query = QueryBuilder::new(db.database(), SELECT);
    query.push("oauth_client_id = ").push_bind(client_id);
    rows::push_emails(&mut query, "email", emails);
    query.push(" ORDER BY id LIMIT ").push_bind(take);
    query.push(" OFFSET ").push_bind(skip);
    let rows: Vec<Row> = query.build_query_as().fetch_all(db).await?;
    rows.into_iter()
        .map(|row| row.profile().map(|profile| profile.user))
        .collect()
}

/// Source of an e-mail address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmailSource {
    /// The user: the address is not verified.
    User,
    /// The platform that manages the user: the address is verified.
    Platform,
}

/// Updates a user.
pub async fn update(
    db: &mut Db,
    user: &ManagedUser,
    email_source: EmailSource,
) -> Result<(), sqlx::Error> {
    sql::query(
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
    .bind(i64::from(email_source == EmailSource::Platform))
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

/// Allows or forbids bookings of dynamic groups with the user.
pub async fn set_allow_dynamic_bookings(db: &mut Db, user_id: i64, allows: bool) -> Result<()> {
    sql::query("UPDATE users SET allow_dynamic_bookings = ? WHERE id = ?")
        .bind(i64::from(allows))
        .bind(user_id)
        .execute(db)
        .await?;
    Ok(())
}

/// Returns true if the user owns the schedule.
pub async fn owns_schedule(db: &mut Db, user_id: i64, schedule_id: i64) -> Result<bool> {
    let found: Option<i64> =
        sql::query_scalar("SELECT id FROM schedules WHERE id = ? AND owner_id = ?")
            .bind(schedule_id)
            .bind(user_id)
            .fetch_optional(db)
            .await?;
    Ok(found.is_some())
}

/// Changes the time zone of a schedule; its working hours stay the same local times.
pub async fn set_schedule_zone(db: &mut Db, schedule_id: i64, time_zone: &str) -> Result<()> {
    sql::query("UPDATE schedules SET time_zone = ? WHERE id = ?")
        .bind(time_zone)
        .bind(schedule_id)
        .execute(db)
        .await?;
    Ok(())
}

/// A team with a single owner.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct OwnedTeam {
    /// Identifier.
    pub id: i64,
    /// Name.
    pub name: String,
    /// Number of other accepted members.
    pub others: i64,
}

/// Lists the teams of which the user is the only owner.
pub async fn solely_owned_teams(db: &mut Db, user_id: i64) -> Result<Vec<OwnedTeam>> {
    Ok(sql::query_as(
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

/// Deletes a user with their schedules, event types, tokens and memberships, and their address as
/// that of the user who cancelled or rescheduled bookings.
pub async fn delete(db: &mut Db, user_id: i64) -> Result<()> {
    for column in ["cancelled_by_email", "rescheduled_by_email"] {
        sql::query(format!(
            "UPDATE bookings SET {column} = NULL
             WHERE lower({column}) = (SELECT lower(email) FROM users WHERE id = ?)"
        ))
        .bind(user_id)
        .execute(&mut *db)
        .await?;
    }
    sql::query("DELETE FROM users WHERE id = ?")
        .bind(user_id)
        .execute(db)
        .await?;
    Ok(())
}

/// A user in the operator's list.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct ListedUser {
    /// Identifier.
    pub id: i64,
    /// User name.
    pub username: String,
    /// E-mail address.
    pub email: String,
    /// Name of the organisation.
    pub organization: Option<String>,
    /// Role in the organisation.
    pub role: Option<String>,
    /// True for an administrator of the service.
    pub is_admin: bool,
    /// Id of the platform that manages the user.
    pub oauth_client_id: Option<String>,
    /// Start of the rejection of all credentials, in epoch milliseconds.
    pub disabled_ms: Option<i64>,
}

/// Lists all users, oldest first.
pub async fn list(db: &mut Db) -> Result<Vec<ListedUser>> {
    Ok(sql::query_as(
        "SELECT u.id, u.username, u.email, o.name AS organization, m.role, u.is_admin <> 0 AS is_admin, u.oauth_client_id,
                u.disabled_ms
         FROM users u LEFT JOIN organizations o ON o.id = u.organization_id
         LEFT JOIN organization_members m ON m.organization_id = o.id AND m.user_id = u.id
         ORDER BY u.id",
    )
    .fetch_all(db)
    .await?)
}

/// Disables a user, so that all credentials are rejected, or enables it. Returns false if that was
/// the state already.
pub async fn set_disabled(db: &mut Db, user_id: i64, disabled_ms: Option<i64>) -> Result<bool> {
    let result = sql::query(
        "UPDATE users SET disabled_ms = ?1 WHERE id = ?2 AND (disabled_ms IS NULL) <> (?1 IS NULL)",
    )
    .bind(disabled_ms)
    .bind(user_id)
    .execute(db)
    .await?;
    Ok(result.rows_affected() == 1)
}

/// Returns the stored address of a platform's user, `ada+<client id>@example.org`: several
/// platforms can have users with the same address.
pub fn managed_email(email: &str, client_id: &str) -> String {
    match email.split_once('@') {
        Some((local, domain)) if !local.ends_with(&format!("+{client_id}")) => {
            format!("{local}+{client_id}@{domain}")
        }
        _ => email.to_owned(),
    }
}

/// Returns the time zones of users.
pub async fn time_zones(db: &mut Db, user_ids: &[i64]) -> Result<Vec<String>> {
    Ok(sql::query_scalar(
        "SELECT DISTINCT time_zone FROM users WHERE id IN (SELECT value FROM json_each(?))",
    )
    .bind(serde_json::Value::from(user_ids).to_string())
    .fetch_all(db)
    .await?)
}

/// Returns the address without the client id of a platform.
pub fn display_email(email: &str) -> String {
    if let Some((local, domain)) = email.split_once('@')
        && let Some((name, part)) = local.rsplit_once('+')
        && is_client_id(part)
    {
        return format!("{name}@{domain}");
    }
    email.to_owned()
}

/// Minimum length of an OAuth client id, in characters.
const MIN_CLIENT_ID_CHARS: usize = 25;

/// Returns true if `text` has the form of an OAuth client id: `cl` and lower-case letters and
/// digits.
fn is_client_id(text: &str) -> bool {
    text.len() >= MIN_CLIENT_ID_CHARS
        && text.starts_with("cl")
        && text
            .chars()
            .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::{display_email, managed_email};

    #[test]
    fn managed_email_round_trips_to_display_email() {
        let id = "cl0123456789abcdef01234567";
        let managed = managed_email("ada@example.org", id);
        assert_eq!(managed, format!("ada+{id}@example.org"));
        assert_eq!(managed_email(&managed, id), managed);
        assert_eq!(display_email(&managed), "ada@example.org");
        let tagged = managed_email("ada+news@example.org", id);
        assert_eq!(display_email(&tagged), "ada+news@example.org");
    }

    #[test]
    fn display_email_without_client_id_is_unchanged() {
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
