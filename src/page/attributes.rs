//! Attributes and properties of an element as values. Invalid ones count as absent; `loader/hints.js` says what they may be.

use std::cell::RefCell;
use std::rc::Rc;

use booking_ui::prelude::*;
use booking_wire::{EventTypeKey, JsonMap, Layout, parse_date};
use serde_json::Value;

use crate::client::Dialect;
use crate::client::session::is_address;
use crate::time::{CivilDate, Weekday, Zone};

/// Attributes and properties of any element. Those that an element does not use are absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// `base-url`: URL of the service; the page's own origin if absent.
    pub base_url: String,
    /// `dialect`: `svc` or `cal`.
    pub dialect: Dialect,
    /// `event-type-id`, or `event-slug` with `username` or `team-id`.
    pub event_type: Option<EventTypeKey>,
    /// `username` or `team-id`: owner of the event types to choose from if none is named.
    pub owner: Option<EventTypeOwner>,
    /// `mode`: the visitor's task.
    pub mode: Mode,
    /// `booking-uid`: the booking to manage.
    pub booking_uid: Option<String>,
    /// `seat-uid`: the visitor's seat in it.
    pub seat_uid: Option<String>,
    /// `booking-page`: URL pattern of a booking's page, with `{uid}` and `{seat}`.
    pub booking_page: Option<String>,
    /// `duration`, in minutes.
    pub duration: Option<i64>,
    /// `org-slug`: the organisation of the user that `username` names.
    pub org_slug: Option<String>,
    /// `org-id`.
    pub org_id: Option<i64>,
    /// `team-id`.
    pub team_id: Option<i64>,
    /// `time-zone`: initial zone.
    pub zone: Option<Zone>,
    /// `lock-time-zone`: true if the zone is fixed.
    pub locks_zone: bool,
    /// `hour-cycle`: true if `h12`.
    pub uses_12_hours: Option<bool>,
    /// `week-start`: first day of the week.
    pub week_start: Option<Weekday>,
    /// `view`: initial layout of the slots.
    pub view: Option<Layout>,
    /// `start-date`: initial date.
    pub start_date: Option<CivilDate>,
    /// `step-mode="confirm"`: true if selecting a slot takes a second click.
    pub confirms_pick: bool,
    /// `stale-after`: seconds after which slots are reloaded.
    pub stale_after_s: Option<i64>,
    /// `reserve="off"`: true if slots are not reserved.
    pub is_reservation_disabled: bool,
    /// `draft="off"`: true if form input is not kept across page loads.
    pub is_draft_disabled: bool,
    /// `remember="ask"`: true if the visitor may have the device remember name and e-mail address.
    pub asks_to_remember: bool,
    /// `history="steps"`: true if steps are entries of the page's history.
    pub has_history_steps: bool,
    /// `hide`: parts to hide, such as `summary`.
    pub hides: Vec<String>,
    /// `default-phone-country`: two letters.
    pub phone_country: Option<String>,
    /// `utm="auto"`: true if the page URL's campaign is added to the booking.
    pub reads_utm: bool,
    /// `confirm-disabled`: true if the form cannot be submitted.
    pub is_confirm_disabled: bool,
    /// `dry-run`: true if nothing is booked.
    pub is_dry_run: bool,
    /// `after-booking`: next step.
    pub after_booking: AfterBooking,
    /// `event-detail="full"`: adds personal data to events.
    pub has_full_detail: bool,
    /// `redirect-url`: target of `after-booking="redirect"`.
    pub redirect_url: Option<String>,
    /// `redirect-origins`: additional origins that redirects may lead to.
    pub redirect_origins: Vec<String>,
    /// `prevent-redirect`: true if the event type's redirect is ignored.
    pub prevents_redirect: bool,
    /// `page-size`, 1 to 250.
    pub page_size: Option<i64>,
    /// `heading-level`, 1 to 6, of the top headings.
    pub heading_level: Option<i64>,
    /// `lang`, a BCP 47 tag.
    pub locale: Option<String>,
    /// Property `prefill`: answers by field, each a value or `{value, readOnly, hidden}`.
    pub prefill: JsonMap,
    /// Property `metadata`: metadata of the booking.
    pub metadata: JsonMap,
    /// Property `utm`: campaign by `source`, `medium`, `campaign`, `term`, `content`.
    pub utm: JsonMap,
    /// Property `messages`: custom texts, by key or by language and key.
    pub messages: JsonMap,
}

