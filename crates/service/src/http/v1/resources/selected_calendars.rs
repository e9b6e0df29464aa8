//! Calendars whose events block users' time. The id is `userId_integration_externalId`.

use booking_wire::v1::{SelectedCalendar, SelectedCalendarInput};
use serde_json::{Value, json};

use super::credentials::check_credential;
use crate::auth::access::Requirement::Caller;
use crate::auth::access::Resource;
use crate::error::{Error, Result};
use crate::http::v1::call::{Call, positive, validation_error};
use crate::http::v1::operation::{Operation, delete, get, handler, patch, post};
use crate::store::hours::calendars::{self, SelectedCalendarKey};
use crate::store::{Db, Subject, is_duplicate};
use crate::validate::changes::Changes;

/// Suffix of every integration; it makes ids parsable.
const INTEGRATION_SUFFIX: &str = "_calendar";

/// Characters of the name of an integration.
const MAX_INTEGRATION_CHARS: usize = 100;

/// Operations of this resource.
pub(crate) const OPERATIONS: &[Operation] = &[
    get("/v1/selected-calendars", handler!(list))
        .summary("The caller's selected calendars.")
        .requires(Caller)
        .query(&[super::users::USER_ID_FILTER])
        .returns_list::<SelectedCalendar>("selected_calendars"),
    post("/v1/selected-calendars", handler!(create))
        .summary("Selects a calendar whose events block the caller's time.")
        .requires(Caller)
        .input::<SelectedCalendarInput>(&["integration", "externalId"], &["credentialId", "userId"])
        .returns_created::<SelectedCalendar>(
            "selected_calendar",
            "Selected calendar created successfully",
        ),
    get("/v1/selected-calendars/{id}", handler!(show))
        .summary("One selected calendar, by `userId_integration_externalId`.")
        .requires(Caller)
        .returns::<SelectedCalendar>("selected_calendar"),
    patch("/v1/selected-calendars/{id}", handler!(edit))
        .summary("Changes a selected calendar. Its id changes with its parts.")
        .requires(Caller)
        .input::<SelectedCalendarInput>(&[], &["integration", "externalId", "credentialId"])
        .returns::<SelectedCalendar>("selected_calendar"),
    delete("/v1/selected-calendars/{id}", handler!(remove))
        .summary("Deselects a calendar.")
        .requires(Caller),
];

async fn list(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let user_filter = call.user_filter(&mut db).await?;
    Ok(json!(calendars::selected(&mut db, &user_filter).await?))
}

async fn show(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    Ok(json!(load_authorised(&call, &mut db).await?.1))
}

async fn create(call: Call) -> Result<Value> {
    let mut transaction = call
        .begin(&[Subject::Person(call.target_user("userId"))])
        .await?;
    let db = &mut *transaction;
    let empty = SelectedCalendar {
        user_id: call.target_user_id(db).await?,
        ..SelectedCalendar::default()
    };
    let calendar = read(&call, db, empty).await?;
    calendars::insert_selected(db, &calendar)
        .await
        .map_err(write_error)?;
    transaction.commit().await?;
    Ok(json!(calendar))
}

async fn edit(call: Call) -> Result<Value> {
    let mut transaction = call
        .begin(&[Subject::Person(parse_key(call.path.text("id"))?.user_id)])
        .await?;
    let db = &mut *transaction;
    let (key, before) = load_authorised(&call, db).await?;
    let calendar = read(&call, db, before).await?;
    calendars::update_selected(db, &key, &calendar)
        .await
        .map_err(write_error)?;
    transaction.commit().await?;
    Ok(json!(calendar))
}

async fn remove(call: Call) -> Result<Value> {
    let mut transaction = call
        .begin(&[Subject::Person(parse_key(call.path.text("id"))?.user_id)])
        .await?;
    let (key, _) = load_authorised(&call, &mut transaction).await?;
    calendars::delete_selected(&mut transaction, &key).await?;
    transaction.commit().await?;
    Ok(json!("Selected calendar deleted"))
}

