//! Whether the process lives, whether it can do its work, and what it counts.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::app::AppState;
use crate::auth::secret;
use crate::error::{Error, Result};
use crate::peer;
use crate::store::upkeep::{self, Schema};

/// How long the database has to take a write.
const PATIENCE: Duration = Duration::from_secs(2);

/// Why the service cannot do its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// It has been told to stop.
    Stopping,
    /// The disk is full, or nearly.
    Disk,
    /// The database is not that of this version.
    Migrations,
    /// The database takes too long.
    Busy,
    /// The database takes no writes.
    Database,
}

impl Trouble {
    /// The word that `/readyz` answers.
    pub fn word(self) -> &'static str {
        match self {
            Self::Stopping => "stopping",
            Self::Disk => "disk",
            Self::Migrations => "migrations",
            Self::Busy => "busy",
            Self::Database => "database",
        }
    }
}

/// What was found, and when.
#[derive(Clone, Copy, Debug)]
struct Finding {
    at: Instant,
    trouble: Option<Trouble>,
}

/// What is known about the service's health. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Health {
    stopping: Arc<AtomicBool>,
    found: Arc<Mutex<Option<Finding>>>,
}

impl Health {
    /// From here on the service says that it is not ready.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// What keeps the service from its work. One question at a time is put to the database, and
    /// its answer stands for a moment.
    async fn trouble(&self, app: &AppState) -> Option<Trouble> {
        if self.stopping.load(Ordering::Relaxed) {
            return Some(Trouble::Stopping);
        }
        let mut found = self.found.lock().await;
        if let Some(finding) = *found
            && finding.at.elapsed() < app.settings.limits.readiness_ttl
        {
            return finding.trouble;
        }
        let trouble = examine(app).await;
        if let Some(trouble) = trouble {
            tracing::error!(reason = trouble.word(), "not ready");
        }
        *found = Some(Finding {
            at: Instant::now(),
            trouble,
        });
        trouble
    }
}

async fn examine(app: &AppState) -> Option<Trouble> {
    let free = free_disk(app.store.directory());
    if free.is_some_and(|bytes| bytes < app.settings.limits.min_free_disk) {
        return Some(Trouble::Disk);
    }
    let write = async {
        let mut transaction = app.store.begin().await?;
        let current = upkeep::schema(&mut transaction).await? == Schema::Current;
        upkeep::touch(&mut transaction).await?;
        transaction.commit().await?;
        Ok::<_, Error>(current)
    };
    match timeout(PATIENCE, write).await {
        Ok(Ok(true)) => None,
        Ok(Ok(false)) => Some(Trouble::Migrations),
        Ok(Err(_)) => {
            app.store.suspect();
            Some(Trouble::Database)
        }
        Err(_) => Some(Trouble::Busy),
    }
}

/// Bytes that are free on the disk of `directory`; none if that cannot be told.
#[cfg(unix)]
pub fn free_disk(directory: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(directory).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Bytes that are free on the disk of `directory`; none if that cannot be told.
#[cfg(not(unix))]
pub fn free_disk(_directory: &Path) -> Option<u64> {
    None
}

/// Returns true for the paths of [`routes`].
pub fn owns(path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz" | "/metrics")
}

/// `/healthz`, `/readyz` and `/metrics`.
pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/healthz", get(async || plain(StatusCode::OK, "ok")))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
        .method_not_allowed_fallback(async || Error::MethodNotAllowed)
}

async fn ready(State(app): State<AppState>) -> Response {
    match app.health.trouble(&app).await {
        None => plain(StatusCode::OK, "ready"),
        Some(trouble) => plain(StatusCode::SERVICE_UNAVAILABLE, trouble.word()),
    }
}

async fn metrics(State(app): State<AppState>, request: Request) -> Result<Response> {
    match &app.settings.limits.metrics_token {
        Some(token) if !bears(&request, token) => {
            return Err(Error::Unauthorized(
                "metrics need the token they are configured with",
            ));
        }
        None if !peer::is_local(&request) => {
            return Err(Error::Forbidden(
                "metrics are for the service's own machine, or need a token".into(),
            ));
        }
        _ => {}
    }
    let headers = [
        (CONTENT_TYPE, prometheus::TEXT_FORMAT),
        (CACHE_CONTROL, "no-store"),
    ];
    Ok((headers, app.metrics.text(&app).await?).into_response())
}

fn bears(request: &Request, token: &str) -> bool {
    request
        .headers()
        .get(AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split_once(' '))
        .is_some_and(|(scheme, presented)| {
            scheme.eq_ignore_ascii_case("bearer") && secret::same(token, presented.trim())
        })
}

fn plain(status: StatusCode, word: &'static str) -> Response {
    let headers = [
        (CONTENT_TYPE, "text/plain; charset=utf-8"),
        (CACHE_CONTROL, "no-store"),
    ];
    (status, headers, word).into_response()
}
