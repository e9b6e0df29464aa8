//! Commands that the page gives to the picker, by methods of its element.

use booking_ui::prelude::*;

use crate::time::{CivilDate, Instant};

/// A command of the page to the picker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PickerCommand {
    /// Fetches the slots again.
    Refresh,
    /// Shows a date.
    GoTo(CivilDate),
    /// Selects the slot with this start, as a click would.
    Select(Instant),
}

/// The page's last command, for the component that it concerns.
#[derive(Clone, Copy)]
pub struct PickerCommands(pub RwSignal<Option<PickerCommand>>);
