//! Filters and display options as text, for URLs, saved views and shared links. No DOM
//! access.
//!
//! | Key | Value | If absent |
//! |---|---|---|
//! | `status` | statuses of the API, `all` for all | `upcoming` |
//! | `search` | beginnings of words; dropped where the service cannot search | any |
//! | `attendeeEmail`, `attendeeName`, `bookingUid` | full texts | any |
//! | `eventTypeIds`, `hostIds` | ids; hosts are dropped where the service cannot search | any |
//! | `days` | `today`, `week`, `month`, `last-month`, `30-days`, or `FIRST..LAST` where either may be missing | any |
//! | `sort` | `start`, `end`, `created`, each with `-asc` or `-desc` | left to the service |
//! | `take` | 1 to 250 | `page-size` |
//! | `page` | from 1 | 1 |
//! | `columns` | names of columns, `none` for none | default columns |
//! | `series` | `grouped` | not grouped |

use booking_rules::limits::MAX_PAGE_SIZE;
use booking_wire::StatusFilter;

use super::model::{Column, DateFilter, Facet, Filters, Sort};

impl Filters {
    /// Parses a text, with or without `?` before it. Unknown or invalid values count as absent.
    pub fn parse(text: &str, page_size: Option<i64>, decode: impl Fn(&str) -> String) -> Self {
        let mut filters = Self::new(page_size);
        let pairs = text
            .trim_start_matches('?')
            .split('&')
            .filter_map(|pair| pair.split_once('='));
        for (key, value) in pairs {
            // Forms encode spaces as `+`.
            filters.set(key, &decode(&value.replace('+', "%20")));
        }
        filters
    }

    fn set(&mut self, key: &str, value: &str) {
        let items = || value.split(',').map(str::trim);
        let ids = || items().filter_map(|id| id.parse().ok()).collect();
        match key {
            "status" => {
                let statuses: Vec<_> = items().filter_map(StatusFilter::parse).collect();
                if value == "all" || !statuses.is_empty() {
                    self.show(&statuses);
                }
            }
            "eventTypeIds" => self.event_types = ids(),
            "hostIds" => self.hosts = ids(),
            "days" => match value.split_once("..") {
                Some((first, last)) => {
                    self.dates = DateFilter::Custom;
                    self.first_day = first.to_owned();
                    self.last_day = last.to_owned();
                }
                None => self.dates = DateFilter::parse(value).unwrap_or_default(),
            },
            "sort" => self.sort = Sort::parse(value),
            "take" => {
                if let Ok(size) = value.parse::<i64>() {
                    self.page_size = size.clamp(1, MAX_PAGE_SIZE);
                }
            }
            "page" => {
                let page = value.parse::<i64>().unwrap_or(1);
                self.page = page.saturating_sub(1).max(0);
            }
            "columns" => self.columns = Column::named(items()),
            "series" => self.groups_series = value == "grouped",
            key => {
                let mut facets = Facet::ALL.into_iter();
                let facet = facets.find(|facet| facet.name() == Some(key));
                if let Some(text) = facet.and_then(|facet| self.typed(facet)) {
                    *text = value.to_owned();
                }
            }
        }
    }

