//! Chunk that is loaded as soon as the first rows are shown: details and actions, filter fields, views,
//! selection and export.

use super::actions::{answers, bulk, row_actions, selection_bar};
use super::chunk_exports::ChunkExports;
use super::filters::filter_fields;
use super::palette::shortcuts;
use super::state::list_state::List;
use super::{details, export, palette, views};
use crate::features::shared::time_zone_bar;
use crate::styles;

/// Returns the exports. Only programs refer to it, so that it can be split off.
pub fn exports() -> &'static ChunkExports {
    static EXPORTS: ChunkExports = ChunkExports {
        provide,
        answers: answers::answers,
        details: details::details,
        row_actions: row_actions::row_actions,
        filters: filter_fields::filter_fields,
        columns: filter_fields::view_fields,
        views: views::views,
        active_view: views::active_view,
        selection_bar: selection_bar::selection_bar,
        export: export::export_panel,
        shortcuts: shortcuts::shortcuts,
        palette: palette::palette,
        zones: time_zone_bar::chooser,
        css: styles::LIST_ACTIONS,
    };
    &EXPORTS
}

fn provide(list: List) {
    bulk::provide(list.actions);
    export::provide(list.context);
    views::provide(list.context.texts, list.query);
}
