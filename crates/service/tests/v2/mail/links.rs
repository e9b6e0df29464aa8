//! Links in messages: GET and POST /mail/{token}

mod changes;
pub mod fixture;
mod pages;
mod states;
mod tokens;
