//! Starts and stops the service.

use std::fs;
use std::io::{IsTerminal, Write};
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use booking_wire::Instant;
use tokio::net::TcpListener;
use tokio::signal;
use tokio::sync::oneshot;
use tokio::time::timeout;
use tracing_subscriber::EnvFilter;

use crate::assets::Assets;
use crate::auth::seal::SealingKey;
use crate::auth::token::{SigningKey, private_file};
use crate::clock::Clock;
use crate::config::{Demo, LimitOptions, LogFormat, Migrate, Serve};
use crate::connections::{self, Bounds};
use crate::demo;
use crate::gate::Gate;
use crate::health::Health;
use crate::limits::Limiter;
use crate::metrics::Metrics;
use crate::recent::Recent;
use crate::router::{App, Settings, router};
use crate::store::{self, Store, upkeep};
use crate::webhooks::courier::{Courier, PATIENCE};
use crate::webhooks::network::Reach;

/// How long the database may take to close.
const CLOSING: Duration = Duration::from_secs(5);

/// Why the service did not start or run.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// The data directory cannot be made or used.
    #[error("cannot use the data directory {directory}: {cause}")]
    Directory {
        /// Which one.
        directory: String,
        /// Why not.
        cause: std::io::Error,
    },
    /// The database cannot be opened or migrated.
    #[error("cannot open the database: {0}")]
    Database(#[from] sqlx::Error),
    /// The port cannot be listened on.
    #[error("cannot listen on {address}: {cause}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why not.
        cause: std::io::Error,
    },
    /// A database was examined and is not sound.
    #[error("{0}")]
    Unsound(String),
    /// A backup cannot be made.
    #[error("cannot make the backup {file}: {cause}")]
    Backup {
        /// Where it was to be.
        file: String,
        /// Why not.
        cause: std::io::Error,
    },
    /// The server stopped by itself.
    #[error("the server stopped: {0}")]
    Server(std::io::Error),
    /// Something inside went wrong; it has been logged.
    #[error("{0}")]
    Inside(#[from] crate::error::Error),
}

/// Runs `service serve` until it is told to stop.
pub async fn serve(options: Serve) -> Result<(), Problem> {
    let address = SocketAddr::new(options.host, options.port);
    let listener = TcpListener::bind(address)
        .await
        .map_err(|cause| Problem::Listen { address, cause })?;
    let address = listener.local_addr().map_err(Problem::Server)?;
    let reached = format!("http://{}", reachable(address));
    let settings = Settings {
        base_url: options
            .public_url
            .unwrap_or_else(|| reached.clone())
            .trim_end_matches('/')
            .to_owned(),
        access_minutes: options.access_token_minutes,
        demo: options.demo,
        limits: options.limits.limits(options.demo),
    };
    let app = open(&options.data, clock(options.now), settings).await?;
    if options.demo {
        demo::prepare(&app, &options.data).await?;
        if let Some(count) = options.demo_bookings {
            demo::fill(&app, count).await?;
        }
    }
    let reach = if options.webhooks_to_private_networks || options.demo {
        Reach::Everywhere
    } else {
        Reach::Public
    };
    let assets = Assets {
        app: options.app_dir,
        embed: options.embed_dir,
    };
    let (store, health) = (app.store.clone(), app.health.clone());
    let bounds = bounds(&options.limits);
    let stop = async move {
        stopped().await;
        health.stop();
    };
    // The last line before requests are taken: tools wait for it.
    let mut stdout = std::io::stdout();
    let _ = writeln!(stdout, "ready {reached}").and_then(|()| stdout.flush());
    let (stop_courier, stopped) = oneshot::channel::<()>();
    let courier = Courier::new(app.clone(), reach, PATIENCE)?;
    let courier = tokio::spawn(async move {
        // Dropping the other end stops it, too.
        courier
            .run(async { stopped.await.unwrap_or_default() })
            .await;
    });
    connections::serve(listener, router(app, &assets), bounds, stop).await;
    drop(stop_courier);
    if courier.await.is_err() {
        tracing::error!("the courier of webhook messages panicked");
    }
    close(&store).await;
    Ok(())
}

fn bounds(options: &LimitOptions) -> Bounds {
    let per_address = if options.trust_proxy > 0 {
        // They all come from the proxy.
        options.max_connections
    } else {
        options.max_connections.div_ceil(4)
    };
    Bounds {
        connections: options.max_connections,
        per_address,
        client_timeout: Duration::from_secs(options.client_timeout),
        shutdown_timeout: Duration::from_secs(options.shutdown_timeout),
    }
}

/// Closes the database. Nothing is lost if that takes too long: what was answered is on the disk.
async fn close(store: &Store) {
    if timeout(CLOSING, store.close()).await.is_err() {
        tracing::warn!("the database was not closed in time");
    }
}

/// Runs `service migrate`.
pub async fn migrate(options: Migrate) -> Result<(), Problem> {
    let app = open(&options.data, Clock::system(), Settings::default()).await?;
    let mut db = app.store.read().await?;
    println!("version {}", upkeep::version(&mut db).await?);
    drop(db);
    close(&app.store).await;
    Ok(())
}

/// Runs `service demo`.
pub async fn demo(options: Demo) -> Result<(), Problem> {
    let settings = Settings {
        base_url: options.base_url.trim_end_matches('/').to_owned(),
        demo: true,
        ..Settings::default()
    };
    let app = open(&options.data, clock(options.now), settings).await?;
    let path = demo::prepare(&app, &options.data).await?;
    println!("{}", path.display());
    app.store.close().await;
    Ok(())
}

/// Opens a data directory, made if it does not exist.
pub async fn open(directory: &Path, clock: Clock, settings: Settings) -> Result<App, Problem> {
    private_directory(directory).map_err(|cause| Problem::Directory {
        directory: directory.display().to_string(),
        cause,
    })?;
    // SQLite gives the files beside the database the rights that the database has.
    private_file(&directory.join(store::FILE_NAME), false).map_err(|cause| Problem::Directory {
        directory: directory.display().to_string(),
        cause,
    })?;
    Ok(App {
        store: Store::open(directory).await?,
        limiter: Limiter::new(clock.clone()),
        gate: Gate::new(settings.limits.in_flight),
        health: Health::default(),
        metrics: Metrics::new()?,
        clock,
        signing_key: SigningKey::open(directory)?,
        sealing_key: SealingKey::open(directory)?,
        settings: Arc::new(settings),
        recent: Recent::default(),
    })
}

/// The database holds personal data: a directory made here is its owner's alone.
fn private_directory(directory: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(directory)
}

fn clock(start: Option<Instant>) -> Clock {
    start.map_or_else(Clock::system, Clock::starting_at)
}

/// An address that can be typed into a browser on this machine.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::from([127, 0, 0, 1]),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

/// Logs to standard error; `RUST_LOG` chooses what.
pub fn log(format: LogFormat) {
    let filter = EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| EnvFilter::new("warn,booking_service=info"));
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    let _ = match format {
        LogFormat::Text => log.with_ansi(std::io::stderr().is_terminal()).try_init(),
        LogFormat::Json => log.json().flatten_event(true).try_init(),
    };
    // What a panic says may repeat what a request said: the place is enough to find its cause.
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        tracing::error!(place = place.unwrap_or_default(), "panicked");
    }));
}

/// Resolves when the process is asked to stop.
async fn stopped() {
    let interrupted = async {
        if signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminated = async {
        match signal::unix::signal(signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminated = std::future::pending::<()>();
    tokio::select! {
        () = interrupted => {}
        () = terminated => {}
    }
    tracing::info!("stopping: open requests are finished first");
}
