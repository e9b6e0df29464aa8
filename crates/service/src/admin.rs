//! What whoever runs the service does at its command line: people, keys and OAuth clients.
//!
//! Every command gives the text that it prints. A secret is printed once, when it is made; the
//! database has its hash only. All of them may be used while the service runs.

use std::path::{Path, PathBuf};

use booking_wire::Instant;
use chrono::NaiveDate;
use chrono_tz::Tz;
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};

use crate::auth::access::{Needs, TABLE};
use crate::auth::token::ACCESS_MINUTES;
use crate::auth::{KEY_PREFIX, secret};
use crate::clock::Clock;
use crate::error::{Error, Result};
use crate::router::Settings;
use crate::serve::{self, Problem};
use crate::store::credentials::{self, Client};
use crate::store::users::{self, NewUser};
use crate::store::{self, Db, Store};
use crate::validate::{is_email, is_slug, is_url, slug_of};

/// Letters of a key's hash that name it.
const ID_LETTERS: usize = 12;

/// What an OAuth client's tokens may be granted.
const SCOPES: [&str; 11] = [
    "*",
    "EVENT_TYPE_READ",
    "EVENT_TYPE_WRITE",
    "BOOKING_READ",
    "BOOKING_WRITE",
    "SCHEDULE_READ",
    "SCHEDULE_WRITE",
    "APPS_READ",
    "APPS_WRITE",
    "PROFILE_READ",
    "PROFILE_WRITE",
];

/// Options of `service permissions`.
#[derive(Clone, Debug, Args)]
pub struct Permissions {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Where the data is.
#[derive(Clone, Debug, Args)]
pub struct Data {
    /// Directory of the database
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
}

/// `service key ...`
#[derive(Clone, Debug, Subcommand)]
pub enum KeyCommand {
    /// Make an API key and print it: it cannot be shown again
    Create {
        /// Where the data is
        #[command(flatten)]
        data: Data,
        /// User name or e-mail address of the person whom the key acts as
        #[arg(long, value_name = "NAME")]
        user: String,
        /// What the key is for
        #[arg(long, value_name = "TEXT", default_value = "API key")]
        label: String,
        /// Last day on which it is good, in UTC; without it the key is good until it is revoked
        #[arg(long, value_name = "YYYY-MM-DD")]
        expires: Option<NaiveDate>,
    },
    /// List the API keys by their short ids
    List {
        /// Where the data is
        #[command(flatten)]
        data: Data,
    },
    /// Make an API key useless at once
    Revoke {
        /// Where the data is
        #[command(flatten)]
        data: Data,
        /// The key's short id, from `key list`
        id: String,
    },
}

/// `service client ...`
#[derive(Clone, Debug, Subcommand)]
pub enum ClientCommand {
    /// Make an OAuth client of a platform and print its id and secret: the secret cannot be shown again
    Create {
        /// Where the data is
        #[command(flatten)]
        data: Data,
        /// User name or e-mail address of the person whom the client acts as
        #[arg(long, value_name = "NAME")]
        owner: String,
        /// What the platform is called
        #[arg(long)]
        name: String,
        /// Address of the platform's pages on which its users' tokens are good; may be repeated
        #[arg(long = "redirect-uri", value_name = "URL", value_parser = url)]
        redirect_uris: Vec<String>,
        /// What its users' tokens may do; may be repeated
        #[arg(long = "scope", value_name = "SCOPE", value_parser = SCOPES, default_value = "*")]
        scopes: Vec<String>,
    },
    /// Give an OAuth client a new secret and print it; the former one is useless at once
    Rotate {
        /// Where the data is
        #[command(flatten)]
        data: Data,
        /// The client's id
        id: String,
    },
}

/// `service user ...`
#[derive(Clone, Debug, Subcommand)]
pub enum UserCommand {
    /// Add a person, with working hours Monday to Friday, 9 to 17, and print their id
    Create(NewPerson),
    /// Confirm the e-mail address that a person has given themselves: what is booked under it
    /// concerns them from then on, and what is booked under the former one no longer does
    ConfirmEmail {
        /// Where the data is
        #[command(flatten)]
        data: Data,
        /// User name, or former e-mail address
        #[arg(value_name = "NAME")]
        user: String,
    },
}

/// Options of `service user create`.
#[derive(Clone, Debug, Args)]
pub struct NewPerson {
    /// Directory of the database; made if it does not exist
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// Name in the addresses of the person's pages: small letters, digits and hyphens
    #[arg(long, value_parser = slug)]
    pub username: String,
    /// E-mail address
    #[arg(long, value_parser = email)]
    pub email: String,
    /// Full name
    #[arg(long)]
    pub name: String,
    /// IANA id, such as Europe/Rome
    #[arg(long, value_name = "ZONE", value_parser = zone)]
    pub time_zone: Tz,
    /// Let the person run the whole service, everybody's data included
    #[arg(long)]
    pub admin: bool,
    /// Organisation to join; made if there is none of that name
    #[arg(long, value_name = "NAME")]
    pub organization: Option<String>,
    /// What the person is in the organisation; without it the first one owns it and others are members
    #[arg(long, value_enum, requires = "organization")]
    pub organization_role: Option<OrganizationRole>,
}

/// What somebody is in an organisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OrganizationRole {
    /// Takes part.
    Member,
    /// Runs it.
    Admin,
    /// Owns it.
    Owner,
}

