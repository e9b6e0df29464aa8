//! Calendars in which people's time is taken. Three parts name one: `userId_integration_externalId`.

use booking_wire::v1::{SelectedCalendar, SelectedCalendarInput};
use serde_json::{Value, json};

use super::call::{Call, complaint, positive};
use super::credentials::refuse_foreign;
use super::operation::{Operation, delete, get, patch, post, run};
use crate::auth::access::Needs::Caller;
use crate::auth::access::Subject;
use crate::error::{Error, Result};
use crate::store::calendars::{self, SelectedKey};
use crate::store::{Db, is_duplicate};
use crate::validate::changes::Changes;
use crate::validate::whole;

/// Ends the name of every integration, by which an id can be taken apart again.
const CALENDAR: &str = "_calendar";

const LONGEST_INTEGRATION: usize = 100;

/// Operations of this resource.
pub(super) const OPERATIONS: &[Operation] = &[
    get("/v1/selected-calendars", run!(list))
        .about("The caller's selected calendars.")
        .needs(Caller)
        .asks(&[super::users::WHOSE])
        .lists::<SelectedCalendar>("selected_calendars"),
    post("/v1/selected-calendars", run!(create))
        .about("Names a calendar in which the caller's time is taken.")
        .needs(Caller)
        .takes::<SelectedCalendarInput>(&["integration", "externalId"], &["credentialId", "userId"])
        .makes::<SelectedCalendar>(
            "selected_calendar",
            "Selected calendar created successfully",
        ),
    get("/v1/selected-calendars/{id}", run!(show))
        .about("One selected calendar, by `userId_integration_externalId`.")
        .needs(Caller)
        .gives::<SelectedCalendar>("selected_calendar"),
    patch("/v1/selected-calendars/{id}", run!(edit))
        .about("Changes a selected calendar, whose id changes with what it is made of.")
        .needs(Caller)
        .takes::<SelectedCalendarInput>(&[], &["integration", "externalId", "credentialId"])
        .gives::<SelectedCalendar>("selected_calendar"),
    delete("/v1/selected-calendars/{id}", run!(remove))
        .about("Takes a calendar from those that are selected.")
        .needs(Caller),
];

async fn list(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let whose = call.whose(&mut db).await?;
    Ok(json!(calendars::selected(&mut db, &whose).await?))
}

async fn show(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    Ok(json!(own(&call, &mut db).await?.1))
}

async fn create(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let db = &mut *transaction;
    let blank = SelectedCalendar {
        user_id: call.beneficiary(db).await?,
        ..SelectedCalendar::default()
    };
    let calendar = read(&call, db, blank).await?;
    calendars::insert_selected(db, &calendar)
        .await
        .map_err(refusal)?;
    transaction.commit().await?;
    Ok(json!(calendar))
}

async fn edit(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let db = &mut *transaction;
    let (key, before) = own(&call, db).await?;
    let calendar = read(&call, db, before).await?;
    calendars::update_selected(db, &key, &calendar)
        .await
        .map_err(refusal)?;
    transaction.commit().await?;
    Ok(json!(calendar))
}

async fn remove(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let (key, _) = own(&call, &mut transaction).await?;
    calendars::delete_selected(&mut transaction, &key).await?;
    transaction.commit().await?;
    Ok(json!("Selected calendar deleted"))
}

async fn own(call: &Call, db: &mut Db) -> Result<(SelectedKey, SelectedCalendar)> {
    let key = key(call.path.text("id"))?;
    // First, so that a stranger does not learn what somebody has selected.
    call.authorise(db, &Subject::of_user(key.user_id)).await?;
    let calendar = calendars::selected_one(db, &key)
        .await?
        .ok_or_else(|| Error::NotFound("Selected calendar not found".into()))?;
    Ok((key, calendar))
}

/// Takes an id apart: the user's up to the first `_`, then the integration up to the first
/// `_calendar_`; what follows may hold anything.
fn key(id: &str) -> Result<SelectedKey> {
    let parts = id.split_once('_').and_then(|(user_id, rest)| {
        let (kind, external_id) = rest.split_once("_calendar_")?;
        (!kind.is_empty() && !external_id.is_empty()).then_some((user_id, kind, external_id))
    });
    let Some((user_id, kind, external_id)) = parts else {
        return Err(complaint("id", "must be userId_integration_externalId"));
    };
    Ok(SelectedKey {
        user_id: positive("id", user_id)?,
        integration: format!("{kind}{CALENDAR}"),
        external_id: external_id.to_owned(),
    })
}

async fn read(
    call: &Call,
    db: &mut Db,
    mut calendar: SelectedCalendar,
) -> Result<SelectedCalendar> {
    let mut changes = Changes::any(&call.body);
    changes.set(
        "integration",
        &mut calendar.integration,
        "matches",
        "must be small letters and digits in words joined by _, of which the last, and no other, is calendar",
        |value| value.as_str().filter(|text| is_integration(text)).map(str::to_owned),
    );
    changes.name("externalId", &mut calendar.external_id);
    changes.set_or_clear(
        "credentialId",
        &mut calendar.credential_id,
        "min",
        "must be a whole number not less than 1",
        |value| whole(value).filter(|id| *id >= 1),
    );
    changes.finish()?;
    if call.body.contains_key("credentialId") {
        refuse_foreign(db, calendar.user_id, calendar.credential_id).await?;
    }
    Ok(calendar)
}

/// Whether an id that is made of it can be taken apart again.
fn is_integration(text: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty()
            && word
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    text.len() <= LONGEST_INTEGRATION
        && text.split('_').all(is_word)
        && text
            .strip_suffix(CALENDAR)
            .is_some_and(|kind| !format!("{kind}_").contains("_calendar_"))
}

fn refusal(error: sqlx::Error) -> Error {
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
    fn an_id_is_taken_apart_at_its_first_marks() {
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
            let found = key(id).ok();
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
    fn what_is_selected_has_an_id_that_leads_back_to_it() {
        for (text, sound) in [
            ("google_calendar", true),
            ("my_own_calendar", true),
            ("a_calendar_b_calendar", false),
            ("google", false),
            ("_calendar", false),
            ("a__calendar", false),
            ("Google_calendar", false),
        ] {
            assert_eq!(is_integration(text), sound, "{text}");
            if sound {
                let id = format!("7_{text}_calendar_x");
                assert_eq!(key(&id).unwrap().integration, text);
            }
        }
    }
}
