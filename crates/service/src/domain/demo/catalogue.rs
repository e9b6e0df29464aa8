//! The event types of the demo: together they use every field kind of the booking form.

use booking_store_engine::sql;
use booking_wire::Instant;
use serde_json::{Value, json};

use crate::error::Result;
use crate::store::Db;

/// An event type as the generator of bookings needs it.
pub(super) struct DemoEventType {
    pub(super) id: i64,
    pub(super) slug: &'static str,
    pub(super) title: &'static str,
    pub(super) minutes: i64,
    /// Owner of a personal event type.
    pub(super) owner: Option<i64>,
    pub(super) hosts: &'static [i64],
    /// True if every host takes part.
    pub(super) is_collective: bool,
    pub(super) requires_confirmation: bool,
    pub(super) location: &'static str,
}

pub(super) const EVENT_TYPES: [DemoEventType; 8] = [
    DemoEventType {
        id: 1,
        slug: "intro-call",
        title: "Intro call",
        minutes: 30,
        owner: Some(1),
        hosts: &[1],
        is_collective: false,
        requires_confirmation: false,
        location: "integrations:svc-video",
    },
    DemoEventType {
        id: 2,
        slug: "consultation",
        title: "Consultation",
        minutes: 30,
        owner: Some(1),
        hosts: &[1],
        is_collective: false,
        requires_confirmation: false,
        location: "https://meet.northwind.example/ada",
    },
    DemoEventType {
        id: 3,
        slug: "onboarding",
        title: "Onboarding session",
        minutes: 60,
        owner: None,
        hosts: &[1, 2, 3],
        is_collective: false,
        requires_confirmation: false,
        location: "integrations:svc-video",
    },
    DemoEventType {
        id: 4,
        slug: "design-review",
        title: "Design review",
        minutes: 45,
        owner: None,
        hosts: &[1, 2],
        is_collective: true,
        requires_confirmation: true,
        location: "https://meet.northwind.example/design-review",
    },
    DemoEventType {
        id: 5,
        slug: "site-visit",
        title: "Site visit",
        minutes: 90,
        owner: None,
        hosts: &[1, 2, 3],
        is_collective: false,
        requires_confirmation: false,
        location: "Torstraße 140, 10119 Berlin",
    },
    DemoEventType {
        id: 6,
        slug: "partner-call",
        title: "Partner call",
        minutes: 30,
        owner: None,
        hosts: &[2, 3],
        is_collective: false,
        requires_confirmation: false,
        location: "+12125550188",
    },
    DemoEventType {
        id: 7,
        slug: "weekly-coaching",
        title: "Weekly coaching",
        minutes: 45,
        owner: None,
        hosts: &[1, 2, 3],
        is_collective: false,
        requires_confirmation: false,
        location: "integrations:svc-video",
    },
    DemoEventType {
        id: 8,
        slug: "group-training",
        title: "Group training",
        minutes: 60,
        owner: None,
        hosts: &[1, 3],
        is_collective: false,
        requires_confirmation: false,
        location: "https://meet.northwind.example/training",
    },
];

pub(super) async fn insert(db: &mut Db, now: Instant) -> Result<()> {
    for event_type in &EVENT_TYPES {
        let hidden = event_type.id >= 6;
        let (buffer_before, buffer_after) = if event_type.id == 5 {
            (30, 30)
        } else {
            (0, if event_type.id == 3 { 15 } else { 0 })
        };
        let scheduling = event_type
            .owner
            .is_none()
            .then_some(if event_type.is_collective {
                "collective"
            } else {
                "roundRobin"
            });
        sql::query(
            "INSERT INTO event_types (id, owner_id, team_id, slug, hidden, scheduling_type, before_minutes,
                 after_minutes, blocks_unconfirmed, settings, created_ms)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(event_type.id)
        .bind(event_type.owner)
        .bind(event_type.owner.is_none().then_some(super::ids::TEAM_ID))
        .bind(event_type.slug)
        .bind(i64::from(hidden))
        .bind(scheduling)
        .bind(buffer_before)
        .bind(buffer_after)
        .bind(i64::from(event_type.requires_confirmation))
        .bind(settings(event_type).to_string())
        .bind(now.0 + event_type.id)
        .execute(&mut *db)
        .await?;
        for host in event_type.hosts {
            sql::query(
                "INSERT INTO event_type_hosts (event_type_id, user_id, fixed) VALUES (?, ?, ?)",
            )
            .bind(event_type.id)
            .bind(host)
            .bind(i64::from(event_type.is_collective))
            .execute(&mut *db)
            .await?;
        }
    }
    Ok(())
}

