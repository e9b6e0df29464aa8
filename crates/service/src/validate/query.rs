//! Strict reader of query strings.

use std::sync::atomic::{AtomicBool, Ordering};

use booking_wire::{Instant, SortOrder};
use booking_zones::Zone;
use serde_json::{Value, json};

use crate::error::Result;
use crate::error::field_errors::base_name;
use crate::input_limits::{MAX_FILTER_EMAILS, MAX_PAGE_SIZE, MAX_QUERY_PARAMETERS};
use crate::validate::checks::{Checks, log_ignored};
use crate::validate::formats::{in_range, is_email};

/// Items of one page of a list, except bookings, by default.
pub const DEFAULT_PAGE_SIZE: i64 = MAX_PAGE_SIZE;

/// The decoded pairs of a query string. Parameters that are not read are unknown to the operation: they are ignored, as
/// Cal.com does outside of slots and bookings, and logged.
#[derive(Debug)]
pub struct Query(Vec<Parameter>);

#[derive(Debug)]
struct Parameter {
    name: String,
    value: String,
    is_read: AtomicBool,
}

impl Drop for Query {
    fn drop(&mut self) {
        log_ignored(
            "query parameters",
            self.unread().map(|unread| unread.name.as_str()),
        );
    }
}

impl Query {
    /// Creates a query from decoded pairs.
    pub fn new(pairs: Vec<(String, String)>) -> Self {
        let parameter = |(name, value)| Parameter {
            name,
            value,
            is_read: AtomicBool::new(false),
        };
        Self(pairs.into_iter().map(parameter).collect())
    }

    /// Returns true if a query string has more parameters than any operation takes.
    pub fn is_too_long(query: &str) -> bool {
        query.split('&').count() > MAX_QUERY_PARAMETERS
    }

    fn unread(&self) -> impl Iterator<Item = &Parameter> {
        let is_unread = |parameter: &&Parameter| !parameter.is_read.load(Ordering::Relaxed);
        self.0.iter().filter(is_unread)
    }

    /// Adds a validation error for every parameter that was not read, before those of the others.
    pub fn reject_unread(&self, checks: &mut Checks) {
        checks.put_first(|checks| {
            for Parameter { name, value, .. } in self.unread() {
                let value = Value::from(value.as_str());
                let message = "is not a known parameter";
                checks.report_key("", name, &value, "whitelistValidation", message);
            }
        });
    }

    /// Returns the values of `name` in their order.
    fn values(&self, name: &str) -> impl DoubleEndedIterator<Item = &str> {
        let parameters = self.0.iter();
        let named = parameters.filter(move |parameter| base_name(&parameter.name) == name);
        named.map(|parameter| {
            parameter.is_read.store(true, Ordering::Relaxed);
            parameter.value.as_str()
        })
    }

    /// Returns the last value of `name`.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values(name).last()
    }

    /// Returns all values of `name`: repeated, separated by commas, or both. None if absent.
    pub fn list(&self, name: &str) -> Option<Vec<String>> {
        let values: Vec<&str> = self.values(name).collect();
        if values.is_empty() {
            return None;
        }
        Some(
            values
                .iter()
                .flat_map(|value| value.split(','))
                .map(|value| value.trim().to_owned())
                .collect(),
        )
    }

    /// Returns an integer.
    pub fn integer(&self, name: &str, checks: &mut Checks) -> Option<i64> {
        let text = self.get(name)?;
        let number = text.parse::<i64>().ok();
        if number.is_none() {
            checks.report(name, &json!(text), "isNumber", "must be a whole number");
        }
        number
    }

    /// Returns the number of items of a page.
    pub fn page_size(&self, name: &str, checks: &mut Checks) -> Option<i64> {
        self.bounded(name, 1..=MAX_PAGE_SIZE, checks)
    }

    /// Returns an integer within `range`.
    pub fn bounded(
        &self,
        name: &str,
        range: std::ops::RangeInclusive<i64>,
        checks: &mut Checks,
    ) -> Option<i64> {
        let number = self.integer(name, checks)?;
        if range.contains(&number) {
            return Some(number);
        }
        let message = match *range.end() {
            i64::MAX => format!("must not be less than {}", range.start()),
            end => format!("must be from {} to {end}", range.start()),
        };
        checks.reject(
            name,
            &json!(number),
            if number < *range.start() {
                "min"
            } else {
                "max"
            },
            &message,
        )
    }

    /// Returns an instant: a date, or a date and time, in ISO 8601.
    pub fn instant(&self, name: &str, checks: &mut Checks) -> Option<Instant> {
        let text = self.get(name)?;
        let instant = match text.split_once(['T', 't']) {
            // An unescaped "+" of an offset arrives as a space.
            Some((date, clock)) => Instant::parse(&format!("{date}T{}", clock.replace(' ', "+"))),
            // Without a "T", a space separates date and time.
            None => Instant::parse(text),
        }
        .filter(|instant| in_range(*instant));
        if instant.is_none() {
            checks.report(
                name,
                &json!(text),
                "isDateString",
                "must be a valid ISO 8601 date string",
            );
        }
        instant
    }

    /// Returns an IANA time zone.
    pub fn zone(&self, name: &str, checks: &mut Checks) -> Option<Zone> {
        let text = self.get(name)?;
        let zone = Zone::named(text);
        if zone.is_none() {
            checks.report(
                name,
                &json!(text),
                "isTimeZone",
                "must be a valid IANA time-zone",
            );
        }
        zone
    }

    /// Returns the value that belongs to one of the strings in `allowed`.
    pub fn one_of<T: Copy>(
        &self,
        name: &str,
        allowed: &[(&str, T)],
        checks: &mut Checks,
    ) -> Option<T> {
        let text = self.get(name)?;
        let found = allowed
            .iter()
            .find(|(key, _)| *key == text)
            .map(|(_, value)| *value);
        if found.is_none() {
            let names: Vec<&str> = allowed.iter().map(|(key, _)| *key).collect();
            checks.report(
                name,
                &json!(text),
                "isEnum",
                &format!("must be one of: {}", names.join(", ")),
            );
        }
        found
    }

    /// Returns the sort order in `name`.
    pub fn sort_order(&self, name: &str, checks: &mut Checks) -> Option<SortOrder> {
        let orders = [("asc", SortOrder::Asc), ("desc", SortOrder::Desc)];
        self.one_of(name, &orders, checks)
    }

    /// Returns `take` and `skip` of a list without further parameters.
    pub fn page(&self) -> Result<(i64, i64)> {
        let mut checks = Checks::default();
        let page = paging(self, &mut checks);
        checks.finish()?;
        Ok(page)
    }
}

/// Checks a filter by email addresses.
pub fn check_emails(emails: &[String], checks: &mut Checks) {
    if emails.len() > MAX_FILTER_EMAILS {
        let message = format!("must be at most {MAX_FILTER_EMAILS}");
        checks.report("emails", &json!(emails.len()), "arrayMaxSize", &message);
    }
    if let Some(invalid) = emails.iter().find(|email| !is_email(email)) {
        let message = "must be e-mail addresses";
        checks.report("emails", &json!(invalid), "isEmail", message);
    }
}

/// Returns `take` and `skip` of a list.
pub fn paging(query: &Query, checks: &mut Checks) -> (i64, i64) {
    let take = query.page_size("take", checks);
    let skip = query.bounded("skip", 0..=i64::MAX, checks).unwrap_or(0);
    (take.unwrap_or(DEFAULT_PAGE_SIZE), skip)
}
