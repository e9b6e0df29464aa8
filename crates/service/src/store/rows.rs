//! Reading many rows at once.

use serde::de::DeserializeOwned;
use sqlx::sqlite::SqliteRow;
use sqlx::{FromRow, QueryBuilder, Sqlite};

use crate::error::{Error, Result};
use crate::store::connection::Db;

/// All rows of a statement that puts them into one JSON array of arrays, each in the order of
/// `T`'s fields. `parameter` is its only one.
///
/// Row by row, a driver that lives on a thread of its own switches threads for each: for the
/// hundreds of rows of a month or a page that takes longer than finding them.
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

/// All rows of a list without pages, which `query` reads.
///
/// # Errors
///
/// [`Error::BadRequest`] if there are more than `most`: one more than that is read.
pub(super) async fn unpaged<T>(
    db: &mut Db,
    mut query: QueryBuilder<'_, Sqlite>,
    most: usize,
) -> Result<Vec<T>>
where
    T: for<'row> FromRow<'row, SqliteRow> + Send + Unpin,
{
    let limit = i64::try_from(most).unwrap_or(i64::MAX).saturating_add(1);
    query.push(" LIMIT ").push_bind(limit);
    let rows: Vec<T> = query.build_query_as().fetch_all(db).await?;
    if rows.len() > most {
        return Err(Error::too_many(most));
    }
    Ok(rows)
}
