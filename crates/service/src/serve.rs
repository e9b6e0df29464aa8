//! Starts and stops the service.

use std::fs;
use std::io::{IsTerminal, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, sleep, timeout};
use tracing_subscriber::EnvFilter;

use crate::app::AppState;
use crate::assets::Assets;
use crate::auth::key_uses::KeyUses;
use crate::auth::seal::SealingKey;
use crate::auth::token::{SigningKey, private_file};
use crate::client_ip;
use crate::clock::Clock;
use crate::config::{Demo, LimitOptions, LogFormat, Migrate, Serve};
use crate::connections::{self, Bounds};
use crate::demo;
use crate::health::Health;
use crate::instance_lock::InstanceLock;
use crate::limits::Limiter;
use crate::limits::concurrency::ConcurrencyLimits;
use crate::maintenance;
use crate::metrics::Metrics;
use crate::recent::Recent;
use crate::router::{health_router, router};
use crate::settings::Settings;
use crate::shutdown::{self, Phase};
use crate::store::upkeep::{self, Schema};
use crate::store::{self, OpenError, Store};
use crate::webhooks::limits::TIMEOUT;
use crate::webhooks::network::Reach;
use crate::webhooks::worker::Worker;

/// Time for a command that makes or migrates the database to give the lock back.
const COMMAND: Duration = Duration::from_secs(2);
/// Time for a service beside a command to finish its start, and between two looks at it.
const STARTING: Duration = Duration::from_secs(5);
const RETRY: Duration = Duration::from_millis(50);
/// Limits of the port for health checks, which is not for strangers.
const HEALTH_BOUNDS: Bounds = Bounds {
    connections: 64,
    per_network: 64,
    header_timeout: Duration::from_secs(5),
    client_timeout: Duration::from_secs(30),
    shutdown_timeout: Duration::from_secs(1),
};
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
    /// Another process serves or migrates the data directory.
    #[error(
        "the data directory {directory} is in use by {holder}: only one process may serve or migrate it \
         (`serve --takeover` waits until the other one has ended)"
    )]
    InUse {
        /// Data directory.
        directory: String,
        /// The other process.
        holder: String,
    },
    /// The file system of the data directory cannot lock files.
    #[error(
        "cannot lock the data directory {directory}: {cause}. The service needs a file system with file locks: \
         without them, two processes could use the directory at once and send every webhook message twice"
    )]
    NoLocks {
        /// Data directory.
        directory: String,
        /// The system's answer.
        cause: std::io::Error,
    },
    /// The database cannot be read or written.
    #[error("cannot use the database: {0}")]
    Database(#[from] sqlx::Error),
    /// The database cannot be opened or migrated.
    #[error("cannot open the database: {0}")]
    Open(#[from] OpenError),
    /// The port cannot be listened on.
    #[error("cannot listen on {address}: {cause}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why not.
        cause: std::io::Error,
    },
    /// The demo account would be open to other machines.
    #[error(
        "--demo gives an account to every caller, and {0} is reachable from other machines: \
         leave --host and --public-url out, or add --demo-in-public if that is meant"
    )]
    ExposedDemo(String),
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
    /// Something inside went wrong; it has been logged.
    #[error("{0}")]
    Inside(#[from] crate::error::Error),
}

/// Runs `service serve` until it is told to stop.
pub async fn serve(options: Serve) -> Result<(), Problem> {
    refuse_exposed_demo(&options)?;
    prepare(&options.data)?;
    // Before the port: the process that is waited for may listen on the same one.
    let patience = options.takeover.map_or(COMMAND, Duration::from_secs);
    let _lock = InstanceLock::acquire(&options.data, patience).await?;
    let (listener, address) = listen(SocketAddr::new(options.host, options.port)).await?;
    let reached = format!("http://{}", reachable(address));
    let mut health_listener = None;
    if let Some(port) = options.health_port {
        let (listener, address) = listen(SocketAddr::new(options.host, port)).await?;
        say(&format!("health http://{}", reachable(address)));
        health_listener = Some(listener);
    }
    let reach = if options.webhooks_to_private_networks || options.is_private_demo() {
        Reach::Everywhere
    } else {
        Reach::Public
    };
    let limits = options.limits.limits(options.is_private_demo());
    let settings = Settings {
        base_url: options
            .public_url
            .unwrap_or_else(|| reached.clone())
            .trim_end_matches('/')
            .to_owned(),
        access_minutes: options.access_token_minutes,
        demo: options.demo,
        demo_in_public: options.demo_in_public,
        foreign_key_prefix: options.foreign_key_prefix,
        limits,
    };
    let app = open(&options.data, clock(options.now), settings).await?;
    if options.demo {
        tracing::warn!(
            address = app.settings.base_url,
            "--demo: every caller gets an account that runs the demo's team"
        );
        demo::prepare(&app, &options.data).await?;
        if let Some(count) = options.demo_bookings {
            demo::fill(&app, count).await?;
        }
    } else {
        demo::revoke_credentials(&app, &options.data).await?;
    }
    let assets = Assets {
        app: options.app_dir,
        embed: options.embed_dir,
    };
    let store = app.store.clone();
    let bounds = bounds(&options.limits);
    let drain = Duration::from_secs(options.limits.drain);
    let phase = shutdown::follow_signals(drain, app.health.clone());
    let (stop_health, health_phase) = watch::channel(Phase::Running);
    let health = health_listener.map(|listener| {
        let router = health_router(app.clone());
        tokio::spawn(connections::serve(
            listener,
            router,
            HEALTH_BOUNDS,
            health_phase,
        ))
    });
    // The last line before requests are taken: tools wait for it.
    say(&format!("ready {reached}"));
    let (stop_worker, stopped) = oneshot::channel::<()>();
    let worker = Worker::new(app.clone(), reach, TIMEOUT)?;
    let worker = tokio::spawn(async move {
        // Dropping the other end stops it, too.
        worker
            .run(async { stopped.await.unwrap_or_default() })
            .await;
    });
    let (stop_maintenance, stopped) = oneshot::channel::<()>();
    let maintenance = tokio::spawn(maintenance::run(app.clone(), async {
        stopped.await.unwrap_or_default();
    }));
    connections::serve(listener, router(app, &assets), bounds, phase).await;
    drop((stop_worker, stop_maintenance));
    if maintenance.await.is_err() {
        tracing::error!("the maintenance of the database panicked");
    }
    if worker.await.is_err() {
        tracing::error!("the webhook worker panicked");
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

/// Prints a line for tools that wait for it. One that has gone away is no problem.
fn say(line: &str) {
    let mut stdout = std::io::stdout();
    let _ = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
}

async fn listen(address: SocketAddr) -> Result<(TcpListener, SocketAddr), Problem> {
    let listen = async {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok((listener, address))
    };
    listen
        .await
        .map_err(|cause| Problem::Listen { address, cause })
}

/// Refuses to offer the demo account to other machines unless that was asked for.
fn refuse_exposed_demo(options: &Serve) -> Result<(), Problem> {
    if !options.demo || options.demo_in_public {
        return Ok(());
    }
    if !options.host.to_canonical().is_loopback() {
        return Err(Problem::ExposedDemo(format!("--host {}", options.host)));
    }
    match &options.public_url {
        Some(url) if !client_ip::names_loopback(url_host(url)) => {
            Err(Problem::ExposedDemo(format!("--public-url {url}")))
        }
        _ => Ok(()),
    }
}

/// The host of an address such as `https://book.example/path`, with its port.
pub(crate) fn url_host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host)
}

