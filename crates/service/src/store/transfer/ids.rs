//! Ids of deleted rows, which new rows do not get in the other database either.

use booking_store_engine::connection::{Database, Db};
use booking_store_engine::schema::align_ids;
use booking_store_engine::sql::{self, by_database};

/// Returns the largest id that each table has ever had.
pub(super) async fn last_ids(db: &mut Db) -> Result<Vec<(String, i64)>, sqlx::Error> {
    sql::query_as(by_database(
        "SELECT name, CAST(seq AS BIGINT) FROM sqlite_sequence",
        "WITH c AS MATERIALIZED (
            SELECT table_name::text, pg_get_serial_sequence(quote_ident(table_name), 'id')::regclass AS ids
            FROM information_schema.columns
            WHERE table_schema = current_schema() AND column_name = 'id' AND is_identity = 'YES'
         ) SELECT table_name, pg_sequence_last_value(ids) FROM c WHERE pg_sequence_last_value(ids) IS NOT NULL",
    ))
    .fetch_all(db)
    .await
}

/// Makes new rows have larger ids than those of `last_ids` and of all rows. A rollback does not undo it in PostgreSQL.
pub(super) async fn continue_after(
    db: &mut Db,
    last_ids: &[(String, i64)],
) -> Result<(), sqlx::Error> {
    align_ids(db).await?;
    for (table, id) in last_ids {
        sql::query(by_database(
            "UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1",
            "WITH c AS MATERIALIZED (
                SELECT pg_get_serial_sequence(quote_ident(table_name), 'id')::regclass AS ids
                FROM information_schema.columns WHERE table_schema = current_schema()
                  AND table_name = ?1 AND column_name = 'id' AND is_identity = 'YES'
             ) SELECT setval(ids, ?2) FROM c WHERE ?2 > coalesce(pg_sequence_last_value(ids), 0)",
        ))
        .bind(table)
        .bind(id)
        .execute(db)
        .await?;
        if db.database() == Database::Sqlite {
            // A table that never had rows is not listed.
            sql::query(
                "INSERT INTO sqlite_sequence (name, seq) SELECT ?1, ?2
                 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)
                   AND EXISTS (SELECT 1 FROM sqlite_master WHERE name = ?1 AND sql LIKE '%AUTOINCREMENT%')",
            )
            .bind(table)
            .bind(id)
            .execute(db)
            .await?;
        }
    }
    Ok(())
}
