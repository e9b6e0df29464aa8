//! Statements for both databases.
//!
//! `sqlx` fixes the database of a query at compile time, or with its `Any` driver supports neither
//! placeholders of both nor typed errors. Here a statement has one text, in SQLite's form, for both;
//! [`by_database`] has two. Parameters are `?` or `?1`, and only integers, texts and bytes travel.
//!
//! What PostgreSQL understands differently, so that one text suits both:
//!
//! - Conditions are no numbers: a selected condition is decoded as `bool`, and `seated = 1` compares.
//! - A literal has 32 bits and a sum is no integer: a selected one is decoded as `i64` after
//!   `CAST(… AS BIGINT)`.
//! - `IS NOT DISTINCT FROM` compares with NULL; `IS` takes no value.
//! - After an error, a transaction only accepts its rollback.
//! - A text has no U+0000, which is replaced by U+FFFD.

use std::borrow::Cow;
use std::fmt::Write;
use std::marker::PhantomData;
use std::mem;

use sqlx::postgres::{PgArguments, PgRow};
use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{Arguments, AssertSqlSafe, Error, FromRow, Postgres, Sqlite};

use super::connection::{Connection, Database, Db};
use super::statements::{StatementName, observe, span};

/// Text of a statement.
#[derive(Clone, Debug)]
pub struct Sql {
    sqlite: Cow<'static, str>,
    /// Absent if it is SQLite's with other placeholders.
    postgres: Option<Cow<'static, str>>,
}

/// A statement with a text for each database.
pub const fn by_database(sqlite: &'static str, postgres: &'static str) -> Sql {
    Sql {
        sqlite: Cow::Borrowed(sqlite),
        postgres: Some(Cow::Borrowed(postgres)),
    }
}

/// Returns a statement for the single values of several ones, as the columns of one row. All have the same numbered
/// parameters.
pub fn as_columns(statements: &[Sql]) -> Sql {
    let join = |text: fn(&Sql) -> String| {
        let columns: Vec<String> = statements.iter().map(text).collect();
        Cow::Owned(format!("SELECT ({})", columns.join("), (")))
    };
    Sql {
        sqlite: join(|sql| sql.sqlite.clone().into_owned()),
        postgres: Some(join(|sql| sql.clone().postgres().0.into_owned())),
    }
}

impl From<&'static str> for Sql {
    fn from(text: &'static str) -> Self {
        Self {
            sqlite: Cow::Borrowed(text),
            postgres: None,
        }
    }
}

/// A text that is put together: values of a request are parameters, never part of it.
impl From<String> for Sql {
    fn from(text: String) -> Self {
        Self {
            sqlite: Cow::Owned(text),
            postgres: None,
        }
    }
}

impl Sql {
    fn sqlite(self) -> AssertSqlSafe<Cow<'static, str>> {
        AssertSqlSafe(self.sqlite)
    }

    fn postgres(self) -> AssertSqlSafe<Cow<'static, str>> {
        AssertSqlSafe(numbered(self.postgres.unwrap_or(self.sqlite)))
    }
}

