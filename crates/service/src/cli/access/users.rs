//! `booking-service user ...`: users.

use booking_wire::Instant;
use booking_zones::Zone;
use clap::{Args, Subcommand, ValueEnum};

use crate::cli::database::data_directory::{Data, open_existing, open_read_only};
use crate::cli::error::CliError;
use crate::cli::table::{columns, day};
use crate::domain::users::delete::{delete_users, summary};
use crate::error::{Error, Result};
use crate::store;
use crate::store::people::credentials;
use crate::store::people::users::{self, NewUser};
use crate::store::upkeep::integrity;
use crate::store::{Db, Store, Subject, bookings, duplicate_or};
use crate::validate::{is_email, is_username, slug_of, username_message};

/// `booking-service user ...`
#[derive(Clone, Debug, Subcommand)]
pub enum UserCommand {
    /// Add a user with working hours Monday to Friday, 9 to 17, and print the id
    Create(CreateUser),
    /// Confirm the new e-mail address of a user: the user has access to bookings under this
    /// address, and no longer to those under the previous one
    ConfirmEmail {
        /// Data directory
        #[command(flatten)]
        data: Data,
        /// User name or previous e-mail address
        #[arg(value_name = "NAME")]
        user: String,
    },
    /// List the users
    List {
        /// Data directory
        #[command(flatten)]
        data: Data,
    },
    /// Reject all credentials of a user: API keys, tokens, links in messages, and the secrets of the user's OAuth clients
    /// with the tokens of the clients' users. The user gets no messages, and no new bookings. Event types and bookings do
    /// not change: reassign or cancel the upcoming ones
    Disable(UserArguments),
    /// Accept the credentials of a disabled user again
    Enable(UserArguments),
    /// Delete a user and everything that belongs only to the user: credentials, working hours,
    /// event types, and teams without other members
    Delete(UserArguments),
}

/// Arguments that select one user.
#[derive(Clone, Debug, Args)]
pub struct UserArguments {
    /// Data directory
    #[command(flatten)]
    pub data: Data,
    /// User name or e-mail address
    #[arg(value_name = "NAME")]
    pub user: String,
}

/// Options of `booking-service user create`.
#[derive(Clone, Debug, Args)]
pub struct CreateUser {
    /// Database
    #[command(flatten)]
    pub data: Data,
    /// Name in the URLs of the user's pages: lower-case letters, digits, hyphens, dots and underscores
    #[arg(long, value_parser = username)]
    pub username: String,
    /// E-mail address
    #[arg(long, value_parser = email)]
    pub email: String,
    /// Full name
    #[arg(long)]
    pub name: String,
    /// IANA time zone, such as Europe/Rome
    #[arg(long, value_name = "ZONE", value_parser = zone)]
    pub time_zone: Zone,
    /// Make the user an administrator of the service, with access to all data
    #[arg(long)]
    pub admin: bool,
    /// Organisation to join; created if none has this name
    #[arg(long, value_name = "NAME")]
    pub organization: Option<String>,
    /// Role in the organisation [default: owner of a new organisation, member of an existing one]
    #[arg(long, value_enum, requires = "organization")]
    pub organization_role: Option<OrganizationRole>,
}

/// Role of a user in an organisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OrganizationRole {
    /// Member
    Member,
    /// Administrator
    Admin,
    /// Owner
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

/// Runs `booking-service user ...`.
pub async fn run(command: UserCommand) -> Result<String, CliError> {
    match command {
        UserCommand::Create(options) => create(options).await,
        UserCommand::ConfirmEmail { data, user } => {
            let (store, _) = open_existing(&data).await?;
            let user_id = find_user(&store, &user).await?;
            let mut transaction = store.begin(&[Subject::Person(user_id)]).await?;
            let email = users::verify_email(&mut transaction, user_id)
                .await
                .map_err(|error| {
                    if store::is_duplicate(&error) {
                        Error::Conflict("somebody else is known by this address".into())
                    } else {
                        error.into()
                    }
                })?
                .ok_or_else(|| Error::not_found("User", &user))?;
            transaction.commit().await.map_err(Error::from)?;
            store.close().await;
            Ok(format!("{user} is known as {email}\n"))
        }
        UserCommand::List { data } => list(data).await,
        UserCommand::Disable(arguments) => set_disabled(arguments, true).await,
        UserCommand::Enable(arguments) => set_disabled(arguments, false).await,
        UserCommand::Delete(arguments) => delete(arguments).await,
    }
}

async fn create(options: CreateUser) -> Result<String, CliError> {
    let (store, now) = open_existing(&options.data).await?;
    let mut transaction = store.begin(&[Subject::Rows]).await?;
    let output = insert_user(&mut transaction, &options, now).await?;
    transaction.commit().await.map_err(Error::from)?;
    store.close().await;
    Ok(output)
}

