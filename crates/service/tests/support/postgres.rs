//! Databases of a PostgreSQL server that `BOOKING_TEST_POSTGRES` names, such as
//! `postgres://postgres@localhost/?host=/run/postgresql`. Tests without it use SQLite.

use std::sync::atomic::{AtomicU32, Ordering};

use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection, PgConnection};

/// A database that ends with its test.
#[derive(Debug)]
pub struct TestDatabase {
    server: PgConnectOptions,
    pub name: String,
    /// Address for the service.
    pub url: String,
}

impl TestDatabase {
    /// Creates a database, as a copy of `template` if there is one; none if the tests use SQLite.
    pub async fn create(template: Option<&Self>) -> Option<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let server = std::env::var("BOOKING_TEST_POSTGRES").ok()?;
        let name = format!(
            "booking_{}_{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        let template = template.map_or("template0", |template| &template.name);
        let options: PgConnectOptions = server.parse().unwrap();
        run(
            &options,
            &format!("CREATE DATABASE {name} TEMPLATE {template}"),
        )
        .await;
        let (base, query) = server.split_once('?').unwrap_or((&server, ""));
        let base = base.trim_end_matches('/');
        let url = format!("{base}/{name}?{query}");
        Some(Self {
            server: options,
            name,
            url,
        })
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let (server, name) = (self.server.clone(), self.name.clone());
        // A test drops it inside its own runtime, which must not block.
        let dropped = std::thread::spawn(move || {
            tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap()
                .block_on(run(&server, &format!("DROP DATABASE {name} WITH (FORCE)")));
        });
        let _ = dropped.join();
    }
}

async fn run(server: &PgConnectOptions, statement: &str) {
    let options = server.clone().database("postgres");
    let mut db = PgConnection::connect_with(&options).await.unwrap();
    sqlx::raw_sql(sqlx::AssertSqlSafe(statement))
        .execute(&mut db)
        .await
        .unwrap();
    db.close().await.unwrap();
}
