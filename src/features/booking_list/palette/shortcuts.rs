//! Dialog with the keyboard shortcuts of the list.

use booking_ui::prelude::*;

use crate::components::{Shape, button, dialog, heading, icon};
use crate::i18n::{Key, use_texts};

/// Shortcuts, each with alternative keys, and what they do.
const SHORTCUTS: [(&[&str], Key); 8] = [
    (&["↑", "↓", "J", "K"], Key::ShortcutMove),
    (&["Enter"], Key::ShortcutOpen),
    (&["Esc"], Key::ShortcutClose),
    (&["Ctrl A"], Key::SelectPage),
    (&["Ctrl Z"], Key::Undo),
    (&["/"], Key::SearchBookings),
    (&["Ctrl K", "⌘ K"], Key::Palette),
    (&["?"], Key::Shortcuts),
];

/// Lists the shortcuts while `is_open` is true.
pub(crate) fn shortcuts(is_open: RwSignal<bool>) -> Node {
    let texts = use_texts();
    let content = move || {
        let close = button("button-quiet button-square", move || is_open.set(false))
            .attr("aria-label", texts.get(Key::Close))
            .child(icon(Shape::Close));
        let head = el("div")
            .class("dialog-head")
            .child(heading(1).child(texts.get(Key::Shortcuts)))
            .child(close);
        let lines = SHORTCUTS.iter().map(|(keys, what)| {
            let keys = keys.iter().map(|key| el("kbd").child(*key));
            el("div")
                .child(el("dt").child(fragment_of(keys)))
                .child(el("dd").child(texts.get(*what)))
        });
        let list = el("dl").class("shortcuts").child(fragment_of(lines));
        el("div").child(head).child(list)
    };
    dialog(texts.get(Key::Shortcuts), is_open, content)
}
