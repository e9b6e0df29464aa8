//! API name of a permission.

use booking_ui::prelude::*;

/// API name of a permission, with line breaks allowed after dots.
pub(crate) fn permission_name(name: &str) -> Node {
    let parts = name.split_inclusive('.');
    el("code").child(fragment_of(
        parts.map(|part| fragment().child(part).child(el("wbr"))),
    ))
}
