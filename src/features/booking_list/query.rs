//! Query of the list: filters, order, page and columns.

pub mod model;
pub(super) mod query_state;
mod query_text;
