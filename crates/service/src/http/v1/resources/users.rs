//! Users.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use booking_wire::JsonMap;
use booking_wire::v1::{User, UserInput, UserPage};
use serde_json::{Value, json};

use crate::api::{DEFAULT_TIME_ZONE, DEFAULT_WEEK_START};
use crate::auth::access::Requirement::Caller;
use crate::auth::access::Resource;
use crate::domain::users::delete::{delete_users, summary};
use crate::domain::users::profile::{email_taken_error, update_profile};
use crate::error::{Error, Result};
use crate::http::v1::call::{Call, validation_error};
use crate::http::v1::operation::ParameterKind::{Ids, Positive, Texts};
use crate::http::v1::operation::{Operation, Parameter, delete, get, handler, patch, post};
use crate::input_limits::{MAX_AVATAR_CHARS, MAX_PAGE_SIZE};
use crate::store::people::users::{self, EmailSource, NewUser};
use crate::store::people::users_v1;
use crate::store::user_filter::UserFilter;
use crate::store::{Db, Subject, duplicate_or};
use crate::validate::changes::Changes;

/// Largest page number of the list of users.
const MAX_PAGE: i64 = 1_000_000;

/// Users of one page by default.
const DEFAULT_USERS: i64 = 10;

/// Filter of lists by owner.
pub(crate) const USER_ID_FILTER: Parameter = Parameter::new(
    "userId",
    Ids,
    "Only records of these users; for operators of the service",
);

/// Keys of request bodies; a creation requires the first two.
const KEYS: &[&str] = &[
    "email",
    "username",
    "brandColor",
    "darkBrandColor",
    "hideBranding",
    "weekStart",
    "timeZone",
    "theme",
    "timeFormat",
    "locale",
    "avatar",
    "name",
    "bio",
];

/// Keys with the same name in version 2.
const SHARED_KEYS: [&str; 6] = ["email", "name", "bio", "weekStart", "timeZone", "locale"];

/// Operations of this resource.
pub(crate) const OPERATIONS: &[Operation] = &[
    get("/v1/users", handler!(list))
        .summary("The caller; for operators of the service, all users.")
        .requires(Caller)
        .query(&[
            Parameter::new("email", Texts, "Only users with these e-mail addresses"),
            Parameter::new("page", Positive, "Page; default: 1"),
            Parameter::new(
                "take",
                Positive,
                "Users per page; default: 10, maximum: 250",
            ),
        ])
        .returns_bare::<UserPage>()
        .replaced_by("/v2/me"),
    post("/v1/users", handler!(create))
        .summary("Creates a user. For operators of the service.")
        .requires(Caller)
        .input::<UserInput>(KEYS.split_at(2).0, KEYS.split_at(2).1)
        .returns_created::<User>("user", "User created successfully"),
    get("/v1/users/{userId}", handler!(show))
        .summary("One user. Callers who are not operators always get themselves.")
        .requires(Caller)
        .returns::<User>("user")
        .replaced_by("/v2/me"),
    patch("/v1/users/{userId}", handler!(edit))
        .summary(
            "Changes a user. An e-mail address that users set themselves counts as unverified.",
        )
        .requires(Caller)
        .input::<UserInput>(&[], KEYS)
        .returns::<User>("user")
        .replaced_by("/v2/me"),
    delete("/v1/users/{userId}", handler!(remove))
        .summary("Deletes a user and the records that only they own. For operators of the service.")
        .requires(Caller),
];

async fn list(call: Call) -> Result<Value> {
    let page = call.count("page", MAX_PAGE)?.unwrap_or(1);
    let take = call.count("take", MAX_PAGE_SIZE)?.unwrap_or(DEFAULT_USERS);
    let mut db = call.read().await?;
    let user_filter = match call.is_operator(&mut db).await? {
        true => UserFilter::All,
        false => UserFilter::Ids(vec![call.caller.user_id]),
    };
    let emails = call.query.list("email").unwrap_or_default();
    // An unescaped "+" arrives as a space.
    let emails: Vec<String> = emails.iter().map(|email| email.replace(' ', "+")).collect();
    let skip = (page - 1) * take;
    let (users, total) = users_v1::page(&mut db, &user_filter, &emails, take, skip).await?;
    Ok(json!(UserPage { users, total }))
}

