//! Strict parsing of query strings and JSON bodies; collects every validation error.

pub mod accept_language;
pub mod changes;
pub mod checks;
pub mod formats;
pub mod object;
pub mod query;

pub use changes::Changes;
pub use checks::Checks;
pub use formats::{
    LINE_MESSAGE, TEXT_MESSAGE, date_time, handle_message, in_range, integer, is_color, is_e164,
    is_email, is_handle, is_line, is_metadata_entry, is_phone, is_text, is_url, is_username,
    slug_of, username_message,
};
pub use object::Object;
pub use query::{Query, check_emails, paging};
