//! People as version 1 shows them: with what they want their pages to look like.

use booking_wire::v1::User;
use sqlx::{QueryBuilder, Sqlite};

use crate::error::Result;
use crate::store::connection::Db;
use crate::store::people::People;

#[derive(sqlx::FromRow)]
struct Row {
    id: i64,
    username: String,
    name: Option<String>,
    email: String,
    bio: Option<String>,
    avatar_url: Option<String>,
    time_zone: String,
    week_start: String,
    time_format: i64,
    locale: Option<String>,
    theme: Option<String>,
    brand_color: Option<String>,
    dark_brand_color: Option<String>,
    hide_branding: i64,
    default_schedule_id: Option<i64>,
    metadata: String,
}

impl Row {
    fn user(self) -> Result<User> {
        Ok(User {
            id: self.id,
            username: self.username,
            name: self.name,
            email: self.email,
            bio: self.bio,
            avatar: self.avatar_url,
            time_zone: self.time_zone,
            week_start: self.week_start,
            time_format: if self.time_format == 12 {
                "TWELVE"
            } else {
                "TWENTY_FOUR"
            }
            .to_owned(),
            locale: self.locale,
            theme: self.theme.map(|theme| theme.to_uppercase()),
            brand_color: self.brand_color,
            dark_brand_color: self.dark_brand_color,
            hide_branding: self.hide_branding == 1,
            default_schedule_id: self.default_schedule_id,
            metadata: serde_json::from_str(&self.metadata)?,
        })
    }
}

/// One page of people, oldest first, and how many there are on all pages. Only those with `emails`,
/// if any are given.
pub async fn page(
    db: &mut Db,
    people: &People,
    emails: &[String],
    take: i64,
    skip: i64,
) -> Result<(Vec<User>, i64)> {
    let narrow = |query: &mut QueryBuilder<'_, Sqlite>| {
        people.narrow(query, "id");
        if !emails.is_empty() {
            let emails: Vec<String> = emails.iter().map(|email| email.to_lowercase()).collect();
            query.push(" AND lower(email) IN (SELECT value FROM json_each(");
            query.push_bind(serde_json::json!(emails).to_string());
            query.push("))");
        }
    };
    let mut count = QueryBuilder::new("SELECT count(*) FROM users WHERE ");
    narrow(&mut count);
    let total: i64 = count.build_query_scalar().fetch_one(&mut *db).await?;
    let mut query = QueryBuilder::new(
        "SELECT id, username, name, email, bio, avatar_url, time_zone, week_start, time_format, locale, theme,
                brand_color, dark_brand_color, hide_branding, default_schedule_id, metadata
         FROM users WHERE ",
    );
    narrow(&mut query);
    query.push(" ORDER BY id LIMIT ").push_bind(take);
    query.push(" OFFSET ").push_bind(skip);
    let rows: Vec<Row> = query.build_query_as().fetch_all(db).await?;
    let users: Result<Vec<User>> = rows.into_iter().map(Row::user).collect();
    Ok((users?, total))
}

/// One person.
pub async fn get(db: &mut Db, user_id: i64) -> Result<Option<User>> {
    let one = People::These(vec![user_id]);
    Ok(page(db, &one, &[], 1, 0).await?.0.pop())
}

/// Stores what a person's pages look like, their picture and their user name.
pub async fn update(db: &mut Db, user: &User) -> Result<(), sqlx::Error> {
    sqlx::query(
        "UPDATE users SET username = ?, avatar_url = ?, theme = ?, brand_color = ?, dark_brand_color = ?,
             hide_branding = ?
         WHERE id = ?",
    )
    .bind(&user.username)
    .bind(&user.avatar)
    .bind(user.theme.as_ref().map(|theme| theme.to_lowercase()))
    .bind(&user.brand_color)
    .bind(&user.dark_brand_color)
    .bind(i64::from(user.hide_branding))
    .bind(user.id)
    .execute(db)
    .await?;
    Ok(())
}