/// Path of a booking's page in the app and in a service that serves it.
pub const BOOKING_PAGE: &str = "/booking/{uid}/{seat}";

/// Owner of event types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventTypeOwner {
    /// A user, by user name.
    User(String),
    /// A team, by id or, in services of this project, by slug.
    Team(String),
}

/// The visitor's task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Booking.
    #[default]
    Book,
    /// View of a booking, to reschedule or cancel it.
    Manage,
    /// Reschedule.
    Reschedule,
    /// Cancellation.
    Cancel,
}

/// Action after a booking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AfterBooking {
    /// The confirmation.
    #[default]
    Confirm,
    /// Nothing: the page takes over.
    None,
    /// Another page.
    Redirect,
}

/// Configuration as the page has set it by now. A page may set the visitor's data, or the outcome's, at any time: that does not throw the
/// visitor out of a form.
#[derive(Clone)]
pub struct LiveConfig {
    /// Outlives the view, as a booking in flight does.
    current: Rc<RefCell<Rc<Config>>>,
    changed: Trigger,
}

impl LiveConfig {
    /// Starts with `config`.
    pub fn new(config: &Config) -> Self {
        Self {
            current: Rc::new(RefCell::new(Rc::new(config.clone()))),
            changed: Trigger::new(),
        }
    }

    /// Replaces the configuration.
    pub fn set(&self, config: &Config) {
        self.current.replace(Rc::new(config.clone()));
        self.changed.notify();
    }

    /// Returns the configuration and subscribes.
    pub fn get(&self) -> Rc<Config> {
        self.changed.track();
        self.get_untracked()
    }

    /// Returns the configuration without subscribing.
    pub fn get_untracked(&self) -> Rc<Config> {
        Rc::clone(&self.current.borrow())
    }
}

impl Config {
    /// True if the view can stay when the page sets `other` instead: they differ only in presentation, and in what is read
    /// when it is needed, from [`LiveConfig`].
    pub fn keeps_view(&self, other: &Self) -> bool {
        self.subject() == other.subject()
    }

    /// True if a view with `other` offers the same event types or booking, so that a visitor's step in one is one in the other.
    pub fn has_same_target(&self, other: &Self) -> bool {
        self.target() == other.target()
    }

    /// Returns what can be booked or changed: without the values that start a view again but keep its steps.
    fn target(&self) -> Self {
        let mut target = self.subject();
        target.locks_zone = false;
        target.week_start = None;
        target.view = None;
        target.start_date = None;
        target.confirms_pick = false;
        target.stale_after_s = None;
        target.is_reservation_disabled = false;
        target.is_draft_disabled = false;
        target.has_history_steps = false;
        target.page_size = None;
        target.heading_level = None;
        target
    }

    /// Returns what the view is about: without the values that may change while it is shown.
    fn subject(&self) -> Self {
        let mut subject = self.clone();
        subject.zone = None;
        subject.uses_12_hours = None;
        subject.locale = None;
        subject.messages = JsonMap::new();
        subject.hides = Vec::new();
        subject.phone_country = None;
        subject.booking_page = None;
        subject.reads_utm = false;
        subject.asks_to_remember = false;
        subject.is_confirm_disabled = false;
        subject.is_dry_run = false;
        subject.after_booking = AfterBooking::default();
        subject.has_full_detail = false;
        subject.redirect_url = None;
        subject.redirect_origins = Vec::new();
        subject.prevents_redirect = false;
        subject.prefill = JsonMap::new();
        subject.metadata = JsonMap::new();
        subject.utm = JsonMap::new();
        subject
    }

