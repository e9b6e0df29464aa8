//! The attributes and properties of an element as values. Unusable ones count as absent and are
//! named once on the console.

use booking_wire::{EventTypeKey, JsonMap, Layout, parse_date};
use serde_json::Value;

use crate::api::Dialect;
use crate::session::is_address;
use crate::time::{CivilDate, Weekday, Zone};

/// What a page may set on any of the elements. Those that an element has no use for are absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// `base-url`: where the service is; the page's own origin if absent.
    pub base_url: String,
    /// `dialect`: `svc` or `cal`.
    pub dialect: Dialect,
    /// `event-type-id`, or `event-slug` with `username` or `team-id`.
    pub event_type: Option<EventTypeKey>,
    /// `username` or `team-id`: whose event types there are to choose from if none is named.
    pub owner: Option<EventTypeOwner>,
    /// `mode`: what the visitor came for.
    pub mode: Mode,
    /// `booking-uid`: the booking to manage.
    pub booking_uid: Option<String>,
    /// `seat-uid`: the visitor's seat in it.
    pub seat_uid: Option<String>,
    /// `booking-page`: where a booking is shown again, with `{uid}` and `{seat}` in it.
    pub booking_page: Option<String>,
    /// `duration`, in minutes.
    pub duration: Option<i64>,
    /// `org-slug`: the organisation of the person that `username` names.
    pub org_slug: Option<String>,
    /// `org-id`.
    pub org_id: Option<i64>,
    /// `team-id`.
    pub team_id: Option<i64>,
    /// `time-zone`: shown at first.
    pub zone: Option<Zone>,
    /// `lock-time-zone`: the visitor cannot choose another.
    pub locks_zone: bool,
    /// `hour-cycle`: `h12` or `h23`.
    pub uses_12_hours: Option<bool>,
    /// `week-start`: the day that weeks begin with.
    pub week_start: Option<Weekday>,
    /// `view`: the first way of showing free times.
    pub view: Option<Layout>,
    /// `start-date`: the day shown first.
    pub start_date: Option<CivilDate>,
    /// `step-mode="confirm"`: a time that is pressed asks for a second press.
    pub confirms_pick: bool,
    /// `stale-after`: seconds after which free times are asked for again.
    pub stale_after_s: Option<i64>,
    /// `reserve="off"`: a time is not held while the form is filled in.
    pub never_reserves: bool,
    /// `draft="off"`: what is typed is not kept when the page is reloaded or left.
    pub keeps_no_draft: bool,
    /// `hide`: parts that are left out, such as `summary`.
    pub hides: Vec<String>,
    /// `default-phone-country`: two letters.
    pub phone_country: Option<String>,
    /// `utm="auto"`: the campaign in the page's address goes along with the booking.
    pub reads_utm: bool,
    /// `confirm-disabled`: the form can be filled in and not sent.
    pub is_confirm_disabled: bool,
    /// `dry-run`: everything but the booking itself.
    pub is_dry_run: bool,
    /// `after-booking`: what follows.
    pub after_booking: AfterBooking,
    /// `event-detail="full"`: events tell personal data too.
    pub tells_all: bool,
    /// `redirect-url`: where `after-booking="redirect"` leads.
    pub redirect_url: Option<String>,
    /// `redirect-origins`: origins that may be led to, beside the page's own and the service's.
    pub redirect_origins: Vec<String>,
    /// `prevent-redirect`: the event type's own redirect is not followed.
    pub prevents_redirect: bool,
    /// `page-size`, 1 to 250.
    pub page_size: Option<i64>,
    /// `heading-level`, 1 to 6: of the topmost headings.
    pub heading_level: Option<i64>,
    /// `lang`, a BCP 47 tag.
    pub locale: Option<String>,
    /// The property `prefill`: answers by field, each a value or `{value, readOnly, hidden}`.
    pub prefill: JsonMap,
    /// The property `metadata`: goes along with the booking.
    pub metadata: JsonMap,
    /// The property `utm`: the campaign, by `source`, `medium`, `campaign`, `term`, `content`.
    pub utm: JsonMap,
    /// The property `messages`: texts of the page's own, by key or by language and key.
    pub messages: JsonMap,
}

/// Where the app shows a booking, and so does a service that serves it.
pub const BOOKING_PAGE: &str = "/booking/{uid}/{seat}";

/// Whose event types are offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventTypeOwner {
    /// A person, by user name.
    User(String),
    /// A team, by number.
    Team(i64),
}

/// What the visitor came for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// To book.
    #[default]
    Book,
    /// To look at a booking, and to move or cancel it.
    Manage,
    /// To move it.
    Reschedule,
    /// To cancel it.
    Cancel,
}