async fn show(call: Call) -> Result<Value> {
    let id = call.id("userId")?;
    let mut db = call.read().await?;
    let id = match call.is_operator(&mut db).await? {
        true => id,
        false => call.caller.user_id,
    };
    let user = users_v1::get(&mut db, id).await?;
    Ok(json!(user.ok_or_else(|| Error::not_found("User", id))?))
}

async fn create(call: Call) -> Result<Value> {
    let mut transaction = call.begin(&[Subject::Rows]).await?;
    let db = &mut *transaction;
    call.require_operator(db).await?;
    let empty = User {
        time_zone: DEFAULT_TIME_ZONE.into(),
        week_start: DEFAULT_WEEK_START.into(),
        ..User::default()
    };
    let (user, v2_body) = parse(&call, empty)?;
    let mut email = String::new();
    let mut changes = Changes::new(&call.body);
    changes.email("email", &mut email);
    changes.finish()?;
    if users::email_is_taken(db, &email, 0).await? {
        return Err(email_taken_error());
    }
    check_username(db, &user).await?;
    let id = users::insert(
        db,
        &NewUser {
            username: user.username.clone(),
            email,
            time_zone: user.time_zone.clone(),
            time_format: 12,
            week_start: user.week_start.clone(),
            created: call.now(),
            ..NewUser::default()
        },
    )
    .await
    .map_err(write_error)?;
    let user = store(db, User { id, ..user }, &v2_body, EmailSource::Platform).await?;
    transaction.commit().await?;
    Ok(json!(user))
}

async fn edit(call: Call) -> Result<Value> {
    let mut transaction = call.begin(&[Subject::Person(call.id("userId")?)]).await?;
    let db = &mut *transaction;
    let before = load_authorised(&call, db).await?;
    let is_operator = call.is_operator(db).await?;
    let (user, v2_body) = parse(&call, before)?;
    check_username(db, &user).await?;
    // E-mail addresses that operators set for others count as verified.
    let email_source = match is_operator && user.id != call.caller.user_id {
        true => EmailSource::Platform,
        false => EmailSource::User,
    };
    let user = store(db, user, &v2_body, email_source).await?;
    transaction.commit().await?;
    Ok(json!(user))
}

async fn remove(call: Call) -> Result<Value> {
    let mut transaction = call
        .begin(&[Subject::LeavingPerson(call.id("userId")?)])
        .await?;
    let db = &mut *transaction;
    call.require_operator(db).await?;
    let user = load_authorised(&call, db).await?;
    if user.id == call.caller.user_id {
        return Err(validation_error(
            "userId",
            "is your own: somebody else has to delete you",
        ));
    }
    let released = delete_users(db, &[user.id], call.app.clock.now()).await?;
    transaction.commit().await?;
    Ok(json!(format!(
        "User {} deleted{}",
        user.id,
        summary(released)
    )))
}

/// Loads the user in the path; rejects callers without access.
async fn load_authorised(call: &Call, db: &mut Db) -> Result<User> {
    let id = call.id("userId")?;
    let user = users_v1::get(db, id).await?;
    if user.is_none() {
        // Only operators can find out which ids exist.
        call.authorise(db, &Resource::of_user(id)).await?;
    }
    let user = user.ok_or_else(|| Error::not_found("User", id))?;
    call.authorise(db, &Resource::of_user(user.id)).await?;
    Ok(user)
}