impl OrganizationRole {
    fn as_str(self) -> &'static str {
        match self {
            Self::Member => "MEMBER",
            Self::Admin => "ADMIN",
            Self::Owner => "OWNER",
        }
    }
}

/// Runs `service permissions`: what every operation asks of its caller.
pub fn permissions(options: &Permissions) -> String {
    let rows: Vec<[&str; 5]> = TABLE
        .iter()
        .map(|rule| {
            let (needs, permission) = words(rule.needs);
            let scope = rule.scope.unwrap_or_default();
            [rule.method, rule.path, scope, needs, permission]
        })
        .collect();
    if !options.json {
        return columns(["METHOD", "PATH", "SCOPE", "CALLER", "PERMISSION"], &rows);
    }
    let or_null = |text: &str| {
        if text.is_empty() {
            Value::Null
        } else {
            text.into()
        }
    };
    let rules: Vec<Value> = rows
        .iter()
        .map(|[method, path, scope, needs, permission]| {
            json!({
                "method": method,
                "path": path,
                "scope": or_null(scope),
                "caller": needs,
                "permission": or_null(permission),
            })
        })
        .collect();
    format!("{:#}\n", Value::Array(rules))
}

/// Who may call, and the permission that it takes or that stands in for it.
fn words(needs: Needs) -> (&'static str, &'static str) {
    match needs {
        Needs::Nothing => ("anybody", ""),
        Needs::Caller => ("user", ""),
        Needs::Client => ("client", ""),
        Needs::Team(permission) => ("team", permission),
        Needs::Organization(permission) => ("organization", permission),
        Needs::Owner(permission) => ("owner", permission),
        Needs::Host(permission) => ("host", permission),
    }
}

