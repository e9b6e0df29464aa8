//! Descriptors of the resources: everything in which their screens differ.

use booking_wire::{Trigger, WEEKDAYS};

use crate::client::v1::{self, Resource};
use crate::i18n::Key;

/// Descriptor of one resource and its screens.
#[derive(Debug)]
pub struct Kind {
    /// API resource.
    pub resource: Resource,
    /// Title on screen.
    pub title: Key,
    /// Path of its successor in version 2; empty if there is none.
    pub successor: &'static str,
    /// Views of it: list, single records or both.
    pub shown: Shown,
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
pub enum Shown {
    /// List and single records.
    Both,
    /// Single records, by id only.
    Alone,
    /// List only.
    Listed,
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
    /// Kind of input.
    pub input: Input,
    /// Requirement in create forms and queries.
    pub made: Asked,
    /// True if it can be changed.
    pub changes: bool,
    /// True if it may be `null`.
    pub takes_null: bool,
    /// Initial text.
    pub begins: &'static str,
}

/// Requirement of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Not accepted.
    Never,
    /// Optional.
    Maybe,
    /// Required.
    Always,
}

/// Kind of input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// Single-line text.
    Text,
    /// Multi-line text.
    Lines,
    /// Masked text.
    Secret,
    /// Integer.
    Whole,
    /// Comma-separated integers.
    Wholes,
    /// Boolean.
    Flag,
    /// Instant, in the selected time zone.
    Moment,
    /// Civil date.
    Day,
    /// Time of day, written as an instant of 1970-01-01.
    Time,
    /// Time zone.
    Zone,
    /// One of several values.
    One(&'static [&'static str]),
    /// Any of several values.
    Many(&'static [&'static str]),
    /// JSON.
    Json,
}

const fn field(name: &'static str, input: Input, made: Asked) -> Field {
    Field {
        name,
        input,
        made,
        changes: true,
        takes_null: false,
        begins: "",
    }
}

/// Required field.
const fn must(name: &'static str, input: Input) -> Field {
    field(name, input, Asked::Always)
}

/// Optional field.
const fn may(name: &'static str, input: Input) -> Field {
    field(name, input, Asked::Maybe)
}

/// Optional, nullable field.
const fn free(name: &'static str, input: Input) -> Field {
    Field {
        takes_null: true,
        ..may(name, input)
    }
}

impl Field {
    /// Excludes the field from changes.
    const fn fixed(self) -> Self {
        Self {
            changes: false,
            ..self
        }
    }

    /// Excludes the field from create forms.
    const fn later(self) -> Self {
        Self {
            made: Asked::Never,
            ..self
        }
    }

    const fn begins(self, begins: &'static str) -> Self {
        Self { begins, ..self }
    }
}

impl Kind {
    /// Returns true if records can be created.
    pub fn is_made(&self) -> bool {
        self.fields.iter().any(|field| field.made != Asked::Never)
    }

    /// Returns true if records can be changed.
    pub fn is_changed(&self) -> bool {
        self.fields.iter().any(|field| field.changes)
    }

    /// Returns the query parameters that a create request needs beside its body.
    pub fn addressed(&self) -> &'static [Field] {
        match self.resource.is_named_by_query() {
            true => self.filters,
            false => &[],
        }
    }
}

