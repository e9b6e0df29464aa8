//! Rule for authors of migrations: one that takes away what earlier versions use says so in `schema_compatibility`.

use std::collections::HashSet;

use sqlx::migrate::Migrator;

use super::{MIGRATIONS, POSTGRES_MIGRATIONS};

/// Migration that creates the table.
const FIRST: i64 = 19;

/// Beginning of the statement that raises the value; then a number.
const RAISE: &str = "update schema_compatibility set oldest_version = ";

/// Comment of a migration that looks like one that earlier versions do not work with, and why it is not: SQLite, for
/// example, creates tables again to change a condition.
const EXCEPTION: &str = "-- Earlier versions may go on: ";

/// Words of statements after which an earlier version may fail.
const CONTRACTING: [&str; 17] = [
    "drop table",
    "drop column",
    "drop view",
    "drop function",
    "drop trigger",
    "drop type",
    "drop default",
    "drop constraint",
    "rename to",
    "rename column",
    " rename ",
    "set not null",
    "alter column",
    "add constraint",
    "add check",
    "add unique",
    "create or replace function",
];

/// A migration's statements in lower case, without comments and with single spaces.
fn statements(sql: &str) -> Vec<String> {
    let lines = sql
        .lines()
        .map(|line| line.split("--").next().unwrap_or_default());
    let text = lines.collect::<Vec<_>>().join(" ").to_lowercase();
    text.split(';')
        .map(|statement| statement.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|statement| !statement.is_empty())
        .collect()
}

/// Returns the statement after which an earlier version may fail.
fn contracting(sql: &str) -> Option<String> {
    let statements = statements(sql);
    let new_tables: HashSet<&str> = statements
        .iter()
        .filter_map(|statement| statement.strip_prefix("create table "))
        .filter_map(|rest| rest.split([' ', '(']).next())
        .collect();
    let is_contracting = |statement: &&String| {
        // A column without a value is missing in what an earlier version inserts.
        let adds_required = statement.contains("add column")
            && statement.contains("not null")
            && !statement.contains("default");
        let restricts_existing =
            statement
                .strip_prefix("create unique index ")
                .is_some_and(|index| {
                    let table = index.split_once(" on ").map_or("", |(_, table)| table);
                    !new_tables.contains(table.split([' ', '(']).next().unwrap_or_default())
                });
        adds_required
            || restricts_existing
            || CONTRACTING.iter().any(|words| statement.contains(words))
    };
    statements.iter().find(is_contracting).cloned()
}

/// Returns the value that a migration sets.
fn raised(sql: &str) -> Option<i64> {
    statements(sql).iter().find_map(|statement| {
        let number = statement.strip_prefix(RAISE)?;
        number.split(' ').next()?.parse().ok()
    })
}

/// Checks a list of migrations and returns the value at its end.
fn check(migrations: &[(i64, &str)]) -> Result<i64, String> {
    let mut oldest = FIRST;
    for (version, sql) in migrations.iter().filter(|(version, _)| *version > FIRST) {
        match (raised(sql), contracting(sql)) {
            (Some(value), _) if value <= oldest || value > *version => {
                return Err(format!(
                    "migration {version} sets oldest_version to {value}: it must be more than {oldest} and {version} \
                     at most"
                ));
            }
            (Some(value), _) => oldest = value,
            (None, Some(statement)) if !sql.contains(EXCEPTION) => {
                return Err(format!(
                    "earlier versions may fail after migration {version}: `{statement}`. Raise oldest_version of \
                     schema_compatibility, or say why not with `{EXCEPTION}…` (docs/design/two-databases.md)"
                ));
            }
            (None, _) => {}
        }
    }
    Ok(oldest)
}

fn list(migrations: &'static Migrator) -> Vec<(i64, &'static str)> {
    migrations
        .iter()
        .map(|migration| (migration.version, migration.sql.as_str()))
        .collect()
}

#[test]
fn migrations_say_which_versions_may_go_on() {
    let sqlite = check(&list(&MIGRATIONS)).unwrap();
    assert_eq!(check(&list(&POSTGRES_MIGRATIONS)), Ok(sqlite));
    let numbers = |migrations: &'static Migrator| -> Vec<i64> {
        let versions = migrations.iter().map(|migration| migration.version);
        versions.filter(|version| *version >= FIRST).collect()
    };
    assert_eq!(numbers(&MIGRATIONS), numbers(&POSTGRES_MIGRATIONS));
}

#[test]
fn contracting_statements_are_found() {
    for (sql, expected) in [
        (
            "CREATE TABLE t (id BIGINT NOT NULL); CREATE UNIQUE INDEX t_id ON t (id);",
            true,
        ),
        ("ALTER TABLE bookings ADD COLUMN note TEXT", true),
        (
            "ALTER TABLE bookings ADD COLUMN note TEXT NOT NULL DEFAULT ''",
            true,
        ),
        (
            "CREATE INDEX bookings_note ON bookings (note); DROP INDEX other",
            true,
        ),
        ("-- DROP TABLE bookings\nSELECT 1", true),
        ("ALTER TABLE bookings ADD COLUMN note TEXT NOT NULL", false),
        ("ALTER TABLE bookings\n    DROP\n    COLUMN note", false),
        ("SELECT 1; drop table bookings;", false),
        ("ALTER TABLE bookings RENAME COLUMN uid TO id", false),
        ("ALTER TABLE bookings RENAME uid TO id", false),
        ("ALTER TABLE bookings ALTER COLUMN uid SET NOT NULL", false),
        (
            "ALTER TABLE bookings ADD CONSTRAINT c CHECK (uid <> '')",
            false,
        ),
        (
            "CREATE UNIQUE INDEX bookings_title ON bookings (title)",
            false,
        ),
        (
            "-- Earlier versions may go on: it has the same columns.\nDROP TABLE bookings",
            true,
        ),
        (
            "DROP TABLE t; UPDATE schema_compatibility SET oldest_version = 21",
            true,
        ),
        (
            "DROP TABLE t; UPDATE schema_compatibility SET oldest_version = 20;",
            true,
        ),
        ("UPDATE schema_compatibility SET oldest_version = 19", false),
        ("UPDATE schema_compatibility SET oldest_version = 22", false),
    ] {
        assert_eq!(
            check(&[(18, "DROP TABLE a"), (21, sql)]).is_ok(),
            expected,
            "{sql}"
        );
    }
    let twice = [
        (20, "UPDATE schema_compatibility SET oldest_version = 20"),
        (21, "UPDATE schema_compatibility SET oldest_version = 20"),
    ];
    assert!(check(&twice).unwrap_err().contains("more than 20"));
}
