//! Groups of people who meet together.

use crate::error::{Error, Result};
use crate::store::Db;
use crate::store::event_types::{self, Purpose, Stored};
use crate::validate::Checks;

/// Number of different people in a group.
const SIZE: std::ops::RangeInclusive<usize> = 2..=30;

/// Returns the event type of a group. Each name counts once.
///
/// # Errors
///
/// A validation error if there are too few or too many names, and those of
/// [`event_types::group`].
pub async fn find_group(db: &mut Db, usernames: &[String], purpose: Purpose<'_>) -> Result<Stored> {
    let mut names: Vec<&str> = Vec::new();
    for name in usernames.iter().take(SIZE.end() + 1) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    if !SIZE.contains(&names.len()) || usernames.len() > *SIZE.end() {
        let mut checks = Checks::default();
        let complaint = format!(
            "must name {} to {} different people",
            SIZE.start(),
            SIZE.end()
        );
        checks.complain("usernames", &names.into(), "arraySize", &complaint);
        return Err(checks.finish().err().unwrap_or(Error::Internal));
    }
    event_types::group(db, &names, purpose).await
}
