//! Reads of many rows as one, and lists of values in a query.

use booking_store_engine::connection::Db;
use booking_store_engine::sql::{self, QueryBuilder, Row, Sql};
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};

/// Statement that selects rows as one JSON array of arrays: their columns, optionally ` ORDER BY …`, and the rest from
/// `FROM` on.
macro_rules! json_rows {
    ($columns:literal, $rest:literal) => {
        $crate::store::rows::json_rows!($columns, "", $rest)
    };
    ($columns:literal, $order:literal, $rest:literal) => {
        ::booking_store_engine::sql::by_database(
            concat!(
                "SELECT json_group_array(json_array(",
                $columns,
                ")",
                $order,
                ") ",
                $rest
            ),
            concat!(
                "SELECT coalesce(json_agg(json_build_array(",
                $columns,
                ")",
                $order,
                "), '[]')::text ",
                $rest
            ),
        )
    };
}
pub(crate) use json_rows;

/// Returns the rows of a statement by [`json_rows`], in the order of `T`'s fields. `parameter` is its only parameter.
///
/// The driver runs on another thread, and fetching row by row switches threads for each row: for
/// the hundreds of rows of a month or a page, that takes longer than finding them.
#[track_caller]
pub(crate) fn read_rows<'a, T: DeserializeOwned>(
    db: &'a mut Db,
    sql: Sql,
    parameter: &'a str,
) -> impl Future<Output = Result<Vec<T>>> + use<'a, T> {
    // Outside of the future, so that the caller names the statement.
    let statement = sql::query_scalar::<String>(sql).bind(parameter);
    async move { Ok(serde_json::from_str(&statement.fetch_one(db).await?)?) }
}

/// Adds ids, separated by commas. PostgreSQL has no empty list.
pub(crate) fn push_ids(query: &mut QueryBuilder<'_>, ids: &[i64]) {
    if ids.is_empty() {
        query.push("SELECT 0 WHERE 1 = 0");
    }
    let mut list = query.separated(", ");
    for id in ids {
        list.push_bind(*id);
    }
}

/// Adds the condition that `column` is one of the e-mail addresses, in any case, if there are any.
pub(crate) fn push_emails(query: &mut QueryBuilder<'_>, column: &str, emails: &[String]) {
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
pub(crate) async fn unpaged<T: Row>(
    db: &mut Db,
    mut query: QueryBuilder<'_>,
    max_rows: usize,
) -> Result<Vec<T>> {
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
