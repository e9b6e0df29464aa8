//! Controls. They take values and callbacks, and do not use the API.

pub mod button;
pub mod calendar_grid;
pub mod check_menu;
pub mod chips;
pub mod command_palette;
pub mod copy;
pub mod dialog;
pub mod escape;
pub mod field;
pub mod focus;
pub mod heading;
pub mod icon;
pub mod live_region;
pub mod segmented;
pub mod tri_state;

pub use button::button;
pub use calendar_grid::CalendarGrid;
pub use check_menu::CheckMenu;
pub use chips::ChipsField;
pub use copy::with_copy_button;
pub use dialog::dialog;
pub use escape::closing_on_escape;
pub use field::{ChoiceField, Choices, SelectField, SwitchField, TextField, TextKind};
pub use heading::{TopHeading, heading};
pub use icon::{Shape, icon};
pub use live_region::{StatusLine, live_region, use_status_line};
pub use segmented::Segmented;
pub use tri_state::{TriState, tri_state_checkbox};
