//! Version 1 of the API (deprecated): one client for its fifteen resources.
//!
//! A [`Resource`] has the names and record types of one of them; everything else is shared. The elements use
//! none of it, so their bundles contain none of it.

use std::marker::PhantomData;

use booking_wire::v1::{
    Attendee, AttendeeInput, Availability, AvailabilityInput, Booking, BookingChanges,
    BookingReference, BookingReferenceInput, Credential, CredentialInput, DestinationCalendar,
    DestinationCalendarInput, EventType, EventTypeInput, Failure, Membership, MembershipInput,
    NewBooking, Payment, Schedule, ScheduleInput, SelectedCalendar, SelectedCalendarInput, Slot,
    Team, TeamInput, User, UserInput, Webhook, WebhookInput, find_key, read_wrapped,
};
use booking_wire::{JsonMap, Read};
use gloo_net::http::{Headers, Method, RequestBuilder};
use serde::Serialize;
use serde_json::Value;
use web_sys::{ReferrerPolicy, RequestCache, RequestCredentials, RequestRedirect};

use super::bookings::percent_encode;
use crate::client::error::{ApiError, DeclineReason};
use crate::client::http::abort::Abort;
use crate::client::http::fetch::{HttpResponse, fetch};

/// Query parameters.
pub type Query = [(&'static str, String)];

/// Resource with records read as `T`, created from an `I` and changed by a `C`.
#[derive(Debug)]
pub struct Resource<T = JsonMap, I = JsonMap, C = I> {
    /// Name in paths.
    pub name: &'static str,
    /// Response key of one record.
    one: &'static str,
    /// Response key of a list.
    many: &'static str,
    /// Record keys that form its id.
    ids: &'static [&'static str],
    /// Query parameters that replace the id in the path, in the order of `ids`.
    named_by: &'static [&'static str],
    /// Path suffix of a removal.
    removed_at: &'static str,
    types: PhantomData<fn(I, C) -> T>,
}

impl<T, I, C> Clone for Resource<T, I, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, I, C> Copy for Resource<T, I, C> {}

impl<T, I, C> Resource<T, I, C> {
    const fn new(name: &'static str, one: &'static str, many: &'static str) -> Self {
        Self {
            name,
            one,
            many,
            ids: &["id"],
            named_by: &[],
            removed_at: "",
            types: PhantomData,
        }
    }

    const fn known_by(mut self, ids: &'static [&'static str]) -> Self {
        self.ids = ids;
        self
    }

    /// Returns the same resource with untyped records.
    pub const fn bare(self) -> Resource {
        Resource {
            name: self.name,
            one: self.one,
            many: self.many,
            ids: self.ids,
            named_by: self.named_by,
            removed_at: self.removed_at,
            types: PhantomData,
        }
    }

    /// Returns a record's id for paths; `None` if a part is missing.
    pub fn id_of(&self, record: &JsonMap) -> Option<String> {
        if self.ids.is_empty() {
            return None;
        }
        let parts = self
            .ids
            .iter()
            .map(|key| record.get(*key).and_then(String::read));
        Some(parts.collect::<Option<Vec<_>>>()?.join("_"))
    }

    /// Returns the format of ids with several parts, such as `userId_teamId`; else an empty text.
    pub fn id_parts(&self) -> String {
        match (self.ids, self.named_by) {
            ([] | [_], _) => String::new(),
            (ids, []) => ids.join("_"),
            (_, named_by) => named_by.join("_"),
        }
    }

    /// Returns true if query parameters replace the id in the path.
    pub const fn is_named_by_query(&self) -> bool {
        !self.named_by.is_empty()
    }

    /// Adds the id parts to a record that the query contained instead.
    fn complete(&self, record: &mut Value, query: &Query) {
        let Value::Object(record) = record else {
            return;
        };
        for (name, given) in query
            .iter()
            .filter(|(name, _)| self.named_by.contains(name))
        {
            record.insert((*name).to_owned(), Value::String(given.clone()));
        }
    }

    /// Returns path and query of a record.
    fn path_and_query(&self, id: &str) -> (String, Vec<(&'static str, String)>) {
        if self.named_by.is_empty() {
            return (format!("{}/{}", self.name, percent_encode(id)), Vec::new());
        }
        let parts = id.split('_').map(str::to_owned);
        let query = self.named_by.iter().copied().zip(parts).collect();
        (self.name.to_owned(), query)
    }
}

/// Attendees of bookings.
pub const ATTENDEES: Resource<Attendee, AttendeeInput> =
    Resource::new("attendees", "attendee", "attendees");
