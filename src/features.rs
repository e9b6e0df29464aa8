//! The screens. Only `booking_picker` and `booking_flow` use other features: they connect them. Code that two of
//! them share is in `shared`.

pub mod booking_flow;
pub mod booking_form;
pub mod booking_list;
pub mod booking_picker;
pub mod event_type_list;
pub mod roles;
pub mod shared;
pub mod slot_picker;
