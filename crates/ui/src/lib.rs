#![doc = include_str!("../README.md")]

mod console;
mod context;
mod dom;
mod first_rendering;
mod keyed;
mod lazy;
pub mod prelude;
mod retention;
mod signal;
mod style_sheet;
mod task;
