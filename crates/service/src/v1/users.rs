//! People.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use booking_wire::JsonMap;
use booking_wire::v1::{User, UserInput, UserPage};
use serde_json::{Value, json};

use super::call::{Call, complaint};
use super::operation::Kind::{Ids, Positive, Texts};
use super::operation::{Operation, Parameter, delete, get, patch, post, run};
use crate::auth::access::Needs::Caller;
use crate::auth::access::Subject;
use crate::error::{Error, Result};
use crate::input_limits::{MAX_AVATAR_CHARS, MAX_PAGE_SIZE};
use crate::store::people::People;
use crate::store::users::{self, NewUser, Vouched};
use crate::store::{Db, is_duplicate, looks};
use crate::users::deletion::{delete_users, summary};
use crate::users::profile::{change, email_is_taken};
use crate::validate::changes::Changes;

/// Whose things are listed.
pub(super) const WHOSE: Parameter = Parameter::new(
    "userId",
    Ids,
    "Of these people; for those who run the service",
);

const ABOUT: [&str; 11] = [
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

const ALL: [&str; 13] = [
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

/// What version 2 reads of a person under the same names.
const SHARED: [&str; 6] = ["email", "name", "bio", "weekStart", "timeZone", "locale"];

/// Operations of this resource.
pub(super) const OPERATIONS: &[Operation] = &[
    get("/v1/users", run!(list))
        .about("The caller; for those who run the service, everybody.")
        .needs(Caller)
        .asks(&[
            Parameter::new("email", Texts, "Only people with these addresses"),
            Parameter::new("page", Positive, "Which page, the first one unless told"),
            Parameter::new("take", Positive, "How many, 10 unless told; 250 at most"),
        ])
        .gives_bare::<UserPage>()
        .replaced_by("/v2/me"),
    post("/v1/users", run!(create))
        .about("Adds a person. For those who run the service.")
        .needs(Caller)
        .takes::<UserInput>(&["email", "username"], &ABOUT)
        .makes::<User>("user", "User created successfully"),
    get("/v1/users/{userId}", run!(show))
        .about("One person. Whoever does not run the service is shown themselves.")
        .needs(Caller)
        .gives::<User>("user")
        .replaced_by("/v2/me"),
    patch("/v1/users/{userId}", run!(edit))
        .about("Changes a person. A new address that people give themselves proves nothing.")
        .needs(Caller)
        .takes::<UserInput>(&[], &ALL)
        .gives::<User>("user")
        .replaced_by("/v2/me"),
    delete("/v1/users/{userId}", run!(remove))
        .about("Deletes a person with what is theirs alone. For those who run the service.")
        .needs(Caller),
];

async fn list(call: Call) -> Result<Value> {
    let page = call.count("page", 1_000_000)?.unwrap_or(1);
    let take = call.count("take", MAX_PAGE_SIZE)?.unwrap_or(10);
    let mut db = call.read().await?;
    let people = match call.runs_the_service(&mut db).await? {
        true => People::Everybody,
        false => People::These(vec![call.caller.user_id]),
    };
    let emails = call.query.list("email").unwrap_or_default();
    // A "+" that was not escaped arrived as a space.
    let emails: Vec<String> = emails.iter().map(|email| email.replace(' ', "+")).collect();
    let skip = (page - 1) * take;
    let (users, total) = looks::page(&mut db, &people, &emails, take, skip).await?;
    Ok(json!(UserPage { users, total }))
}

async fn show(call: Call) -> Result<Value> {
    let id = call.id("userId")?;
    let mut db = call.read().await?;
    let id = match call.runs_the_service(&mut db).await? {
        true => id,
        false => call.caller.user_id,
    };
    let user = looks::get(&mut db, id).await?;
    Ok(json!(user.ok_or_else(|| Error::not_found("User", id))?))
}

async fn create(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let db = &mut *transaction;
    call.refuse_others(db).await?;
    let blank = User {
        time_zone: "Europe/London".into(),
        week_start: "Sunday".into(),
        ..User::default()
    };
    let (user, said) = read(&call, blank)?;
    let mut email = String::new();
    let mut changes = Changes::any(&call.body);
    changes.email("email", &mut email);
    changes.finish()?;
    if users::email_is_taken(db, &email, 0).await? {
        return Err(email_is_taken());
    }
    refuse_taken_name(db, &user).await?;
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
    .map_err(refusal)?;
    let user = store(db, User { id, ..user }, &said, Vouched::ByPlatform).await?;
    transaction.commit().await?;
    Ok(json!(user))
}

async fn edit(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let db = &mut *transaction;
    let before = own(&call, db).await?;
    let is_operator = call.runs_the_service(db).await?;
    let (user, said) = read(&call, before)?;
    refuse_taken_name(db, &user).await?;
    // Whoever runs the service answers for the addresses that they give others.
    let vouched = match is_operator && user.id != call.caller.user_id {
        true => Vouched::ByPlatform,
        false => Vouched::ByThemselves,
    };
    let user = store(db, user, &said, vouched).await?;
    transaction.commit().await?;
    Ok(json!(user))
}

async fn remove(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let db = &mut *transaction;
    call.refuse_others(db).await?;
    let user = own(&call, db).await?;
    if user.id == call.caller.user_id {
        return Err(complaint(
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

/// The person in the path, once the caller may do with them what they ask.
async fn own(call: &Call, db: &mut Db) -> Result<User> {
    let id = call.id("userId")?;
    let user = looks::get(db, id).await?;
    if user.is_none() {
        // Only those who run the service learn who is there.
        call.authorise(db, &Subject::of_user(id)).await?;
    }
    let user = user.ok_or_else(|| Error::not_found("User", id))?;
    call.authorise(db, &Subject::of_user(user.id)).await?;
    Ok(user)
}

/// Changes in `user` what only version 1 knows. Gives the rest in the words of version 2.
fn read(call: &Call, mut user: User) -> Result<(User, JsonMap)> {
    let mut changes = Changes::any(&call.body);
    changes.slug("username", &mut user.username);
    changes.color("brandColor", &mut user.brand_color);
    changes.color("darkBrandColor", &mut user.dark_brand_color);
    changes.flag("hideBranding", &mut user.hide_branding);
    changes.word("theme", &mut user.theme, &["DARK", "LIGHT"]);
    let formats = [("TWELVE", 12), ("TWENTY_FOUR", 24)];
    let mut format = None;
    changes.set(
        "timeFormat",
        &mut format,
        "isEnum",
        "must be one of: TWELVE, TWENTY_FOUR",
        |value| {
            let known = formats.iter().find(|(word, _)| value == word)?;
            Some(Some(known.1))
        },
    );
    changes.set_or_clear(
        "avatar",
        &mut user.avatar,
        "isBase64",
        &format!(
            "must be a PNG, JPEG, GIF or WebP picture of at most {MAX_AVATAR_CHARS} characters in base64"
        ),
        |value| value.as_str().and_then(picture),
    );
    changes.finish()?;
    let mut said = call.only(&SHARED);
    if let Some(format) = format {
        said.insert("timeFormat".into(), json!(format));
    }
    Ok((user, said))
}

/// Stores a person; what version 2 knows by its rules.
async fn store(db: &mut Db, user: User, said: &JsonMap, vouched: Vouched) -> Result<User> {
    let profile = users::profile(db, user.id).await?.ok_or(Error::Internal)?;
    change(db, profile, said, vouched).await?;
    looks::update(db, &user).await.map_err(refusal)?;
    looks::get(db, user.id).await?.ok_or(Error::Internal)
}

async fn refuse_taken_name(db: &mut Db, user: &User) -> Result<()> {
    if users::username_is_taken(db, &user.username, user.id).await? {
        return Err(name_is_taken());
    }
    Ok(())
}

fn refusal(error: sqlx::Error) -> Error {
    if is_duplicate(&error) {
        name_is_taken()
    } else {
        error.into()
    }
}

fn name_is_taken() -> Error {
    Error::Conflict("another user has this username or e-mail address".into())
}

/// A picture in base64, with or without its `data:` prefix, as an address of its own.
fn picture(text: &str) -> Option<String> {
    let data = match text.strip_prefix("data:") {
        Some(rest) => rest.split_once(";base64,")?.1,
        None => text,
    };
    if data.len() > MAX_AVATAR_CHARS {
        return None;
    }
    let bytes = STANDARD.decode(data).ok()?;
    // What it says of itself is not believed: a browser might run it.
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
    fn a_picture_is_one_by_its_bytes() {
        let png = STANDARD.encode([0x89, b'P', b'N', b'G', 1, 2, 3]);
        let address = format!("data:image/png;base64,{png}");
        for given in [
            png.clone(),
            address.clone(),
            format!("data:text/html;base64,{png}"),
        ] {
            assert_eq!(picture(&given).as_ref(), Some(&address), "{given}");
        }
        let html = STANDARD.encode("<script>");
        let large =
            STANDARD.encode([[0xff, 0xd8, 0xff].as_slice(), &[0; MAX_AVATAR_CHARS]].concat());
        for given in [html.as_str(), "no base64!", "data:image/png", "", &large] {
            assert_eq!(picture(given), None);
        }
    }
}
