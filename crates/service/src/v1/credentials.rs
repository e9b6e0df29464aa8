//! Credentials of apps that people have connected. They are kept for those who run the service; no
//! operation tells the keys again.

use booking_wire::v1::{Credential, CredentialInput};
use serde_json::{Value, json};

use super::call::{Call, complaint, positive};
use super::operation::{Kind, Operation, Parameter, delete, get, patch, post, run};
use crate::auth::access::Needs::Caller;
use crate::error::{Error, Result};
use crate::input_limits::MAX_CREDENTIAL_KEY_CHARS;
use crate::store::calendars::{self, StoredCredential};
use crate::store::{Db, accounts};
use crate::validate::{Checks, Object, is_slug};

const USER: Parameter = Parameter::new("userId", Kind::Positive, "Whose").required();
const CREDENTIAL: Parameter = Parameter::new("credentialId", Kind::Positive, "Which").required();

/// Operations of this resource.
pub(super) const OPERATIONS: &[Operation] = &[
    get("/v1/credential-sync", run!(list))
        .about("Somebody's credentials, without their keys. For those who run the service.")
        .needs(Caller)
        .asks(&[USER])
        .lists::<Credential>("credentials"),
    post("/v1/credential-sync", run!(create))
        .about("Keeps a credential for somebody. For those who run the service.")
        .needs(Caller)
        .asks(&[USER])
        .takes::<CredentialInput>(&["encryptedKey", "appSlug"], &[])
        .makes::<Credential>("credential", "Credential created successfully"),
    patch("/v1/credential-sync", run!(edit))
        .about("Replaces the key of a credential. For those who run the service.")
        .needs(Caller)
        .asks(&[USER, CREDENTIAL])
        .takes::<CredentialInput>(&["encryptedKey"], &[])
        .gives::<Credential>("credential"),
    delete("/v1/credential-sync", run!(remove))
        .about("Forgets a credential, with the calendars that are reached with it. For those who run the service.")
        .needs(Caller)
        .asks(&[USER, CREDENTIAL]),
];

async fn list(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let user_id = user(&call, &mut db).await?;
    let found = calendars::credentials_of(&mut db, user_id).await?;
    Ok(found.iter().map(|one| json!(one.written())).collect())
}

async fn create(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let db = &mut *transaction;
    let user_id = user(&call, db).await?;
    let mut checks = Checks::default();
    let object = Object::new(&call.body, "");
    let key = key(object, &mut checks);
    let slug_rule = "must be small letters, digits and hyphens";
    let slug = object.read("appSlug", "matches", slug_rule, &mut checks, |value| {
        value.as_str().filter(|slug| is_slug(slug))
    });
    checks.finish()?;
    let (key, slug) = (key.unwrap_or_default(), slug.unwrap_or_default());
    let sealed = call.app.sealing_key.seal(key, &owner(user_id, slug))?;
    let id = calendars::insert_credential(db, user_id, slug, &sealed, call.now()).await?;
    let made = found(db, user_id, id).await?;
    transaction.commit().await?;
    Ok(json!(made.written()))
}

async fn edit(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let db = &mut *transaction;
    let known = own(&call, db).await?;
    let mut checks = Checks::default();
    let key = key(Object::new(&call.body, ""), &mut checks);
    checks.finish()?;
    let owner = owner(known.user_id, &known.app_slug);
    let sealed = call.app.sealing_key.seal(key.unwrap_or_default(), &owner)?;
    calendars::set_credential_key(db, known.id, &sealed).await?;
    transaction.commit().await?;
    Ok(json!(known.written()))
}

async fn remove(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let known = own(&call, &mut transaction).await?;
    calendars::delete_credential(&mut transaction, known.id).await?;
    transaction.commit().await?;
    Ok(json!(format!("Credential {} deleted", known.id)))
}

/// The person whom the query names, for those who run the service.
async fn user(call: &Call, db: &mut Db) -> Result<i64> {
    call.refuse_others(db).await?;
    let user_id = positive("userId", call.query.get("userId").unwrap_or_default())?;
    let user = accounts::me(db, user_id).await?;
    Ok(user.ok_or_else(|| Error::not_found("User", user_id))?.id)
}

async fn own(call: &Call, db: &mut Db) -> Result<StoredCredential> {
    let user_id = user(call, db).await?;
    let id = call.query.get("credentialId").unwrap_or_default();
    found(db, user_id, positive("credentialId", id)?).await
}

async fn found(db: &mut Db, user_id: i64, id: i64) -> Result<StoredCredential> {
    calendars::credential(db, id)
        .await?
        .filter(|credential| credential.user_id == user_id)
        .ok_or_else(|| Error::not_found("Credential", id))
}

/// Refuses a credential that is not `user_id`'s own.
pub(super) async fn refuse_foreign(db: &mut Db, user_id: i64, id: Option<i64>) -> Result<()> {
    let Some(id) = id else {
        return Ok(());
    };
    match calendars::credential(db, id).await? {
        Some(credential) if credential.user_id == user_id => Ok(()),
        _ => Err(complaint("credentialId", "is no credential of this user")),
    }
}

fn key<'a>(object: Object<'a>, checks: &mut Checks) -> Option<&'a str> {
    let key = object.required_text("encryptedKey", checks)?;
    if key.chars().count() > MAX_CREDENTIAL_KEY_CHARS {
        let complaint = format!("must be at most {MAX_CREDENTIAL_KEY_CHARS} characters long");
        // Not repeated: it is a secret.
        checks.complain("encryptedKey", &Value::Null, "maxLength", &complaint);
    }
    Some(key)
}

/// What a key is sealed for.
fn owner(user_id: i64, app_slug: &str) -> String {
    format!("credential of {user_id} for {app_slug}")
}
