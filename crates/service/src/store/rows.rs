//! Reads of many rows as one, and lists of values in a query.

use serde::de::DeserializeOwned;
use sqlx::sqlite::SqliteRow;
use sqlx::{FromRow, QueryBuilder, Sqlite};

use crate::error::{Error, Result};
use crate::store::connection::Db;

/// Returns the rows of a statement that selects one JSON array of arrays, each in the order of
/// `T`'s fields. `parameter` is the only parameter of the statement.
///
/// The driver runs on another thread, and fetching row by row switches threads for each row: for
/// the hundreds of rows of a month or a page, that takes longer than finding them.
pub(super) async fn read_rows<T: DeserializeOwned>(
    db: &mut Db,
    sql: &'static str,
    parameter: &str,
) -> Result<Vec<T>> {
    let text: String = sqlx::query_scalar(sql)
        .bind(parameter)
        .fetch_one(db)
        .await?;
    Ok(serde_json::from_str(&text)?)
}

/// Adds ids, separated by commas.
pub(super) fn push_ids(query: &mut QueryBuilder<'_, Sqlite>, ids: &[i64]) {
    let mut list = query.separated(", ");
    for id in ids {
        list.push_bind(*id);
    }
}

/// Adds the condition that `column` is one of the e-mail addresses, in any case, if there are any.
pub(super) fn push_emails(query: &mut QueryBuilder<'_, Sqlite>, column: &str, emails: &[String]) {
    if emails.is_empty() {
        return;
    }
    query.push(format!(" AND lower({column}) IN ("));
    let mut list = query.separated(", ");
    for email in emails {
        list.push_bind(email.to_lowercase());
    }
    query.push(")");
}

/// Returns all rows of a list without pages.
///
/// # Errors
///
/// [`Error::BadRequest`] if there are more than `max_rows`: one more than that is read.
pub(super) async fn unpaged<T>(
    db: &mut Db,
    mut query: QueryBuilder<'_, Sqlite>,
    max_rows: usize,
) -> Result<Vec<T>>
where
    T: for<'row> FromRow<'row, SqliteRow> + Send + Unpin,
{
    let limit = i64::try_from(max_rows)
        .unwrap_or(i64::MAX)
        .saturating_add(1);
    query.push(" LIMIT ").push_bind(limit);
    let rows: Vec<T> = query.build_query_as().fetch_all(db).await?;
    if rows.len() > max_rows {
        return Err(Error::list_too_long(max_rows));
    }
    Ok(rows)
}
