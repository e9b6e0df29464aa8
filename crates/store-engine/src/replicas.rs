//! Running replicas of a PostgreSQL database: their rows, and what each knows about the others.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use booking_zones::current;

use crate::clock_check::server_now;
use crate::connection::{Database, Db};
use crate::lease::TERM_MS;
use crate::sql;

/// Time without a heartbeat after which a replica is named: it gives one every two seconds.
const SILENCE_LIMIT: Duration = Duration::from_secs(5);

/// Time after which the row of a replica that has not stopped cleanly is deleted, in milliseconds.
const RETENTION_MS: i64 = 3_600_000;

/// This process.
#[derive(Clone, Debug)]
pub(crate) struct Replica {
    /// Another one after each start.
    pub id: String,
    /// Name for people.
    pub name: String,
}

impl Replica {
    /// Returns this process; its name is the id unless it has one.
    pub(crate) fn new(name: Option<&str>) -> Self {
        let id = format!("{:016x}", fastrand::u64(..));
        let name = name.unwrap_or(&id).to_owned();
        Self { id, name }
    }
}

/// Returns the name of a replica that listens on a port of this machine.
pub fn name_on_port(port: u16) -> String {
    format!("{}:{port}", host_name())
}

#[cfg(unix)]
fn host_name() -> String {
    let system = rustix::system::uname();
    system.nodename().to_string_lossy().into_owned()
}

#[cfg(not(unix))]
fn host_name() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_else(|_| "localhost".to_owned())
}

/// Milliseconds without a heartbeat after which a row with the name of this replica is that of an earlier start, and not of
/// another machine with the same name.
const RESTART_MS: i64 = 10_000;

/// Stores a heartbeat, and the right to send messages for another term if the replica may. Deletes rows of replicas that
/// ended long ago, and those of earlier starts.
pub(crate) async fn report(
    db: &mut Db,
    replica: &Replica,
    may_send: bool,
) -> Result<(), sqlx::Error> {
    sql::query(concat!(
        "WITH ended AS (
             DELETE FROM replicas WHERE id <> ?1 AND (name = ?2 AND seen_ms < ",
        server_now!(),
        " - ?6 OR seen_ms < ",
        server_now!(),
        " - ?5))
         INSERT INTO replicas (id, name, version, zone_data, started_ms, seen_ms, sends_until_ms, backend_pid)
         VALUES (?1, ?2, ?3, ?4, ",
        server_now!(),
        ", ",
        server_now!(),
        ", CASE WHEN ?7 > 0 THEN ",
        server_now!(),
        " + ?7 ELSE 0 END, CAST(pg_backend_pid() AS BIGINT))
         ON CONFLICT (id) DO UPDATE SET zone_data = excluded.zone_data, seen_ms = excluded.seen_ms,
             sends_until_ms = excluded.sends_until_ms, backend_pid = excluded.backend_pid"
    ))
    .bind(&replica.id)
    .bind(&replica.name)
    .bind(env!("CARGO_PKG_VERSION"))
    .bind(current::data().version().to_string())
    .bind(RETENTION_MS)
    .bind(RESTART_MS)
    .bind(if may_send { TERM_MS } else { 0 })
    .execute(db)
    .await?;
    Ok(())
}

/// Deletes the row of a replica that stops.
pub(crate) async fn delete(db: &mut Db, replica: &Replica) -> Result<(), sqlx::Error> {
    sql::query("DELETE FROM replicas WHERE id = ?")
        .bind(&replica.id)
        .execute(db)
        .await?;
    Ok(())
}

/// A replica as it was last read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    id: String,
    name: String,
    zone_data: String,
    /// Last heartbeat.
    at: Instant,
}

/// Reads the other replicas.
pub(crate) async fn read_others(db: &mut Db, own_id: &str) -> Result<Vec<Seen>, sqlx::Error> {
    let now = Instant::now();
    let rows: Vec<(String, String, String, i64)> = sql::query_as(concat!(
        "SELECT id, name, zone_data, ",
        server_now!(),
        " - seen_ms FROM replicas WHERE id <> ? ORDER BY name, id"
    ))
    .bind(own_id)
    .fetch_all(db)
    .await?;
    let seen = |(id, name, zone_data, silent_ms)| Seen {
        id,
        name,
        zone_data,
        at: before(now, silent_ms),
    };
    Ok(rows.into_iter().map(seen).collect())
}

fn before(now: Instant, ms: i64) -> Instant {
    let elapsed = Duration::from_millis(ms.try_into().unwrap_or(0));
    now.checked_sub(elapsed).unwrap_or(now)
}

/// Problem of another replica.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Problem {
    /// It leads, and does not renew its lease.
    StuckLeader,
    /// It gives no heartbeat.
    Silent,
    /// It has these time zone data.
    OtherZones(String),
}

/// A problem of another replica, for people.
#[derive(Clone, Debug)]
pub struct Finding {
    replica_id: String,
    name: String,
    problem: Problem,
    /// Time without a heartbeat.
    silent: Duration,
    own_zones: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, seconds) = (&self.name, self.silent.as_secs());
        match &self.problem {
            Problem::StuckLeader => write!(
                f,
                "replica {name} leads and has made no progress for {seconds} s"
            ),
            Problem::Silent => write!(f, "replica {name} has not reported for {seconds} s"),
            Problem::OtherZones(version) => write!(
                f,
                "replica {name} computes time zones with {version}, this one with {}",
                self.own_zones
            ),
        }
    }
}

