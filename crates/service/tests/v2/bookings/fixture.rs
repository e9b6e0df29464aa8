//! Bookings inserted directly into the database: with any status, start, seats or series.

use std::sync::atomic::{AtomicI64, Ordering};

use booking_wire::Instant;

use crate::common::{HOST, Service};

/// Builder of a booking. Default: 30 minutes by Zoë with `HOST`, Tuesday 2027-03-02 at 09:00Z.
#[derive(Clone, Debug)]
pub struct BookingFixture {
    event_type_id: i64,
    status: String,
    start: String,
    title: String,
    series_uid: Option<String>,
    hosts: Vec<i64>,
    seats: Vec<String>,
    addresses: Vec<String>,
}

impl BookingFixture {
    pub fn new(event_type_id: i64) -> Self {
        Self {
            event_type_id,
            status: "accepted".into(),
            start: "2027-03-02T09:00:00Z".into(),
            title: "Talk".into(),
            series_uid: None,
            hosts: vec![HOST],
            seats: Vec::new(),
            addresses: Vec::new(),
        }
    }

    pub fn status(mut self, status: &str) -> Self {
        self.status = status.into();
        self
    }

    pub fn at(mut self, start: &str) -> Self {
        self.start = start.into();
        self
    }

    pub fn titled(mut self, title: &str) -> Self {
        self.title = title.into();
        self
    }

    pub fn in_series(mut self, uid: &str) -> Self {
        self.series_uid = Some(uid.into());
        self
    }

    pub fn hosts(mut self, hosts: &[i64]) -> Self {
        self.hosts = hosts.to_vec();
        self
    }

    /// One attendee per seat, with the seat's uid as name and local part of the address.
    pub fn seats(mut self, uids: &[&str]) -> Self {
        self.seats = uids.iter().map(|uid| (*uid).to_owned()).collect();
        self.addresses = self.seats.clone();
        self
    }

    /// Sets the local parts of the seat holders' email addresses.
    pub fn with_addresses(mut self, addresses: &[&str]) -> Self {
        self.addresses = addresses.iter().map(|name| (*name).to_owned()).collect();
        self
    }

    /// Stores the booking and returns its uid.
    pub async fn store(self, service: &Service) -> String {
        static NEXT_ID: AtomicI64 = AtomicI64::new(0);
        let uid = format!("made{}", NEXT_ID.fetch_add(1, Ordering::Relaxed));
        let start = Instant::parse(&self.start).unwrap();
        let end = start.plus_minutes(30);
        let series = self
            .series_uid
            .map_or("NULL".to_owned(), |uid| format!("'{uid}'"));
        let seated = i64::from(!self.seats.is_empty());
        let holds = i64::from(self.status == "accepted");
        let mut sql = format!(
            "INSERT INTO bookings (uid, series_uid, event_type_id, team_id, title, status, start_ms, end_ms, seated,
                 seats, responses, ics_uid, created_ms, updated_ms)
             SELECT '{uid}', {series}, id, team_id, '{}', '{}', {}, {}, {seated}, {}, '{{\"name\": \"Zoë\"}}',
                 '{uid}@booking', 0, 0
             FROM event_types WHERE id = {};",
            self.title,
            self.status,
            start.0,
            end.0,
            if seated == 1 { "3" } else { "NULL" },
            self.event_type_id,
        );
        for host in &self.hosts {
            sql.push_str(&format!(
                "INSERT INTO booking_hosts (booking_id, user_id, start_ms, end_ms, holds)
                 SELECT id, {host}, start_ms, end_ms, {holds} FROM bookings WHERE uid = '{uid}';"
            ));
        }
        if self.seats.is_empty() {
            sql.push_str(&format!(
                "INSERT INTO attendees (booking_id, name, email, time_zone, language)
                 SELECT id, 'Zoë', 'zoe@example.org', 'Europe/Rome', 'en' FROM bookings WHERE uid = '{uid}';"
            ));
        }
        for (seat, address) in self.seats.iter().zip(&self.addresses) {
            sql.push_str(&format!(
                "INSERT INTO attendees (booking_id, name, email, time_zone, language, seat_uid, responses)
                 SELECT id, '{address}', '{address}@example.org', 'Europe/Rome', 'en', '{seat}', '{{}}'
                 FROM bookings WHERE uid = '{uid}';"
            ));
        }
        service.sql(&sql).await;
        uid
    }
}
