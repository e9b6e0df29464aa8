//! Event types: columns for what SQL needs, a JSON document of wire fields for the rest.

pub mod group;
pub mod managed;
pub mod record;
mod stored_event_type;

use std::collections::HashMap;

use booking_rules::Policy;
use booking_rules::availability::Limit;
use booking_store_engine::connection::Db;
use booking_store_engine::sql::QueryBuilder;
use booking_wire::event_type::{EventTypeHost, EventTypeTeam, EventTypeUser};
use booking_wire::{EventType, JsonMap, Read};
use chrono::Weekday;
use serde_json::Value;
use stored_event_type::disable_unset_settings;

use crate::error::{Error, Result};
use crate::input_limits::MAX_LIST_ENTRIES;
use crate::store::rows;
use crate::store::user_filter::UserFilter;
use crate::store::visibility::VisibilitySettings;

pub use group::{Purpose, group};
pub use stored_event_type::{GROUP_ID, StoredEventType, lock_times};

/// Filter of event types.
#[derive(Clone, Copy, Debug)]
pub enum EventTypeFilter<'a> {
    /// The event type with this id.
    Id(i64),
    /// Event types of a user, all or with this slug.
    OfUser(i64, Option<&'a str>),
    /// Event types of a team, all or with this slug.
    OfTeam(i64, Option<&'a str>),
    /// Event types of several users, all or with this slug; those of all users include those of
    /// teams.
    OfUsers(&'a UserFilter, Option<&'a str>),
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
    organization_id: Option<i64>,
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
    schedule_zone: Option<String>,
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

/// Largest number of hosts, counted per event type, in one list of event types.
const MAX_LISTED_HOSTS: usize = 20_000;

/// Reads event types, oldest first.
pub async fn find(db: &mut Db, filter: EventTypeFilter<'_>) -> Result<Vec<StoredEventType>> {
    let mut query = QueryBuilder::new(db.database(),
        "SELECT e.id, e.owner_id, e.team_id, e.slug, e.hidden, e.scheduling_type, e.schedule_id,
                e.before_minutes, e.after_minutes, e.blocks_unconfirmed, e.settings,
                e.parent_id, p.team_id AS parent_team_id,
                coalesce(t.organization_id, o.organization_id, u.organization_id) AS organization_id, e.assign_all, u.username, t.name AS team_name, t.slug AS team_slug,
                t.logo_url, t.banner_url, coalesce(t.week_start, u.week_start) AS week_start, t.brand_color, t.dark_brand_color, t.theme,
                (SELECT s.time_zone FROM schedules s WHERE s.id = coalesce(e.schedule_id,
                     (SELECT w.default_schedule_id FROM users w JOIN event_type_hosts h ON h.user_id = w.id
                      WHERE h.event_type_id = e.id AND w.disabled_ms IS NULL ORDER BY w.id LIMIT 1))) AS schedule_zone
         FROM event_types e
         LEFT JOIN users u ON u.id = e.owner_id
         LEFT JOIN teams t ON t.id = e.team_id
         LEFT JOIN event_types p ON p.id = e.parent_id
         LEFT JOIN teams o ON o.id = p.team_id
         WHERE ",
    );
    let slug = match filter {
        EventTypeFilter::Id(id) => {
            query.push("e.id = ").push_bind(id);
            None
        }
        EventTypeFilter::OfUser(id, slug) => {
            query.push("e.owner_id = ").push_bind(id);
            slug
        }
        EventTypeFilter::OfTeam(id, slug) => {
            query.push("e.team_id = ").push_bind(id);
            slug
        }
        EventTypeFilter::OfUsers(users, slug) => {
            users.push_user_condition(&mut query, "e.owner_id");
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
            stored_event_type(row, hosts)
        })
        .collect()
}

/// Reads one event type.
pub async fn get(db: &mut Db, id: i64) -> Result<Option<StoredEventType>> {
    Ok(find(db, EventTypeFilter::Id(id)).await?.pop())
}

/// Returns those of `ids` that exist, each with true if the event type is hidden.
pub async fn hidden_by_id(db: &mut Db, ids: &[i64]) -> Result<Vec<(i64, bool)>> {
    let mut query = QueryBuilder::new(
        db.database(),
        "SELECT id, hidden <> 0 FROM event_types WHERE id IN (",
    );
    rows::push_ids(&mut query, ids);
    query.push(")");
    Ok(query.build_query_as().fetch_all(db).await?)
}

/// Returns the ids, and those of the children of managed event types among them.
pub async fn with_children(db: &mut Db, ids: &[i64]) -> Result<Vec<i64>> {
    let mut all = ids.to_vec();
    if ids.is_empty() {
        return Ok(all);
    }
    let mut query = QueryBuilder::new(
        db.database(),
        "SELECT id FROM event_types WHERE parent_id IN (",
    );
    rows::push_ids(&mut query, ids);
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
        db.database(),
        "SELECT h.event_type_id, h.fixed, h.priority, u.id, u.name, u.username, u.avatar_url,
                u.brand_color, u.dark_brand_color, u.week_start
         FROM event_type_hosts h JOIN users u ON u.id = h.user_id WHERE h.event_type_id IN (",
    );
    rows::push_ids(&mut query, event_type_ids);
    query.push(") ORDER BY h.fixed DESC, u.id");
    let rows: Vec<HostRow> = rows::unpaged(db, query, MAX_LISTED_HOSTS).await?;
    for row in rows {
        found.entry(row.event_type_id).or_default().push(row);
    }
    Ok(found)
}

fn stored_event_type(row: Row, hosts: Vec<HostRow>) -> Result<StoredEventType> {
    let mut settings: Value = serde_json::from_str(&row.settings)?;
    if let Some(fields) = settings.as_object_mut() {
        fields.insert("id".into(), row.id.into());
    }
    let mut wire = EventType::read(&settings)
        .ok_or_else(|| Error::internal(format!("event type {} has unreadable settings", row.id)))?;
    wire.slug = row.slug;
    wire.hidden = row.hidden == 1;
    let locks_zone = wire.lock_time_zone_toggle_on_booking_page;
    wire.locked_time_zone = row.schedule_zone.filter(|_| locks_zone);
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
    disable_unset_settings(&mut wire);
    let week_start = row.week_start.as_deref().map(str::parse);
    let week_start = week_start.and_then(Result::ok).unwrap_or(Weekday::Sun);
    let owner_slug = row.team_slug.clone().or(row.username).unwrap_or_default();
    let is_silent = settings["emailSettings"]["disableEmailsToAttendees"] == Value::Bool(true);
    wire.sends_email = Some(!is_silent);
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
            // The child of a managed event type has inherited these settings.
            wire.email_settings = None;
            wire.reschedule_with_same_round_robin_host = None;
            wire.users = hosts.into_iter().map(user).collect();
        }
    }
    let booking_team_id = row.team_id.or(row.parent_team_id);
    Ok(StoredEventType {
        wire,
        owner_slug,
        booking_team_id,
        organization_id: row.organization_id,
        policy: Policy {
            pending_blocks_time: row.blocks_unconfirmed == 1,
            ..Policy::of_settings(&settings)
        },
        limits: Limit::read(&settings, week_start),
        optimized: settings["showOptimizedSlots"] == Value::Bool(true),
        visibility: VisibilitySettings::of_event_type(&settings, row.owner_id, booking_team_id),
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
        // Time zone and metadata of users are not public.
        time_zone: None,
        metadata: JsonMap::new(),
    }
}
