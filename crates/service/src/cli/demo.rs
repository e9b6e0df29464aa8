//! `booking-service demo`: fills a data directory with demo data.

use std::path::PathBuf;

use booking_wire::Instant;
use clap::Args;

use super::database::data_directory::{Data, Outdated, clock, close, ensure_current_schema, open};
use super::error::CliError;
use super::values::{parse_instant, parse_public_url};
use crate::domain::demo;
use crate::settings::Settings;

/// Options of `booking-service demo`.
#[derive(Clone, Debug, Args)]
pub struct Demo {
    /// Directory of the database; created if it does not exist
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,

    /// URL of the service to write into demo.json [default: http://127.0.0.1:8080]
    #[arg(long, value_name = "URL", value_parser = parse_public_url, alias = "base-url")]
    pub public_url: Option<String>,

    /// Instant that counts as now
    #[arg(long, value_name = "RFC3339", value_parser = parse_instant, hide = true)]
    pub now: Option<Instant>,
}

/// Runs `booking-service demo`.
pub async fn run(options: Demo) -> Result<(), CliError> {
    let settings = Settings {
        demo: true,
        ..Settings::default()
    };
    let settings = match options.public_url.filter(|url| !url.is_empty()) {
        Some(base_url) => Settings {
            base_url,
            ..settings
        },
        None => settings,
    };
    ensure_current_schema(&Data::of(&options.data), Outdated::Reject).await?;
    let app = open(&options.data, clock(options.now), settings).await?;
    let path = demo::prepare(&app, &options.data).await?;
    println!("{}", path.display());
    close(&app.store).await;
    Ok(())
}
