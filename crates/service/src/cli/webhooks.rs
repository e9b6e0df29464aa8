//! `booking-service webhooks`: lists and retries webhook messages.
//!
//! Payloads contain personal data, so only the states of messages are listed.

use booking_wire::Instant;
use clap::{Args, Subcommand};

use super::database::data_directory::{Data, open_existing, open_read_only};
use super::error::CliError;
use super::table::columns;
use crate::error::Error;
use crate::store::Subject;
use crate::store::messages::delivery_history;
use crate::store::upkeep::integrity;

/// Options of `booking-service webhooks`.
#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Webhooks {
    /// Database
    #[command(flatten)]
    pub data: Data,

    /// List only messages that were given up
    #[arg(long)]
    pub failed: bool,

    /// Command instead of listing
    #[command(subcommand)]
    pub command: Option<WebhooksCommand>,
}

/// `booking-service webhooks ...`
#[derive(Clone, Debug, Subcommand)]
pub enum WebhooksCommand {
    /// Send a message again at once, with all retries
    Retry {
        /// Data directory
        #[command(flatten)]
        data: Data,
        /// Id of the message, from the list
        id: i64,
    },
}

/// Lists webhook messages or retries one. A running service notices a retry within a second.
pub async fn run(options: Webhooks) -> Result<String, CliError> {
    match options.command {
        Some(WebhooksCommand::Retry { data, id }) => retry(data, id).await,
        None => list(options.data, options.failed).await,
    }
}

async fn list(data: Data, only_failed: bool) -> Result<String, CliError> {
    let mut db = open_read_only(&data).await?;
    let messages = delivery_history::of_all(&mut db, only_failed).await;
    integrity::close(db).await;
    let messages = messages?;
    let cells: Vec<[String; 8]> = messages
        .into_iter()
        .map(|message| {
            [
                message.id.to_string(),
                message.status,
                message.trigger_name,
                message.webhook_id,
                format_instant(message.created_ms),
                message.attempts.to_string(),
                message.due_ms.map(format_instant).unwrap_or_default(),
                // The HTTP status is part of the problem text.
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
    let (store, now) = open_existing(&data).await?;
    let mut transaction = store.begin(&[Subject::Rows]).await?;
    if !delivery_history::retry(&mut transaction, id, now).await? {
        return Err(Error::NotFound(format!(
            "no message {id} waits or was given up: see the list"
        ))
        .into());
    }
    transaction.commit().await.map_err(CliError::Database)?;
    store.close().await;
    Ok(format!("message {id} is sent again\n"))
}

fn format_instant(epoch_ms: i64) -> String {
    Instant(epoch_ms).to_string()
}
