//! `booking-service serve`: starts and stops the service.

pub mod options;
mod startup_log;

use std::io::Write;
use std::net::SocketAddr;
use std::time::Duration;

use booking_store_engine::postgres::PostgresOptions;
use booking_store_engine::replicas::name_on_port;
use options::{LimitOptions, Serve};
use tokio::net::TcpListener;
use tokio::sync::{oneshot, watch};

use super::asset_directories;
use super::database::data_directory::{clock, close, create, open, open_postgres, prepare};
use super::database::instance_lock::InstanceLock;
use super::database::record::{self, UsedDatabase};
use super::error::CliError;
use super::values::{image_origin_of, reachable_address};
use crate::domain::demo;
use crate::http::router::{health_router, router};
use crate::limits::client_ip;
use crate::messages::webhooks::http_client::Reach;
use crate::messages::webhooks::retries_and_limits::TIMEOUT;
use crate::process::connections::{self, ConnectionLimits};
use crate::process::shutdown::{self, Phase};
use crate::process::worker::Worker;
use crate::process::{maintenance, supervisor, zone_data};
use crate::settings::{MessageConcurrency, Settings};

/// Time to wait for a command that creates or migrates the database to release the lock.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);

/// Fraction of the connections that one network can have: one in this number.
const NETWORK_FRACTION: usize = 4;

/// Limits of the port for health checks, which is not public.
const HEALTH_LIMITS: ConnectionLimits = ConnectionLimits {
    connections: 64,
    per_network: 64,
    header_timeout: Duration::from_secs(5),
    client_timeout: Duration::from_secs(30),
    shutdown_timeout: Duration::from_secs(1),
};

