//! Event types of groups of users.

use crate::error::Result;
use crate::store::Db;
use crate::store::event_types::{self, Purpose, StoredEventType};
use crate::validate::Checks;

/// Number of different users in a group.
const SIZE: std::ops::RangeInclusive<usize> = 2..=30;

/// Returns the event type of a group. Duplicate names count once.
///
/// # Errors
///
/// A validation error if there are too few or too many names, and those of
/// [`event_types::group()`].
pub async fn find_group(
    db: &mut Db,
    usernames: &[String],
    purpose: Purpose<'_>,
) -> Result<StoredEventType> {
    let mut names: Vec<&str> = Vec::new();
    for name in usernames.iter().take(SIZE.end() + 1) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    if !SIZE.contains(&names.len()) || usernames.len() > *SIZE.end() {
        let message = format!(
            "must name {} to {} different people",
            SIZE.start(),
            SIZE.end()
        );
        return Err(Checks::error(
            "usernames",
            &names.into(),
            "arraySize",
            &message,
        ));
    }
    event_types::group(db, &names, purpose).await
}
