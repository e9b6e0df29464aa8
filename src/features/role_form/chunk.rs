//! Exports of the lazy chunk with the role form, the comparison and the permission panel. Fetched as
//! soon as the roles are shown.

use super::tool_exports::RoleToolsExports;
use super::{comparison, editor, panel};
use crate::styles;

/// Returns the chunk exports for binaries and the app.
pub fn role_tools_exports() -> &'static RoleToolsExports {
    static EXPORTS: RoleToolsExports = RoleToolsExports {
        editor: editor::editor,
        comparison: comparison::comparison,
        panel: panel::panel,
        css: styles::ROLE_TOOLS,
    };
    &EXPORTS
}
