//! `service demo`: fills a data directory with demo data.

use super::args::Demo;
use super::data_directory::{Outdated, clock, close, ensure_current_schema, open};
use super::error::CliError;
use crate::demo;
use crate::settings::Settings;

/// Runs `service demo`.
pub async fn run(options: Demo) -> Result<(), CliError> {
    let settings = Settings {
        base_url: options.base_url.trim_end_matches('/').to_owned(),
        demo: true,
        ..Settings::default()
    };
    ensure_current_schema(&options.data, Outdated::Reject).await?;
    let app = open(&options.data, clock(options.now), settings).await?;
    let path = demo::prepare(&app, &options.data).await?;
    println!("{}", path.display());
    close(&app.store).await;
    Ok(())
}