    /// Parses attributes and properties by name. The second value lists the invalid ones.
    pub fn parse(
        attributes: &[(String, String)],
        properties: &[(String, Value)],
    ) -> (Self, Vec<&'static str>) {
        let mut reader = AttributeReader {
            attributes,
            properties,
            invalid: Vec::new(),
        };
        let id = reader.number("event-type-id", i64::MAX);
        let team_id = reader.number("team-id", i64::MAX);
        let username = reader.text("username");
        let slug = reader.text("event-slug");
        let dialect = reader.word("dialect", &DIALECTS).unwrap_or_default();
        let named = match (&username, team_id, slug) {
            (Some(username), _, Some(slug)) => Some(EventTypeKey::User {
                username: username.clone(),
                slug,
            }),
            (None, Some(team_id), Some(slug)) => Some(EventTypeKey::Team {
                team: team_id.to_string(),
                slug,
            }),
            _ => None,
        };
        let event_type = match (id, named) {
            // Visitors cannot read event types by id in that dialect.
            (Some(_), Some(named)) if dialect == Dialect::Cal => Some(named),
            (Some(id), _) => Some(EventTypeKey::Id(id)),
            (None, named) => named,
        };
        let owner = match (username, team_id) {
            (Some(username), _) => Some(EventTypeOwner::User(username)),
            (None, Some(team_id)) => Some(EventTypeOwner::Team(team_id.to_string())),
            (None, None) => None,
        };
        let config = Self {
            base_url: reader.address("base-url").unwrap_or_default(),
            dialect,
            event_type,
            owner,
            mode: reader.word("mode", &MODES).unwrap_or_default(),
            booking_uid: reader.text("booking-uid"),
            seat_uid: reader.text("seat-uid"),
            booking_page: reader.text("booking-page"),
            duration: reader.number("duration", 1440),
            org_slug: reader.text("org-slug"),
            org_id: reader.number("org-id", i64::MAX),
            team_id,
            zone: reader.text("time-zone").map(Zone),
            locks_zone: reader.flag("lock-time-zone"),
            uses_12_hours: reader.word("hour-cycle", &HOUR_CYCLES),
            week_start: reader.word("week-start", &WEEKDAYS),
            view: reader.word("view", &VIEWS),
            start_date: reader.date("start-date"),
            confirms_pick: reader
                .word("step-mode", &[("confirm", true), ("no-confirm", false)])
                .unwrap_or(false),
            stale_after_s: reader.number("stale-after", 86_400),
            is_reservation_disabled: reader
                .word("reserve", &[("auto", false), ("off", true)])
                .unwrap_or(false),
            is_draft_disabled: reader
                .word("draft", &[("auto", false), ("off", true)])
                .unwrap_or(false),
            asks_to_remember: reader
                .word("remember", &[("off", false), ("ask", true)])
                .unwrap_or(false),
            has_history_steps: reader
                .word("history", &[("off", false), ("steps", true)])
                .unwrap_or(false),
            hides: reader.parts("hide"),
            phone_country: reader.text("default-phone-country"),
            reads_utm: reader
                .word("utm", &[("auto", true), ("off", false)])
                .unwrap_or(false),
            is_confirm_disabled: reader.flag("confirm-disabled"),
            is_dry_run: reader.flag("dry-run"),
            after_booking: reader.word("after-booking", &ENDINGS).unwrap_or_default(),
            has_full_detail: reader
                .word("event-detail", &[("minimal", false), ("full", true)])
                .unwrap_or(false),
            redirect_url: reader.text("redirect-url"),
            redirect_origins: reader.words("redirect-origins"),
            prevents_redirect: reader.flag("prevent-redirect"),
            page_size: reader.number("page-size", 250),
            heading_level: reader.number("heading-level", 6),
            locale: reader.text("lang"),
            prefill: reader.map("prefill"),
            metadata: reader.map("metadata"),
            utm: reader.map("utm"),
            messages: reader.map("messages"),
        };
        (config, reader.invalid)
    }
}

/// Hideable parts; `style/base.css` hides them.
const PARTS: [&str; 4] = ["summary", "hosts", "description", "zone"];

const DIALECTS: [(&str, Dialect); 2] = [("svc", Dialect::Svc), ("cal", Dialect::Cal)];

