//! Exports of the lazy chunk with the role form, the comparison and the permission panel. Fetched as
//! soon as the roles are shown.

use super::tool_exports::RoleToolsExports;
use super::{comparison, form, permission_panel};
use crate::styles;

/// Returns the chunk exports for binaries and the app.
pub fn role_tools_exports() -> &'static RoleToolsExports {
    static EXPORTS: RoleToolsExports = RoleToolsExports {
        editor: form::editor,
        comparison: comparison::comparison,
        panel: permission_panel::panel,
        css: styles::ROLE_TOOLS,
    };
    &EXPORTS
}