async fn list(data: Data) -> Result<String, CliError> {
    let mut db = open_read_only(&data).await?;
    let people = users::list(&mut db).await;
    integrity::close(db).await;
    let cells: Vec<[String; 8]> = people?
        .into_iter()
        .map(|user| {
            let state = user.disabled_ms.map_or_else(
                || "active".into(),
                |since| format!("disabled {}", day(since)),
            );
            [
                user.id.to_string(),
                user.username,
                users::display_email(&user.email),
                user.organization.unwrap_or_default(),
                user.role.unwrap_or_default(),
                if user.is_admin { "yes" } else { "" }.into(),
                user.oauth_client_id.unwrap_or_default(),
                state,
            ]
        })
        .collect();
    let headings = [
        "ID",
        "USERNAME",
        "E-MAIL",
        "ORGANIZATION",
        "ROLE",
        "ADMIN",
        "CLIENT",
        "STATE",
    ];
    Ok(columns(headings, &cells))
}

async fn set_disabled(arguments: UserArguments, is_disabled: bool) -> Result<String, CliError> {
    let UserArguments { data, user } = arguments;
    let (store, now) = open_existing(&data).await?;
    let user_id = find_user(&store, &user).await?;
    let mut transaction = store.begin(&[Subject::Person(user_id)]).await?;
    let changed =
        users::set_disabled(&mut transaction, user_id, is_disabled.then_some(now.0)).await?;
    let upcoming = match is_disabled {
        true => bookings::count_upcoming_of_host(&mut transaction, user_id, now).await?,
        false => 0,
    };
    transaction.commit().await.map_err(Error::from)?;
    store.close().await;
    let state = if is_disabled { "disabled" } else { "enabled" };
    let already = if changed { "" } else { " already" };
    let left = match upcoming {
        0 => String::new(),
        1 => "; 1 upcoming booking is theirs: reassign or cancel it".to_owned(),
        several => format!("; {several} upcoming bookings are theirs: reassign or cancel them"),
    };
    Ok(format!("{user} is {state}{already}{left}\n"))
}

async fn delete(arguments: UserArguments) -> Result<String, CliError> {
    let UserArguments { data, user } = arguments;
    let (store, now) = open_existing(&data).await?;
    let user_id = find_user(&store, &user).await?;
    let mut transaction = store.begin(&[Subject::LeavingPerson(user_id)]).await?;
    let clients = credentials::clients_of(&mut transaction, user_id).await?;
    if !clients.is_empty() {
        return Err(Error::Conflict(format!(
            "{user} owns OAuth clients, which act as them: `client transfer` or `client delete` them first: {}",
            clients.join(", ")
        ))
        .into());
    }
    let released = delete_users(&mut transaction, &[user_id], now).await?;
    transaction.commit().await.map_err(Error::from)?;
    store.close().await;
    Ok(format!(
        "deleted user {user_id} ({user}){}\n",
        summary(released)
    ))
}

async fn insert_user(db: &mut Db, options: &CreateUser, now: Instant) -> Result<String> {
    let duplicate = |what: &str| Error::Conflict(format!("somebody has this {what} already"));
    if users::username_is_taken(db, &options.username, 0).await? {
        return Err(duplicate("user name"));
    }
    if users::email_is_taken(db, &options.email, 0).await? {
        return Err(duplicate("e-mail address"));
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
    let new_user = NewUser {
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
    let id = users::insert(db, &new_user)
        .await
        .map_err(|error| duplicate_or(error, duplicate("user name or e-mail address")))?;
    let mut output = format!("user {id}\n");
    if let Some(organization_id) = organization_id {
        users::join_organization(db, organization_id, id, role.as_str()).await?;
        output.push_str(&format!(
            "organization {organization_id} {}\n",
            role.as_str()
        ));
    }
    Ok(output)
}

fn username(text: &str) -> Result<String, String> {
    if is_username(text) {
        Ok(text.to_owned())
    } else {
        Err(username_message())
    }
}

fn email(text: &str) -> Result<String, String> {
    if is_email(text) {
        Ok(text.to_ascii_lowercase())
    } else {
        Err("must be an e-mail address".into())
    }
}

fn zone(text: &str) -> Result<Zone, String> {
    Zone::named(text).ok_or_else(|| "must be a valid IANA time-zone".into())
}

/// Returns the id of the user with this user name or e-mail address.
pub(crate) async fn find_user(store: &Store, name: &str) -> Result<i64> {
    users::by_username_or_email(&mut *store.read().await?, name)
        .await?
        .ok_or_else(|| Error::not_found("User", name))
}