const MODES: [(&str, Mode); 4] = [
    ("book", Mode::Book),
    ("manage", Mode::Manage),
    ("reschedule", Mode::Reschedule),
    ("cancel", Mode::Cancel),
];

const HOUR_CYCLES: [(&str, bool); 5] = [
    ("h12", true),
    ("12", true),
    ("h23", false),
    ("h24", false),
    ("24", false),
];

const WEEKDAYS: [(&str, Weekday); 7] = [
    ("monday", Weekday::Mon),
    ("tuesday", Weekday::Tue),
    ("wednesday", Weekday::Wed),
    ("thursday", Weekday::Thu),
    ("friday", Weekday::Fri),
    ("saturday", Weekday::Sat),
    ("sunday", Weekday::Sun),
];

const VIEWS: [(&str, Layout); 3] = [
    ("month", Layout::Month),
    ("week", Layout::Week),
    ("column", Layout::Column),
];

const ENDINGS: [(&str, AfterBooking); 3] = [
    ("confirm", AfterBooking::Confirm),
    ("none", AfterBooking::None),
    ("redirect", AfterBooking::Redirect),
];

/// Parser input and its errors.
struct AttributeReader<'a> {
    attributes: &'a [(String, String)],
    properties: &'a [(String, Value)],
    invalid: Vec<&'static str>,
}

