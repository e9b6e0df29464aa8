//! The standalone app: Book, Bookings, Roles, Records and Connect. Assembles the screens that the elements
//! show, and adds what an embedding page would bring: addresses and credentials.

mod book;
mod connect;
mod connection;
mod kept;
pub mod records;
pub mod route;
mod shell;

pub use shell::start;