fn settings(event_type: &DemoEventType) -> Value {
    let mut settings = json!({
        "title": event_type.title,
        "lengthInMinutes": event_type.minutes,
        "minimumBookingNotice": 120,
        "bookingWindow": {"type": "calendarDays", "value": 90, "rolling": false},
        "currency": "usd",
        "bookerLayouts": {"defaultLayout": "month", "enabledLayouts": ["month", "week", "column"]},
        "locations": [{"type": "integration", "integration": "svc-video"}],
        "bookingFields": fields(&[], false),
    });
    let specific = match event_type.slug {
        "intro-call" => json!({
            "color": {"lightThemeHex": "#0f766e", "darkThemeHex": "#5eead4"},
            "description": "Half an hour to get to know each other: what you are working on, what has been in your way, and whether we can help. No preparation needed.",
        }),
        "consultation" => json!({
            "description": "Bring one question and leave with a plan. Choose the length that fits: a quarter of an hour for a quick check, an hour for something thorny.",
            "lengthInMinutesOptions": [15, 30, 45, 60],
            "color": {"lightThemeHex": "#7c3aed", "darkThemeHex": "#c4b5fd"},
            "locations": [{"type": "link", "link": event_type.location, "public": true}],
        }),
        "onboarding" => json!({
            "color": {"lightThemeHex": "#1d4ed8", "darkThemeHex": "#93c5fd"},
            "description": "We set up your workspace together, import your first data and answer the questions of your team. Whoever of us is free first takes care of you.",
            "bookingFields": fields(&field_of_each_kind(), false),
            "rescheduleWithSameRoundRobinHost": true,
        }),
        "design-review" => json!({
            "color": {"lightThemeHex": "#be185d", "darkThemeHex": "#f9a8d4"},
            "description": "Two of us look at your design with you. We confirm each request by hand, usually within a working day.",
            "confirmationPolicy": {"type": "always", "blockUnconfirmedBookingsInBooker": true},
            "disableRescheduling": {"disabled": false, "minutesBefore": 60},
            "locations": [{"type": "link", "link": event_type.location, "public": false}],
            "bookingFields": fields(&[custom("text|project|Which project is it about?|Checkout redesign|")], false),
        }),
        "site-visit" => json!({
            "color": {"lightThemeHex": "#b45309", "darkThemeHex": "#fcd34d"},
            "description": "See how other teams work with Northwind: in our office, at your place, or on the phone if you cannot travel.",
            "minimumBookingNotice": 1440,
            "bookingLimitsCount": {"day": 4, "week": 12},
            "locations": [
                {"type": "address", "address": event_type.location, "public": true},
                {"type": "attendeeAddress"},
                {"type": "attendeePhone"},
                {"type": "integration", "integration": "svc-video"},
            ],
            "bookingFields": fields(&[], true),
        }),
        "partner-call" => json!({
            "color": {"lightThemeHex": "#4d7c0f", "darkThemeHex": "#bef264"},
            "description": "For partners with a direct link.",
            "locations": [{"type": "phone", "phone": event_type.location, "public": true}],
            "disableGuests": true,
            "bookingLimitsDuration": {"week": 900},
        }),
        "weekly-coaching" => json!({
            "color": {"lightThemeHex": "#0369a1", "darkThemeHex": "#7dd3fc"},
            "description": "Eight weeks, the same hour each week.",
            "recurrence": {"interval": 1, "occurrences": 8, "frequency": "weekly"},
        }),
        _ => json!({
            "color": {"lightThemeHex": "#6d28d9", "darkThemeHex": "#c4b5fd"},
            "description": "Up to eight people learn the basics together.",
            "locations": [{"type": "link", "link": event_type.location, "public": false}],
            "seats": {"seatsPerTimeSlot": 8, "showAttendeeInfo": false, "showAvailabilityCount": true},
        }),
    };
    if let (Value::Object(settings), Value::Object(specific)) = (&mut settings, specific) {
        settings.extend(specific);
    }
    settings
}

/// The default fields and the custom ones.
fn fields(custom: &[Value], has_several_locations: bool) -> Value {
    let default = |kind: &str, slug: &str, required: bool, hidden: bool| json!({"type": kind, "slug": slug, "required": required, "hidden": hidden, "isDefault": true});
    let mut fields = vec![
        default("name", "name", true, false),
        default("email", "email", true, false),
    ];
    if has_several_locations {
        fields.push(default("radioInput", "location", true, false));
    }
    fields.push(default("text", "title", false, true));
    fields.extend_from_slice(custom);
    fields.push(default("textarea", "notes", false, false));
    fields.push(default("multiemail", "guests", false, false));
    fields.push(default("textarea", "rescheduleReason", false, false));
    Value::Array(fields)
}

/// A required field from a row: kind, slug, label, placeholder and options.
fn custom(row: &str) -> Value {
    let mut columns = row.split('|');
    let mut next = || columns.next().unwrap_or_default();
    let mut field = json!({
        "type": next(), "slug": next(), "label": next(), "required": true, "hidden": false, "isDefault": false,
    });
    let (placeholder, options) = (next(), next());
    if !placeholder.is_empty() {
        field["placeholder"] = json!(placeholder);
    }
    if !options.is_empty() {
        field["options"] = options.split(',').collect();
    }
    field
}

/// One required booking field of each kind.
fn field_of_each_kind() -> Vec<Value> {
    let rows = [
        "text|company|Company|Northwind Traders|",
        "number|team-size|How many people will use it?|25|",
        "phone|mobile|Phone on the day||",
        "url|website|Website|https://example.com|",
        "address|office|Office address|Street, postcode, city|",
        "textarea|goals|What should work when we are done?||",
        "select|plan|Plan||Starter,Team,Enterprise",
        "radio|migration|Are you coming from another tool?||Yes,No,Not sure yet",
        "multiselect|modules|Modules||Calendar,Routing,Reports,Payments",
        "checkbox|topics|What shall we cover?||Import,Permissions,Single sign-on",
        "multiemail|colleagues|Colleagues who take part||",
        "boolean|recording|I agree that the session is recorded||",
    ];
    rows.map(custom).into()
}
