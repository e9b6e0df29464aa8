//! `service demo`: fills a data directory with demo data.

use std::path::PathBuf;

use booking_wire::Instant;
use clap::Args;

use super::data_directory::{Data, Outdated, clock, close, ensure_current_schema, open};
use super::error::CliError;
use super::values::parse_instant;
use crate::demo;
use crate::settings::Settings;

/// Options of `service demo`.
#[derive(Clone, Debug, Args)]
pub struct Demo {
    /// Directory of the database; created if it does not exist
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,

    /// URL of the service to write into demo.json
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    pub base_url: String,

    /// Instant that counts as now
    #[arg(long, value_name = "RFC3339", value_parser = parse_instant, hide = true)]
    pub now: Option<Instant>,
}

/// Runs `service demo`.
pub async fn run(options: Demo) -> Result<(), CliError> {
    let settings = Settings {
        base_url: options.base_url.trim_end_matches('/').to_owned(),
        demo: true,
        ..Settings::default()
    };
    ensure_current_schema(&Data::of(&options.data), Outdated::Reject).await?;
    let app = open(&options.data, clock(options.now), settings).await?;
    let path = demo::prepare(&app, &options.data).await?;
    println!("{}", path.display());
    close(&app.store).await;
    Ok(())
}