/// Availabilities of schedules. No list: schedules contain them.
pub const AVAILABILITIES: Resource<Availability, AvailabilityInput> =
    Resource::new("availabilities", "availability", "");
/// Ids of bookings in other systems.
pub const BOOKING_REFERENCES: Resource<BookingReference, BookingReferenceInput> = Resource::new(
    "booking-references",
    "booking_reference",
    "booking_references",
);
/// Bookings. No list; they are cancelled, not deleted.
pub const BOOKINGS: Resource<Booking, NewBooking, BookingChanges> = Resource {
    removed_at: "/cancel",
    ..Resource::new("bookings", "booking", "")
};
/// Credentials of connected apps, of the user in the parameter `userId`. The API has no read of a single one.
pub const CREDENTIALS: Resource<Credential, CredentialInput> = Resource {
    named_by: &["userId", "credentialId"],
    ..Resource::new("credential-sync", "credential", "credentials").known_by(&["userId", "id"])
};
/// Calendars into which other programs write bookings.
pub const DESTINATION_CALENDARS: Resource<DestinationCalendar, DestinationCalendarInput> =
    Resource::new(
        "destination-calendars",
        "destinationCalendar",
        "destinationCalendars",
    );
/// Event types.
pub const EVENT_TYPES: Resource<EventType, EventTypeInput> =
    Resource::new("event-types", "event_type", "event_types");
/// Memberships of teams.
pub const MEMBERSHIPS: Resource<Membership, MembershipInput> =
    Resource::new("memberships", "membership", "memberships").known_by(&["userId", "teamId"]);
/// Payments for bookings.
pub const PAYMENTS: Resource<Payment, ()> = Resource::new("payments", "payment", "payments");
/// Schedules.
pub const SCHEDULES: Resource<Schedule, ScheduleInput> =
    Resource::new("schedules", "schedule", "schedules");
/// Calendars that other programs check for busy times.
pub const SELECTED_CALENDARS: Resource<SelectedCalendar, SelectedCalendarInput> = Resource::new(
    "selected-calendars",
    "selected_calendar",
    "selected_calendars",
)
.known_by(&["userId", "integration", "externalId"]);
/// Slots: list only.
pub const SLOTS: Resource<Slot, ()> = Resource::new("slots", "", "slots").known_by(&[]);
/// Teams.
pub const TEAMS: Resource<Team, TeamInput> = Resource::new("teams", "team", "teams");
/// Users.
pub const USERS: Resource<User, UserInput> = Resource::new("users", "user", "users");
/// Webhook subscriptions.
pub const WEBHOOKS: Resource<Webhook, WebhookInput> =
    Resource::new("webhooks", "webhook", "webhooks");

/// API client with an API key. Deliberately without `Debug`.
pub struct Records {
    base_url: String,
    key: String,
}

impl Records {
    /// Creates a client for the service at `base_url`, which has no trailing slash.
    pub fn new(base_url: &str, key: &str) -> Self {
        Self {
            base_url: base_url.to_owned(),
            key: key.to_owned(),
        }
    }

    /// Returns the base URL of the service.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Lists the records that match `query`.
    pub async fn list<T: Read, I, C>(
        &self,
        of: Resource<T, I, C>,
        query: &Query,
        abort: Abort,
    ) -> Result<Vec<T>, ApiError> {
        let response = self.send(Method::GET, of.name, query, None, &abort).await?;
        let mut items = items(response, of.many).ok_or(UNREADABLE)?;
        items.iter_mut().for_each(|item| of.complete(item, query));
        Ok(items.iter().filter_map(T::read).collect())
    }

    /// Loads one record; from the list if the API has no read of a single one.
    pub async fn find<T: Read, I, C>(
        &self,
        of: Resource<T, I, C>,
        id: &str,
        abort: Abort,
    ) -> Result<T, ApiError> {
        let (path, query) = of.path_and_query(id);
        let Some((first, _)) = query.split_first() else {
            let response = self.send(Method::GET, &path, &[], None, &abort).await?;
            return read_wrapped(&response, of.one).ok_or(UNREADABLE);
        };
        let bare: Resource = of.bare();
        let records = self.list(bare, std::slice::from_ref(first), abort).await?;
        let found = records
            .into_iter()
            .find(|record| bare.id_of(record).as_deref() == Some(id));
        found
            .and_then(|record| T::read(&Value::Object(record)))
            .ok_or(ApiError::Declined(DeclineReason::NotFound))
    }

