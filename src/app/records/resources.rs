//! Table of the resources: everything in which their screens differ.

use booking_wire::{Trigger, WEEKDAYS};

use crate::client::operations::v1::{self, Resource};
use crate::i18n::Key;

/// Description of a resource: everything in which its screens differ.
#[derive(Debug)]
pub struct ResourceInfo {
    /// API resource.
    pub resource: Resource,
    /// Title on screen.
    pub title: Key,
    /// Path of its successor in version 2; empty if there is none.
    pub successor: &'static str,
    /// Views of it: list, single records or both.
    pub views: ResourceViews,
    /// Table columns after the id.
    pub columns: &'static [&'static str],
    /// Query parameters of the list.
    pub filters: &'static [Field],
    /// Writable fields of a record.
    pub fields: &'static [Field],
    /// Removal of a record; `None` if it is not supported.
    pub removal: Option<Removal>,
    /// Lists that belong to a record: path below the record, and response key.
    pub lists: &'static [(&'static str, &'static str)],
}

/// Views of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceViews {
    /// List and single records.
    Both,
    /// Single records, by id only.
    RecordOnly,
    /// List only.
    ListOnly,
}

/// Removal of records.
#[derive(Clone, Copy, Debug)]
pub struct Removal {
    /// Label of the button.
    pub name: Key,
    /// Query parameters.
    pub fields: &'static [Field],
    /// True if the record can still be shown afterwards.
    pub leaves_record: bool,
}

/// Removal by deletion.
const fn deleted(fields: &'static [Field]) -> Option<Removal> {
    Some(Removal {
        name: Key::DeleteRole,
        fields,
        leaves_record: false,
    })
}

/// Key of a record, or query parameter.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Name in the API.
    pub name: &'static str,
    /// Type of input.
    pub input: Input,
    /// Requirement in create forms and queries.
    pub on_create: Presence,
    /// True if it can be changed.
    pub is_editable: bool,
    /// True if it may be `null`.
    pub is_nullable: bool,
    /// Initial text.
    pub initial: &'static str,
}

/// Requirement of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Not accepted.
    Never,
    /// Optional.
    Optional,
    /// Required.
    Required,
}

/// Type of input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// Single-line text.
    Text,
    /// Multi-line text.
    Multiline,
    /// Masked text.
    Secret,
    /// Integer.
    Integer,
    /// Comma-separated integers.
    Integers,
    /// Boolean.
    Boolean,
    /// Instant, in the selected time zone.
    Instant,
    /// Civil date.
    Date,
    /// Time of day, written as an instant of 1970-01-01.
    Time,
    /// Time zone.
    Zone,
    /// One of several values.
    Choice(&'static [&'static str]),
    /// Any of several values.
    MultiChoice(&'static [&'static str]),
    /// JSON.
    Json,
}

const fn field(name: &'static str, input: Input, on_create: Presence) -> Field {
    Field {
        name,
        input,
        on_create,
        is_editable: true,
        is_nullable: false,
        initial: "",
    }
}

/// Required field.
const fn required(name: &'static str, input: Input) -> Field {
    field(name, input, Presence::Required)
}

/// Optional field.
const fn optional(name: &'static str, input: Input) -> Field {
    field(name, input, Presence::Optional)
}

/// Optional, nullable field.
const fn nullable(name: &'static str, input: Input) -> Field {
    Field {
        is_nullable: true,
        ..optional(name, input)
    }
}

impl Field {
    /// Excludes the field from changes.
    const fn create_only(self) -> Self {
        Self {
            is_editable: false,
            ..self
        }
    }

    /// Excludes the field from create forms.
    const fn update_only(self) -> Self {
        Self {
            on_create: Presence::Never,
            ..self
        }
    }

    const fn initial(self, initial: &'static str) -> Self {
        Self { initial, ..self }
    }
}

impl ResourceInfo {
    /// Returns true if records can be created.
    pub fn can_create(&self) -> bool {
        self.fields
            .iter()
            .any(|field| field.on_create != Presence::Never)
    }

    /// Returns true if records can be changed.
    pub fn can_update(&self) -> bool {
        self.fields.iter().any(|field| field.is_editable)
    }

    /// Returns the query parameters that a create request needs beside its body.
    pub fn create_query(&self) -> &'static [Field] {
        match self.resource.is_named_by_query() {
            true => self.filters,
            false => &[],
        }
    }
}

/// Returns the resource called `name` in paths.
pub fn info_of(name: &str) -> Option<&'static ResourceInfo> {
    RESOURCES.iter().find(|info| info.resource.name == name)
}

