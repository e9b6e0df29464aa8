//! One polite status line for screen readers.

use crate::context::{provide_context, use_context};
use crate::dom::{Html, el, nothing};
use crate::signal::{RwSignal, follow};

/// The status line of a mounted root, which all its parts speak through: several of them would talk
/// over each other.
#[derive(Clone, Copy)]
pub struct StatusLine(RwSignal<String>);

impl StatusLine {
    /// Makes the line known to all parts of a root. It has to be shown, too.
    pub fn provide() -> Self {
        let line = Self(RwSignal::new(String::new()));
        provide_context(line);
        line
    }

    /// The line itself. Stays in the document, because a region that appears together with its text
    /// is often not read.
    pub fn view(self) -> Html {
        region(move || self.0.get())
    }

    /// Speaks `message`.
    pub fn say(self, message: String) {
        self.0.set(message);
    }

    /// Empties the line if `message`, which no longer holds, is still there to be read.
    fn take_back(self, message: &str) {
        let said = self.0.try_get_untracked().unwrap_or_default();
        if !message.is_empty() && said == message {
            self.0.set(String::new());
        }
    }
}

/// The status line of the mounted root; a silent one if there is none.
pub fn use_status_line() -> StatusLine {
    use_context().unwrap_or_else(|| StatusLine(RwSignal::new(String::new())))
}

/// Speaks `message` when it changes, through the root's status line or, without one, here.
pub fn live_region(message: impl Fn() -> String + 'static) -> Html {
    let Some(line) = use_context::<StatusLine>() else {
        return region(message);
    };
    let mut before = String::new();
    follow(move || {
        let message = message();
        if message.is_empty() {
            line.take_back(&before);
        } else if before != message {
            line.say(message.clone());
        }
        before = message;
    });
    nothing()
}

fn region(message: impl Fn() -> String + 'static) -> Html {
    el("p")
        .class("visually-hidden")
        .attr("role", "status")
        .attr("aria-live", "polite")
        .text_with(message)
}
