//! Credentials from the sign-in screen, which cannot be renewed.

use booking_ui::prelude::*;
use web_sys::Headers;

use super::stored_account;
use crate::client::http::LocalFuture;
use crate::client::session::SessionStatus;
use crate::client::{ApiError, Credentials, Dialect, Renewal};

/// Credentials from the sign-in screen. Deliberately without `Debug`.
pub(crate) struct EnteredCredentials {
    pub(crate) status: RwSignal<SessionStatus>,
    pub(crate) token: Option<String>,
    /// Id and secret of a platform client.
    pub(crate) client: Option<(String, String)>,
}

impl Credentials for EnteredCredentials {
    fn sign(&self, headers: Headers, _: &str, _: &str) -> LocalFuture<Result<u32, ApiError>> {
        if let Some((id, secret)) = &self.client {
            set_header(&headers, Dialect::Svc.client_id_header(), id);
            set_header(&headers, Dialect::Svc.secret_header(), secret);
        }
        if let Some(token) = &self.token {
            set_bearer(&headers, token);
        }
        Box::pin(async { Ok(0) })
    }

    fn renew(&self, _: u32) -> LocalFuture<Renewal> {
        // Typed credentials cannot be renewed, so the stored ones are useless.
        stored_account::delete();
        self.status.set(SessionStatus::Ended);
        Box::pin(async { Renewal::Impossible })
    }
}

/// Sets a header. Values that the browser rejects are skipped.
fn set_header(headers: &Headers, name: &str, value: &str) {
    let _ = headers.set(name, value);
}

pub(crate) fn set_bearer(headers: &Headers, token: &str) {
    set_header(headers, "Authorization", &format!("Bearer {token}"));
}