/// Context of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParentRecord<'name> {
    /// Record of the resource of this name.
    Resource(&'name str),
    /// Part of another record, under this key.
    Key(&'name str),
}

/// Returns the resource that a record's key refers to.
pub fn referenced_resource(key: &str, parent: ParentRecord<'_>) -> Option<&'static str> {
    Some(match (key, parent) {
        ("userId" | "ownerId", _) => "users",
        ("teamId", _) => "teams",
        ("eventTypeId", _) => "event-types",
        ("bookingId", _) => "bookings",
        ("scheduleId" | "defaultScheduleId", _) => "schedules",
        ("parentId", ParentRecord::Resource("teams") | ParentRecord::Key("team")) => "teams",
        ("parentId", ParentRecord::Resource("event-types")) => "event-types",
        ("id", ParentRecord::Key("attendees")) => "attendees",
        ("id", ParentRecord::Key("payment")) => "payments",
        ("id", ParentRecord::Key("availability")) => "availabilities",
        ("id", ParentRecord::Key("team")) => "teams",
        _ => return None,
    })
}

use Input::{
    Boolean, Choice, Date, Instant, Integer, Integers, Json, MultiChoice, Multiline, Secret, Text,
    Time, Zone,
};

const WEEKDAY_CHOICES: Input = Choice(&WEEKDAYS);

const ROLE_CHOICES: Input = Choice(&["MEMBER", "ADMIN", "OWNER"]);

const TRIGGER_CHOICES: Input = MultiChoice(Trigger::NAMES);

/// Filter by user, for system administrators.
const USER_FILTER: &[Field] = &[optional("userId", Integers)];

/// All fifteen resources, sorted by name.
pub const RESOURCES: [ResourceInfo; 15] = [
    ResourceInfo {
        resource: v1::ATTENDEES.bare(),
        title: Key::Attendees,
        successor: "/v2/bookings/{bookingUid}/attendees",
        views: ResourceViews::Both,
        columns: &["name", "email", "timeZone", "bookingId"],
        filters: USER_FILTER,
        fields: &[
            required("bookingId", Integer).create_only(),
            required("name", Text),
            required("email", Text),
            required("timeZone", Zone),
        ],
        removal: deleted(&[optional("cancellationReason", Text)]),
        lists: &[],
    },
    ResourceInfo {
        resource: v1::AVAILABILITIES.bare(),
        title: Key::RecordAvailabilities,
        successor: "/v2/schedules/{scheduleId}",
        views: ResourceViews::RecordOnly,
        columns: &[],
        filters: &[],
        fields: &[
            required("scheduleId", Integer).create_only(),
            required("startTime", Time),
            required("endTime", Time),
            optional("days", Integers),
            optional("date", Date),
        ],
        removal: deleted(&[]),
        lists: &[],
    },
    ResourceInfo {
        resource: v1::BOOKING_REFERENCES.bare(),
        title: Key::RecordBookingReferences,
        successor: "/v2/bookings/{bookingUid}/references",
        views: ResourceViews::Both,
        columns: &["type", "uid", "meetingUrl", "bookingId", "deleted"],
        filters: USER_FILTER,
        fields: &[
            required("type", Text),
            required("uid", Text).create_only(),
            optional("bookingId", Integer).create_only(),
            nullable("meetingId", Text),
            nullable("meetingUrl", Text).create_only(),
            nullable("meetingPassword", Text),
            nullable("externalCalendarId", Text),
            nullable("credentialId", Integer),
            optional("deleted", Boolean),
        ],
        removal: deleted(&[]),
        lists: &[],
    },
    ResourceInfo {
        resource: v1::BOOKINGS.bare(),
        title: Key::Bookings,
        successor: "/v2/bookings",
        views: ResourceViews::RecordOnly,
        columns: &[],
        filters: &[],
        fields: &[
            required("eventTypeId", Integer).create_only(),
            // Changes accept the names of both versions.
            required("start", Instant).create_only(),
            optional("end", Instant).create_only(),
            optional("startTime", Instant).update_only(),
            optional("endTime", Instant).update_only(),
            required("responses", Json)
                .create_only()
                .initial("{\n  \"name\": \"\",\n  \"email\": \"\"\n}"),
            required("timeZone", Zone).create_only(),
            required("language", Text).create_only().initial("en"),
            required("metadata", Json).create_only().initial("{}"),
            optional("title", Text),
            nullable("description", Multiline),
            optional(
                "status",
                Choice(&["ACCEPTED", "PENDING", "CANCELLED", "REJECTED"]),
            ),
            optional("cancelledBy", Text).update_only(),
            optional("rescheduledBy", Text).update_only(),
            optional("rescheduleUid", Text).create_only(),
            optional("recurringCount", Integer).create_only(),
            nullable("recurringEventId", Text).create_only(),
            nullable("seatsPerTimeSlot", Integer).create_only(),
            nullable("seatsShowAttendees", Boolean).create_only(),
            nullable("seatsShowAvailabilityCount", Boolean).create_only(),
            optional("userId", Integer).create_only(),
        ],
        removal: Some(Removal {
            name: Key::CancelBooking,
            fields: &[
                optional("cancellationReason", Text),
                optional("cancelledBy", Text),
                optional("allRemainingBookings", Boolean),
            ],
            leaves_record: true,
        }),
        lists: &[("recordings", ""), ("transcripts", "")],
    },
    ResourceInfo {
        resource: v1::CREDENTIALS.bare(),
        title: Key::RecordCredentials,
        successor: "",
        views: ResourceViews::Both,
        columns: &["type", "userId"],
        filters: &[required("userId", Integer)],
        fields: &[
            required("appSlug", Text).create_only(),
            required("encryptedKey", Secret),
        ],
        removal: deleted(&[]),
        lists: &[],
    },
    ResourceInfo {
        resource: v1::DESTINATION_CALENDARS.bare(),
        title: Key::RecordDestinationCalendars,
        successor: "",
        views: ResourceViews::Both,
        columns: &[
            "integration",
            "externalId",
            "userId",
            "eventTypeId",
            "bookingId",
        ],
        filters: USER_FILTER,
        fields: &[
            required("integration", Text),
            required("externalId", Text),
            required("credentialId", Integer),
            nullable("eventTypeId", Integer),
            nullable("bookingId", Integer),
            optional("userId", Integer).create_only(),
        ],
        removal: deleted(&[]),
        lists: &[],
    },
    ResourceInfo {
        resource: v1::EVENT_TYPES.bare(),
        title: Key::EventTypes,
        successor: "/v2/event-types",
        views: ResourceViews::Both,
        columns: &["title", "slug", "length", "hidden", "userId", "teamId"],
        filters: &[optional("userId", Integers), optional("slug", Text)],
        fields: EVENT_TYPE,
        removal: deleted(&[]),
        lists: &[],
    },
    ResourceInfo {
        resource: v1::MEMBERSHIPS.bare(),
        title: Key::RecordMemberships,
        successor: "/v2/teams/{teamId}/memberships",
        views: ResourceViews::Both,
        columns: &["userId", "teamId", "role", "accepted"],
        filters: &[
            optional("userId", Integers),
            optional("teamId", Integers),
            optional("include", Choice(&["team"])),
        ],
        fields: &[
            required("userId", Integer).create_only(),
            required("teamId", Integer).create_only(),
            optional("role", ROLE_CHOICES),
            optional("accepted", Boolean),
            optional("disableImpersonation", Boolean),
        ],
        removal: deleted(&[]),
        lists: &[],
    },
    ResourceInfo {
        resource: v1::PAYMENTS.bare(),
        title: Key::RecordPayments,
        successor: "",
        views: ResourceViews::Both,
        columns: &["amount", "currency", "success", "refunded", "bookingId"],
        filters: USER_FILTER,
        fields: &[],
        removal: None,
        lists: &[],
    },
    ResourceInfo {
        resource: v1::SCHEDULES.bare(),
        title: Key::RecordSchedules,
        successor: "/v2/schedules",
        views: ResourceViews::Both,
        columns: &["name", "timeZone", "userId"],
        filters: USER_FILTER,
        fields: &[
            required("name", Text),
            required("timeZone", Zone),
            optional("userId", Integer).create_only(),
        ],
        removal: deleted(&[]),
        lists: &[],
    },
    ResourceInfo {
        resource: v1::SELECTED_CALENDARS.bare(),
        title: Key::RecordSelectedCalendars,
        successor: "",
        views: ResourceViews::Both,
        columns: &["integration", "externalId", "userId", "credentialId"],
        filters: USER_FILTER,
        fields: &[
            required("integration", Text),
            required("externalId", Text),
            nullable("credentialId", Integer),
            optional("userId", Integer).create_only(),
        ],
        removal: deleted(&[]),
        lists: &[],
    },
    ResourceInfo {
        resource: v1::SLOTS.bare(),
        title: Key::RecordSlots,
        successor: "/v2/slots",
        views: ResourceViews::ListOnly,
        columns: &["time", "attendees", "bookingUid"],
        filters: &[
            required("startTime", Instant),
            required("endTime", Instant),
            optional("eventTypeId", Integer),
            optional("eventTypeSlug", Text),
            optional("usernameList", Text),
            optional("orgSlug", Text),
            optional("isTeamEvent", Boolean),
            optional("timeZone", Zone),
            optional("duration", Integer),
            optional("rescheduleUid", Text),
        ],
        fields: &[],
        removal: None,
        lists: &[],
    },
    ResourceInfo {
        resource: v1::TEAMS.bare(),
        title: Key::RecordTeams,
        successor: "/v2/teams",
        views: ResourceViews::Both,
        columns: &["name", "slug", "timeZone", "isPrivate", "parentId"],
        filters: USER_FILTER,
        fields: &[
            required("name", Text),
            required("slug", Text),
            optional("timeZone", Zone),
            optional("weekStart", WEEKDAY_CHOICES),
            optional("isPrivate", Boolean),
            optional("hideBookATeamMember", Boolean),
            nullable("brandColor", Text),
            nullable("darkBrandColor", Text),
            optional("ownerId", Integer).create_only(),
            optional("parentId", Integer).create_only(),
        ],
        removal: deleted(&[]),
        lists: &[("event-types", "event_types")],
    },
    ResourceInfo {
        resource: v1::USERS.bare(),
        title: Key::RecordUsers,
        successor: "/v2/me",
        views: ResourceViews::Both,
        columns: &["username", "name", "email", "timeZone"],
        filters: &[
            optional("email", Text),
            optional("page", Integer),
            optional("take", Integer),
        ],
        fields: &[
            required("username", Text),
            required("email", Text),
            nullable("name", Text),
            nullable("bio", Multiline),
            optional("timeZone", Zone),
            optional("weekStart", WEEKDAY_CHOICES),
            optional("timeFormat", Choice(&["TWELVE", "TWENTY_FOUR"])),
            nullable("locale", Text),
            nullable("theme", Text),
            nullable("brandColor", Text),
            nullable("darkBrandColor", Text),
            optional("hideBranding", Boolean),
            nullable("avatar", Multiline),
        ],
        removal: deleted(&[]),
        lists: &[],
    },
    ResourceInfo {
        resource: v1::WEBHOOKS.bare(),
        title: Key::RecordWebhooks,
        successor: "/v2/webhooks",
        views: ResourceViews::Both,
        columns: &["subscriberUrl", "active", "eventTypeId", "userId"],
        filters: USER_FILTER,
        fields: &[
            required("subscriberUrl", Text),
            required("active", Boolean).initial("true"),
            required("eventTriggers", TRIGGER_CHOICES),
            nullable("payloadTemplate", Multiline),
            nullable("secret", Secret),
            optional("eventTypeId", Integer).create_only(),
            optional("userId", Integer).create_only(),
        ],
        removal: deleted(&[]),
        lists: &[],
    },
];

const EVENT_TYPE: &[Field] = &[
    required("title", Text),
    required("slug", Text),
    required("length", Integer),
    nullable("description", Multiline),
    nullable("hidden", Boolean),
    required("metadata", Json).initial("{}"),
    nullable("locations", Json),
    nullable("bookingFields", Json),
    nullable("requiresConfirmation", Boolean),
    nullable("disableGuests", Boolean),
    nullable("hideCalendarNotes", Boolean),
    nullable("onlyShowFirstAvailableSlot", Boolean),
    nullable("minimumBookingNotice", Integer),
    nullable("beforeEventBuffer", Integer),
    nullable("afterEventBuffer", Integer),
    nullable("slotInterval", Integer),
    optional(
        "periodType",
        Choice(&["UNLIMITED", "ROLLING", "ROLLING_WINDOW", "RANGE"]),
    ),
    nullable("periodDays", Integer),
    nullable("periodCountCalendarDays", Boolean),
    nullable("periodStartDate", Text),
    nullable("periodEndDate", Text),
    nullable("bookingLimits", Json),
    nullable("durationLimits", Json),
    nullable("recurringEvent", Json),
    nullable("seatsPerTimeSlot", Integer),
    nullable("seatsShowAttendees", Boolean),
    nullable("seatsShowAvailabilityCount", Boolean),
    nullable("price", Integer),
    nullable("currency", Text),
    nullable("successRedirectUrl", Text),
    nullable("eventName", Text),
    nullable("timeZone", Zone),
    nullable("position", Integer),
    nullable("scheduleId", Integer),
    optional(
        "schedulingType",
        Choice(&["ROUND_ROBIN", "COLLECTIVE", "MANAGED"]),
    ),
    optional("assignAllTeamMembers", Boolean),
    optional("hosts", Json),
    optional("children", Json),
    optional("userId", Integer).create_only(),
    optional("teamId", Integer).create_only(),
    optional("parentId", Integer).create_only(),
];
