//! Query of the list: filters, order, page and columns.

pub(super) mod list_query;
pub mod model;
mod query_text;
