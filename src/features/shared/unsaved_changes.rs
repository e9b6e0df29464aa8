//! Unsaved changes of a screen. The app asks before it leaves such a screen; a page around an element is not told.

use booking_ui::prelude::*;

/// True if the screen has unsaved changes. Provided by the app.
#[derive(Clone, Copy)]
pub struct UnsavedChanges(pub RwSignal<bool>);

/// Reports to the app if the screen has unsaved changes, until the screen is disposed.
pub fn report_unsaved_changes(has_changes: impl Fn() -> bool + 'static) {
    let Some(UnsavedChanges(reported)) = use_context() else {
        return;
    };
    effect(move || reported.set(has_changes()));
    on_cleanup(move || reported.set(false));
}
