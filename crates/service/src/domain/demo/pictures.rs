//! Pictures of the demo's people, and the logo of its team.
//!
//! They were drawn for this project, as shapes written by hand: no photos, and no drawings of others.

use booking_store_engine::sql;

use super::ids::TEAM_ID;
use crate::error::Result;
use crate::store::Db;

/// Paths of the pictures, and their content. The file is named after the user or the team.
pub const PICTURES: [(&str, &str); 6] = [
    ("/demo/ada.svg", include_str!("pictures/ada.svg")),
    ("/demo/marcus.svg", include_str!("pictures/marcus.svg")),
    ("/demo/priya.svg", include_str!("pictures/priya.svg")),
    ("/demo/sofia.svg", include_str!("pictures/sofia.svg")),
    ("/demo/ingrid.svg", include_str!("pictures/ingrid.svg")),
    (LOGO, include_str!("pictures/customer-success.svg")),
];

/// Path of the team's logo.
pub(super) const LOGO: &str = "/demo/customer-success.svg";

/// Returns the path of a user's picture.
pub(super) fn path_of(username: &str) -> String {
    format!("/demo/{username}.svg")
}

/// Sets the URLs of the pictures of the team and of `users`, with their ids and names, to those of this service, whose
/// address may be another one than before. Pictures that were replaced or removed stay so.
pub(super) async fn set_addresses(
    db: &mut Db,
    base_url: &str,
    users: impl IntoIterator<Item = (i64, &str)>,
) -> Result<()> {
    const USER: &str =
        "UPDATE users SET avatar_url = ? || ? WHERE avatar_url LIKE '%' || ? AND id = ?";
    const TEAM: &str = "UPDATE teams SET logo_url = ? || ? WHERE logo_url LIKE '%' || ? AND id = ?";
    let users = users
        .into_iter()
        .map(|(id, username)| (USER, path_of(username), id));
    for (statement, path, id) in users.chain([(TEAM, LOGO.to_owned(), TEAM_ID)]) {
        sql::query(statement)
            .bind(base_url)
            .bind(&path)
            .bind(&path)
            .bind(id)
            .execute(&mut *db)
            .await?;
    }
    Ok(())
}
