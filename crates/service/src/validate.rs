//! Reads query strings and JSON bodies strictly: every broken rule is collected and named.

pub mod changes;
pub mod checks;
pub mod formats;
pub mod object;
pub mod query;

pub use changes::Changes;
pub use checks::Checks;
pub use formats::{
    in_range, is_color, is_email, is_line, is_phone, is_slug, is_text, is_url, slug_of, whole,
};
pub use object::Object;
pub use query::{Query, paging};
