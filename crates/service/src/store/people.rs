//! Whose things are meant, where somebody may ask for those of several people.

use sqlx::{QueryBuilder, Sqlite};

/// People by their ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum People {
    /// Whoever there is: for those who run the service.
    Everybody,
    /// These.
    These(Vec<i64>),
}

impl People {
    /// Adds the condition that `column` names one of them.
    pub fn narrow(&self, query: &mut QueryBuilder<'_, Sqlite>, column: &str) {
        match self {
            Self::Everybody => {
                query.push("1 = 1");
            }
            Self::These(ids) => {
                query.push(format!("{column} IN (SELECT value FROM json_each("));
                query.push_bind(serde_json::json!(ids).to_string());
                query.push("))");
            }
        }
    }

    /// Adds the condition that `column` names a booking that one of them hosts, or of something
    /// that one of them owns.
    pub fn narrow_bookings(&self, query: &mut QueryBuilder<'_, Sqlite>, column: &str) {
        if matches!(self, Self::Everybody) {
            query.push("1 = 1");
            return;
        }
        query.push(format!(
            "{column} IN (SELECT h.booking_id FROM booking_hosts h WHERE "
        ));
        self.narrow(query, "h.user_id");
        query.push(
            " UNION SELECT b.id FROM bookings b JOIN event_types e ON e.id = b.event_type_id WHERE ",
        );
        self.narrow(query, "e.owner_id");
        query.push(")");
    }
}