fn bounds(options: &LimitOptions) -> Bounds {
    let per_network = if options.trust_proxy > 0 {
        // They all come from the proxy.
        options.max_connections
    } else {
        options.max_connections.div_ceil(4)
    };
    let client_timeout = Duration::from_secs(options.client_timeout);
    Bounds {
        connections: options.max_connections,
        per_network,
        header_timeout: Duration::from_secs(options.header_timeout).min(client_timeout),
        client_timeout,
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
    bring_up_to_date(&options.data, Outdated::Migrate).await?;
    let store = Store::open_current(&options.data).await?;
    let mut db = store.read().await?;
    println!("version {}", upkeep::version(&mut db).await?);
    drop(db);
    close(&store).await;
    Ok(())
}

/// Runs `service demo`.
pub async fn demo(options: Demo) -> Result<(), Problem> {
    let settings = Settings {
        base_url: options.base_url.trim_end_matches('/').to_owned(),
        demo: true,
        ..Settings::default()
    };
    bring_up_to_date(&options.data, Outdated::Refuse).await?;
    let app = open(&options.data, clock(options.now), settings).await?;
    let path = demo::prepare(&app, &options.data).await?;
    println!("{}", path.display());
    close(&app.store).await;
    Ok(())
}

/// Treatment of a database of an earlier version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outdated {
    /// Brings it up to date.
    Migrate,
    /// Refuses it.
    Refuse,
}

/// Makes the tables of a fresh data directory, and brings those of an earlier version up to date
/// where `outdated` says so. That takes the directory's lock; a current database needs none, so
/// commands work beside a running service.
pub async fn bring_up_to_date(directory: &Path, outdated: Outdated) -> Result<(), Problem> {
    prepare(directory)?;
    let started = Instant::now();
    loop {
        match store::schema(directory).await.map_err(OpenError::from)? {
            Schema::Current => return Ok(()),
            Schema::Empty => {}
            Schema::Older { .. } if outdated == Outdated::Migrate => {}
            other => return Err(OpenError::Schema(other).into()),
        }
        match InstanceLock::try_acquire(directory) {
            Ok(_lock) => {
                let store = Store::open(directory).await?;
                close(&store).await;
                return Ok(());
            }
            // A service that is starting has the lock, and the tables in a moment.
            Err(Problem::InUse { .. }) if started.elapsed() < STARTING => sleep(RETRY).await,
            Err(problem) => return Err(problem),
        }
    }
}

/// Makes the data directory and the database's file, unless they exist: for their owner alone.
fn prepare(directory: &Path) -> Result<(), Problem> {
    // SQLite gives the files beside the database the rights that the database has.
    private_directory(directory)
        .and_then(|()| private_file(&directory.join(store::FILE_NAME), false).map(drop))
        .map_err(|cause| Problem::Directory {
            directory: directory.display().to_string(),
            cause,
        })
}

/// Opens a data directory, made if it does not exist, and brings its database up to date.
pub async fn open(directory: &Path, clock: Clock, settings: Settings) -> Result<AppState, Problem> {
    prepare(directory)?;
    Ok(AppState {
        store: Store::open(directory).await?,
        limiter: Limiter::new(clock.clone()),
        key_uses: KeyUses::default(),
        concurrency: ConcurrencyLimits::new(settings.limits.in_flight),
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

fn clock(start: Option<booking_wire::Instant>) -> Clock {
    start.map_or_else(Clock::system, Clock::starting_at)
}

/// An address that can be typed into a browser on this machine.
pub(crate) fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
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
