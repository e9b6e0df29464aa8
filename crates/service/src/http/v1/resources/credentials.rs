//! Credentials of apps that users have connected. Only for operators; no operation returns the
//! keys.

use booking_wire::v1::{Credential, CredentialInput};
use serde_json::{Value, json};

use crate::auth::access::Requirement::Caller;
use crate::error::{Error, Result};
use crate::http::v1::call::{Call, positive, validation_error};
use crate::http::v1::operation::{
    Operation, Parameter, ParameterKind, delete, get, handler, patch, post,
};
use crate::input_limits::MAX_CREDENTIAL_KEY_CHARS;
use crate::store::hours::calendars::{self, StoredCredential};
use crate::store::people::accounts;
use crate::store::{Db, Subject};
use crate::validate::{Checks, Object, handle_message, is_handle};

const USER: Parameter = Parameter::new(
    "userId",
    ParameterKind::Positive,
    "User who has the credential",
)
.required();

const CREDENTIAL: Parameter =
    Parameter::new("credentialId", ParameterKind::Positive, "Credential").required();

/// Operations of this resource.
pub(crate) const OPERATIONS: &[Operation] = &[
    get("/v1/credential-sync", handler!(list))
        .summary("Credentials of a user, without their keys. For operators of the service.")
        .requires(Caller)
        .query(&[USER])
        .returns_list::<Credential>("credentials"),
    post("/v1/credential-sync", handler!(create))
        .summary("Stores a credential for a user. For operators of the service.")
        .requires(Caller)
        .query(&[USER])
        .input::<CredentialInput>(&["encryptedKey", "appSlug"], &[])
        .returns_created::<Credential>("credential", "Credential created successfully"),
    patch("/v1/credential-sync", handler!(edit))
        .summary("Replaces the key of a credential. For operators of the service.")
        .requires(Caller)
        .query(&[USER, CREDENTIAL])
        .input::<CredentialInput>(&["encryptedKey"], &[])
        .returns::<Credential>("credential"),
    delete("/v1/credential-sync", handler!(remove))
        .summary(
            "Deletes a credential and the calendars that use it. For operators of the service.",
        )
        .requires(Caller)
        .query(&[USER, CREDENTIAL]),
];

async fn list(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let user_id = require_user(&call, &mut db).await?;
    let credentials = calendars::credentials_of(&mut db, user_id).await?;
    Ok(credentials
        .iter()
        .map(|credential| json!(credential.to_wire()))
        .collect())
}

async fn create(call: Call) -> Result<Value> {
    let mut transaction = call
        .begin(&[Subject::Person(named(&call, "userId"))])
        .await?;
    let db = &mut *transaction;
    let user_id = require_user(&call, db).await?;
    let mut checks = Checks::default();
    let object = Object::new(&call.body, "");
    let key = key(&object, &mut checks);
    let rule = handle_message();
    let slug = object.read("appSlug", "matches", &rule, &mut checks, |value| {
        value.as_str().filter(|slug| is_handle(slug))
    });
    checks.finish()?;
    let (key, slug) = (key.unwrap_or_default(), slug.unwrap_or_default());
    let sealed = call
        .app
        .sealing_key
        .seal(key, &seal_context(user_id, slug))?;
    let id = calendars::insert_credential(db, user_id, slug, &sealed, call.now()).await?;
    let created = find(db, user_id, id).await?;
    transaction.commit().await?;
    Ok(json!(created.to_wire()))
}

async fn edit(call: Call) -> Result<Value> {
    let mut transaction = call
        .begin(&[Subject::AppCredential(named(&call, "credentialId"))])
        .await?;
    let db = &mut *transaction;
    let credential = load_authorised(&call, db).await?;
    let mut checks = Checks::default();
    let key = key(&Object::new(&call.body, ""), &mut checks);
    checks.finish()?;
    let context = seal_context(credential.user_id, &credential.app_slug);
    let sealed = call
        .app
        .sealing_key
        .seal(key.unwrap_or_default(), &context)?;
    calendars::set_credential_key(db, credential.id, &sealed).await?;
    transaction.commit().await?;
    Ok(json!(credential.to_wire()))
}

async fn remove(call: Call) -> Result<Value> {
    let mut transaction = call
        .begin(&[Subject::AppCredential(named(&call, "credentialId"))])
        .await?;
    let credential = load_authorised(&call, &mut transaction).await?;
    calendars::delete_credential(&mut transaction, credential.id).await?;
    transaction.commit().await?;
    Ok(json!(format!("Credential {} deleted", credential.id)))
}

/// Id in the query; 0, which nothing has, if it is none.
fn named(call: &Call, key: &str) -> i64 {
    positive(key, call.query.get(key).unwrap_or_default()).unwrap_or_default()
}

/// Id of the user in the query. Rejects callers who are not operators.
async fn require_user(call: &Call, db: &mut Db) -> Result<i64> {
    call.require_operator(db).await?;
    let user_id = positive("userId", call.query.get("userId").unwrap_or_default())?;
    let user = accounts::me(db, user_id).await?;
    Ok(user.ok_or_else(|| Error::not_found("User", user_id))?.id)
}

async fn load_authorised(call: &Call, db: &mut Db) -> Result<StoredCredential> {
    let user_id = require_user(call, db).await?;
    let id = call.query.get("credentialId").unwrap_or_default();
    find(db, user_id, positive("credentialId", id)?).await
}

async fn find(db: &mut Db, user_id: i64, id: i64) -> Result<StoredCredential> {
    calendars::credential(db, id)
        .await?
        .filter(|credential| credential.user_id == user_id)
        .ok_or_else(|| Error::not_found("Credential", id))
}

/// Rejects a credential that does not belong to `user_id`.
pub(crate) async fn check_credential(db: &mut Db, user_id: i64, id: Option<i64>) -> Result<()> {
    let Some(id) = id else {
        return Ok(());
    };
    match calendars::credential(db, id).await? {
        Some(credential) if credential.user_id == user_id => Ok(()),
        _ => Err(validation_error(
            "credentialId",
            "is no credential of this user",
        )),
    }
}

fn key<'a>(object: &Object<'a>, checks: &mut Checks) -> Option<&'a str> {
    let key = object.required_text("encryptedKey", checks)?;
    if key.chars().count() > MAX_CREDENTIAL_KEY_CHARS {
        let message = format!("must be at most {MAX_CREDENTIAL_KEY_CHARS} characters long");
        // The error does not contain the value: it is a secret.
        checks.report("encryptedKey", &Value::Null, "maxLength", &message);
    }
    Some(key)
}

/// Context to which an encrypted key is bound.
pub(crate) fn seal_context(user_id: i64, app_slug: &str) -> String {
    format!("credential of {user_id} for {app_slug}")
}
