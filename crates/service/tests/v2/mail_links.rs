//! Links in messages: GET and POST /mail/{token}

mod changes;
mod fixture;
mod pages;
mod states;
mod tokens;
