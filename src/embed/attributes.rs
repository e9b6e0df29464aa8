//! The attributes of an element as values. Unusable ones count as absent and are named once on
//! the console.

use booking_wire::EventTypeKey;

use crate::api::Dialect;
use crate::time::Zone;

/// What a page may set on any of the elements. Those that an element has no use for are absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// `base-url`: where the service is; the page's own origin if absent.
    pub base_url: String,
    /// `dialect`: `svc` or `cal`.
    pub dialect: Dialect,
    /// `event-type-id`, or `event-slug` with `username` or `team-id`.
    pub event_type: Option<EventTypeKey>,
    /// `duration`, in minutes.
    pub duration: Option<i64>,
    /// `org-id`.
    pub org_id: Option<i64>,
    /// `team-id`.
    pub team_id: Option<i64>,
    /// `time-zone`: shown at first.
    pub zone: Option<Zone>,
    /// `hour-cycle`: `h12` or `h23`.
    pub uses_12_hours: Option<bool>,
    /// `page-size`, 1 to 250.
    pub page_size: Option<i64>,
    /// `lang`, a BCP 47 tag.
    pub locale: Option<String>,
}

impl Config {
    /// Reads attributes by name. The second part names what could not be used and why.
    pub fn parse(attributes: &[(String, String)]) -> (Self, Vec<String>) {
        let mut complaints = Vec::new();
        let text = |name: &str| {
            attributes
                .iter()
                .find(|(known, _)| known == name)
                .map(|(_, value)| value.trim().to_owned())
                .filter(|value| !value.is_empty())
        };
        let mut number = |name: &str, most: i64| {
            let written = text(name)?;
            let number = written
                .parse()
                .ok()
                .filter(|number| (1..=most).contains(number));
            if number.is_none() {
                complaints.push(format!(
                    "{name}=\"{written}\" is not a whole number from 1 to {most}"
                ));
            }
            number
        };
        let id = number("event-type-id", i64::MAX);
        let team_id = number("team-id", i64::MAX);
        let org_id = number("org-id", i64::MAX);
        let duration = number("duration", 1440);
        let page_size = number("page-size", 250);

        let slug = text("event-slug");
        let event_type = match (id, text("username"), team_id, slug) {
            (Some(id), ..) => Some(EventTypeKey::Id(id)),
            (None, Some(username), _, Some(slug)) => Some(EventTypeKey::User { username, slug }),
            (None, None, Some(team_id), Some(slug)) => Some(EventTypeKey::Team { team_id, slug }),
            _ => None,
        };
        let dialect = text("dialect").map(|name| {
            Dialect::parse(&name).unwrap_or_else(|| {
                complaints.push(format!("dialect=\"{name}\" is neither \"svc\" nor \"cal\""));
                Dialect::default()
            })
        });
        let uses_12_hours = text("hour-cycle").and_then(|cycle| match cycle.as_str() {
            "h12" | "12" => Some(true),
            "h23" | "h24" | "24" => Some(false),
            _ => {
                complaints.push(format!(
                    "hour-cycle=\"{cycle}\" is neither \"h12\" nor \"h23\""
                ));
                None
            }
        });
        let config = Self {
            base_url: text("base-url").unwrap_or_default(),
            dialect: dialect.unwrap_or_default(),
            event_type,
            duration,
            org_id,
            team_id,
            zone: text("time-zone").map(Zone),
            uses_12_hours,
            page_size,
            locale: text("lang"),
        };
        (config, complaints)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(pairs: &[(&str, &str)]) -> (Config, Vec<String>) {
        let attributes = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Config::parse(&attributes.collect::<Vec<_>>())
    }

    #[test]
    fn an_event_type_can_be_named_in_three_ways_and_the_id_wins() {
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
            (vec![("username", "ada")], None),
            (vec![("event-type-id", "x")], None),
        ] {
            assert_eq!(parse(&pairs).0.event_type, expected, "{pairs:?}");
        }
    }

    #[test]
    fn what_cannot_be_used_is_named_and_counts_as_absent() {
        let (config, complaints) = parse(&[
            ("page-size", "900"),
            ("hour-cycle", "am"),
            ("dialect", "x"),
            ("team-id", "-1"),
        ]);
        assert_eq!(config, Config::default());
        assert_eq!(complaints.len(), 4, "{complaints:?}");
    }
}