    /// Loads a list below a record, such as the recordings of a booking.
    pub async fn belonging<T: Read, I, C>(
        &self,
        of: Resource<T, I, C>,
        id: &str,
        path: &str,
        key: &str,
        abort: Abort,
    ) -> Result<Vec<Value>, ApiError> {
        let (record, query) = of.path_and_query(id);
        let path = format!("{record}/{path}");
        let response = self.send(Method::GET, &path, &query, None, &abort).await?;
        items(response, key).ok_or(UNREADABLE)
    }

    /// Creates a record. Not retried after an unclear failure: it may have succeeded.
    pub async fn create<T: Read, I: Serialize, C>(
        &self,
        of: Resource<T, I, C>,
        query: &Query,
        input: &I,
        abort: Abort,
    ) -> Result<T, ApiError> {
        let body = Some(to_json(input));
        let response = self
            .send(Method::POST, of.name, query, body, &abort)
            .await?;
        let mut created: Value = read_wrapped(&response, of.one).ok_or(UNREADABLE)?;
        of.complete(&mut created, query);
        T::read(&created).ok_or(UNREADABLE)
    }

    /// Changes the keys in `changes`. The record may have another id afterwards.
    pub async fn change<T: Read, I, C: Serialize>(
        &self,
        of: Resource<T, I, C>,
        id: &str,
        changes: &C,
        abort: Abort,
    ) -> Result<T, ApiError> {
        let (path, query) = of.path_and_query(id);
        let body = Some(to_json(changes));
        let response = self
            .send(Method::PATCH, &path, &query, body, &abort)
            .await?;
        read_wrapped(&response, of.one).ok_or(UNREADABLE)
    }

    /// Removes a record.
    pub async fn remove<T, I, C>(
        &self,
        of: Resource<T, I, C>,
        id: &str,
        query: &Query,
        abort: Abort,
    ) -> Result<(), ApiError> {
        let (mut path, mut all_parameters) = of.path_and_query(id);
        path.push_str(of.removed_at);
        all_parameters.extend_from_slice(query);
        self.send(Method::DELETE, &path, &all_parameters, None, &abort)
            .await?;
        Ok(())
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        query: &Query,
        body: Option<String>,
        abort: &Abort,
    ) -> Result<Value, ApiError> {
        let headers = Headers::new();
        headers.set("Accept", "application/json");
        if body.is_some() {
            headers.set("Content-Type", "application/json");
        }
        let given = query.iter().map(|(name, value)| (*name, value.as_str()));
        let request = RequestBuilder::new(&format!("{}/v1/{path}", self.base_url))
            .method(method)
            .headers(headers)
            .query(given.chain([("apiKey", self.key.as_str())]))
            .cache(RequestCache::NoStore)
            .credentials(RequestCredentials::Omit)
            .redirect(RequestRedirect::Error)
            // The URL contains the key.
            .referrer_policy(ReferrerPolicy::NoReferrer)
            .abort_signal(abort.signal().as_ref());
        let request = match body {
            Some(body) => request.body(body),
            None => request.build(),
        };
        let response = fetch(request, None).await;
        abort.settle();
        let response = response.ok_or(ApiError::Unreachable)?;
        match response {
            HttpResponse {
                body: Some(body), ..
            } if (200..300).contains(&response.status) => Ok(body),
            response => Err(error_of(response)),
        }
    }
}

const UNREADABLE: ApiError = ApiError::Unexpected {
    status: 200,
    request_id: None,
};

/// Wire types have text keys and finite numbers: serialising them cannot fail.
fn to_json<I: Serialize>(input: &I) -> String {
    serde_json::to_string(input).unwrap_or_default()
}

/// Extracts the items of a list: under `key` in either spelling, without a key, or in one list per date.
fn items(response: Value, key: &str) -> Option<Vec<Value>> {
    let listed = match response {
        Value::Object(mut response) => {
            let name = find_key(&response, key)?.to_owned();
            response.remove(&name)?
        }
        bare => bare,
    };
    match listed {
        Value::Array(items) => Some(items),
        Value::Object(lists) => {
            let lists = lists.into_values().map(|list| match list {
                Value::Array(items) => Some(items),
                _ => None,
            });
            Some(lists.collect::<Option<Vec<_>>>()?.concat())
        }
        _ => None,
    }
}

fn error_of(response: HttpResponse) -> ApiError {
    let failure = response.body.as_ref().and_then(Failure::read);
    match (response.status, failure) {
        (400 | 409 | 422, Some(failure)) => {
            let text = failure.text().to_owned();
            let field_errors = failure.data.unwrap_or_default();
            let field_errors: Vec<_> = field_errors
                .into_iter()
                .map(|error| (error.property, error.message))
                .collect();
            ApiError::Declined(match field_errors.is_empty() {
                true => DeclineReason::Invalid(text),
                false => DeclineReason::InvalidProperties(text, field_errors),
            })
        }
        _ => ApiError::from_response(
            response.status,
            response.body,
            response.request_id,
            response.wait_s,
            false,
        ),
    }
}

