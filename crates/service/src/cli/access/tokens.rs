//! `booking-service token ...`: access and refresh tokens of managed users.

use clap::{Args, Subcommand};

use super::users::find_user;
use crate::cli::database::data_directory::{Data, open_existing};
use crate::cli::error::CliError;
use crate::error::Error;
use crate::store::Subject;
use crate::store::people::credentials;

/// `booking-service token ...`
#[derive(Clone, Debug, Subcommand)]
pub enum TokenCommand {
    /// Revoke all access and refresh tokens of a person, or of an OAuth client's users
    Revoke {
        /// Data directory
        #[command(flatten)]
        data: Data,
        /// Holder of the tokens
        #[command(flatten)]
        holder: Holder,
    },
}

/// Holder of tokens: a user, or all users of an OAuth client.
#[derive(Clone, Debug, Args)]
#[group(required = true, multiple = false)]
pub struct Holder {
    /// User name or e-mail address
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// Id of an OAuth client: the tokens of all of its users
    #[arg(long, value_name = "ID")]
    pub client: Option<String>,
}

/// Runs `booking-service token ...`.
pub async fn run(command: TokenCommand) -> Result<String, CliError> {
    let TokenCommand::Revoke { data, holder } = command;
    let (store, _) = open_existing(&data).await?;
    let (count, holder) = match (holder.user, holder.client) {
        (Some(user), _) => {
            let user_id = find_user(&store, &user).await?;
            let mut transaction = store.begin(&[Subject::Person(user_id)]).await?;
            let count = credentials::delete_tokens_of(&mut transaction, user_id).await?;
            transaction.commit().await.map_err(Error::from)?;
            (count, user)
        }
        (None, client) => {
            let id = client.unwrap_or_default();
            let mut transaction = store.begin(&[Subject::OauthClient(&id)]).await?;
            if !credentials::client_exists(&mut transaction, &id).await? {
                return Err(Error::not_found("OAuth client", id).into());
            }
            let count = credentials::delete_tokens_of_client(&mut transaction, &id).await?;
            transaction.commit().await.map_err(Error::from)?;
            (count, id)
        }
    };
    store.close().await;
    Ok(format!("revoked {count} tokens of {holder}\n"))
}