/// Replaces `?` and `?1` by `$1`. Texts in quotes stay.
fn numbered(sql: Cow<'static, str>) -> Cow<'static, str> {
    if !sql.contains('?') {
        return sql;
    }
    let mut text = String::with_capacity(sql.len() + 16);
    let (mut count, mut is_quoted) = (0, false);
    let mut characters = sql.chars().peekable();
    while let Some(character) = characters.next() {
        is_quoted ^= character == '\'';
        if character != '?' || is_quoted {
            text.push(character);
            continue;
        }
        let mut number = None;
        while let Some(digit) = characters.peek().and_then(|digit| digit.to_digit(10)) {
            number = Some(number.unwrap_or(0) * 10 + digit);
            characters.next();
        }
        push_placeholder(
            &mut text,
            number.unwrap_or_else(|| {
                count += 1;
                count
            }),
        );
    }
    Cow::Owned(text)
}

/// Adds PostgreSQL's placeholder of a parameter.
fn push_placeholder(sql: &mut String, number: u32) {
    let is_lowered = sql.ends_with("lower(");
    // Writing to a string cannot fail.
    let _ = write!(sql, "${number}");
    if is_lowered {
        // As of columns: a parameter has the collation of the database, and other letters than ASCII change.
        sql.push_str(" COLLATE \"C\"");
    }
}

/// Value of a parameter.
#[derive(Clone, Debug)]
pub enum Value<'q> {
    /// Integer, or NULL.
    Integer(Option<i64>),
    /// Text, or NULL.
    Text(Option<Cow<'q, str>>),
    /// Bytes, or NULL.
    Bytes(Option<Vec<u8>>),
}

/// Implements conversions of a type, its references and options of both.
macro_rules! values {
    ($($type:ty => $value:expr;)*) => {$(
        impl<'q> From<$type> for Value<'q> {
            fn from(value: $type) -> Self {
                $value(Some(value))
            }
        }
        impl<'q> From<Option<$type>> for Value<'q> {
            fn from(value: Option<$type>) -> Self {
                $value(value)
            }
        }
    )*};
}

values! {
    i64 => Value::Integer;
    bool => |flag: Option<bool>| Value::Integer(flag.map(i64::from));
    &'q str => |text: Option<&'q str>| Value::Text(text.map(Cow::Borrowed));
    &'q String => |text: Option<&'q String>| Value::Text(text.map(|text| Cow::Borrowed(text.as_str())));
    String => |text: Option<String>| Value::Text(text.map(Cow::Owned));
    Vec<u8> => Value::Bytes;
    &'q [u8] => |bytes: Option<&'q [u8]>| Value::Bytes(bytes.map(<[u8]>::to_vec));
}

impl From<&i64> for Value<'_> {
    fn from(value: &i64) -> Self {
        Self::Integer(Some(*value))
    }
}

impl<'q> From<&'q Option<String>> for Value<'q> {
    fn from(value: &'q Option<String>) -> Self {
        Self::Text(value.as_deref().map(Cow::Borrowed))
    }
}

impl From<&Option<i64>> for Value<'_> {
    fn from(value: &Option<i64>) -> Self {
        Self::Integer(*value)
    }
}

impl From<&Option<Vec<u8>>> for Value<'_> {
    fn from(value: &Option<Vec<u8>>) -> Self {
        Self::Bytes(value.clone())
    }
}

impl<'q> From<&'q Vec<u8>> for Value<'q> {
    fn from(value: &'q Vec<u8>) -> Self {
        Self::Bytes(Some(value.clone()))
    }
}

fn sqlite_arguments(values: Vec<Value<'_>>) -> Result<SqliteArguments, Error> {
    let mut arguments = SqliteArguments::default();
    for value in values {
        match value {
            Value::Integer(value) => arguments.add(value),
            Value::Text(value) => arguments.add(value),
            Value::Bytes(value) => arguments.add(value),
        }
        .map_err(Error::Encode)?;
    }
    Ok(arguments)
}

fn postgres_arguments(values: Vec<Value<'_>>) -> Result<PgArguments, Error> {
    let mut arguments = PgArguments::default();
    for value in values {
        match value {
            Value::Integer(value) => arguments.add(value),
            Value::Text(value) => arguments.add(value.map(storable)),
            Value::Bytes(value) => arguments.add(value),
        }
        .map_err(Error::Encode)?;
    }
    Ok(arguments)
}

/// Replaces the character that PostgreSQL's texts cannot hold, U+0000, by that for unknown ones.
pub fn storable(text: Cow<'_, str>) -> Cow<'_, str> {
    match text.contains('\0') {
        true => Cow::Owned(text.replace('\0', "\u{fffd}")),
        false => text,
    }
}

/// Result of a statement without rows.
#[derive(Clone, Copy, Debug)]
pub struct Done(u64);

impl Done {
    /// Number of changed rows.
    pub fn rows_affected(self) -> u64 {
        self.0
    }
}

/// A statement with parameters that returns no rows.
#[derive(Clone, Debug)]
#[must_use]
pub struct Query<'q> {
    name: StatementName,
    sql: Sql,
    values: Vec<Value<'q>>,
}

