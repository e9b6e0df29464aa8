//! `booking-service health`: asks a running service whether it is ready, for container images without a shell.

use std::error::Error;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use clap::Args;

use super::error::CliError;
use super::values::reachable_address;
use crate::messages::webhooks::http_client;

/// Maximum duration of the request.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Options of `booking-service health`.
#[derive(Clone, Debug, Args)]
pub struct Health {
    /// URL of the service, instead of --host and --port
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,

    /// Address that the service listens on
    #[arg(long, default_value = "127.0.0.1")]
    pub host: IpAddr,

    /// Port that the service listens on
    #[arg(long, default_value_t = 8080)]
    pub port: u16,
}

/// Runs `booking-service health`: prints the answer of `/readyz`.
///
/// # Errors
///
/// If the service is not ready or cannot be reached.
pub async fn run(options: Health) -> Result<String, CliError> {
    let url = options.url.unwrap_or_else(|| {
        let address = reachable_address(SocketAddr::new(options.host, options.port));
        format!("http://{address}")
    });
    let url = format!("{}/readyz", url.trim_end_matches('/'));
    let client = http_client::builder()
        .map_err(|cause| CliError::NotReady(cause.to_string()))?
        .timeout(TIMEOUT);
    let answer = async {
        let response = client.build()?.get(&url).send().await?;
        Ok::<_, reqwest::Error>((response.status(), response.text().await?))
    };
    match answer.await {
        Ok((status, text)) if status.is_success() => Ok(format!("{}\n", text.trim_end())),
        Ok((status, text)) => Err(CliError::NotReady(format!("{url}: {status}, {text}"))),
        Err(cause) => Err(CliError::NotReady(with_cause(&cause))),
    }
}

/// Text of an error and of the innermost one, such as "Connection refused".
fn with_cause(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        cause = inner.source();
        if cause.is_none() {
            text = format!("{text}: {inner}");
        }
    }
    text
}