/// Holder of the lease as it was last read.
#[derive(Clone, Debug)]
struct Leader {
    replica_id: String,
    /// Last renewal.
    renewed: Instant,
}

/// The other replicas as they were last read.
#[derive(Clone, Debug, Default)]
struct Others {
    replicas: Vec<Seen>,
    leader: Option<Leader>,
}

impl Others {
    fn findings(&self, now: Instant, own_zones: &str) -> Vec<Finding> {
        let of_replica = |seen: &Seen| {
            let renewed = (self.leader.as_ref())
                .filter(|leader| leader.replica_id == seen.id)
                .map(|leader| now.saturating_duration_since(leader.renewed));
            let silent = now.saturating_duration_since(seen.at);
            let silence = match renewed {
                Some(since) if since > SILENCE_LIMIT => Some((Problem::StuckLeader, since)),
                _ if silent > SILENCE_LIMIT => Some((Problem::Silent, silent)),
                _ => None,
            };
            let other_zones = (seen.zone_data != own_zones)
                .then(|| (Problem::OtherZones(seen.zone_data.clone()), silent));
            let (replica_id, name) = (seen.id.clone(), seen.name.clone());
            (silence.into_iter().chain(other_zones)).map(move |(problem, silent)| Finding {
                replica_id: replica_id.clone(),
                name: name.clone(),
                problem,
                silent,
                own_zones: own_zones.to_owned(),
            })
        };
        self.replicas.iter().flat_map(of_replica).collect()
    }
}

/// Problems of the other replicas. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct ReplicaWatch(Arc<Mutex<Watched>>);

#[derive(Debug, Default)]
struct Watched {
    others: Others,
    /// Logged problems, by replica.
    logged: BTreeMap<(String, Problem), String>,
}

impl ReplicaWatch {
    /// Returns the problems; none with SQLite.
    pub fn findings(&self) -> Vec<Finding> {
        let own_zones = current::data().version().to_string();
        let watched = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        watched.others.findings(Instant::now(), &own_zones)
    }

    /// Stores what was read about the others, and logs problems that are new or have ended. `leader` is the holder of the
    /// lease, with the milliseconds since it was renewed.
    pub(crate) fn record(&self, others: Option<Vec<Seen>>, leader: Option<(String, i64)>) {
        let now = Instant::now();
        let own_zones = current::data().version().to_string();
        let mut watched = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(others) = others {
            watched.others.replicas = others;
        }
        watched.others.leader = leader.map(|(replica_id, silent_ms)| Leader {
            replica_id,
            renewed: before(now, silent_ms),
        });
        let findings = watched.others.findings(now, &own_zones);
        let mut logged = BTreeMap::new();
        for finding in findings {
            let key = (finding.replica_id.clone(), finding.problem.clone());
            if !watched.logged.contains_key(&key) {
                tracing::warn!("{finding}");
            }
            logged.insert(key, finding.name);
        }
        for (key, name) in &watched.logged {
            if !logged.contains_key(key) {
                let problem = match &key.1 {
                    Problem::StuckLeader => "leads no longer, or makes progress",
                    Problem::Silent => "reports again, or was removed",
                    Problem::OtherZones(_) => "has the same time zone data now, or was removed",
                };
                tracing::info!("replica {name} {problem}");
            }
        }
        watched.logged = logged;
    }
}

/// Reads the problems of all replicas, for a command; none with SQLite.
pub async fn find(db: &mut Db) -> Result<Vec<Finding>, sqlx::Error> {
    if db.database() == Database::Sqlite {
        return Ok(Vec::new());
    }
    let replicas = read_others(db, "").await?;
    let now = Instant::now();
    let state = super::lease::read(db, "").await?;
    let leader = state.leader().map(|(replica_id, silent_ms)| Leader {
        replica_id,
        renewed: before(now, silent_ms),
    });
    let own_zones = current::data().version().to_string();
    Ok(Others { replicas, leader }.findings(now, &own_zones))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(id: &str, zone_data: &str, at: Instant) -> Seen {
        Seen {
            id: id.to_owned(),
            name: format!("{id}:80"),
            zone_data: zone_data.to_owned(),
            at,
        }
    }

    #[test]
    fn silent_replicas_and_other_zone_data_are_named() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let others = Others {
            replicas: vec![seen("a", "2026f", at(0)), seen("b", "2025b", at(4))],
            leader: Some(Leader {
                replica_id: "a".to_owned(),
                renewed: at(1),
            }),
        };
        let lines = |now| -> Vec<String> {
            let findings = others.findings(at(now), "2026f");
            findings.iter().map(ToString::to_string).collect()
        };
        let zones = "replica b:80 computes time zones with 2025b, this one with 2026f";
        assert_eq!(lines(5), [zones]);
        let stuck = "replica a:80 leads and has made no progress for 8 s";
        assert_eq!(lines(9), [stuck, zones]);
        let silent = "replica b:80 has not reported for 6 s";
        assert_eq!(lines(10)[1..], [silent, zones]);
    }

    #[test]
    fn replica_that_no_longer_leads_is_only_silent() {
        let start = Instant::now();
        let others = Others {
            replicas: vec![seen("a", "2026f", start)],
            leader: None,
        };
        let findings = others.findings(start + Duration::from_secs(70), "2026f");
        assert_eq!(
            findings[0].to_string(),
            "replica a:80 has not reported for 70 s"
        );
    }
}