    /// Serialises all but the defaults.
    pub fn text(&self, page_size: Option<i64>, encode: impl Fn(&str) -> String) -> String {
        let default = Self::new(page_size);
        let mut text = String::new();
        let mut add = |key: &str, value: &str| {
            if !text.is_empty() {
                text.push('&');
            }
            text.push_str(key);
            text.push('=');
            text.push_str(&encode(value));
        };
        if self.statuses != default.statuses {
            let names = self.statuses.iter().map(|status| status.as_str());
            add("status", &join_or(names, "all"));
        }
        for facet in Facet::ALL {
            if let Some(name) = facet.name().filter(|_| self.is_active(facet)) {
                add(name, self.typed_text(facet).trim());
            }
        }
        for (key, ids) in [
            ("eventTypeIds", &self.event_types),
            ("hostIds", &self.hosts),
        ] {
            if !ids.is_empty() {
                let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
                add(key, &ids.join(","));
            }
        }
        match self.dates {
            DateFilter::Any => {}
            DateFilter::Custom => {
                let mut days = self.first_day.trim().to_owned();
                days.push_str("..");
                days.push_str(self.last_day.trim());
                add("days", &days);
            }
            dates => add("days", dates.name()),
        }
        if let Some(sort) = self.sort {
            add("sort", sort.name());
        }
        if self.page_size != default.page_size {
            add("take", &self.page_size.to_string());
        }
        if self.page > 0 {
            add("page", &(self.page + 1).to_string());
        }
        if self.columns != default.columns {
            let names = self.columns.iter().map(|column| column.name());
            add("columns", &join_or(names, "none"));
        }
        if self.groups_series {
            add("series", "grouped");
        }
        text
    }
}

fn join_or<'a>(names: impl Iterator<Item = &'a str>, none: &str) -> String {
    let names: Vec<&str> = names.collect();
    if names.is_empty() {
        return none.to_owned();
    }
    names.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Same as `encodeURIComponent`, as far as needed.
    fn encode(text: &str) -> String {
        let mut written = String::new();
        for byte in text.bytes() {
            if byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte) {
                written.push(char::from(byte));
            } else {
                written.push_str(&format!("%{byte:02X}"));
            }
        }
        written
    }

    fn decode(text: &str) -> String {
        let mut bytes = Vec::new();
        let mut rest = text.bytes();
        while let Some(byte) = rest.next() {
            if byte == b'%' {
                let digits: String = rest.by_ref().take(2).map(char::from).collect();
                bytes.push(u8::from_str_radix(&digits, 16).unwrap_or(b'?'));
            } else {
                bytes.push(byte);
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn parse(text: &str) -> Filters {
        Filters::parse(text, None, decode)
    }

    #[test]
    fn query_text_round_trips() {
        for text in [
            "",
            "status=all",
            "status=unconfirmed%2Ccancelled",
            "search=zo%C3%AB%20%C5%82uk&eventTypeIds=7",
            "attendeeEmail=zoe%2B1%40example.org&attendeeName=Zo%C3%AB%20M%26Co%3D%3F",
            "bookingUid=bk1&eventTypeIds=41%2C7",
            "days=today",
            "days=week",
            "days=30-days",
            "days=month",
            "days=last-month",
            "days=2027-03-01..2027-03-08",
            "days=..2027-03-08",
            "sort=created-desc&take=250&page=7",
            "columns=attendees%2Chosts%2Cmade",
            "columns=none&series=grouped",
        ] {
            assert_eq!(parse(text).text(None, encode), text);
        }
    }

    #[test]
    fn invalid_values_count_as_absent() {
        for text in [
            "?",
            "status=soon",
            "status=",
            "eventTypeIds=x,,",
            "days=tomorrow",
            "sort=title",
            "take=many",
            "page=-4",
            "page=0",
            "page=x",
            "series=yes",
            "utm_source=mail&status",
            "&&==&",
        ] {
            assert_eq!(parse(text), Filters::new(None), "{text}");
        }
        assert_eq!(parse("take=9999").page_size, MAX_PAGE_SIZE);
        assert_eq!(parse("take=0").page_size, 1);
        assert_eq!(parse("page=99999999999999999999").page, 0);
        assert_eq!(parse("attendeeName=Ada+Lovelace").name, "Ada Lovelace");
    }

    #[test]
    fn default_page_size_is_not_serialized() {
        let filters = Filters::parse("page=2", Some(50), decode);
        assert_eq!((filters.page_size, filters.page), (50, 1));
        assert_eq!(filters.text(Some(50), encode), "page=2");
        assert_eq!(filters.text(None, encode), "take=50&page=2");
    }

    #[test]
    fn columns_keep_their_order() {
        let filters = parse("columns=status,attendees,nonsense");
        assert_eq!(filters.columns, [Column::Attendees, Column::Status]);
    }
}
