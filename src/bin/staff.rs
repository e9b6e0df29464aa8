//! Bundle for staff: `<booking-list>` and `<booking-roles>`.

use booking_ui::prelude::*;
use booking_widget::features::booking_list::actions::reschedule_picker::rescheduler;
use booking_widget::features::booking_list::{self, BookingList};
use booking_widget::features::roles::{self, Roles};
use booking_widget::page::attributes::Config;
use booking_widget::page::mounted::Mounted;
use booking_widget::page::properties::keep_list;
use booking_widget::styles;
use wasm_bindgen::prelude::*;
use wasm_split_helpers::{SplitLoaderError, wasm_split};
use web_sys::HtmlElement;

fn main() {}

/// Exports of the chunk that loads after the list is shown.
#[wasm_split(actions, fallible)]
fn actions() -> Result<&'static booking_list::ChunkExports, SplitLoaderError> {
    Ok(booking_list::exports())
}

/// Exports of the chunk with the roles.
#[wasm_split(roles, fallible)]
fn roles() -> Result<&'static roles::ChunkExports, SplitLoaderError> {
    Ok(roles::exports())
}

/// Exports of the chunk with the role form, the comparison and the permission panel.
#[wasm_split(role_tools, fallible)]
fn role_tools() -> Result<&'static roles::RoleToolsExports, SplitLoaderError> {
    Ok(roles::role_tools_exports())
}

/// Mounts the list or the roles, by the name of the element, in the shadow root of `host`.
#[wasm_bindgen]
pub fn mount(host: HtmlElement, given: JsValue) -> Result<Mounted, JsValue> {
    let screen: fn(Config) -> Node = match host.local_name().as_str() {
        "booking-roles" => |config| {
            let chunk = ChunkSource::Separate(|| PendingExports::new(roles()));
            let tools = ChunkSource::Separate(|| PendingExports::new(role_tools()));
            view! { <Roles config chunk tools /> }.into_inner()
        },
        _ => |config| {
            keep_list();
            provide_context(rescheduler());
            let chunk = ChunkSource::Separate(|| PendingExports::new(actions()));
            view! { <BookingList config chunk /> }.into_inner()
        },
    };
    Mounted::new(host, styles::STAFF, &given, screen)
}
