//! Condition of a list of bookings for a search text (`search`, an extension).
//!
//! The full-text indexes are maintained by triggers (migrations 16, 17 and 22).

use booking_store_engine::connection::Database;
use booking_store_engine::sql::QueryBuilder;

use crate::store::bookings::scope::BookingScope;
use crate::store::rows::push_ids;

/// Words that count, so that a search takes a bounded time: a word that all of 100,000 bookings have
/// takes about 0.1 s, and less in the list of a caller who has few of them. For a caller who has all of
/// them, one word takes about 0.35 s and the most words 1.6 s.
const MAX_WORDS: usize = 8;

/// Letters of Latin scripts without a decomposition, and the plain ones by which they are found. The index has the same
/// (migration 22): SQLite's by triggers, PostgreSQL's by a function that folds searched words, too.
const FOLDED_LETTERS: [(&str, &str); 20] = [
    ("Ɓɓ", "b"),
    ("ĐđÐðƉɖƊɗ", "d"),
    ("ƏəƎǝƐɛ", "e"),
    ("Ƒƒ", "f"),
    ("ƓɠƔɣ", "g"),
    ("Ħħ", "h"),
    ("Ɩɩı", "i"),
    ("Ƙƙ", "k"),
    ("Łł", "l"),
    ("ŊŋƝɲ", "n"),
    ("ØøƆɔ", "o"),
    ("ĸ", "q"),
    ("Ŧŧ", "t"),
    ("Ʋʋ", "v"),
    ("Ƴƴ", "y"),
    ("Ææ", "ae"),
    ("Œœ", "oe"),
    ("Þþ", "th"),
    ("ẞß", "ss"),
    ("Ĳĳ", "ij"),
];

/// Adds the conditions that every word of `search` is the beginning of a word in the booking. A
/// text without letters and digits matches nothing.
pub(crate) fn push_search(sql: &mut QueryBuilder<'_>, scope: &BookingScope, search: &str) {
    let words = words(search);
    if words.is_empty() {
        sql.push(" AND 1 = 0");
    }
    for word in words {
        push_word(sql, scope, &word);
    }
}

fn push_word(sql: &mut QueryBuilder<'_>, scope: &BookingScope, word: &str) {
    sql.push(" AND (b.id IN (");
    match sql.database() {
        Database::Sqlite => push_sqlite_matches(sql, scope, word),
        Database::Postgres => push_postgres_matches(sql, scope, word),
    }
    push_visible_event_type(sql, scope);
    sql.push("))");
}

/// Adds the bookings whose title, uid, attendees or hosts match, and begins the condition on the event types.
fn push_sqlite_matches(sql: &mut QueryBuilder<'_>, scope: &BookingScope, word: &str) {
    let phrase = format!("\"{}\" *", folded(word).replace('"', "\"\""));
    sql.push("SELECT rowid FROM booking_search WHERE booking_search MATCH ");
    sql.push_bind(format!("(title : {phrase}) OR (uid : ^ {phrase})"));
    // Matches of the caller's own bookings alone are collected. The `+` keeps the index of texts in use.
    push_own(sql, scope, "+rowid");
    sql.push(
        " UNION ALL SELECT a.booking_id FROM attendee_search s CROSS JOIN attendees a
            ON a.id = s.rowid WHERE attendee_search MATCH ",
    );
    sql.push_bind(format!("{{name email}} : {phrase}"));
    push_own(sql, scope, "a.booking_id");
    // Guests are attendees too.
    push_visible_attendee(sql, scope);
    // Names of hosts are visible to all readers of a booking.
    sql.push(
        " UNION ALL SELECT h.booking_id FROM user_search s CROSS JOIN booking_hosts h
            ON h.user_id = s.rowid WHERE user_search MATCH ",
    );
    sql.push_bind(format!("name : {phrase}"));
    push_own(sql, scope, "h.booking_id");
    sql.push(
        ") OR b.event_type_id IN (SELECT e.id FROM event_type_search s CROSS JOIN event_types e
            ON e.id = s.rowid WHERE event_type_search MATCH ",
    );
    sql.push_bind(format!("title : {phrase}"));
}