/// Runs `booking-service serve` until it receives a signal to stop.
pub async fn run(options: Serve, zone_files: zone_data::Watch) -> Result<(), CliError> {
    reject_exposed_demo(&options)?;
    let assets =
        asset_directories::assets(options.app_dir.as_deref(), options.embed_dir.as_deref())?;
    // Replicas may share a directory: its database file is not used.
    let database_url = options.database.choose(Some(&options.data))?;
    let read_database_url = options.read_database_url.as_deref();
    let read_database_url = read_database_url.filter(|url| !url.is_empty());
    if read_database_url.is_some() && database_url.is_none() {
        return Err(CliError::ReadReplicaOfFile);
    }
    if options.database.direct().is_some() && database_url.is_none() {
        return Err(CliError::DirectAddressOfFile);
    }
    let _lock = match database_url {
        Some(_) => {
            create(&options.data)?;
            None
        }
        None => {
            prepare(&options.data)?;
            // Before binding the port: the other process may listen on the same one.
            let timeout = options.takeover.map_or(LOCK_TIMEOUT, Duration::from_secs);
            Some(InstanceLock::acquire(&options.data, timeout).await?)
        }
    };
    let (listener, address) = listen(SocketAddr::new(options.host, options.port)).await?;
    let reached = format!("http://{}", reachable_address(address));
    let mut health_listener = None;
    if let Some(port) = options.health_port {
        let (listener, address) = listen(SocketAddr::new(options.host, port)).await?;
        print_line(&format!("health http://{}", reachable_address(address)));
        health_listener = Some(listener);
    }
    let reach = if options.webhooks_to_private_networks || options.is_private_demo() {
        Reach::Everywhere
    } else {
        Reach::Public
    };
    let limits = options.limits.limits(options.is_private_demo());
    let base_url = options
        .public_url
        .filter(|url| !url.is_empty())
        .unwrap_or_else(|| reached.clone());
    let mut image_origins = options.image_origins;
    if options.demo {
        image_origins.extend(image_origin_of(&base_url));
    }
    let mail = options.mail_content.settings(options.mail.settings()?)?;
    let settings = Settings {
        base_url,
        access_minutes: options.access_token_minutes,
        demo: options.demo,
        demo_in_public: options.demo_in_public,
        foreign_key_prefix: options.foreign_key_prefix,
        image_origins,
        frame_ancestors: options
            .frame_ancestors
            .into_iter()
            .filter(|origin| !origin.is_empty())
            .collect(),
        mail_is_available: mail.smtp.is_some() || options.demo && !options.demo_in_public,
        mail,
        booking_page_url: options
            .mail_content
            .booking_page_url
            .filter(|url| !url.is_empty()),
        zone_change: options.zone_change,
        limits,
        concurrency: MessageConcurrency {
            mail: options.mail_concurrency,
            webhooks: options.webhook_concurrency,
        },
    };
    let clock = clock(options.now);
    let mut app = match database_url {
        Some(url) => {
            let database = PostgresOptions {
                url: url.to_owned(),
                direct_url: options.database.direct().map(str::to_owned),
                connections: options.database_connections,
            };
            open_postgres(database, &options.data, clock, settings).await?
        }
        None => open(&options.data, clock, settings).await?,
    };
    let database = UsedDatabase::of(database_url);
    record::write(&options.data, &database);
    if let Some(url) = read_database_url {
        let added = app.store.add_read_replica(url).await;
        added.map_err(CliError::ReadReplica)?;
    }
    if options.demo {
        tracing::warn!(
            address = app.settings.base_url,
            "--demo: every caller gets an account that runs the demo's team"
        );
        demo::prepare(&app, &options.data).await?;
        if let Some(count) = options.demo_bookings {
            demo::add_bookings(&app, count).await?;
        }
    } else {
        demo::revoke_credentials(&app, &options.data).await?;
    }
    asset_directories::warn_of_missing(&assets);
    startup_log::warn_of_plain_url(&app.settings.base_url);
    startup_log::log_start(&app, &database.place(&options.data)).await?;
    let store = app.store.clone();
    let connection_limits = connection_limits(&options.limits);
    let drain = Duration::from_secs(options.limits.drain);
    let phase = shutdown::follow_signals(drain, app.health.clone());
    let (stop_health, health_phase) = watch::channel(Phase::Running);
    let health = health_listener.map(|listener| {
        let router = health_router(app.clone());
        tokio::spawn(connections::serve(
            listener,
            router,
            HEALTH_LIMITS,
            health_phase,
        ))
    });
    // The last line before requests are accepted: tools wait for it.
    print_line(&format!("ready {reached}"));
    supervisor::follow(&reached, phase.clone());
    let (stop_worker, stopped) = oneshot::channel::<()>();
    let name = name_on_port(address.port());
    let worker = Worker::new(app.clone(), reach, TIMEOUT)?.named(name);
    let worker = tokio::spawn(async move {
        // Dropping the sender also stops it.
        worker
            .run(async { stopped.await.unwrap_or_default() })
            .await;
    });
    let (stop_maintenance, stopped) = oneshot::channel::<()>();
    let maintenance = tokio::spawn(maintenance::run(app.clone(), async {
        stopped.await.unwrap_or_default();
    }));
    let zone_files = tokio::spawn(zone_files.run(app.clock.clone()));
    connections::serve(listener, router(app, &assets), connection_limits, phase).await;
    zone_files.abort();
    drop((stop_worker, stop_maintenance));
    if maintenance.await.is_err() {
        tracing::error!("the maintenance of the database panicked");
    }
    if worker.await.is_err() {
        tracing::error!("the worker of messages panicked");
    }
    stop_health.send_replace(Phase::Stopping);
    if let Some(health) = health
        && health.await.is_err()
    {
        tracing::error!("the listener for health checks panicked");
    }
    close(&store).await;
    Ok(())
}

/// Prints a line for tools that wait for it. Ignores a closed pipe.
fn print_line(line: &str) {
    let mut stdout = std::io::stdout();
    let _ = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
}

async fn listen(address: SocketAddr) -> Result<(TcpListener, SocketAddr), CliError> {
    let listen = async {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok((listener, address))
    };
    listen
        .await
        .map_err(|cause| CliError::Listen { address, cause })
}

/// Rejects options that offer the demo account to other machines without `--demo-in-public`.
fn reject_exposed_demo(options: &Serve) -> Result<(), CliError> {
    if !options.demo || options.demo_in_public {
        return Ok(());
    }
    if !options.host.to_canonical().is_loopback() {
        return Err(CliError::ExposedDemo(format!("--host {}", options.host)));
    }
    match &options.public_url {
        Some(url) if !client_ip::names_loopback(client_ip::url_host(url)) => {
            Err(CliError::ExposedDemo(format!("--public-url {url}")))
        }
        _ => Ok(()),
    }
}

fn connection_limits(options: &LimitOptions) -> ConnectionLimits {
    let per_network = if options.trust_proxy > 0 {
        // All connections come from the proxy.
        options.max_connections
    } else {
        options.max_connections.div_ceil(NETWORK_FRACTION)
    };
    let client_timeout = Duration::from_secs(options.client_timeout);
    ConnectionLimits {
        connections: options.max_connections,
        per_network,
        header_timeout: Duration::from_secs(options.header_timeout).min(client_timeout),
        client_timeout,
        shutdown_timeout: Duration::from_secs(options.shutdown_timeout),
    }
}
