//! The database can be brought up to date from every earlier version, and keeps what it holds.

use booking_service::store::people::People;
use booking_service::store::{FILE_NAME, MIGRATIONS, Store, availabilities, payments};
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
async fn hours_and_prices_of_before_are_told_by_version_1() {
    let directory = tempfile::tempdir().unwrap();
    let options = SqliteConnectOptions::new()
        .filename(directory.path().join(FILE_NAME))
        .create_if_missing(true);
    let mut connection = SqliteConnection::connect_with(&options).await.unwrap();
    let earlier = sqlx::migrate::Migrator {
        migrations: MIGRATIONS.migrations[..7].to_vec().into(),
        ..sqlx::migrate::Migrator::DEFAULT
    };
    earlier.run(&mut connection).await.unwrap();
    sqlx::raw_sql(
        "INSERT INTO users (id, username, email, time_zone) VALUES (1, 'ada', 'ada@example.org', 'UTC');
         INSERT INTO schedules (id, owner_id, name, time_zone) VALUES (1, 1, 'Hours', 'UTC');
         INSERT INTO schedule_hours (schedule_id, weekday, on_date, from_minute, to_minute) VALUES
             (1, 1, NULL, 540, 1020), (1, 2, NULL, 540, 1020), (1, 3, NULL, 600, 660),
             (1, NULL, '2027-03-29', 540, 1020);
         INSERT INTO event_types (id, owner_id, slug, settings, created_ms)
         VALUES (1, 1, 'paid', '{\"price\": 500, \"currency\": \"eur\"}', 0);
         INSERT INTO bookings (id, uid, event_type_id, title, status, start_ms, end_ms, paid, created_ms, updated_ms)
         VALUES (1, 'one', 1, 'Paid', 'accepted', 1, 2, 1, 0, 0), (2, 'two', 1, 'Free', 'accepted', 1, 2, NULL, 0, 0)",
    )
    .execute(&mut connection)
    .await
    .unwrap();
    connection.close().await.unwrap();

    let store = Store::open(directory.path()).await.unwrap();
    let mut db = store.read().await.unwrap();
    let lines = availabilities::of_schedules(&mut db, &[1]).await.unwrap();
    let days: Vec<_> = lines.iter().map(|line| line.days.as_slice()).collect();
    assert_eq!(days, [&[1, 2][..], &[3], &[]]);
    assert_eq!(lines[2].date.as_deref(), Some("2027-03-29"));
    let payments = payments::list(&mut db, &People::Everybody).await.unwrap();
    assert_eq!(payments.len(), 1);
    assert_eq!(
        (payments[0].amount, payments[0].currency.as_str()),
        (500, "eur")
    );
    assert!(payments[0].success);
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