/// Statement that returns no rows.
#[track_caller]
pub fn query<'q>(sql: impl Into<Sql>) -> Query<'q> {
    Query {
        name: StatementName::of_caller(),
        sql: sql.into(),
        values: Vec::new(),
    }
}

impl<'q> Query<'q> {
    /// Adds a parameter.
    pub fn bind(mut self, value: impl Into<Value<'q>>) -> Self {
        self.values.push(value.into());
        self
    }

    /// Runs the statement.
    pub async fn execute(self, db: &mut Db) -> Result<Done, Error> {
        let Self { name, sql, values } = self;
        let span = span(name, &sql.sqlite, db.database());
        let keeps_statements = db.keeps_statements();
        let count = match db.connection() {
            Connection::Sqlite(db) => {
                let query = sqlx::query_with(sql.sqlite(), sqlite_arguments(values)?);
                observe(name, span, query.execute(db))
                    .await?
                    .rows_affected()
            }
            Connection::Postgres(db) => {
                let query = sqlx::query_with(sql.postgres(), postgres_arguments(values)?)
                    .persistent(keeps_statements);
                observe(name, span, query.execute(db))
                    .await?
                    .rows_affected()
            }
        };
        Ok(Done(count))
    }
}

/// Statements without parameters, separated by `;`, whose rows are not read.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Script<'q>(&'q str, StatementName);

/// Statements without parameters.
#[track_caller]
pub fn raw_sql(statements: &str) -> Script<'_> {
    Script(statements, StatementName::of_caller())
}

impl Script<'_> {
    /// Runs the statements.
    pub async fn execute(self, db: &mut Db) -> Result<Done, Error> {
        let Self(statements, name) = self;
        let span = span(name, statements, db.database());
        let script = sqlx::raw_sql(AssertSqlSafe(statements));
        let count = match db.connection() {
            Connection::Sqlite(db) => observe(name, span, script.execute(db))
                .await?
                .rows_affected(),
            Connection::Postgres(db) => observe(name, span, script.execute(db))
                .await?
                .rows_affected(),
        };
        Ok(Done(count))
    }
}

/// Types of rows: those that derive [`FromRow`], and tuples.
pub trait Row:
    for<'row> FromRow<'row, SqliteRow> + for<'row> FromRow<'row, PgRow> + Send + Unpin
{
}

impl<T> Row for T where
    T: for<'row> FromRow<'row, SqliteRow> + for<'row> FromRow<'row, PgRow> + Send + Unpin
{
}

/// A statement with parameters that returns rows.
#[derive(Clone, Debug)]
#[must_use]
pub struct QueryAs<'q, T>(Query<'q>, PhantomData<fn() -> T>);

/// Statement that returns rows.
#[track_caller]
pub fn query_as<'q, T: Row>(sql: impl Into<Sql>) -> QueryAs<'q, T> {
    QueryAs(query(sql), PhantomData)
}

impl<'q, T: Row> QueryAs<'q, T> {
    /// Adds a parameter.
    pub fn bind(self, value: impl Into<Value<'q>>) -> Self {
        Self(self.0.bind(value), PhantomData)
    }

    /// Returns all rows.
    pub async fn fetch_all(self, db: &mut Db) -> Result<Vec<T>, Error> {
        let Query { name, sql, values } = self.0;
        let span = span(name, &sql.sqlite, db.database());
        let keeps_statements = db.keeps_statements();
        match db.connection() {
            Connection::Sqlite(db) => {
                let arguments = sqlite_arguments(values)?;
                let query = sqlx::query_as_with::<Sqlite, T, _>(sql.sqlite(), arguments);
                observe(name, span, query.fetch_all(db)).await
            }
            Connection::Postgres(db) => {
                let arguments = postgres_arguments(values)?;
                let query = sqlx::query_as_with::<Postgres, T, _>(sql.postgres(), arguments)
                    .persistent(keeps_statements);
                observe(name, span, query.fetch_all(db)).await
            }
        }
    }

