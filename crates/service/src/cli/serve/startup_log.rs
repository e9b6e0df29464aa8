//! Lines of the log that say how a service is configured.

use booking_smtp::settings::{Security, SmtpSettings};
use booking_store_engine::schema;

use crate::app::AppState;
use crate::cli::error::CliError;
use crate::limits::client_ip::{names_loopback, url_host};
use crate::process::zone_data;
use crate::settings::Settings;

/// Logs one line with the settings that matter for a look from outside, and one about e-mail. `database` has no password.
pub(crate) async fn log_start(app: &AppState, database: &str) -> Result<(), CliError> {
    let mut db = app.store.read().await?;
    let schema = schema::version(&mut db).await?;
    drop(db);
    let settings = &app.settings;
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        schema,
        database,
        mail = settings
            .mail
            .smtp
            .as_ref()
            .map_or_else(|| "none".to_owned(), server_url),
        trusted_proxies = settings.limits.trusted_proxies,
        public_url = settings.base_url,
        zone_data = zone_data::summary(app.clock.now()),
        "starting"
    );
    log_mail(settings);
    Ok(())
}

fn log_mail(settings: &Settings) {
    match &settings.mail.smtp {
        Some(smtp) => tracing::info!(
            "mail server: {} as {}",
            server_url(smtp),
            smtp.sender.from.email
        ),
        None if settings.mail_is_available => {
            tracing::info!("no mail server: the demo shows messages at /demo/mail");
        }
        None => tracing::warn!(
            "no mail server: nobody is told about bookings. Messages are kept for 7 days and then deleted, also if a mail \
             server is set later. Set --smtp-url and --mail-from; `booking-service mail test` tries them"
        ),
    }
}

/// Address of the mail server, without user and password.
fn server_url(smtp: &SmtpSettings) -> String {
    let scheme = match smtp.server.security {
        Security::Tls => "smtps",
        Security::StartTls | Security::Opportunistic | Security::Plain => "smtp",
    };
    format!("{scheme}://{}", smtp.server)
}

/// Warns of a public URL that browsers reach without encryption.
pub(crate) fn warn_of_plain_url(url: &str) {
    if !url.starts_with("https://") && !names_loopback(url_host(url)) {
        tracing::warn!(
            %url,
            "the public URL is not https: passwords and bookings cross the network unencrypted. Put a proxy with TLS in \
             front, and set --public-url to its https:// address"
        );
    }
}
