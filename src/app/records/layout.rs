//! Parts that several records screens show.

use booking_ui::prelude::*;

use super::context::RecordsContext;
use super::resources::ResourceInfo;
use crate::components::Shape;
use crate::features::shared::error_notice::notice;
use crate::i18n::{Key, Translations};

/// Name from the API, as code, with line breaks allowed after slashes.
pub(super) fn code(name: &str) -> Node {
    let parts = name.split_inclusive('/');
    let parts = parts.map(|part| fragment().child(part).child(el("wbr")));
    el("code")
        .class("record-word")
        .attr("translate", "no")
        .attr("dir", "ltr")
        .child(fragment_of(parts))
}

/// Table in a frame that scrolls if it is too wide.
pub(super) fn framed(name: &str, table: Node) -> Node {
    el("div")
        .class("records-frame")
        .attr("role", "region")
        .attr("aria-label", name)
        .attr("tabindex", "0")
        .child(table)
}

/// Empty state of a list.
pub(super) fn no_records(texts: Translations) -> Node {
    notice(
        Shape::Search,
        texts.get(Key::NoRecordsTitle),
        texts.get(Key::NoRecordsText),
    )
}

/// Screen for unknown paths.
pub(super) fn not_found(context: RecordsContext) -> Node {
    let title = context.title(context.texts.get(Key::NotFoundTitle));
    fragment()
        .child(title)
        .child(
            el("p")
                .class("app-lead")
                .child(context.texts.get(Key::NotFoundText)),
        )
        .child(
            context
                .link(&[])
                .class("button-primary")
                .child(context.texts.get(Key::Records)),
        )
}

/// Title of a record's screen.
pub(super) fn record_title(info: &ResourceInfo, id: &str, texts: Translations) -> Node {
    fragment()
        .child(texts.get(info.title))
        .child(" · ")
        .child(el("bdi").child(id))
}

/// Note about the resource's successor.
pub(super) fn successor_note(info: &ResourceInfo, texts: Translations) -> Node {
    let text = match info.successor {
        "" => texts.get(Key::NoSuccessor).to_owned(),
        // Isolated as left-to-right text.
        path => {
            let path = format!("\u{2066}{path}\u{2069}");
            texts.fill(Key::SuccessorIs, &[("path", &path)])
        }
    };
    el("p").class("records-replaced").child(text)
}