/// Returns true if the outcome of a failed change request is unknown.
pub fn is_unclear(error: &ApiError) -> bool {
    match error {
        ApiError::Unreachable => true,
        ApiError::Unexpected { status, .. } => *status < 400 || *status >= 500,
        ApiError::Declined(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn record(value: Value) -> JsonMap {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn resource_id_of_returns_declared_keys() {
        let record = record(
            json!({"id": 4, "userId": 7, "teamId": "3", "integration": "own_calendar",
            "externalId": "a_b"}),
        );
        assert_eq!(TEAMS.id_of(&record).as_deref(), Some("4"));
        assert_eq!(MEMBERSHIPS.id_of(&record).as_deref(), Some("7_3"));
        assert_eq!(
            SELECTED_CALENDARS.id_of(&record).as_deref(),
            Some("7_own_calendar_a_b")
        );
        assert_eq!(CREDENTIALS.id_of(&record).as_deref(), Some("7_4"));
        assert_eq!(WEBHOOKS.id_of(&JsonMap::new()), None);
        let query = vec![("userId", "7".to_owned()), ("credentialId", "4".to_owned())];
        let expected = ("credential-sync".to_owned(), query);
        assert_eq!(CREDENTIALS.path_and_query("7_4"), expected);
    }

    #[test]
    fn items_any_list_shape_returns_items() {
        let listed = [
            json!({"teams": [1, 2]}),
            json!([1, 2]),
            json!({"teams": {"2027-03-08": [1], "2027-03-09": [2]}}),
        ];
        for response in listed {
            assert_eq!(
                items(response.clone(), "teams"),
                Some(vec![json!(1), json!(2)]),
                "{response}"
            );
        }
        for response in [
            json!({}),
            json!(4),
            json!({"teams": 4}),
            json!({"teams": {"a": 1}}),
        ] {
            assert_eq!(items(response.clone(), "teams"), None, "{response}");
        }
    }

    #[test]
    fn destination_calendar_either_spelling_parses() {
        let calendar = json!({"id": 4, "integration": "google_calendar", "externalId": "a@b.c"});
        let DestinationCalendar { id, .. } = DestinationCalendar::read(&calendar).unwrap();
        for (one, many) in [
            ("destinationCalendar", "destinationCalendars"),
            ("destination_calendar", "destination_calendars"),
        ] {
            let listed = json!({ many: [calendar] });
            assert_eq!(
                items(listed, DESTINATION_CALENDARS.many),
                Some(vec![calendar.clone()])
            );
            let found: DestinationCalendar =
                read_wrapped(&json!({ one: calendar }), DESTINATION_CALENDARS.one).unwrap();
            assert_eq!(found.id, id, "{one}");
            assert_eq!(found.integration, "google_calendar");
            // The form shows the record as it was received.
            let record: JsonMap =
                read_wrapped(&json!({ one: calendar }), DESTINATION_CALENDARS.one).unwrap();
            assert_eq!(Value::Object(record), calendar);
        }
    }

    #[test]
    fn error_of_version_1_failure_returns_api_error() {
        let error = |status, body: Value| {
            error_of(HttpResponse {
                status,
                request_id: None,
                wait_s: None,
                date: None,
                body: Some(body),
            })
        };
        let declined = ApiError::Declined;
        let field_errors = vec![("name".to_owned(), "is required".to_owned())];
        for (status, body, expected) in [
            (
                400,
                json!({"message": "no"}),
                declined(DeclineReason::Invalid("no".to_owned())),
            ),
            (
                400,
                json!({"message": "no", "data": [{"property": "name", "message": "is required"}]}),
                declined(DeclineReason::InvalidProperties(
                    "no".to_owned(),
                    field_errors,
                )),
            ),
            (
                401,
                json!({"error": "unknown key"}),
                declined(DeclineReason::SignInNeeded),
            ),
            (
                403,
                json!({"message": "no"}),
                declined(DeclineReason::Forbidden),
            ),
            (
                404,
                json!({"message": "no"}),
                declined(DeclineReason::NotFound),
            ),
            (
                429,
                json!({"message": "no"}),
                declined(DeclineReason::TooMany { wait_s: None }),
            ),
        ] {
            assert_eq!(error(status, body.clone()), expected, "{body}");
        }
        let down = error(500, json!({"message": "no"}));
        assert!(is_unclear(&down) && is_unclear(&ApiError::Unreachable));
        assert!(!is_unclear(&declined(DeclineReason::NotFound)));
    }
}
