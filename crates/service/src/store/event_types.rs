//! Event types: the columns the database needs, everything else as a document of wire fields.

pub mod group;
pub mod managed;
pub mod record;
mod stored;

use std::collections::HashMap;

use booking_wire::event_type::{EventTypeHost, EventTypeTeam, EventTypeUser};
use booking_wire::{EventType, JsonMap, Read};
use serde_json::Value;
use sqlx::QueryBuilder;
use stored::switch_off_the_unset;

use crate::availability::Limit;
use crate::error::{Error, Result};
use crate::input_limits::MAX_LIST_ENTRIES;
use crate::lifecycle::Policy;
use crate::store::connection::Db;
use crate::store::people::People;
use crate::store::rows;

pub use group::{Purpose, group};
pub use stored::{GROUP_ID, Stored};

/// Which event types are wanted.
#[derive(Clone, Copy, Debug)]
pub enum Which<'a> {
    /// One, by id.
    Id(i64),
    /// A person's, one or all of them.
    OfUser(i64, Option<&'a str>),
    /// A team's, one or all of them.
    OfTeam(i64, Option<&'a str>),
    /// Those of several people, of one slug or all of them; everybody's with those of teams.
    OfPeople(&'a People, Option<&'a str>),
}

#[derive(sqlx::FromRow)]
struct Row {
    id: i64,
    owner_id: Option<i64>,
    team_id: Option<i64>,
    slug: String,
    hidden: i64,
    scheduling_type: Option<String>,
    schedule_id: Option<i64>,
    before_minutes: i64,
    after_minutes: i64,
    blocks_unconfirmed: i64,
    settings: String,
    parent_id: Option<i64>,
    parent_team_id: Option<i64>,
    assign_all: i64,
    username: Option<String>,
    team_name: Option<String>,
    team_slug: Option<String>,
    logo_url: Option<String>,
    banner_url: Option<String>,
    week_start: Option<String>,
    brand_color: Option<String>,
    dark_brand_color: Option<String>,
    theme: Option<String>,
}

#[derive(sqlx::FromRow)]
struct HostRow {
    event_type_id: i64,
    fixed: i64,
    priority: String,
    id: i64,
    name: Option<String>,
    username: Option<String>,
    avatar_url: Option<String>,
    brand_color: Option<String>,
    dark_brand_color: Option<String>,
    week_start: Option<String>,
}

/// Most hosts, counted for each event type, that one list of event types shows.
const MAX_LISTED_HOSTS: usize = 20_000;

/// Reads event types, oldest first.
pub async fn find(db: &mut Db, which: Which<'_>) -> Result<Vec<Stored>> {
    let mut query = QueryBuilder::new(
        "SELECT e.id, e.owner_id, e.team_id, e.slug, e.hidden, e.scheduling_type, e.schedule_id,
                e.before_minutes, e.after_minutes, e.blocks_unconfirmed, e.settings,
                e.parent_id, p.team_id AS parent_team_id, e.assign_all, u.username, t.name AS team_name, t.slug AS team_slug,
                t.logo_url, t.banner_url, t.week_start, t.brand_color, t.dark_brand_color, t.theme
         FROM event_types e
         LEFT JOIN users u ON u.id = e.owner_id
         LEFT JOIN teams t ON t.id = e.team_id
         LEFT JOIN event_types p ON p.id = e.parent_id
         WHERE ",
    );
    let slug = match which {
        Which::Id(id) => {
            query.push("e.id = ").push_bind(id);
            None
        }
        Which::OfUser(id, slug) => {
            query.push("e.owner_id = ").push_bind(id);
            slug
        }
        Which::OfTeam(id, slug) => {
            query.push("e.team_id = ").push_bind(id);
            slug
        }
        Which::OfPeople(people, slug) => {
            people.narrow(&mut query, "e.owner_id");
            slug
        }
    };
    if let Some(slug) = slug {
        query.push(" AND e.slug = ").push_bind(slug.to_owned());
    }
    query.push(" ORDER BY e.created_ms, e.id");
    let rows: Vec<Row> = rows::unpaged(db, query, MAX_LIST_ENTRIES).await?;
    let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
    let mut hosts = hosts(db, &ids).await?;
    rows.into_iter()
        .map(|row| {
            let hosts = hosts.remove(&row.id).unwrap_or_default();
            stored(row, hosts)
        })
        .collect()
}

/// Reads one event type.
pub async fn get(db: &mut Db, id: i64) -> Result<Option<Stored>> {
    Ok(find(db, Which::Id(id)).await?.pop())
}

/// Those of `ids` that exist, with whether they are hidden.
pub async fn known(db: &mut Db, ids: &[i64]) -> Result<Vec<(i64, bool)>> {
    let mut query = QueryBuilder::new("SELECT id, hidden FROM event_types WHERE id IN (");
    let mut list = query.separated(", ");
    for id in ids {
        list.push_bind(*id);
    }
    query.push(")");
    Ok(query.build_query_as().fetch_all(db).await?)
}

/// The ids with those of the children of managed event types among them.
pub async fn with_children(db: &mut Db, ids: &[i64]) -> Result<Vec<i64>> {
    let mut all = ids.to_vec();
    if ids.is_empty() {
        return Ok(all);
    }
    let mut query = QueryBuilder::new("SELECT id FROM event_types WHERE parent_id IN (");
    let mut list = query.separated(", ");
    for id in ids {
        list.push_bind(*id);
    }
    query.push(") ORDER BY id");
    let children: Vec<i64> = query.build_query_scalar().fetch_all(db).await?;
    for child in children {
        if !all.contains(&child) {
            all.push(child);
        }
    }
    Ok(all)
}

async fn hosts(db: &mut Db, event_type_ids: &[i64]) -> Result<HashMap<i64, Vec<HostRow>>> {
    let mut found: HashMap<i64, Vec<HostRow>> = HashMap::new();
    if event_type_ids.is_empty() {
        return Ok(found);
    }
    let mut query = QueryBuilder::new(
        "SELECT h.event_type_id, h.fixed, h.priority, u.id, u.name, u.username, u.avatar_url,
                u.brand_color, u.dark_brand_color, u.week_start
         FROM event_type_hosts h JOIN users u ON u.id = h.user_id WHERE h.event_type_id IN (",
    );
    let mut list = query.separated(", ");
    for id in event_type_ids {
        list.push_bind(*id);
    }
    query.push(") ORDER BY h.fixed DESC, u.id");
    let rows: Vec<HostRow> = rows::unpaged(db, query, MAX_LISTED_HOSTS).await?;
    for row in rows {
        found.entry(row.event_type_id).or_default().push(row);
    }
    Ok(found)
}

fn stored(row: Row, hosts: Vec<HostRow>) -> Result<Stored> {
    let mut settings: Value = serde_json::from_str(&row.settings)?;
    if let Some(fields) = settings.as_object_mut() {
        fields.insert("id".into(), row.id.into());
    }
    let mut wire = EventType::read(&settings)
        .ok_or_else(|| Error::internal(format!("event type {} has unreadable settings", row.id)))?;
    wire.slug = row.slug;
    wire.hidden = row.hidden == 1;
    wire.schedule_id = row.schedule_id;
    wire.before_event_buffer = row.before_minutes;
    wire.after_event_buffer = row.after_minutes;
    wire.owner_id = row.owner_id;
    wire.scheduling_type = row.scheduling_type;
    wire.team_id = row.team_id;
    wire.parent_event_type_id = row.parent_id;
    wire.seats_per_time_slot = wire.seats.get("seatsPerTimeSlot").and_then(Value::as_i64);
    wire.seats_show_availability_count = wire
        .seats
        .get("showAvailabilityCount")
        .and_then(Value::as_bool);
    switch_off_the_unset(&mut wire);
    let place = row.team_slug.clone().or(row.username).unwrap_or_default();
    match (row.team_id, row.team_name) {
        (Some(id), Some(name)) => {
            wire.team = Some(EventTypeTeam {
                id,
                slug: row.team_slug,
                name,
                logo_url: row.logo_url,
                banner_url: row.banner_url,
                week_start: row.week_start,
                brand_color: row.brand_color,
                dark_brand_color: row.dark_brand_color,
                theme: row.theme,
            });
            wire.assign_all_team_members = Some(row.assign_all == 1);
            wire.reschedule_with_same_round_robin_host
                .get_or_insert(false);
            wire.hosts = Some(hosts.into_iter().map(host).collect());
        }
        _ => {
            // The child of a managed event type has these from its parent.
            wire.email_settings = None;
            wire.reschedule_with_same_round_robin_host = None;
            wire.users = hosts.into_iter().map(user).collect();
        }
    }
    Ok(Stored {
        wire,
        place,
        team_of_bookings: row.team_id.or(row.parent_team_id),
        blocks_unconfirmed: row.blocks_unconfirmed == 1,
        policy: Policy {
            blocks_unconfirmed: row.blocks_unconfirmed == 1,
            ..Policy::read(&settings)
        },
        limits: Limit::read(&settings),
        optimized: settings["showOptimizedSlots"] == Value::Bool(true),
    })
}

fn host(row: HostRow) -> EventTypeHost {
    EventTypeHost {
        id: row.id,
        name: row.name,
        username: row.username,
        avatar_url: row.avatar_url,
        mandatory: row.fixed == 1,
        priority: row.priority,
    }
}

fn user(row: HostRow) -> EventTypeUser {
    EventTypeUser {
        id: row.id,
        name: row.name,
        username: row.username,
        avatar_url: row.avatar_url,
        brand_color: row.brand_color,
        dark_brand_color: row.dark_brand_color,
        week_start: row.week_start,
        // What people or their platforms note about them is no visitor's business.
        metadata: JsonMap::new(),
    }
}
