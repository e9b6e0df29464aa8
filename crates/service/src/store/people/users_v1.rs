//! Users of version 1, which include the appearance of their pages.

use booking_store_engine::connection::Db;
use booking_store_engine::sql::{self, QueryBuilder};
use booking_wire::v1::User;

use crate::error::Result;
use crate::store::rows;
use crate::store::user_filter::UserFilter;

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

/// Returns one page of users, oldest first, and the number of users on all pages. Only those with
/// `emails`, if any are given.
pub async fn page(
    db: &mut Db,
    users: &UserFilter,
    emails: &[String],
    take: i64,
    skip: i64,
) -> Result<(Vec<User>, i64)> {
    let push_conditions = |query: &mut QueryBuilder<'_>| {
        users.push_user_condition(query, "id");
        rows::push_emails(query, "email", emails);
    };
    let mut count = QueryBuilder::new(db.database(), "SELECT count(*) FROM users WHERE ");
    push_conditions(&mut count);
    let total: i64 = count.build_query_scalar().fetch_one(&mut *db).await?;
    let mut query = QueryBuilder::new(db.database(),
        "SELECT id, username, name, email, bio, avatar_url, time_zone, week_start, time_format, locale, theme,
                brand_color, dark_brand_color, hide_branding, default_schedule_id, metadata
         FROM users WHERE ",
    );
    push_conditions(&mut query);
    query.push(" ORDER BY id LIMIT ").push_bind(take);
    query.push(" OFFSET ").push_bind(skip);
    let rows: Vec<Row> = query.build_query_as().fetch_all(db).await?;
    let users: Result<Vec<User>> = rows.into_iter().map(Row::user).collect();
    Ok((users?, total))
}

/// Returns one user.
pub async fn get(db: &mut Db, user_id: i64) -> Result<Option<User>> {
    let filter = UserFilter::Ids(vec![user_id]);
    Ok(page(db, &filter, &[], 1, 0).await?.0.pop())
}

/// Updates the appearance of a user's pages, the picture and the user name.
pub async fn update(db: &mut Db, user: &User) -> Result<(), sqlx::Error> {
    sql::query(
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
