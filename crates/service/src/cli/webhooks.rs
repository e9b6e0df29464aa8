//! What whoever runs the service sees and does of the outbox at the command line.
//!
//! What messages say is personal, so it is not shown: only what became of them.

use std::path::PathBuf;

use booking_wire::Instant;
use clap::{Args, Subcommand};

use super::data_directory::{Data, existing, existing_to_read};
use super::error::CliError;
use super::table::columns;
use crate::error::Error;
use crate::store::{deliveries, examine};

/// Options of `service webhooks`.
#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Webhooks {
    /// Directory of the database
    #[arg(long, value_name = "DIR", required = true)]
    pub data: Option<PathBuf>,

    /// List only what was given up
    #[arg(long)]
    pub failed: bool,

    /// What to do instead of listing
    #[command(subcommand)]
    pub command: Option<WebhooksCommand>,
}

/// `service webhooks ...`
#[derive(Clone, Debug, Subcommand)]
pub enum WebhooksCommand {
    /// Send a message again, at once and with all of its attempts
    Retry {
        /// Where the data is
        #[command(flatten)]
        data: Data,
        /// The message's number, from the list
        id: i64,
    },
}

/// Lists the outbox, or sends one of its messages again. A running service takes notice within a
/// second.
pub async fn run(options: Webhooks) -> Result<String, CliError> {
    match options.command {
        Some(WebhooksCommand::Retry { data, id }) => retry(data, id).await,
        None => list(options.data.unwrap_or_default(), options.failed).await,
    }
}

async fn list(data: PathBuf, failed_only: bool) -> Result<String, CliError> {
    let mut db = existing_to_read(&data).await?;
    let listed = deliveries::list(&mut db, failed_only).await;
    examine::close(db).await;
    let listed = listed?;
    let cells: Vec<[String; 8]> = listed
        .into_iter()
        .map(|message| {
            [
                message.id.to_string(),
                message.status,
                message.trigger_name,
                message.webhook_id,
                moment(message.created_ms),
                message.attempts.to_string(),
                message.due_ms.map(moment).unwrap_or_default(),
                // A status is in the words of the problem.
                message.last_problem.unwrap_or_default(),
            ]
        })
        .collect();
    let headings = [
        "ID",
        "STATUS",
        "EVENT",
        "WEBHOOK",
        "SINCE",
        "TRIED",
        "NEXT",
        "LAST PROBLEM",
    ];
    Ok(columns(headings, &cells))
}

async fn retry(data: Data, id: i64) -> Result<String, CliError> {
    let (store, now) = existing(&data.data).await?;
    let mut transaction = store.begin().await?;
    if !deliveries::retry(&mut transaction, id, now).await? {
        return Err(Error::NotFound(format!(
            "no message {id} waits or was given up: see the list"
        ))
        .into());
    }
    transaction.commit().await.map_err(CliError::Database)?;
    store.close().await;
    Ok(format!("message {id} is sent again\n"))
}

fn moment(epoch_ms: i64) -> String {
    Instant(epoch_ms).to_string()
}