/// What follows a booking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AfterBooking {
    /// The confirmation.
    #[default]
    Confirm,
    /// Nothing: the page goes on by itself.
    None,
    /// Another page.
    Redirect,
}

impl Config {
    /// Whether what is shown stays where it is if the page sets `other` instead: they differ only in
    /// how it is told.
    pub fn books_the_same(&self, other: &Self) -> bool {
        let told_alike = Self {
            zone: self.zone.clone(),
            uses_12_hours: self.uses_12_hours,
            locale: self.locale.clone(),
            messages: self.messages.clone(),
            ..other.clone()
        };
        *self == told_alike
    }

    /// Reads attributes by name and properties by name. The second part names what could not be used
    /// and why.
    pub fn parse(
        attributes: &[(String, String)],
        properties: &[(String, Value)],
    ) -> (Self, Vec<String>) {
        let mut given = Given {
            attributes,
            properties,
            complaints: Vec::new(),
        };
        let id = given.number("event-type-id", i64::MAX);
        let team_id = given.number("team-id", i64::MAX);
        let username = given.text("username");
        let slug = given.text("event-slug");
        let dialect = given.word("dialect", &DIALECTS).unwrap_or_default();
        let named = match (&username, team_id, slug) {
            (Some(username), _, Some(slug)) => Some(EventTypeKey::User {
                username: username.clone(),
                slug,
            }),
            (None, Some(team_id), Some(slug)) => Some(EventTypeKey::Team { team_id, slug }),
            _ => None,
        };
        let event_type = match (id, named) {
            // Services of that dialect tell visitors nothing of a number (contract 2.4).
            (Some(_), Some(named)) if dialect == Dialect::Cal => Some(named),
            (Some(id), _) => Some(EventTypeKey::Id(id)),
            (None, named) => named,
        };
        let owner = match (username, team_id) {
            (Some(username), _) => Some(EventTypeOwner::User(username)),
            (None, Some(team_id)) => Some(EventTypeOwner::Team(team_id)),
            (None, None) => None,
        };
        let config = Self {
            base_url: given.address("base-url").unwrap_or_default(),
            dialect,
            event_type,
            owner,
            mode: given.word("mode", &MODES).unwrap_or_default(),
            booking_uid: given.text("booking-uid"),
            seat_uid: given.text("seat-uid"),
            booking_page: given.text("booking-page"),
            duration: given.number("duration", 1440),
            org_slug: given.text("org-slug"),
            org_id: given.number("org-id", i64::MAX),
            team_id,
            zone: given.text("time-zone").map(Zone),
            locks_zone: given.flag("lock-time-zone"),
            uses_12_hours: given.word("hour-cycle", &HOUR_CYCLES),
            week_start: given.word("week-start", &WEEKDAYS),
            view: given.word("view", &VIEWS),
            start_date: given.date("start-date"),
            confirms_pick: given
                .word("step-mode", &[("confirm", true), ("no-confirm", false)])
                .unwrap_or(false),
            stale_after_s: given.number("stale-after", 86_400),
            never_reserves: given
                .word("reserve", &[("auto", false), ("off", true)])
                .unwrap_or(false),
            keeps_no_draft: given
                .word("draft", &[("auto", false), ("off", true)])
                .unwrap_or(false),
            hides: given.parts("hide"),
            phone_country: given.text("default-phone-country"),
            reads_utm: given
                .word("utm", &[("auto", true), ("off", false)])
                .unwrap_or(false),
            is_confirm_disabled: given.flag("confirm-disabled"),
            is_dry_run: given.flag("dry-run"),
            after_booking: given.word("after-booking", &ENDINGS).unwrap_or_default(),
            tells_all: given
                .word("event-detail", &[("minimal", false), ("full", true)])
                .unwrap_or(false),
            redirect_url: given.text("redirect-url"),
            redirect_origins: given.words("redirect-origins"),
            prevents_redirect: given.flag("prevent-redirect"),
            page_size: given.number("page-size", 250),
            heading_level: given.number("heading-level", 6),
            locale: given.text("lang"),
            prefill: given.map("prefill"),
            metadata: given.map("metadata"),
            utm: given.map("utm"),
            messages: given.map("messages"),
        };
        (config, given.complaints)
    }
}

/// What can be left out; `style/base.css` does it.
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

/// What a page gave, as it is read.
struct Given<'a> {
    attributes: &'a [(String, String)],
    properties: &'a [(String, Value)],
    complaints: Vec<String>,
}