/// As [`push_sqlite_matches`]. The words of a text are a column with an index; the beginning of a uid is a range in the
/// index of its `lower` column. A query in a subquery is computed once.
fn push_postgres_matches(sql: &mut QueryBuilder<'_>, scope: &BookingScope, word: &str) {
    sql.push("SELECT x.id FROM bookings x WHERE x.title_words @@ (SELECT search_query(");
    sql.push_bind(word.to_owned()).push("))");
    push_own(sql, scope, "x.id");
    sql.push(" UNION ALL SELECT x.id FROM bookings x WHERE ");
    push_uid_beginning(sql, word);
    push_own(sql, scope, "x.id");
    sql.push(" UNION ALL SELECT a.booking_id FROM attendees a WHERE (a.name_words @@ (SELECT search_query(");
    sql.push_bind(word.to_owned())
        .push(")) OR a.email_words @@ (SELECT search_query(");
    sql.push_bind(word.to_owned()).push(")))");
    push_own(sql, scope, "a.booking_id");
    push_visible_attendee(sql, scope);
    sql.push(
        " UNION ALL SELECT h.booking_id FROM users u JOIN booking_hosts h ON h.user_id = u.id
            WHERE u.name_words @@ (SELECT search_query(",
    );
    sql.push_bind(word.to_owned()).push("))");
    push_own(sql, scope, "h.booking_id");
    sql.push(
        ") OR b.event_type_id IN (SELECT e.id FROM event_types e WHERE e.title_words @@ (SELECT search_query(",
    );
    sql.push_bind(word.to_owned()).push("))");
}

/// Adds the condition that the uid begins with `word`, in any case.
fn push_uid_beginning(sql: &mut QueryBuilder<'_>, word: &str) {
    sql.push("lower(x.uid) >= lower(")
        .push_bind(word.to_owned());
    sql.push(") AND lower(x.uid) < lower(");
    // The last character of Unicode.
    sql.push_bind(word.to_owned()).push(") || chr(1114111)");
}

/// Restricts the event types `e` to those that exist for the reader of the list.
fn push_visible_event_type(sql: &mut QueryBuilder<'_>, scope: &BookingScope) {
    let BookingScope::User {
        user_id, team_ids, ..
    } = scope
    else {
        return;
    };
    sql.push(" AND (e.hidden = 0 OR e.owner_id = ");
    sql.push_bind(*user_id);
    sql.push(" OR e.id IN (SELECT event_type_id FROM event_type_hosts WHERE user_id = ");
    sql.push_bind(*user_id).push(") OR e.team_id IN (");
    push_ids(sql, team_ids);
    sql.push("))");
}

/// Restricts the bookings of `column` to the caller's own, where these are read first.
fn push_own(sql: &mut QueryBuilder<'_>, scope: &BookingScope, column: &str) {
    if scope.reads_own_first() {
        sql.push(format!(" AND {column} IN (SELECT id FROM own)"));
    }
}

/// Restricts the attendees `a` to those whom the reader of the list sees: those of bookings without
/// seats or that they host or manage, and their own seats (see [`crate::domain::bookings::read::visibility`]). All other
/// bookings of the list are those with a seat of the reader: a few, which are read once.
fn push_visible_attendee(sql: &mut QueryBuilder<'_>, scope: &BookingScope) {
    let BookingScope::User {
        user_id,
        email,
        team_ids,
    } = scope
    else {
        return;
    };
    sql.push(" AND (lower(a.email) = lower(");
    sql.push_bind(email.clone());
    sql.push(
        ") OR a.booking_id NOT IN (SELECT x.id FROM attendees m CROSS JOIN bookings x
            LEFT JOIN event_types e ON e.id = x.event_type_id WHERE x.id = m.booking_id AND lower(m.email) = lower(",
    );
    sql.push_bind(email.clone());
    sql.push(") AND x.seated <> 0 AND e.owner_id IS DISTINCT FROM ");
    sql.push_bind(*user_id);
    sql.push(" AND x.id NOT IN (SELECT booking_id FROM booking_hosts WHERE user_id = ");
    sql.push_bind(*user_id);
    sql.push(
        ") AND (e.id IS NULL OR e.id NOT IN (SELECT event_type_id FROM event_type_hosts WHERE user_id = ",
    );
    sql.push_bind(*user_id)
        .push(")) AND (x.team_id IS NULL OR x.team_id NOT IN (");
    push_ids(sql, team_ids);
    sql.push("))))");
}

/// Replaces the letters of [`FOLDED_LETTERS`].
fn folded(word: &str) -> String {
    let mut text = String::with_capacity(word.len());
    for letter in word.chars() {
        match FOLDED_LETTERS
            .iter()
            .find(|(from, _)| from.contains(letter))
        {
            Some((_, plain)) => text.push_str(plain),
            None => text.push(letter),
        }
    }
    text
}

/// Returns the words, longest first, without those that begin another one.
fn words(search: &str) -> Vec<String> {
    // The query language of the index ends at a NUL.
    let mut candidates: Vec<&str> = search
        .split(|character: char| character.is_whitespace() || character.is_control())
        .filter(|word| word.contains(char::is_alphanumeric))
        .collect();
    candidates.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
    let mut words: Vec<String> = Vec::new();
    for word in candidates.into_iter().take(MAX_WORDS) {
        if !words.iter().any(|longer| longer.starts_with(word)) {
            words.push(word.to_owned());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folded_letters_are_those_of_the_migrations() {
        let sqlite = include_str!("../../../migrations/0022_search_letters.sql");
        let postgres = include_str!("../../../migrations/postgres/0022_search_letters.sql");
        for (letters, plain) in FOLDED_LETTERS {
            for letter in letters.chars() {
                let replacement = format!("'{letter}', '{plain}')");
                assert_eq!(sqlite.matches(&replacement).count(), 1, "{letter}");
                // Rows that have it are indexed again.
                assert_eq!(sqlite.matches(letter).count(), 9, "{letter}");
                assert!(postgres.matches(letter).count() >= 4, "{letter}");
            }
        }
        assert_eq!(folded("Łukasik Groß ÞÓRA"), "lukasik Gross thÓRA");
    }

    #[test]
    fn words_are_distinct_beginnings_longest_first() {
        for (search, expected) in [
            ("", &[][..]),
            ("% _ \" * -", &[]),
            ("  Zoë  Łukasik ", &["Łukasik", "Zoë"]),
            ("ch chloe chl", &["chloe"]),
            ("a\0b", &["a", "b"]),
            (
                "1 22 333 4444 55555 666666 7777777 88888888 999999999",
                &[
                    "999999999",
                    "88888888",
                    "7777777",
                    "666666",
                    "55555",
                    "4444",
                    "333",
                    "22",
                ],
            ),
        ] {
            assert_eq!(words(search), expected, "{search}");
        }
    }
}