    /// Returns the first row, if there is one.
    pub async fn fetch_optional(self, db: &mut Db) -> Result<Option<T>, Error> {
        let Query { name, sql, values } = self.0;
        let span = span(name, &sql.sqlite, db.database());
        let keeps_statements = db.keeps_statements();
        match db.connection() {
            Connection::Sqlite(db) => {
                let arguments = sqlite_arguments(values)?;
                let query = sqlx::query_as_with::<Sqlite, T, _>(sql.sqlite(), arguments);
                observe(name, span, query.fetch_optional(db)).await
            }
            Connection::Postgres(db) => {
                let arguments = postgres_arguments(values)?;
                let query = sqlx::query_as_with::<Postgres, T, _>(sql.postgres(), arguments)
                    .persistent(keeps_statements);
                observe(name, span, query.fetch_optional(db)).await
            }
        }
    }

    /// Returns the first row.
    ///
    /// # Errors
    ///
    /// [`Error::RowNotFound`] if there is none.
    pub async fn fetch_one(self, db: &mut Db) -> Result<T, Error> {
        self.fetch_optional(db).await?.ok_or(Error::RowNotFound)
    }
}

/// A statement with parameters that returns rows with one value.
#[derive(Clone, Debug)]
#[must_use]
pub struct QueryScalar<'q, T>(QueryAs<'q, (T,)>);

/// Statement that returns rows with one value.
#[track_caller]
pub fn query_scalar<'q, T>(sql: impl Into<Sql>) -> QueryScalar<'q, T>
where
    (T,): Row,
{
    QueryScalar(query_as(sql))
}

impl<'q, T> QueryScalar<'q, T>
where
    (T,): Row,
{
    /// Adds a parameter.
    pub fn bind(self, value: impl Into<Value<'q>>) -> Self {
        Self(self.0.bind(value))
    }

    /// Returns the values of all rows.
    pub async fn fetch_all(self, db: &mut Db) -> Result<Vec<T>, Error> {
        let rows = self.0.fetch_all(db).await?;
        Ok(rows.into_iter().map(|(value,)| value).collect())
    }

    /// Returns the value of the first row, if there is one.
    pub async fn fetch_optional(self, db: &mut Db) -> Result<Option<T>, Error> {
        Ok(self.0.fetch_optional(db).await?.map(|(value,)| value))
    }

    /// Returns the value of the first row.
    ///
    /// # Errors
    ///
    /// [`Error::RowNotFound`] if there is none.
    pub async fn fetch_one(self, db: &mut Db) -> Result<T, Error> {
        Ok(self.0.fetch_one(db).await?.0)
    }
}

/// A statement that is put together from parts, for one database.
#[derive(Clone, Debug)]
pub struct QueryBuilder<'q> {
    name: StatementName,
    database: Database,
    sql: String,
    values: Vec<Value<'q>>,
}

impl<'q> QueryBuilder<'q> {
    /// Begins with `sql`, which has no parameters.
    #[track_caller]
    pub fn new(database: Database, sql: impl Into<String>) -> Self {
        Self {
            name: StatementName::of_caller(),
            database,
            sql: sql.into(),
            values: Vec::new(),
        }
    }

    /// Returns the database that the statement is for.
    pub fn database(&self) -> Database {
        self.database
    }

    /// Returns the text so far.
    pub fn sql(&self) -> &str {
        &self.sql
    }

    /// Adds `sql`, which has no parameters.
    pub fn push(&mut self, sql: impl AsRef<str>) -> &mut Self {
        self.sql.push_str(sql.as_ref());
        self
    }

    /// Adds the text for the database; it has no parameters.
    pub fn push_sql(&mut self, sql: &Sql) -> &mut Self {
        match self.database {
            Database::Sqlite => self.push(&sql.sqlite),
            Database::Postgres => self.push(sql.postgres.as_deref().unwrap_or(&sql.sqlite)),
        }
    }

