//! The standalone app: Book, Bookings, Roles, Records and Connect. Combines the screens of the elements, and
//! provides what is otherwise up to the embedding page: URLs and credentials.

mod book;
mod connect;
mod connection;
mod kept;
pub mod records;
pub mod route;
mod shell;

pub use shell::start;