/// Runs `service key ...`.
pub async fn key(command: KeyCommand) -> Result<String, Problem> {
    match command {
        KeyCommand::Create {
            data,
            user,
            label,
            expires,
        } => {
            let (store, now) = existing(&data.data).await?;
            let key = secret::random_secret()?;
            let mut transaction = store.begin().await?;
            let user_id = person(&mut transaction, &user).await?;
            let expires = expires.map(|day| day.to_string());
            credentials::insert_api_key(
                &mut transaction,
                &secret::hash(&key),
                user_id,
                &label,
                now.0,
                expires.as_deref(),
            )
            .await?;
            transaction.commit().await.map_err(Error::from)?;
            store.close().await;
            Ok(format!("{KEY_PREFIX}{key}\n"))
        }
        KeyCommand::List { data } => {
            let (store, _) = existing(&data.data).await?;
            let mut db = store.read().await?;
            let keys = credentials::api_keys(&mut db).await?;
            drop(db);
            store.close().await;
            let created: Vec<String> = keys.iter().map(|key| day(key.created_ms)).collect();
            let rows: Vec<[&str; 5]> = keys
                .iter()
                .zip(&created)
                .map(|(key, created)| {
                    let expires = key.expires_on.as_deref().unwrap_or("never");
                    [
                        short(&key.hash),
                        &key.label,
                        &key.username,
                        created,
                        expires,
                    ]
                })
                .collect();
            Ok(columns(
                ["ID", "LABEL", "OWNER", "CREATED", "EXPIRES"],
                &rows,
            ))
        }
        KeyCommand::Revoke { data, id } => {
            let (store, _) = existing(&data.data).await?;
            let mut transaction = store.begin().await?;
            let keys = credentials::api_keys(&mut transaction).await?;
            let key = keys
                .iter()
                .find(|key| short(&key.hash) == id.to_ascii_lowercase())
                .ok_or_else(|| Error::not_found("API key", &id))?;
            credentials::delete_api_key(&mut transaction, &key.hash).await?;
            transaction.commit().await.map_err(Error::from)?;
            store.close().await;
            Ok(format!("revoked {id} ({})\n", key.label))
        }
    }
}

/// Runs `service client ...`.
pub async fn client(command: ClientCommand) -> Result<String, Problem> {
    let secret = secret::random_secret()?;
    match command {
        ClientCommand::Create {
            data,
            owner,
            name,
            redirect_uris,
            scopes,
        } => {
            let (store, now) = existing(&data.data).await?;
            let mut transaction = store.begin().await?;
            let client = Client {
                // Letters that mean the same everywhere an id may be put: paths, headers, addresses.
                id: format!("cl{}", secret::hex(&secret::random_bytes::<12>()?)),
                owner_id: person(&mut transaction, &owner).await?,
                secret_hash: secret::hash(&secret),
                redirect_uris,
                scopes,
            };
            credentials::insert_client(&mut transaction, &client, &name, now.0).await?;
            transaction.commit().await.map_err(Error::from)?;
            store.close().await;
            Ok(format!("id     {}\nsecret {secret}\n", client.id))
        }
        ClientCommand::Rotate { data, id } => {
            let (store, _) = existing(&data.data).await?;
            let mut transaction = store.begin().await?;
            let hash = secret::hash(&secret);
            if !credentials::replace_secret(&mut transaction, &id, &hash).await? {
                return Err(Error::not_found("OAuth client", id).into());
            }
            transaction.commit().await.map_err(Error::from)?;
            store.close().await;
            Ok(format!("secret {secret}\n"))
        }
    }
}

/// Runs `service user ...`.
pub async fn user(command: UserCommand) -> Result<String, Problem> {
    let options = match command {
        UserCommand::Create(options) => options,
        UserCommand::ConfirmEmail { data, user } => {
            let (store, _) = existing(&data.data).await?;
            let mut transaction = store.begin().await?;
            let user_id = person(&mut transaction, &user).await?;
            let email = users::prove_email(&mut transaction, user_id)
                .await?
                .ok_or_else(|| Error::not_found("User", &user))?;
            transaction.commit().await.map_err(Error::from)?;
            store.close().await;
            return Ok(format!("{user} is known as {email}\n"));
        }
    };
    let settings = Settings {
        base_url: String::new(),
        access_minutes: ACCESS_MINUTES,
        demo: false,
        ..Settings::default()
    };
    let app = serve::open(&options.data, Clock::system(), settings).await?;
    let now = app.clock.now();
    let mut transaction = app.store.begin().await?;
    let printed = create_person(&mut transaction, &options, now).await?;
    transaction.commit().await.map_err(Error::from)?;
    app.store.close().await;
    Ok(printed)
}

