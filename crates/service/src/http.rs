//! The HTTP interface: routes, middleware and handlers, which parse, call a use case and respond.

pub mod assets;
pub mod extract;
pub mod middleware;
pub mod openapi;
pub mod router;
pub mod unversioned;
pub mod v1;
pub mod v2;
