//! Verification of e-mail addresses by a code that is sent to them.
//!
//! A code verifies an address for a booking whose event type requires it, or stores the address for a signed-in user or
//! a team. Neither tells whether the service knows the address.

mod code;
mod input;
mod limits;

pub use code::{CodeError, VerificationCode};

use booking_mail::data::{CodeData, Person};
use booking_smtp::email_address::mailbox_key;
use booking_wire::formats::instant::MINUTE_MS;
use booking_wire::people::verified_email::{CODE_DIGITS, CODE_MINUTES};
use booking_wire::{JsonMap, VerifiedEmail};

use crate::app::AppState;
use crate::auth::{Caller, secret};
use crate::domain::teams;
use crate::error::{Error, Result};
use crate::limits::client_ip::Network;
use crate::limits::{Allowance, Client};
use crate::messages::mail::message_id::new_message_id;
use crate::store::messages::mail::Status;
use crate::store::messages::{code_messages, mail};
use crate::store::people::verified_emails::is_verified;
use crate::store::people::{email_codes, users, verified_emails};
use crate::store::{Db, Locks, Resource};
use crate::validate::Query;

pub use crate::store::people::verified_emails::EmailOwner;

/// Time zone of a message whose recipient's is unknown; it contains no times.
const MESSAGE_ZONE: &str = "UTC";

/// Team that a request names, with the organisation that must have it, if the request names one.
#[derive(Clone, Copy, Debug)]
pub struct TeamRef {
    /// Id of the team.
    pub team_id: i64,
    /// Id of its organisation.
    pub organization_id: Option<i64>,
}

/// Checks that the caller may use the addresses of a team.
pub async fn authorise_team(app: &AppState, caller: &Caller, team: TeamRef) -> Result<EmailOwner> {
    let mut db = app.store.read().await?;
    let found = teams::authorised(&mut db, caller, team.team_id).await?;
    if team.organization_id.is_some() && found.parent_id != team.organization_id {
        return Err(Error::not_found("Team", team.team_id));
    }
    Ok(EmailOwner::Team(team.team_id))
}

/// Sends a code to an address. `accept_language` is the header of the request.
///
/// # Errors
///
/// [`Error::NotFound`] without a way to send e-mail; [`Error::TooManyRequests`] beyond the limits of the client or the
/// address.
pub async fn request(
    app: &AppState,
    caller: Option<&Caller>,
    network: Option<Network>,
    accept_language: Option<&str>,
    body: &JsonMap,
) -> Result<()> {
    if !app.settings.mail_is_available {
        return Err(Error::NotFound(
            "codes need a way to send e-mail, and none is configured".into(),
        ));
    }
    let request = input::read_request(body, accept_language)?;
    let client = Client::of(caller, network);
    limits::count_request(app, &client)?;
    let allowance = Allowance::of(&app.signing_key, app.settings.limits.rate, &client);
    let code = secret::random_digits(CODE_DIGITS)?;
    let verification = VerificationCode::new(&app.signing_key, &request.email, &code);
    let data = CodeData {
        code,
        valid_minutes: CODE_MINUTES,
        person: Person {
            email: request.email.clone(),
            time_zone: MESSAGE_ZONE.to_owned(),
            language: request.language.to_owned(),
            ..Person::default()
        },
    };
    let message_id = new_message_id(&app.settings.base_url)?;
    let status = match app.settings.mail.smtp {
        Some(_) => Status::Waiting,
        None => Status::Kept,
    };
    let now = app.clock.now();
    let mailbox = mailbox_key(&request.email);
    let locks = Locks::none()
        .and(Resource::EmailAddress(&mailbox))
        .and(Resource::EmailAddress(&request.email));
    let sent = app.store.write(locks, move |db| {
        Box::pin(async move {
            let email = &request.email;
            let (since, limit) = limits::counted_since(now);
            let created = mail::codes_to_mailbox(db, &mailbox, since, limit).await?;
            if let Some(wait_ms) = limits::wait_ms(&created, now) {
                return Err(limits::error(wait_ms));
            }
            if let Some(allowance) = &allowance {
                let message = [request.email.as_str()];
                allowance.deduct().messages(message).take(db, now).await?;
            }
            let valid_ms = CODE_MINUTES * MINUTE_MS;
            let hash = verification.hash();
            email_codes::insert(db, email, hash, now, valid_ms).await?;
            code_messages::insert_code(db, &data, message_id, status, now).await
        })
    });
    sent.await.inspect_err(|error| {
        if matches!(error, Error::TooManyRequests { .. }) {
            app.metrics.record_limit_refusal(limits::METRIC);
        }
    })
}

/// Checks a code. For a signed-in caller the address is stored, for the caller or a team, and the code is used up.
pub async fn verify(
    app: &AppState,
    caller: Option<&Caller>,
    network: Option<Network>,
    team: Option<TeamRef>,
    body: &JsonMap,
) -> Result<VerifiedEmail> {
    let request = input::read_code(body)?;
    limits::count_attempt(app, &Client::of(caller, network))?;
    let verification = VerificationCode::new(&app.signing_key, &request.email, &request.code);
    let (now, email) = (app.clock.now(), request.email);
    let Some(caller) = caller else {
        verification
            .check(app)
            .await?
            .map_err(|error| error.of("code"))?;
        return Ok(VerifiedEmail {
            email,
            ..VerifiedEmail::default()
        });
    };
    let (user_id, team_id) = (caller.user_id, team.map(|team| team.team_id));
    let locks = Locks::none()
        .and(Resource::EmailAddress(&email))
        .and(Resource::Person(user_id));
    let verified = app.store.write(locks, move |db| {
        Box::pin(async move {
            if let Err(error) = verification.use_up(db, now).await? {
                return Ok(Err(error));
            }
            if team_id.is_none() {
                users::confirm_email(db, user_id, &email).await?;
            }
            let stored = verified_emails::insert(db, user_id, team_id, &email, now).await?;
            Ok(Ok(stored))
        })
    });
    verified.await?.map_err(|error| error.of("code"))
}

/// Checks a code without using it up. Counts it for the client.
pub async fn check_code(
    app: &AppState,
    client: &Client,
    verification: &VerificationCode,
) -> Result<Result<(), CodeError>> {
    limits::count_attempt(app, client)?;
    verification.check(app).await
}

/// Verified addresses of an owner.
pub async fn list(app: &AppState, owner: EmailOwner, query: &Query) -> Result<Vec<VerifiedEmail>> {
    let (take, skip) = query.page()?;
    let mut db = app.store.read().await?;
    verified_emails::list(&mut db, owner, take, skip).await
}

/// One verified address of an owner.
pub async fn show(app: &AppState, owner: EmailOwner, id: i64) -> Result<VerifiedEmail> {
    let mut db = app.store.read().await?;
    let found = verified_emails::find(&mut db, owner, id).await?;
    found.ok_or_else(|| Error::not_found("Verified email", id))
}

/// Returns true if the caller has verified the address by a code.
pub async fn is_verified_by(db: &mut Db, caller: Option<&Caller>, email: &str) -> Result<bool> {
    match (caller, input::normalised(email)) {
        (Some(caller), Some(email)) => is_verified(db, caller.user_id, &email).await,
        _ => Ok(false),
    }
}
