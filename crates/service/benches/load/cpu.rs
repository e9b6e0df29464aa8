//! CPU time of the service, PostgreSQL and this program, from `/proc`.

use std::time::Duration;

use sqlx::PgConnection;

use crate::Outcome;

/// Ticks per second of `/proc/*/stat`: USER_HZ, which is 100 on all architectures that Linux reports it for.
const TICKS_PER_SECOND: u64 = 100;

/// CPU times since the starts of the processes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CpuTimes {
    pub(crate) service: Duration,
    /// With sessions that have ended.
    pub(crate) postgres: Duration,
    /// Including the mail server and the receiver of webhooks.
    pub(crate) load: Duration,
}

impl CpuTimes {
    /// Reads the times. `db`: a connection to the server, which runs on this machine.
    pub(crate) async fn read(service_id: u32, db: &mut PgConnection) -> Outcome<Self> {
        let backend: i32 = sqlx::query_scalar("SELECT pg_backend_pid()")
            .fetch_one(db)
            .await?;
        let server = Stat::read(u32::try_from(backend)?)?.parent_id;
        let mut postgres = Stat::read(server)?.ticks_with_children;
        for entry in std::fs::read_dir("/proc")?.flatten() {
            let id = entry
                .file_name()
                .to_str()
                .and_then(|name| name.parse().ok());
            // A process can end at any time.
            let stat = id.and_then(|id| Stat::read(id).ok());
            if let Some(stat) = stat.filter(|stat| stat.parent_id == server) {
                postgres += stat.ticks;
            }
        }
        Ok(Self {
            service: time(Stat::read(service_id)?.ticks),
            postgres: time(postgres),
            load: time(Stat::read(std::process::id())?.ticks),
        })
    }

    /// Returns the times since `earlier`.
    pub(crate) fn since(self, earlier: Self) -> Self {
        Self {
            service: self.service.saturating_sub(earlier.service),
            postgres: self.postgres.saturating_sub(earlier.postgres),
            load: self.load.saturating_sub(earlier.load),
        }
    }
}

fn time(ticks: u64) -> Duration {
    Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND)
}

/// Values of a process.
struct Stat {
    parent_id: u32,
    ticks: u64,
    /// With child processes that have ended.
    ticks_with_children: u64,
}

impl Stat {
    fn read(id: u32) -> Outcome<Self> {
        let text = std::fs::read_to_string(format!("/proc/{id}/stat"))?;
        // The name in parentheses can contain anything.
        let (_, values) = text.rsplit_once(')').ok_or("unknown format")?;
        let values: Vec<&str> = values.split_whitespace().collect();
        let value = |index: usize| -> Outcome<u64> {
            Ok(values.get(index).ok_or("unknown format")?.parse()?)
        };
        // See proc_pid_stat(5): the state is field 3.
        let ticks = value(11)? + value(12)?;
        Ok(Self {
            parent_id: u32::try_from(value(1)?)?,
            ticks,
            ticks_with_children: ticks + value(13)? + value(14)?,
        })
    }
}
