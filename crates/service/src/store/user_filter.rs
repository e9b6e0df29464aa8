//! Filter of users for lists of their data.

use booking_store_engine::sql::QueryBuilder;

/// Users whose data is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UserFilter {
    /// All users: for administrators of the service.
    All,
    /// Users with these ids.
    Ids(Vec<i64>),
}

impl UserFilter {
    /// Adds the condition that `column` is the id of one of the users.
    pub fn push_user_condition(&self, query: &mut QueryBuilder<'_>, column: &str) {
        match self {
            Self::All => {
                query.push("1 = 1");
            }
            Self::Ids(ids) => {
                query.push(format!("{column} IN (SELECT value FROM json_each("));
                query.push_bind(serde_json::json!(ids).to_string());
                query.push("))");
            }
        }
    }

    /// Adds the condition that `column` is the id of a booking that one of the users hosts, or
    /// whose event type one of them owns.
    pub fn push_booking_condition(&self, query: &mut QueryBuilder<'_>, column: &str) {
        if matches!(self, Self::All) {
            query.push("1 = 1");
            return;
        }
        query.push(format!(
            "{column} IN (SELECT h.booking_id FROM booking_hosts h WHERE "
        ));
        self.push_user_condition(query, "h.user_id");
        query.push(
            " UNION SELECT b.id FROM bookings b JOIN event_types e ON e.id = b.event_type_id WHERE ",
        );
        self.push_user_condition(query, "e.owner_id");
        query.push(")");
    }
}
