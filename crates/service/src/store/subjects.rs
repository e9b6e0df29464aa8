//! Subjects of writes, and the locks that they need.
//!
//! A write locks what its rules read and what it changes, so that writes of other organizations, hosts and bookings run
//! beside it. This is the only list of them: [`Store::begin`](super::Store::begin) takes the subjects of a write.
//!
//! - Bookings hold their event types and hosts, and share their organization.
//! - Edits of a person hold the person and share the organization.
//! - Edits of an organization, its teams and what belongs to them hold the organization: its bookings wait for them.

use booking_store_engine::connection::Db;
use booking_store_engine::locks::{Locks, Resource};
use booking_store_engine::sql::{self, Value};

use crate::error::Result;

/// Subject of a write.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'a> {
    /// Rows that each statement of the write decides and changes at once: outcomes of messages, uses of keys, cleanup.
    Rows,
    /// A booking or a series by its uid, with the other occurrences of a series.
    Booking(&'a str),
    /// A booking by its id.
    BookingId(i64),
    /// The booking of an attendee.
    BookingOfAttendee(i64),
    /// The booking of a reference, if it has one.
    BookingOfReference(i64),
    /// A booking by its uid that other hosts of its event type may get.
    BookingOfAnyHost(&'a str),
    /// An event type, with its managed copies.
    EventType(i64),
    /// A person, their schedules and credentials.
    Person(i64),
    /// A person who leaves: their bookings get other hosts, and their memberships end.
    LeavingPerson(i64),
    /// The owner of a schedule.
    Schedule(i64),
    /// The owner of hours of a schedule.
    Availability(i64),
    /// The owner of a credential for an application.
    AppCredential(i64),
    /// The owner of a destination calendar.
    DestinationCalendar(i64),
    /// A team, with its members and event types.
    Team(i64),
    /// The team and the person of a membership.
    Membership(i64),
    /// An organization, with its members, teams and roles.
    Organization(i64),
    /// The owner of a webhook.
    Webhook(&'a str),
    /// An OAuth client, with its users and tokens.
    OauthClient(&'a str),
    /// The holder of a token, by its hash.
    Token(&'a str),
    /// An e-mail address whose codes are used.
    EmailAddress(&'a str),
    /// A name that has to be unique, in any table.
    Name(&'a str),
}

/// Reads the locks that a write about `subjects` needs.
pub(super) async fn locks(db: &mut Db, subjects: &[Subject<'_>]) -> Result<Locks> {
    let mut locks = Locks::none();
    for subject in subjects {
        locks = add(db, locks, *subject).await?;
    }
    Ok(locks)
}

async fn add(db: &mut Db, locks: Locks, subject: Subject<'_>) -> Result<Locks> {
    use Subject as S;
    let (ids, further, value): (String, Further, Value<'_>) = match subject {
        S::Rows => return Ok(locks),
        S::EmailAddress(email) => return Ok(locks.and(Resource::EmailAddress(email))),
        S::Name(name) => return Ok(locks.and(Resource::Name(name))),
        S::Booking(uid) => (bookings(NAMED), NONE, uid.into()),
        S::BookingOfAnyHost(uid) => (bookings(NAMED), EVENT_TYPE_HOSTS, uid.into()),
        S::BookingId(id) => (bookings(GIVEN), NONE, id.into()),
        S::BookingOfAttendee(id) => {
            let ids = "SELECT booking_id FROM attendees WHERE id = ?1";
            (bookings(ids), NONE, id.into())
        }
        S::BookingOfReference(id) => {
            let ids = "SELECT booking_id FROM booking_references WHERE id = ?1";
            (bookings(ids), NONE, id.into())
        }
        S::EventType(id) => (EVENT_TYPES.to_owned(), NONE, id.into()),
        S::Person(id) => (people(GIVEN), NONE, id.into()),
        S::LeavingPerson(id) => (people(GIVEN), HOSTED_BOOKINGS, id.into()),
        S::Schedule(id) => (
            people("SELECT owner_id FROM schedules WHERE id = ?1"),
            NONE,
            id.into(),
        ),
        S::Availability(id) => {
            let ids = "SELECT s.owner_id FROM schedule_hours h JOIN schedules s ON s.id = h.schedule_id WHERE h.id = ?1";
            (people(ids), NONE, id.into())
        }
        S::AppCredential(id) => (
            people("SELECT user_id FROM app_credentials WHERE id = ?1"),
            NONE,
            id.into(),
        ),
        S::DestinationCalendar(id) => {
            let ids = "SELECT user_id FROM destination_calendars WHERE id = ?1";
            (people(ids), NONE, id.into())
        }
        S::Token(hash) => (
            people("SELECT user_id FROM oauth_tokens WHERE hash = ?1"),
            NONE,
            hash.into(),
        ),
        S::Team(id) => (teams(GIVEN), NONE, id.into()),
        S::Membership(id) => (
            teams("SELECT team_id FROM memberships WHERE id = ?1"),
            MEMBER,
            id.into(),
        ),
        S::Organization(id) => return Ok(locks.and(Resource::Organization(id))),
        S::Webhook(id) => (WEBHOOK_OWNER.to_owned(), NONE, id.into()),
        S::OauthClient(id) => {
            let locks = locks.and(Resource::OauthClient(id));
            return add_found(db, locks, CLIENT_ORGANIZATION.to_owned(), id.into()).await;
        }
    };
    add_found(db, locks, format!("{ids}{further}"), value).await
}

/// Adds the locks that a statement returns: kind of the resource, its id or NULL, and true if the lock is shared.
async fn add_found(db: &mut Db, locks: Locks, sql: String, value: Value<'_>) -> Result<Locks> {
    let found: Vec<(String, Option<i64>, bool)> =
        sql::query_as(sql).bind(value).fetch_all(db).await?;
    Ok(found.into_iter().fold(locks, with_found))
}

/// Further locks of a statement, as its continuation.
type Further = &'static str;

const NONE: Further = "";

/// The id that a subject has.
const GIVEN: &str = "SELECT CAST(?1 AS BIGINT)";

fn with_found(locks: Locks, (kind, id, is_shared): (String, Option<i64>, bool)) -> Locks {
    let Some(id) = id else {
        return locks;
    };
    let resource = match kind.as_str() {
        "booking" => Resource::Booking(id),
        "event_type" => Resource::EventType(id),
        "organization" => Resource::Organization(id),
        "team" => Resource::Team(id),
        _ => Resource::Person(id),
    };
    match is_shared {
        true => locks.and_share(resource),
        false => locks.and(resource),
    }
}

/// Ids of the bookings that the uid of a booking or of a series names, with the whole series.
const NAMED: &str = "SELECT id FROM bookings WHERE uid = ?1
     UNION SELECT id FROM bookings WHERE series_uid = ?1
     UNION SELECT id FROM bookings WHERE series_uid = (SELECT series_uid FROM bookings WHERE uid = ?1)";

/// Locks of bookings: changes of one booking exclude each other, and new bookings of its event type and its people.
fn bookings(ids: &str) -> String {
    format!(
        "WITH named (id, event_type_id, team_id, organization_id) AS (
             SELECT id, event_type_id, team_id, organization_id FROM bookings WHERE id IN ({ids}))
         SELECT 'booking', min(id), FALSE FROM named
         UNION SELECT 'event_type', event_type_id, FALSE FROM named
         UNION SELECT 'person', h.user_id, FALSE FROM named n JOIN booking_hosts h ON h.booking_id = n.id
         UNION SELECT 'person', a.user_id, FALSE FROM named n JOIN attendees a ON a.booking_id = n.id
         UNION SELECT 'organization', organization_id, TRUE FROM named
         UNION SELECT 'team', team_id, TRUE FROM named WHERE organization_id IS NULL"
    )
}

/// Further locks of a booking that other hosts may get.
const EVENT_TYPE_HOSTS: Further = " UNION SELECT 'person', h.user_id, FALSE FROM named n JOIN event_type_hosts h ON h.event_type_id = n.event_type_id";

/// Locks of event types. Those of a team are part of its organization, and so are the members' copies of a managed one.
const EVENT_TYPES: &str = "WITH named (id, owner_id, team_id, parent_id) AS (
             SELECT id, owner_id, team_id, parent_id FROM event_types WHERE id = ?1
         UNION SELECT id, owner_id, team_id, parent_id FROM event_types WHERE parent_id = ?1)
         SELECT 'event_type', id, FALSE FROM named
         UNION SELECT 'person', owner_id, FALSE FROM named
         UNION SELECT 'organization', u.organization_id, TRUE FROM named n JOIN users u ON u.id = n.owner_id
         UNION SELECT 'organization', t.organization_id, FALSE FROM named n JOIN teams t ON t.id = n.team_id
         UNION SELECT 'team', t.id, FALSE FROM named n JOIN teams t ON t.id = n.team_id WHERE t.organization_id IS NULL
         UNION SELECT 'organization', t.organization_id, TRUE
         FROM named n JOIN event_types p ON p.id = n.parent_id JOIN teams t ON t.id = p.team_id
         UNION SELECT 'team', t.id, TRUE
         FROM named n JOIN event_types p ON p.id = n.parent_id JOIN teams t ON t.id = p.team_id
         WHERE t.organization_id IS NULL";

/// Locks of people.
fn people(ids: &str) -> String {
    format!(
        "WITH people (id, organization_id) AS (SELECT id, organization_id FROM users WHERE id IN ({ids}))
         SELECT 'person', id, FALSE FROM people
         UNION SELECT 'organization', organization_id, TRUE FROM people
         UNION SELECT 'organization', m.organization_id, TRUE
         FROM people p JOIN organization_members m ON m.user_id = p.id"
    )
}

/// Further locks of people who leave: their event types, the bookings that they host with everybody who could take them
/// over, and the organizations and teams that they leave.
const HOSTED_BOOKINGS: Further = " UNION SELECT 'event_type', e.id, FALSE FROM people p JOIN event_types e ON e.owner_id = p.id
     UNION SELECT 'event_type', b.event_type_id, FALSE
     FROM people p JOIN booking_hosts h ON h.user_id = p.id JOIN bookings b ON b.id = h.booking_id
     UNION SELECT 'person', o.user_id, FALSE
     FROM people p JOIN booking_hosts h ON h.user_id = p.id JOIN bookings b ON b.id = h.booking_id
     JOIN event_type_hosts o ON o.event_type_id = b.event_type_id
     UNION SELECT 'person', o.user_id, FALSE
     FROM people p JOIN booking_hosts h ON h.user_id = p.id JOIN booking_hosts o ON o.booking_id = h.booking_id
     UNION SELECT 'organization', organization_id, FALSE FROM people
     UNION SELECT 'organization', m.organization_id, FALSE FROM people p JOIN organization_members m ON m.user_id = p.id
     UNION SELECT 'organization', t.organization_id, FALSE
     FROM people p JOIN memberships m ON m.user_id = p.id JOIN teams t ON t.id = m.team_id
     UNION SELECT 'team', t.id, FALSE
     FROM people p JOIN memberships m ON m.user_id = p.id JOIN teams t ON t.id = m.team_id
     WHERE t.organization_id IS NULL";

/// Locks of teams: the organization, or a team without one.
fn teams(ids: &str) -> String {
    format!(
        "WITH teams_named (id, organization_id) AS (SELECT id, organization_id FROM teams WHERE id IN ({ids}))
         SELECT 'organization', organization_id, FALSE FROM teams_named
         UNION SELECT 'team', id, FALSE FROM teams_named WHERE organization_id IS NULL"
    )
}

/// Further locks of a membership.
const MEMBER: Further = " UNION SELECT 'person', user_id, FALSE FROM memberships WHERE id = ?1";

/// Locks of a webhook of a person, an event type or an organization.
const WEBHOOK_OWNER: &str = "SELECT 'person', user_id, FALSE FROM webhooks WHERE id = ?1
     UNION SELECT 'event_type', event_type_id, FALSE FROM webhooks WHERE id = ?1
     UNION SELECT 'organization', organization_id, FALSE FROM webhooks WHERE id = ?1";

/// The organization of a client's users: that of its owner.
const CLIENT_ORGANIZATION: &str = "SELECT 'organization', u.organization_id, TRUE
     FROM oauth_clients c JOIN users u ON u.id = c.owner_id WHERE c.id = ?1";

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    /// Adds the files below a folder that lock everything.
    fn find(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                find(&path, found);
            } else if fs::read_to_string(&path).is_ok_and(|text| text.contains(LOCK)) {
                found.push(path);
            }
        }
    }

    /// In two parts: this file has none.
    const LOCK: &str = concat!("Locks::", "everything()");

    #[test]
    fn only_transfers_lock_everything() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut found = Vec::new();
        find(&source, &mut found);
        assert_eq!(found, [source.join("store/transfer/snapshot.rs")]);
    }
}