/// Returns the descriptor of the resource called `name` in paths.
pub fn kind(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.resource.name == name)
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
pub fn referred(key: &str, within: ParentRecord<'_>) -> Option<&'static str> {
    Some(match (key, within) {
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

use Input::{Day, Flag, Json, Lines, Many, Moment, One, Secret, Text, Time, Whole, Wholes, Zone};

const DAYS: Input = One(&WEEKDAYS);

const ROLES: Input = One(&["MEMBER", "ADMIN", "OWNER"]);

const TRIGGERS: Input = Many(Trigger::NAMES);

/// Filter by user, for system administrators.
const OF_USERS: &[Field] = &[may("userId", Wholes)];

/// All fifteen resources, sorted by name.
pub const KINDS: [Kind; 15] = [
    Kind {
        resource: v1::ATTENDEES.bare(),
        title: Key::Attendees,
        successor: "/v2/bookings/{bookingUid}/attendees",
        shown: Shown::Both,
        columns: &["name", "email", "timeZone", "bookingId"],
        filters: OF_USERS,
        fields: &[
            must("bookingId", Whole).fixed(),
            must("name", Text),
            must("email", Text),
            must("timeZone", Zone),
        ],
        removal: deleted(&[may("cancellationReason", Text)]),
        lists: &[],
    },
    Kind {
        resource: v1::AVAILABILITIES.bare(),
        title: Key::RecordAvailabilities,
        successor: "/v2/schedules/{scheduleId}",
        shown: Shown::Alone,
        columns: &[],
        filters: &[],
        fields: &[
            must("scheduleId", Whole).fixed(),
            must("startTime", Time),
            must("endTime", Time),
            may("days", Wholes),
            may("date", Day),
        ],
        removal: deleted(&[]),
        lists: &[],
    },
    Kind {
        resource: v1::BOOKING_REFERENCES.bare(),
        title: Key::RecordBookingReferences,
        successor: "/v2/bookings/{bookingUid}/references",
        shown: Shown::Both,
        columns: &["type", "uid", "meetingUrl", "bookingId", "deleted"],
        filters: OF_USERS,
        fields: &[
            must("type", Text),
            must("uid", Text).fixed(),
            may("bookingId", Whole).fixed(),
            free("meetingId", Text),
            free("meetingUrl", Text).fixed(),
            free("meetingPassword", Text),
            free("externalCalendarId", Text),
            free("credentialId", Whole),
            may("deleted", Flag),
        ],
        removal: deleted(&[]),
        lists: &[],
    },
    Kind {
        resource: v1::BOOKINGS.bare(),
        title: Key::Bookings,
        successor: "/v2/bookings",
        shown: Shown::Alone,
        columns: &[],
        filters: &[],
        fields: &[
            must("eventTypeId", Whole).fixed(),
            // Changes accept the names of both versions.
            must("start", Moment).fixed(),
            may("end", Moment).fixed(),
            may("startTime", Moment).later(),
            may("endTime", Moment).later(),
            must("responses", Json)
                .fixed()
                .begins("{\n  \"name\": \"\",\n  \"email\": \"\"\n}"),
            must("timeZone", Zone).fixed(),
            must("language", Text).fixed().begins("en"),
            must("metadata", Json).fixed().begins("{}"),
            may("title", Text),
            free("description", Lines),
            may(
                "status",
                One(&["ACCEPTED", "PENDING", "CANCELLED", "REJECTED"]),
            ),
            may("cancelledBy", Text).later(),
            may("rescheduledBy", Text).later(),
            may("rescheduleUid", Text).fixed(),
            may("recurringCount", Whole).fixed(),
            free("recurringEventId", Text).fixed(),
            free("seatsPerTimeSlot", Whole).fixed(),
            free("seatsShowAttendees", Flag).fixed(),
            free("seatsShowAvailabilityCount", Flag).fixed(),
            may("userId", Whole).fixed(),
        ],
        removal: Some(Removal {
            name: Key::CancelBooking,
            fields: &[
                may("cancellationReason", Text),
                may("cancelledBy", Text),
                may("allRemainingBookings", Flag),
            ],
            leaves_record: true,
        }),
        lists: &[("recordings", ""), ("transcripts", "")],
    },
    Kind {
        resource: v1::CREDENTIALS.bare(),
        title: Key::RecordCredentials,
        successor: "",
        shown: Shown::Both,
        columns: &["type", "userId"],
        filters: &[must("userId", Whole)],
        fields: &[must("appSlug", Text).fixed(), must("encryptedKey", Secret)],
        removal: deleted(&[]),
        lists: &[],
    },
    Kind {
        resource: v1::DESTINATION_CALENDARS.bare(),
        title: Key::RecordDestinationCalendars,
        successor: "",
        shown: Shown::Both,
        columns: &[
            "integration",
            "externalId",
            "userId",
            "eventTypeId",
            "bookingId",
        ],
        filters: OF_USERS,
        fields: &[
            must("integration", Text),
            must("externalId", Text),
            must("credentialId", Whole),
            free("eventTypeId", Whole),
            free("bookingId", Whole),
            may("userId", Whole).fixed(),
        ],
        removal: deleted(&[]),
        lists: &[],
    },
    Kind {
        resource: v1::EVENT_TYPES.bare(),
        title: Key::EventTypes,
        successor: "/v2/event-types",
        shown: Shown::Both,
        columns: &["title", "slug", "length", "hidden", "userId", "teamId"],
        filters: &[may("userId", Wholes), may("slug", Text)],
        fields: EVENT_TYPE,
        removal: deleted(&[]),
        lists: &[],
    },
    Kind {
        resource: v1::MEMBERSHIPS.bare(),
        title: Key::RecordMemberships,
        successor: "/v2/teams/{teamId}/memberships",
        shown: Shown::Both,
        columns: &["userId", "teamId", "role", "accepted"],
        filters: &[
            may("userId", Wholes),
            may("teamId", Wholes),
            may("include", One(&["team"])),
        ],
        fields: &[
            must("userId", Whole).fixed(),
            must("teamId", Whole).fixed(),
            may("role", ROLES),
            may("accepted", Flag),
            may("disableImpersonation", Flag),
        ],
        removal: deleted(&[]),
        lists: &[],
    },
    Kind {
        resource: v1::PAYMENTS.bare(),
        title: Key::RecordPayments,
        successor: "",
        shown: Shown::Both,
        columns: &["amount", "currency", "success", "refunded", "bookingId"],
        filters: OF_USERS,
        fields: &[],
        removal: None,
        lists: &[],
    },
    Kind {
        resource: v1::SCHEDULES.bare(),
        title: Key::RecordSchedules,
        successor: "/v2/schedules",
        shown: Shown::Both,
        columns: &["name", "timeZone", "userId"],
        filters: OF_USERS,
        fields: &[
            must("name", Text),
            must("timeZone", Zone),
            may("userId", Whole).fixed(),
        ],
        removal: deleted(&[]),
        lists: &[],
    },
    Kind {
        resource: v1::SELECTED_CALENDARS.bare(),
        title: Key::RecordSelectedCalendars,
        successor: "",
        shown: Shown::Both,
        columns: &["integration", "externalId", "userId", "credentialId"],
        filters: OF_USERS,
        fields: &[
            must("integration", Text),
            must("externalId", Text),
            free("credentialId", Whole),
            may("userId", Whole).fixed(),
        ],
        removal: deleted(&[]),
        lists: &[],
    },
    Kind {
        resource: v1::SLOTS.bare(),
        title: Key::RecordSlots,
        successor: "/v2/slots",
        shown: Shown::Listed,
        columns: &["time", "attendees", "bookingUid"],
        filters: &[
            must("startTime", Moment),
            must("endTime", Moment),
            may("eventTypeId", Whole),
            may("eventTypeSlug", Text),
            may("usernameList", Text),
            may("orgSlug", Text),
            may("isTeamEvent", Flag),
            may("timeZone", Zone),
            may("duration", Whole),
            may("rescheduleUid", Text),
        ],
        fields: &[],
        removal: None,
        lists: &[],
    },
    Kind {
        resource: v1::TEAMS.bare(),
        title: Key::RecordTeams,
        successor: "/v2/teams",
        shown: Shown::Both,
        columns: &["name", "slug", "timeZone", "isPrivate", "parentId"],
        filters: OF_USERS,
        fields: &[
            must("name", Text),
            must("slug", Text),
            may("timeZone", Zone),
            may("weekStart", DAYS),
            may("isPrivate", Flag),
            may("hideBookATeamMember", Flag),
            free("brandColor", Text),
            free("darkBrandColor", Text),
            may("ownerId", Whole).fixed(),
            may("parentId", Whole).fixed(),
        ],
        removal: deleted(&[]),
        lists: &[("event-types", "event_types")],
    },
    Kind {
        resource: v1::USERS.bare(),
        title: Key::RecordUsers,
        successor: "/v2/me",
        shown: Shown::Both,
        columns: &["username", "name", "email", "timeZone"],
        filters: &[may("email", Text), may("page", Whole), may("take", Whole)],
        fields: &[
            must("username", Text),
            must("email", Text),
            free("name", Text),
            free("bio", Lines),
            may("timeZone", Zone),
            may("weekStart", DAYS),
            may("timeFormat", One(&["TWELVE", "TWENTY_FOUR"])),
            free("locale", Text),
            free("theme", Text),
            free("brandColor", Text),
            free("darkBrandColor", Text),
            may("hideBranding", Flag),
            free("avatar", Lines),
        ],
        removal: deleted(&[]),
        lists: &[],
    },
    Kind {
        resource: v1::WEBHOOKS.bare(),
        title: Key::RecordWebhooks,
        successor: "/v2/webhooks",
        shown: Shown::Both,
        columns: &["subscriberUrl", "active", "eventTypeId", "userId"],
        filters: OF_USERS,
        fields: &[
            must("subscriberUrl", Text),
            must("active", Flag).begins("true"),
            must("eventTriggers", TRIGGERS),
            free("payloadTemplate", Lines),
            free("secret", Secret),
            may("eventTypeId", Whole).fixed(),
            may("userId", Whole).fixed(),
        ],
        removal: deleted(&[]),
        lists: &[],
    },
];

const EVENT_TYPE: &[Field] = &[
    must("title", Text),
    must("slug", Text),
    must("length", Whole),
    free("description", Lines),
    free("hidden", Flag),
    must("metadata", Json).begins("{}"),
    free("locations", Json),
    free("bookingFields", Json),
    free("requiresConfirmation", Flag),
    free("disableGuests", Flag),
    free("hideCalendarNotes", Flag),
    free("onlyShowFirstAvailableSlot", Flag),
    free("minimumBookingNotice", Whole),
    free("beforeEventBuffer", Whole),
    free("afterEventBuffer", Whole),
    free("slotInterval", Whole),
    may(
        "periodType",
        One(&["UNLIMITED", "ROLLING", "ROLLING_WINDOW", "RANGE"]),
    ),
    free("periodDays", Whole),
    free("periodCountCalendarDays", Flag),
    free("periodStartDate", Text),
    free("periodEndDate", Text),
    free("bookingLimits", Json),
    free("durationLimits", Json),
    free("recurringEvent", Json),
    free("seatsPerTimeSlot", Whole),
    free("seatsShowAttendees", Flag),
    free("seatsShowAvailabilityCount", Flag),
    free("price", Whole),
    free("currency", Text),
    free("successRedirectUrl", Text),
    free("eventName", Text),
    free("timeZone", Zone),
    free("position", Whole),
    free("scheduleId", Whole),
    may(
        "schedulingType",
        One(&["ROUND_ROBIN", "COLLECTIVE", "MANAGED"]),
    ),
    may("assignAllTeamMembers", Flag),
    may("hosts", Json),
    may("children", Json),
    may("userId", Whole).fixed(),
    may("teamId", Whole).fixed(),
    may("parentId", Whole).fixed(),
];
