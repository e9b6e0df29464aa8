//! Verification of e-mail addresses.

use booking_wire::RequestEmailCode;

use crate::client::dialect::VersionGroup;
use crate::client::error::ApiError;
use crate::client::http::abort::Abort;
use crate::client::http::{Call, Client};

impl Client {
    /// Sends a code to an address.
    pub async fn request_email_code(
        &self,
        request: &RequestEmailCode,
        abort: Abort,
    ) -> Result<(), ApiError> {
        let path = "/v2/verified-resources/emails/verification-code/request";
        let call = Call::post(VersionGroup::None, path.to_owned(), request);
        self.send(call, &abort).await.map(|_| ())
    }
}
