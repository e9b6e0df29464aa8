//! What is asked for bookings. Payments come and change with their bookings, by triggers.

use booking_wire::v1::Payment;
use sqlx::QueryBuilder;

use crate::error::Result;
use crate::input_limits::MAX_LIST_ENTRIES;
use crate::store::connection::Db;
use crate::store::people::People;
use crate::store::rows;

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

/// The payments for people's bookings, oldest first.
pub async fn list(db: &mut Db, whose: &People) -> Result<Vec<Payment>> {
    let mut query = QueryBuilder::new(SELECT);
    whose.narrow_bookings(&mut query, "booking_id");
    query.push(" ORDER BY id");
    let rows: Vec<Row> = rows::unpaged(db, query, MAX_LIST_ENTRIES).await?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// One payment.
pub async fn get(db: &mut Db, id: i64) -> Result<Option<Payment>> {
    let row: Option<Row> = sqlx::query_as(&format!("{SELECT} id = ?"))
        .bind(id)
        .fetch_optional(db)
        .await?;
    Ok(row.map(Into::into))
}

/// The payments for one booking.
pub async fn of_booking(db: &mut Db, booking_id: i64) -> Result<Vec<Payment>> {
    let rows: Vec<Row> = sqlx::query_as(&format!("{SELECT} booking_id = ? ORDER BY id"))
        .bind(booking_id)
        .fetch_all(db)
        .await?;
    Ok(rows.into_iter().map(Into::into).collect())
}
