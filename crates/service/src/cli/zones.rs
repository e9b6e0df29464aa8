//! `booking-service zones ...`: time zones.

use clap::Subcommand;

use super::database::data_directory::{Data, open_read_only};
use super::error::CliError;
use super::table::columns;
use crate::clock::Clock;
use crate::domain::zone_review;
use crate::process::zone_data;
use crate::store::upkeep::integrity;

/// `booking-service zones ...`
#[derive(Clone, Debug, Subcommand)]
pub enum ZonesCommand {
    /// List upcoming bookings whose time of day differs from what people were told, by the time zone data that this command
    /// finds: with --zone-data, before a service uses them
    Review {
        /// Database.
        #[command(flatten)]
        data: Data,
    },
}

/// Runs `booking-service zones ...`.
pub async fn run(command: ZonesCommand) -> Result<String, CliError> {
    let ZonesCommand::Review { data } = command;
    let mut db = open_read_only(&data).await?;
    let now = Clock::system().now();
    let found = zone_review::find(&mut db, now, false).await;
    integrity::close(db).await;
    let rows: Vec<[String; 4]> = (found?.iter())
        .flat_map(|shifted| {
            let uid = &shifted.booking.uid;
            let clocks = shifted.clocks().into_iter();
            clocks.map(|clock| [uid.clone(), clock.zone, clock.told, clock.now])
        })
        .collect();
    let version = zone_data::summary(now);
    Ok(if rows.is_empty() {
        format!("no upcoming booking differs with time zone data {version}\n")
    } else {
        let table = columns(["BOOKING", "TIME ZONE", "TOLD", "NOW"], &rows);
        format!("time zone data {version}\n{table}")
    })
}
