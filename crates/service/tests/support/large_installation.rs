//! A large installation in PostgreSQL, for tests of statements and for measurements.

use sqlx::{AssertSqlSafe, Connection, PgConnection};

/// Sizes: see the statements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LargeInstallation {
    /// Each has a team.
    pub(crate) organizations: u32,
    pub(crate) hosts: u32,
    pub(crate) event_types: u32,
    /// Past and future ones.
    pub(crate) bookings: u32,
    /// Settled webhook deliveries and e-mail messages.
    pub(crate) messages: u32,
    /// Messages of either kind that wait for another attempt.
    pub(crate) waiting: u32,
}

impl LargeInstallation {
    /// Returns an installation in proportion to one with 10,000 organizations and a million bookings.
    pub(crate) fn sized(share: f64) -> Self {
        let organizations = (10_000.0 * share) as u32;
        Self {
            organizations,
            hosts: 5 * organizations,
            event_types: 20 * organizations,
            bookings: 100 * organizations,
            messages: 50 * organizations,
            waiting: organizations / 20,
        }
    }

    /// Fills the database of `url`, which has the demo's data, around the time `now_ms`. `receiver`: beginning of the
    /// addresses of webhooks.
    pub(crate) async fn fill(
        &self,
        url: &str,
        now_ms: i64,
        receiver: &str,
    ) -> Result<(), sqlx::Error> {
        let mut statements = include_str!("large_installation.sql").to_owned();
        for (name, value) in [
            ("{organizations}", self.organizations.to_string()),
            ("{hosts}", self.hosts.to_string()),
            ("{event_types}", self.event_types.to_string()),
            ("{bookings}", self.bookings.to_string()),
            ("{messages}", self.messages.to_string()),
            ("{waiting}", self.waiting.to_string()),
            ("{now}", format!("{now_ms}::bigint")),
            ("{receiver}", receiver.to_owned()),
        ] {
            statements = statements.replace(name, &value);
        }
        let mut db = PgConnection::connect(url).await?;
        sqlx::raw_sql(AssertSqlSafe(statements))
            .execute(&mut db)
            .await?;
        // Not in the transaction of the statements. Index-only scans need it.
        sqlx::raw_sql("VACUUM ANALYZE").execute(&mut db).await?;
        db.close().await
    }
}
