//! Polite status line for screen readers.

use booking_ui::prelude::*;

/// Status line of a mounted root, shared by its components: several live regions would interrupt each other.
#[derive(Clone, Copy)]
pub struct StatusLine(RwSignal<String>);

impl StatusLine {
    /// Provides the line to all components of a root, which must also render it.
    pub fn provide() -> Self {
        let line = Self(RwSignal::new(String::new()));
        provide_context(line);
        line
    }

    /// Renders the line. It stays in the document, because a live region that is added with its text is often
    /// not announced.
    pub fn view(self) -> Node {
        region(move || self.0.get())
    }

    /// Announces `message`.
    pub fn set_text(self, message: String) {
        self.0.set(message);
    }

    /// Clears the line if it still contains the outdated `message`.
    fn clear(self, message: &str) {
        let current = self.0.try_get_untracked().unwrap_or_default();
        if !message.is_empty() && current == message {
            self.0.set(String::new());
        }
    }
}

/// Returns the status line of the mounted root, or a silent one.
pub fn use_status_line() -> StatusLine {
    use_context().unwrap_or_else(|| StatusLine(RwSignal::new(String::new())))
}

/// Announces `message` when it changes, on the root's status line or, without one, in its own region.
pub fn live_region(message: impl Fn() -> String + 'static) -> Node {
    announce(Box::new(message))
}

/// [`live_region`], compiled once for all messages.
fn announce(message: Box<dyn Fn() -> String>) -> Node {
    let Some(line) = use_context::<StatusLine>() else {
        return region(message);
    };
    let mut before = String::new();
    effect(move || {
        let message = message();
        if message.is_empty() {
            line.clear(&before);
        } else if before != message {
            line.set_text(message.clone());
        }
        before = message;
    });
    fragment()
}

fn region(message: impl Fn() -> String + 'static) -> Node {
    el("p")
        .class("visually-hidden")
        .attr("role", "status")
        .attr("aria-live", "polite")
        .text_with(message)
}