impl Given<'_> {
    fn text(&self, name: &str) -> Option<String> {
        let (_, value) = self.attributes.iter().find(|(known, _)| known == name)?;
        Some(value.trim().to_owned()).filter(|value| !value.is_empty())
    }

    fn address(&mut self, name: &str) -> Option<String> {
        let written = self.text(name)?;
        if is_address(&written) {
            return Some(written);
        }
        self.complaints.push(format!(
            "{name}=\"{written}\" is no http or https address, such as https://book.example"
        ));
        None
    }

    /// As in HTML, a flag holds by being there.
    fn flag(&self, name: &str) -> bool {
        self.attributes.iter().any(|(known, _)| known == name)
    }

    fn words(&self, name: &str) -> Vec<String> {
        let text = self.text(name).unwrap_or_default();
        text.split_whitespace().map(str::to_owned).collect()
    }

    /// Words that each name a part of what is shown.
    fn parts(&mut self, name: &str) -> Vec<String> {
        let mut words = self.words(name);
        words.retain(|word| {
            let is_known = PARTS.contains(&word.as_str());
            if !is_known {
                self.complaints
                    .push(format!("{name}=\"{word}\" is none of {}", PARTS.join(", ")));
            }
            is_known
        });
        words
    }

    fn number(&mut self, name: &str, most: i64) -> Option<i64> {
        let written = self.text(name)?;
        let number = written
            .parse()
            .ok()
            .filter(|number| (1..=most).contains(number));
        if number.is_none() {
            self.complaints.push(format!(
                "{name}=\"{written}\" is not a whole number from 1 to {most}"
            ));
        }
        number
    }

    fn word<T: Copy>(&mut self, name: &str, words: &[(&str, T)]) -> Option<T> {
        let written = self.text(name)?;
        let found = words.iter().find(|(word, _)| *word == written);
        if found.is_none() {
            let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            self.complaints.push(format!(
                "{name}=\"{written}\" is none of {}",
                words.join(", ")
            ));
        }
        found.map(|(_, value)| *value)
    }

    fn date(&mut self, name: &str) -> Option<CivilDate> {
        let written = self.text(name)?;
        let date = parse_date(&written);
        if date.is_none() {
            self.complaints.push(format!(
                "{name}=\"{written}\" is not a date such as 2027-03-04"
            ));
        }
        date
    }

    fn map(&mut self, name: &str) -> JsonMap {
        let value = self.properties.iter().find(|(known, _)| known == name);
        match value.map(|(_, value)| value) {
            None | Some(Value::Null) => JsonMap::new(),
            Some(Value::Object(map)) => map.clone(),
            Some(_) => {
                self.complaints
                    .push(format!("the property {name} is not an object"));
                JsonMap::new()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parse(pairs: &[(&str, &str)]) -> (Config, Vec<String>) {
        let attributes = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Config::parse(&attributes.collect::<Vec<_>>(), &[])
    }

    #[test]
    fn event_type_named_in_three_ways_is_known_by_id_unless_the_dialect_guards_that() {
        let user = EventTypeKey::User {
            username: "ada".into(),
            slug: "intro".into(),
        };
        let team = EventTypeKey::Team {
            team_id: 7,
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
                    team_id: 7,
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
    fn a_person_or_a_team_is_enough_to_choose_from() {
        let (config, _) = parse(&[("username", "ada")]);
        assert_eq!(config.owner, Some(EventTypeOwner::User("ada".into())));
        let (config, _) = parse(&[("team-id", "7")]);
        assert_eq!(config.owner, Some(EventTypeOwner::Team(7)));
        assert_eq!(parse(&[]).0.owner, None);
    }

    #[test]
    fn what_cannot_be_used_is_named_and_counts_as_absent() {
        let (config, complaints) = parse(&[
            ("page-size", "900"),
            ("hour-cycle", "am"),
            ("dialect", "x"),
            ("team-id", "-1"),
            ("start-date", "tomorrow"),
            ("view", "year"),
            ("hide", "footer"),
            ("base-url", "book.example"),
        ]);
        assert_eq!(config, parse(&[]).0);
        assert_eq!(complaints.len(), 8, "{complaints:?}");
    }

    #[test]
    fn the_loader_names_every_attribute_once() {
        let loader = include_str!("embed.js");
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
    fn every_part_that_can_be_hidden_has_its_rule() {
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
    fn a_flag_holds_by_being_there() {
        let (config, complaints) = parse(&[("dry-run", ""), ("lock-time-zone", "")]);
        assert!(config.is_dry_run && config.locks_zone && !config.is_confirm_disabled);
        assert_eq!(complaints, Vec::<String>::new());
    }

    #[test]
    fn properties_are_objects() {
        let properties = [
            ("prefill".to_owned(), json!({"name": "Zoë"})),
            ("metadata".to_owned(), json!(["a"])),
            ("utm".to_owned(), Value::Null),
        ];
        let (config, complaints) = Config::parse(&[], &properties);
        assert_eq!(config.prefill["name"], "Zoë");
        assert!(config.metadata.is_empty());
        assert_eq!(complaints, ["the property metadata is not an object"]);
    }
}