impl AttributeReader<'_> {
    fn text(&self, name: &str) -> Option<String> {
        let (_, value) = self.attributes.iter().find(|(known, _)| known == name)?;
        Some(value.trim().to_owned()).filter(|value| !value.is_empty())
    }

    /// Returns `value`, and notes that the attribute is invalid if there is none.
    fn valid<T>(&mut self, name: &'static str, value: Option<T>) -> Option<T> {
        if value.is_none() {
            self.invalid.push(name);
        }
        value
    }

    fn address(&mut self, name: &'static str) -> Option<String> {
        let value = self.text(name)?;
        self.valid(name, Some(value).filter(|value| is_address(value)))
    }

    /// True if present, as in HTML.
    fn flag(&self, name: &str) -> bool {
        self.attributes.iter().any(|(known, _)| known == name)
    }

    fn words(&self, name: &str) -> Vec<String> {
        let text = self.text(name).unwrap_or_default();
        text.split_whitespace().map(str::to_owned).collect()
    }

    /// Names of parts, without the unknown ones.
    fn parts(&mut self, name: &'static str) -> Vec<String> {
        let mut words = self.words(name);
        let count = words.len();
        words.retain(|word| PARTS.contains(&word.as_str()));
        if words.len() < count {
            self.invalid.push(name);
        }
        words
    }

    fn number(&mut self, name: &'static str, max: i64) -> Option<i64> {
        let value = self.text(name)?.parse().ok();
        self.valid(name, value.filter(|number| (1..=max).contains(number)))
    }

    fn word<T: Copy>(&mut self, name: &'static str, words: &[(&str, T)]) -> Option<T> {
        let value = self.text(name)?;
        let found = words.iter().find(|(word, _)| *word == value);
        self.valid(name, found.map(|(_, value)| *value))
    }

    fn date(&mut self, name: &'static str) -> Option<CivilDate> {
        let value = self.text(name)?;
        self.valid(name, parse_date(&value))
    }

    fn map(&mut self, name: &'static str) -> JsonMap {
        let value = self.properties.iter().find(|(known, _)| known == name);
        match value.map(|(_, value)| value) {
            None | Some(Value::Null) => JsonMap::new(),
            Some(Value::Object(map)) => map.clone(),
            Some(_) => {
                self.invalid.push(name);
                JsonMap::new()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parse(pairs: &[(&str, &str)]) -> (Config, Vec<&'static str>) {
        let attributes = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Config::parse(&attributes.collect::<Vec<_>>(), &[])
    }

    #[test]
    fn event_type_with_id_and_slug_is_read_by_id_except_in_cal_dialect() {
        let user = EventTypeKey::User {
            username: "ada".into(),
            slug: "intro".into(),
        };
        let team = EventTypeKey::Team {
            team: "7".into(),
            slug: "intro".into(),
        };
        for (pairs, expected) in [
            (
                vec![("username", "ada"), ("event-slug", "intro")],
                Some(user),
            ),
            (vec![("team-id", "7"), ("event-slug", "intro")], Some(team)),
            (
                vec![
                    ("event-type-id", "41"),
                    ("username", "ada"),
                    ("event-slug", "x"),
                ],
                Some(EventTypeKey::Id(41)),
            ),
            (
                vec![
                    ("event-type-id", "41"),
                    ("username", "ada"),
                    ("event-slug", "intro"),
                    ("dialect", "cal"),
                ],
                Some(EventTypeKey::User {
                    username: "ada".into(),
                    slug: "intro".into(),
                }),
            ),
            (
                vec![
                    ("event-type-id", "41"),
                    ("team-id", "7"),
                    ("event-slug", "intro"),
                    ("dialect", "cal"),
                ],
                Some(EventTypeKey::Team {
                    team: "7".into(),
                    slug: "intro".into(),
                }),
            ),
            (
                vec![
                    ("event-type-id", "41"),
                    ("username", "ada"),
                    ("dialect", "cal"),
                ],
                Some(EventTypeKey::Id(41)),
            ),
            (vec![("username", "ada")], None),
            (vec![("event-type-id", "x")], None),
        ] {
            assert_eq!(parse(&pairs).0.event_type, expected, "{pairs:?}");
        }
    }

    #[test]
    fn owner_without_event_type_is_user_or_team() {
        let (config, _) = parse(&[("username", "ada")]);
        assert_eq!(config.owner, Some(EventTypeOwner::User("ada".into())));
        let (config, _) = parse(&[("team-id", "7")]);
        assert_eq!(config.owner, Some(EventTypeOwner::Team("7".into())));
        assert_eq!(parse(&[]).0.owner, None);
    }

    #[test]
    fn invalid_attribute_counts_as_absent_and_is_named() {
        let values = include_str!("../../tests/scripts/invalid-attributes.json");
        let values: JsonMap = serde_json::from_str(values).unwrap();
        let source = include_str!("attributes.rs");
        for (name, value) in &values {
            let is_read = ["number", "word", "parts", "date", "address"]
                .into_iter()
                .any(|kind| source.contains(&format!("{kind}(\"{name}\"")));
            let Some(value) = value.as_str().filter(|_| is_read) else {
                continue;
            };
            assert_eq!(
                parse(&[(name, value)]),
                (parse(&[]).0, vec![name.as_str()]),
                "{name}=\"{value}\""
            );
        }
    }

    #[test]
    fn loader_lists_every_attribute_once() {
        let loader = include_str!("../loader/embed.js");
        let listed = loader.split_once("ATTRIBUTES = [").unwrap().1;
        let listed = listed.split_once(']').unwrap().0;
        let mut names: Vec<&str> = listed.split('"').skip(1).step_by(2).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        for name in ["event-slug", "lock-time-zone", "redirect-origins"] {
            assert!(names.contains(&name), "{name}");
        }
    }

    #[test]
    fn hideable_part_has_a_style_rule() {
        let rules = include_str!("../../style/base.css");
        for part in PARTS {
            assert!(
                rules.contains(&format!("[data-hide~=\"{part}\"]")),
                "{part}"
            );
            assert_eq!(parse(&[("hide", part)]).0.hides, [part]);
        }
    }

    #[test]
    fn flag_attribute_is_true_if_present() {
        let (config, invalid) = parse(&[("dry-run", ""), ("lock-time-zone", "")]);
        assert!(config.is_dry_run && config.locks_zone && !config.is_confirm_disabled);
        assert_eq!(invalid, [""; 0]);
    }

    #[test]
    fn property_that_is_not_an_object_counts_as_absent() {
        let properties = [
            ("prefill".to_owned(), json!({"name": "Zoë"})),
            ("metadata".to_owned(), json!(["a"])),
            ("utm".to_owned(), Value::Null),
        ];
        let (config, invalid) = Config::parse(&[], &properties);
        assert_eq!(config.prefill["name"], "Zoë");
        assert!(config.metadata.is_empty());
        assert_eq!(invalid, ["metadata"]);
    }
}