async fn create_person(db: &mut Db, options: &NewPerson, now: Instant) -> Result<String> {
    let taken = |what: &str| Error::Conflict(format!("somebody has this {what} already"));
    if users::username_is_taken(db, &options.username, 0).await? {
        return Err(taken("user name"));
    }
    if users::email_is_taken(db, &options.email, 0).await? {
        return Err(taken("e-mail address"));
    }
    let mut role = OrganizationRole::Member;
    let mut organization_id = None;
    if let Some(name) = options.organization.as_deref().map(str::trim) {
        let slug = slug_of(name).ok_or_else(|| {
            Error::BadRequest("the organisation's name needs a letter or a digit".into())
        })?;
        organization_id = users::organization_by_slug(db, &slug).await?;
        if organization_id.is_none() {
            role = OrganizationRole::Owner;
            organization_id = Some(users::insert_organization(db, name, &slug).await?);
        }
        role = options.organization_role.unwrap_or(role);
    }
    let person = NewUser {
        username: options.username.clone(),
        email: options.email.clone(),
        name: Some(options.name.trim().to_owned()),
        time_zone: options.time_zone.name().to_owned(),
        time_format: 24,
        week_start: "Monday".into(),
        organization_id,
        is_admin: options.admin,
        created: now,
        ..NewUser::default()
    };
    let id = users::insert(db, &person).await?;
    let mut printed = format!("user {id}\n");
    if let Some(organization_id) = organization_id {
        users::join_organization(db, organization_id, id, role.as_str()).await?;
        printed.push_str(&format!(
            "organization {organization_id} {}\n",
            role.as_str()
        ));
    }
    Ok(printed)
}

/// Opens a directory that has a database: a mistyped one is not made.
pub(crate) async fn existing(directory: &Path) -> Result<(Store, Instant), Problem> {
    if !directory.join(store::FILE_NAME).exists() {
        return Err(Error::NotFound(format!(
            "{} holds no data: start the service there, or add a person first",
            directory.display()
        ))
        .into());
    }
    Ok((Store::open(directory).await?, Clock::system().now()))
}

async fn person(db: &mut Db, name: &str) -> Result<i64> {
    users::by_username_or_email(db, name)
        .await?
        .ok_or_else(|| Error::not_found("User", name))
}

fn short(hash: &str) -> &str {
    hash.get(..ID_LETTERS).unwrap_or(hash)
}

fn day(epoch_ms: i64) -> String {
    let utc = Instant(epoch_ms).utc().unwrap_or_default();
    utc.date_naive().to_string()
}

/// Aligned columns under their headings; no blanks at the ends of lines.
pub(crate) fn columns<const N: usize>(headings: [&str; N], rows: &[[&str; N]]) -> String {
    let mut widths = headings.map(|text| text.chars().count());
    for row in rows {
        for (width, text) in widths.iter_mut().zip(row) {
            *width = (*width).max(text.chars().count());
        }
    }
    let mut text = String::new();
    for row in std::iter::once(&headings).chain(rows) {
        let line: Vec<String> = row
            .iter()
            .zip(widths)
            .map(|(text, width)| format!("{text:width$}"))
            .collect();
        text.push_str(line.join("  ").trim_end());
        text.push('\n');
    }
    text
}

fn slug(text: &str) -> Result<String, String> {
    if is_slug(text) {
        Ok(text.to_owned())
    } else {
        Err("must be small letters, digits and hyphens".into())
    }
}

fn email(text: &str) -> Result<String, String> {
    if is_email(text) {
        Ok(text.to_ascii_lowercase())
    } else {
        Err("must be an e-mail address".into())
    }
}

fn url(text: &str) -> Result<String, String> {
    if is_url(text) {
        Ok(text.to_owned())
    } else {
        Err("must be an absolute http or https address".into())
    }
}

fn zone(text: &str) -> Result<Tz, String> {
    text.parse()
        .map_err(|_| "must be a valid IANA time-zone".into())
}
