//! `booking-service client ...`: OAuth clients of platforms.

use clap::Subcommand;

use super::scopes::{SCOPES, scope_names};
use super::users::find_user;
use crate::auth::secret;
use crate::cli::database::data_directory::{Data, open_existing, open_read_only};
use crate::cli::error::CliError;
use crate::cli::table::{columns, day};
use crate::domain::users::delete::{delete_users, summary};
use crate::error::Error;
use crate::store::Subject;
use crate::store::people::credentials::{self, OauthClient};
use crate::store::upkeep::integrity;
use crate::validate::is_url;

/// `booking-service client ...`
#[derive(Clone, Debug, Subcommand)]
pub enum ClientCommand {
    /// Create an OAuth client of a platform and print its id and secret. The secret cannot be shown
    /// again
    Create {
        /// Data directory
        #[command(flatten)]
        data: Data,
        /// User name or e-mail address of the user that the client acts as
        #[arg(long, value_name = "NAME")]
        owner: String,
        /// Name of the platform
        #[arg(long)]
        name: String,
        /// URL of the platform's pages on which its users' tokens are valid; may be repeated
        #[arg(long = "redirect-uri", value_name = "URL", value_parser = url)]
        redirect_uris: Vec<String>,
        /// Permission of its users' tokens; may be repeated
        #[arg(long = "scope", value_name = "SCOPE", value_parser = SCOPES, default_value = "*")]
        scopes: Vec<String>,
    },
    /// Replace the secret of an OAuth client and print the new one; the old one is revoked at once
    Rotate {
        /// Data directory
        #[command(flatten)]
        data: Data,
        /// The client's id
        id: String,
        /// Also revoke all tokens of its users
        #[arg(long)]
        revoke_tokens: bool,
    },
    /// List the OAuth clients
    List {
        /// Data directory
        #[command(flatten)]
        data: Data,
    },
    /// Let an OAuth client act as another user
    Transfer {
        /// Data directory
        #[command(flatten)]
        data: Data,
        /// The client's id
        id: String,
        /// User name or e-mail address of the user that the client acts as in future
        #[arg(long, value_name = "NAME")]
        owner: String,
    },
    /// Delete an OAuth client with its tokens and webhooks
    Delete {
        /// Data directory
        #[command(flatten)]
        data: Data,
        /// The client's id
        id: String,
        /// Also delete the users that it manages, with everything that belongs only to them
        #[arg(long)]
        with_users: bool,
    },
}

/// Runs `booking-service client ...`.
pub async fn run(command: ClientCommand) -> Result<String, CliError> {
    let secret = secret::random_secret()?;
    match command {
        ClientCommand::Create {
            data,
            owner,
            name,
            redirect_uris,
            scopes,
        } => {
            let (store, now) = open_existing(&data).await?;
            let owner_id = find_user(&store, &owner).await?;
            let mut transaction = store.begin(&[Subject::Person(owner_id)]).await?;
            let client = OauthClient {
                // Only characters that need no escaping in paths, headers and URLs.
                id: format!("cl{}", secret::hex(&secret::random_bytes::<12>()?)),
                owner_id,
                secret_hash: secret::hash(&secret),
                redirect_uris,
                scopes,
            };
            credentials::insert_client(&mut transaction, &client, &name, now.0).await?;
            transaction.commit().await.map_err(Error::from)?;
            store.close().await;
            Ok(format!("id     {}\nsecret {secret}\n", client.id))
        }
        ClientCommand::Rotate {
            data,
            id,
            revoke_tokens,
        } => {
            let (store, _) = open_existing(&data).await?;
            let mut transaction = store.begin(&[Subject::OauthClient(&id)]).await?;
            let hash = secret::hash(&secret);
            if !credentials::set_client_secret(&mut transaction, &id, &hash).await? {
                return Err(Error::not_found("OAuth client", id).into());
            }
            let mut output = format!("secret {secret}\n");
            if revoke_tokens {
                let count = credentials::delete_tokens_of_client(&mut transaction, &id).await?;
                output.push_str(&format!("revoked {count} tokens\n"));
            }
            transaction.commit().await.map_err(Error::from)?;
            store.close().await;
            Ok(output)
        }
        ClientCommand::List { data } => list(data).await,
        ClientCommand::Transfer { data, id, owner } => {
            let (store, _) = open_existing(&data).await?;
            let owner_id = find_user(&store, &owner).await?;
            let subjects = [Subject::Person(owner_id), Subject::OauthClient(&id)];
            let mut transaction = store.begin(&subjects).await?;
            if !credentials::set_client_owner(&mut transaction, &id, owner_id).await? {
                return Err(Error::not_found("OAuth client", id).into());
            }
            transaction.commit().await.map_err(Error::from)?;
            store.close().await;
            Ok(format!("{id} acts as {owner}\n"))
        }
        ClientCommand::Delete {
            data,
            id,
            with_users,
        } => delete(data, id, with_users).await,
    }
}

async fn list(data: Data) -> Result<String, CliError> {
    let mut db = open_read_only(&data).await?;
    let clients = credentials::clients(&mut db).await;
    integrity::close(db).await;
    let mut cells = Vec::new();
    for client in clients? {
        cells.push([
            client.id,
            client.name,
            client.owner.unwrap_or_else(|| "nobody".into()),
            day(client.created_ms),
            client.users.to_string(),
            scope_names(Some(&client.scopes))?,
        ]);
    }
    let headings = ["ID", "NAME", "OWNER", "CREATED", "USERS", "SCOPES"];
    Ok(columns(headings, &cells))
}

async fn delete(data: Data, id: String, with_users: bool) -> Result<String, CliError> {
    let (store, now) = open_existing(&data).await?;
    let users = credentials::users_of_client(&mut *store.read().await?, &id).await?;
    let leaving = users.iter().copied().map(Subject::LeavingPerson);
    let subjects: Vec<Subject<'_>> = leaving.chain([Subject::OauthClient(&id)]).collect();
    let mut transaction = store.begin(&subjects).await?;
    if credentials::users_of_client(&mut transaction, &id).await? != users {
        return Err(Error::ConcurrentChange.into());
    }
    if !users.is_empty() && !with_users {
        return Err(Error::Conflict(format!(
            "the OAuth client manages {} users, who would be deleted: add --with-users if that is meant",
            users.len()
        ))
        .into());
    }
    let released = delete_users(&mut transaction, &users, now).await?;
    if !credentials::delete_client(&mut transaction, &id).await? {
        return Err(Error::not_found("OAuth client", id).into());
    }
    transaction.commit().await.map_err(Error::from)?;
    store.close().await;
    Ok(format!(
        "deleted {id} and {} users{}\n",
        users.len(),
        summary(released)
    ))
}

fn url(text: &str) -> Result<String, String> {
    if is_url(text) {
        Ok(text.to_owned())
    } else {
        Err("must be an absolute http or https address".into())
    }
}
