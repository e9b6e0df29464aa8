//! The staff's artefact: `<booking-list>` and `<booking-roles>`.

use booking_widget::dom::Html;
use booking_widget::embed::{Config, Mounted, keep_list, rescheduler};
use booking_widget::features::booking_list::BookingList;
use booking_widget::features::role_form::Roles;
use booking_widget::theme;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{HtmlElement, ShadowRoot};

fn main() {}

/// Shows the list or the roles, by the name of the element, in the shadow root of `host`.
#[wasm_bindgen]
pub fn mount(host: HtmlElement, root: ShadowRoot, given: JsValue) -> Result<Mounted, JsValue> {
    let screen: fn(Config) -> Html = match host.local_name().as_str() {
        "booking-roles" => |config| view! { <Roles config /> }.into_inner(),
        _ => |config| {
            keep_list();
            provide_context(rescheduler());
            view! { <BookingList config /> }.into_inner()
        },
    };
    Mounted::new(host, &root, theme::STAFF, &given, screen)
}
