//! Requests whose outcome is checked by a second one.

use booking_wire::Role;

use crate::client::operations::roles::RolesPath;
use crate::client::session::Session;
use crate::client::{Abort, ApiError, DeclineReason};

/// Timeout of a change, after which its outcome is unknown.
pub(super) const CHANGE_TIMEOUT_MS: u64 = 30_000;

/// Reads the current role, from the list of roles if the service does not return single ones.
pub(super) async fn find_role(
    session: &Session,
    path: RolesPath,
    id: &str,
) -> Result<Role, ApiError> {
    let abort = || Abort::after(CHANGE_TIMEOUT_MS);
    match session.role(path, id, abort()).await {
        Err(error @ ApiError::Declined(DeclineReason::NotFound)) => {
            let roles = session.roles(path, abort()).await?;
            roles.into_iter().find(|role| role.id == id).ok_or(error)
        }
        found => found,
    }
}

/// Deletes a role. Without a response, reads the role to learn the outcome.
pub(super) async fn delete_role(
    session: &Session,
    path: RolesPath,
    id: &str,
) -> Result<(), ApiError> {
    let abort = Abort::after(CHANGE_TIMEOUT_MS);
    let not_found = ApiError::Declined(DeclineReason::NotFound);
    match session.delete_role(path, id, abort).await {
        // Already deleted, which is the wanted result.
        Err(error) if error == not_found => Ok(()),
        Err(error @ (ApiError::Unreachable | ApiError::Unexpected { .. })) => {
            let found = find_role(session, path, id).await;
            if found == Err(not_found) {
                Ok(())
            } else {
                Err(error)
            }
        }
        outcome => outcome,
    }
}
