//! Payments for bookings. Triggers insert and update them with their bookings.

use booking_store_engine::connection::Db;
use booking_store_engine::sql::{self, QueryBuilder};
use booking_wire::v1::Payment;

use crate::error::Result;
use crate::input_limits::MAX_LIST_ENTRIES;
use crate::store::rows;
use crate::store::user_filter::UserFilter;

#[derive(sqlx::FromRow)]
struct Row {
    id: i64,
    booking_id: i64,
    amount: i64,
    fee: i64,
    currency: String,
    success: i64,
    refunded: i64,
    payment_option: String,
    app_id: Option<String>,
}

impl From<Row> for Payment {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            booking_id: row.booking_id,
            amount: row.amount,
            fee: row.fee,
            currency: row.currency,
            success: row.success == 1,
            refunded: row.refunded == 1,
            payment_option: row.payment_option,
            app_id: row.app_id,
        }
    }
}

const SELECT: &str = "SELECT id, booking_id, amount, fee, currency, success, refunded, \
     payment_option, app_id FROM payments WHERE ";

/// Lists the payments for users' bookings, oldest first.
pub async fn list(db: &mut Db, users: &UserFilter) -> Result<Vec<Payment>> {
    let mut query = QueryBuilder::new(db.database(), SELECT);
    users.push_booking_condition(&mut query, "booking_id");
    query.push(" ORDER BY id");
    let rows: Vec<Row> = rows::unpaged(db, query, MAX_LIST_ENTRIES).await?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// Returns one payment.
pub async fn get(db: &mut Db, id: i64) -> Result<Option<Payment>> {
    let row: Option<Row> = sql::query_as(format!("{SELECT} id = ?"))
        .bind(id)
        .fetch_optional(db)
        .await?;
    Ok(row.map(Into::into))
}

/// Lists the payments for one booking.
pub async fn of_booking(db: &mut Db, booking_id: i64) -> Result<Vec<Payment>> {
    let rows: Vec<Row> = sql::query_as(format!("{SELECT} booking_id = ? ORDER BY id"))
        .bind(booking_id)
        .fetch_all(db)
        .await?;
    Ok(rows.into_iter().map(Into::into).collect())
}
