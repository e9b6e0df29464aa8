//! Slots and reservations.

use booking_wire::{NewReservation, Reservation, SlotDays, SlotsQuery};
use gloo_net::http::Method;
use wasm_bindgen::JsValue;
use web_sys::RequestInit;

use super::bookings::percent_encode;
use crate::client::dialect::{Dialect, VersionGroup};
use crate::client::error::ApiError;
use crate::client::http::abort::Abort;
use crate::client::http::{Call, Client};

const RESERVATIONS: &str = "/v2/slots/reservations";

impl Client {
    /// Loads the slots of a range, by day in the query's time zone. Offsets are those of this zone.
    pub async fn slots(&self, query: SlotsQuery, abort: Abort) -> Result<SlotDays, ApiError> {
        let call = Call::get(VersionGroup::Slots, "/v2/slots".to_owned(), query.pairs());
        let mut days: SlotDays = self.data(call, &abort).await?;
        // Other services may send the offset of another zone.
        if self.dialect() != Dialect::Svc {
            for slot in days.0.iter_mut().flat_map(|(_, slots)| slots) {
                slot.offset_minutes = None;
            }
        }
        Ok(days)
    }

    /// Reserves a slot, or renews the reservation `held`.
    pub async fn reserve(
        &self,
        reservation: NewReservation,
        held: Option<String>,
        abort: Abort,
    ) -> Result<Reservation, ApiError> {
        let mut path = RESERVATIONS.to_owned();
        let method = match held {
            None => Method::POST,
            Some(uid) => {
                path.push('/');
                path.push_str(&percent_encode(&uid));
                Method::PATCH
            }
        };
        let call = Call::post(VersionGroup::Slots, path, &reservation).with_method(method);
        self.data(call.for_slot(), &abort).await
    }

    /// Deletes a reservation. Sent even if the page is being closed, so no result is reported: a reservation
    /// that is not deleted expires.
    ///
    /// Sends no credentials: the uid is sufficient, and there is no time to request any from the page.
    pub fn release(&self, uid: &str) -> Option<js_sys::Promise> {
        let mut address = self.base_url().to_owned();
        address.push_str(RESERVATIONS);
        address.push('/');
        address.push_str(&percent_encode(uid));
        let headers = web_sys::Headers::new().ok()?;
        if let Some((name, value)) = self.dialect().version_header(VersionGroup::Slots) {
            // Constant names and values: setting them cannot fail.
            let _ = headers.set(name, value);
        }
        let init = RequestInit::new();
        init.set_method("DELETE");
        init.set_headers(&headers);
        init.set_credentials(web_sys::RequestCredentials::Omit);
        init.set_referrer_policy(web_sys::ReferrerPolicy::NoReferrer);
        // Setting a key of a new plain object cannot fail.
        let _ = js_sys::Reflect::set(&init, &"keepalive".into(), &JsValue::TRUE);
        Some(web_sys::window()?.fetch_with_str_and_init(&address, &init))
    }
}
