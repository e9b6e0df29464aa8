//! `booking-service migrate`: creates or migrates the database, or moves its data into one of the other kind.

use booking_store_engine::schema;
use clap::Args;

use super::data_directory::{Data, Outdated, close, ensure_current_schema, open_existing};
use super::transfer;
use crate::cli::error::CliError;

/// Options of `booking-service migrate`.
#[derive(Clone, Debug, Args)]
#[command(mut_arg("data", |data| data.required_unless_present("from")))]
pub struct Migrate {
    /// Database; created if it does not exist
    #[command(flatten)]
    pub data: Data,

    /// Move the data of this installation, of which no service may run: a data directory or a PostgreSQL database.
    /// It is only read. --data and --database-url have no effect then
    #[arg(long, value_name = "DIR|URL", requires = "to")]
    pub from: Option<String>,

    /// Target of --from: a PostgreSQL database for a data directory, and the other way round. It must be empty, and
    /// either gets all data or stays as it was
    #[arg(long, value_name = "URL|DIR", requires = "from")]
    pub to: Option<String>,
}

/// Runs `booking-service migrate`.
pub async fn run(options: Migrate) -> Result<(), CliError> {
    if let (Some(from), Some(to)) = (&options.from, &options.to) {
        return transfer::run(from, to).await;
    }
    ensure_current_schema(&options.data, Outdated::Migrate).await?;
    let (store, _) = open_existing(&options.data).await?;
    let mut db = store.read().await?;
    println!("version {}", schema::version(&mut db).await?);
    drop(db);
    close(&store).await;
    Ok(())
}