    /// Adds a parameter.
    pub fn push_bind(&mut self, value: impl Into<Value<'q>>) -> &mut Self {
        self.values.push(value.into());
        match self.database {
            Database::Sqlite => self.sql.push('?'),
            Database::Postgres => {
                let number = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
                push_placeholder(&mut self.sql, number);
            }
        }
        self
    }

    /// Returns a builder of a list whose items are separated by `separator`.
    pub fn separated<'list>(&'list mut self, separator: &'list str) -> Separated<'list, 'q> {
        Separated {
            query: self,
            separator,
            is_empty: true,
        }
    }

    /// Takes the statement, which returns no rows.
    pub fn build(&mut self) -> Query<'q> {
        Query {
            name: self.name,
            sql: Sql {
                sqlite: Cow::Owned(mem::take(&mut self.sql)),
                postgres: None,
            },
            values: mem::take(&mut self.values),
        }
    }

    /// Takes the statement, which returns rows.
    pub fn build_query_as<T: Row>(&mut self) -> QueryAs<'q, T> {
        QueryAs(self.build(), PhantomData)
    }

    /// Takes the statement, which returns rows with one value.
    pub fn build_query_scalar<T>(&mut self) -> QueryScalar<'q, T>
    where
        (T,): Row,
    {
        QueryScalar(self.build_query_as())
    }
}

/// Builder of a list in a statement.
#[derive(Debug)]
pub struct Separated<'list, 'q> {
    query: &'list mut QueryBuilder<'q>,
    separator: &'list str,
    is_empty: bool,
}

impl<'q> Separated<'_, 'q> {
    /// Adds an item.
    pub fn push(&mut self, sql: impl AsRef<str>) -> &mut Self {
        self.separate();
        self.query.push(sql);
        self
    }

    /// Adds a parameter as an item.
    pub fn push_bind(&mut self, value: impl Into<Value<'q>>) -> &mut Self {
        self.separate();
        self.query.push_bind(value);
        self
    }

    fn separate(&mut self) {
        if !mem::take(&mut self.is_empty) {
            self.query.push(self.separator);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_numbered_outside_of_quotes() {
        for (sql, expected) in [
            ("SELECT 1", "SELECT 1"),
            ("a = ? AND b = ?", "a = $1 AND b = $2"),
            (
                "a = ?2 AND b = ?1 AND c = ?12",
                "a = $2 AND b = $1 AND c = $12",
            ),
            (
                "lower(a) = lower(?1) AND lower(b) = lower(?)",
                "lower(a) = lower($1 COLLATE \"C\") AND lower(b) = lower($1 COLLATE \"C\")",
            ),
            (
                "a = '?' AND b = ? AND c = 'it''s ?'",
                "a = '?' AND b = $1 AND c = 'it''s ?'",
            ),
        ] {
            assert_eq!(numbered(sql.into()), expected);
        }
    }

    #[test]
    fn builder_writes_the_placeholders_of_its_database() {
        for (database, expected) in [
            (
                Database::Sqlite,
                "SELECT id FROM users WHERE id IN (?, ?) AND lower(name) LIKE lower(?)",
            ),
            (
                Database::Postgres,
                "SELECT id FROM users WHERE id IN ($1, $2) AND lower(name) ILIKE lower($3 COLLATE \"C\")",
            ),
        ] {
            let mut query = QueryBuilder::new(database, "SELECT id FROM users WHERE id IN (");
            let mut list = query.separated(", ");
            list.push_bind(1).push_bind(2);
            query.push(") AND lower(name) ");
            query
                .push_sql(&by_database("LIKE", "ILIKE"))
                .push(" lower(");
            query.push_bind("a?%").push(")");
            let query = query.build();
            assert_eq!(query.values.len(), 3);
            assert_eq!(query.sql.sqlite, expected);
        }
    }
}