/// Parses the body: applies the fields that only version 1 has to `user`, and returns the others in
/// the format of version 2.
fn parse(call: &Call, mut user: User) -> Result<(User, JsonMap)> {
    let mut changes = Changes::new(&call.body);
    changes.username("username", &mut user.username);
    changes.color("brandColor", &mut user.brand_color);
    changes.color("darkBrandColor", &mut user.dark_brand_color);
    changes.flag("hideBranding", &mut user.hide_branding);
    changes.one_of("theme", &mut user.theme, &["DARK", "LIGHT"]);
    let formats = [("TWELVE", 12), ("TWENTY_FOUR", 24)];
    let mut format = None;
    changes.set(
        "timeFormat",
        &mut format,
        "isEnum",
        "must be one of: TWELVE, TWENTY_FOUR",
        |value| {
            let (_, format) = formats.iter().find(|(name, _)| value == name)?;
            Some(Some(*format))
        },
    );
    changes.set_or_clear(
        "avatar",
        &mut user.avatar,
        "isBase64",
        &format!(
            "must be a PNG, JPEG, GIF or WebP picture of at most {MAX_AVATAR_CHARS} characters in base64"
        ),
        |value| value.as_str().and_then(image_url),
    );
    changes.finish()?;
    let mut v2_body = call.body_subset(&SHARED_KEYS);
    if let Some(format) = format {
        v2_body.insert("timeFormat".into(), json!(format));
    }
    Ok((user, v2_body))
}

/// Stores a user; `v2_body` is validated by the rules of version 2.
async fn store(
    db: &mut Db,
    user: User,
    v2_body: &JsonMap,
    email_source: EmailSource,
) -> Result<User> {
    let profile = users::profile(db, user.id)
        .await?
        .ok_or_else(|| Error::internal("a user that was just found cannot be read"))?;
    update_profile(db, profile, v2_body, email_source).await?;
    users_v1::update(db, &user).await.map_err(write_error)?;
    users_v1::get(db, user.id)
        .await?
        .ok_or_else(|| Error::internal("a user that was just found cannot be read"))
}

async fn check_username(db: &mut Db, user: &User) -> Result<()> {
    if users::username_is_taken(db, &user.username, user.id).await? {
        return Err(name_is_taken());
    }
    Ok(())
}

fn write_error(error: sqlx::Error) -> Error {
    duplicate_or(error, name_is_taken())
}

fn name_is_taken() -> Error {
    Error::Conflict("another user has this username or e-mail address".into())
}

/// Converts a base64 image, with or without `data:` prefix, to a `data:` URL.
fn image_url(text: &str) -> Option<String> {
    let data = match text.strip_prefix("data:") {
        Some(rest) => rest.split_once(";base64,")?.1,
        None => text,
    };
    if data.len() > MAX_AVATAR_CHARS {
        return None;
    }
    let bytes = STANDARD.decode(data).ok()?;
    // The declared type is not trusted: a browser might execute it.
    let kind = match bytes.as_slice() {
        [0x89, b'P', b'N', b'G', ..] => "png",
        [0xff, 0xd8, 0xff, ..] => "jpeg",
        [b'G', b'I', b'F', b'8', ..] => "gif",
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => "webp",
        _ => return None,
    };
    Some(format!("data:image/{kind};base64,{data}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn image_type_is_detected_from_bytes() {
        let png = STANDARD.encode([0x89, b'P', b'N', b'G', 1, 2, 3]);
        let url = format!("data:image/png;base64,{png}");
        for text in [
            png.clone(),
            url.clone(),
            format!("data:text/html;base64,{png}"),
        ] {
            assert_eq!(image_url(&text).as_ref(), Some(&url), "{text}");
        }
        let html = STANDARD.encode("<script>");
        let large =
            STANDARD.encode([[0xff, 0xd8, 0xff].as_slice(), &[0; MAX_AVATAR_CHARS]].concat());
        for text in [html.as_str(), "no base64!", "data:image/png", "", &large] {
            assert_eq!(image_url(text), None);
        }
    }
}