async fn load_authorised(
    call: &Call,
    db: &mut Db,
) -> Result<(SelectedCalendarKey, SelectedCalendar)> {
    let key = parse_key(call.path.text("id"))?;
    // Before the lookup, so that strangers cannot find out which calendars are selected.
    call.authorise(db, &Resource::of_user(key.user_id)).await?;
    let calendar = calendars::get_selected(db, &key)
        .await?
        .ok_or_else(|| Error::NotFound("Selected calendar not found".into()))?;
    Ok((key, calendar))
}

/// Parses an id: the user's id up to the first `_`, the integration up to the first `_calendar_`,
/// and the external id, which may contain anything.
fn parse_key(id: &str) -> Result<SelectedCalendarKey> {
    let parts = id.split_once('_').and_then(|(user_id, rest)| {
        let (kind, external_id) = rest.split_once("_calendar_")?;
        (!kind.is_empty() && !external_id.is_empty()).then_some((user_id, kind, external_id))
    });
    let Some((user_id, kind, external_id)) = parts else {
        return Err(validation_error(
            "id",
            "must be userId_integration_externalId",
        ));
    };
    Ok(SelectedCalendarKey {
        user_id: positive("id", user_id)?,
        integration: format!("{kind}{INTEGRATION_SUFFIX}"),
        external_id: external_id.to_owned(),
    })
}

async fn read(
    call: &Call,
    db: &mut Db,
    mut calendar: SelectedCalendar,
) -> Result<SelectedCalendar> {
    let mut changes = Changes::new(&call.body);
    changes.set(
        "integration",
        &mut calendar.integration,
        "matches",
        "must be small letters and digits in words joined by _, of which the last, and no other, is calendar",
        |value| value.as_str().filter(|text| is_integration(text)).map(str::to_owned),
    );
    changes.name("externalId", &mut calendar.external_id);
    changes.id("credentialId", &mut calendar.credential_id);
    changes.finish()?;
    if call.body.contains_key("credentialId") {
        check_credential(db, calendar.user_id, calendar.credential_id).await?;
    }
    Ok(calendar)
}

/// Returns true if ids with this integration can be parsed.
fn is_integration(text: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty()
            && word
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    text.len() <= MAX_INTEGRATION_CHARS
        && text.split('_').all(is_word)
        && text
            .strip_suffix(INTEGRATION_SUFFIX)
            .is_some_and(|kind| !format!("{kind}_").contains("_calendar_"))
}

fn write_error(error: sqlx::Error) -> Error {
    if is_duplicate(&error) {
        Error::Conflict("this calendar is selected already".into())
    } else {
        error.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_is_split_at_its_first_separators() {
        for (id, parts) in [
            (
                "5_google_calendar_ada@example.org",
                Some((5, "google_calendar", "ada@example.org")),
            ),
            (
                "5_office365_calendar_a_calendar_b",
                Some((5, "office365_calendar", "a_calendar_b")),
            ),
            ("5_a_b_calendar__x_", Some((5, "a_b_calendar", "_x_"))),
            ("5_google_calendar_", None),
            ("5__calendar_x", None),
            ("5_google_x", None),
            ("_google_calendar_x", None),
            ("x_google_calendar_x", None),
            ("0_google_calendar_x", None),
            ("+5_google_calendar_x", None),
            ("5", None),
            ("", None),
        ] {
            let found = parse_key(id).ok();
            let found = found.as_ref().map(|key| {
                (
                    key.user_id,
                    key.integration.as_str(),
                    key.external_id.as_str(),
                )
            });
            assert_eq!(found, parts, "{id}");
        }
    }

    #[test]
    fn id_of_valid_integration_can_be_parsed() {
        for (text, is_valid) in [
            ("google_calendar", true),
            ("my_own_calendar", true),
            ("a_calendar_b_calendar", false),
            ("google", false),
            ("_calendar", false),
            ("a__calendar", false),
            ("Google_calendar", false),
        ] {
            assert_eq!(is_integration(text), is_valid, "{text}");
            if is_valid {
                let id = format!("7_{text}_calendar_x");
                assert_eq!(parse_key(&id).unwrap().integration, text);
            }
        }
    }
}
