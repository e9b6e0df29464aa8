//! The database can be brought up to date from every earlier version, and keeps what it holds.

use booking_service::store::{FILE_NAME, MIGRATIONS, Store};
use sqlx::Connection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};

#[tokio::test]
async fn every_earlier_version_can_be_brought_up_to_date() {
    let versions = MIGRATIONS.migrations.len();
    assert!(versions >= 3);
    for applied in 0..=versions {
        let directory = tempfile::tempdir().unwrap();
        let options = SqliteConnectOptions::new()
            .filename(directory.path().join(FILE_NAME))
            .create_if_missing(true);
        let mut connection = SqliteConnection::connect_with(&options).await.unwrap();
        let earlier = sqlx::migrate::Migrator {
            migrations: MIGRATIONS.migrations[..applied].to_vec().into(),
            ..sqlx::migrate::Migrator::DEFAULT
        };
        earlier.run(&mut connection).await.unwrap();
        if applied > 0 {
            sqlx::query("INSERT INTO organizations (id, name, slug) VALUES (7, 'Kept', 'kept')")
                .execute(&mut connection)
                .await
                .unwrap();
        }
        connection.close().await.unwrap();

        let store = Store::open(directory.path()).await.unwrap();
        let mut db = store.read().await.unwrap();
        let kept: i64 = sqlx::query_scalar("SELECT count(*) FROM organizations WHERE id = 7")
            .fetch_one(&mut *db)
            .await
            .unwrap();
        assert_eq!(kept, i64::from(applied > 0));
        let bookings: i64 = sqlx::query_scalar("SELECT count(*) FROM bookings")
            .fetch_one(&mut *db)
            .await
            .unwrap();
        assert_eq!(bookings, 0);
    }
}

#[tokio::test]
async fn the_database_writes_durably_and_keeps_references_whole() {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(directory.path()).await.unwrap();
    let mut transaction = store.begin().await.unwrap();
    for (pragma, expected) in [
        ("journal_mode", "wal"),
        ("synchronous", "2"),
        ("foreign_keys", "1"),
    ] {
        let sql = format!("SELECT CAST({pragma} AS TEXT) FROM pragma_{pragma}");
        let value: String = sqlx::query_scalar(&sql)
            .fetch_one(&mut *transaction)
            .await
            .unwrap();
        assert_eq!(value, expected, "{pragma}");
    }
}
