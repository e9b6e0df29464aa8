//! Verification of e-mail addresses by a code that is sent to them.

use serde::Serialize;
use serde_json::Value;

use crate::read::{Fields, Read};

/// Digits of a code.
pub const CODE_DIGITS: usize = 6;

/// Minutes until a code expires.
pub const CODE_MINUTES: i64 = 15;

/// Seconds after a code until another one can be sent to the same address.
pub const RESEND_SECONDS: i64 = 30;

/// The body of POST …/verified-resources/emails/verification-code/request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RequestEmailCode {
    /// Address that gets the code, in ASCII.
    #[cfg_attr(feature = "openapi", schema(format = "email", max_length = 254))]
    pub email: String,
    /// BCP 47 tag of the message's language; by default that of `Accept-Language`, or English.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

/// The body of POST …/verified-resources/emails/verification-code/verify.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct VerifyEmailCode {
    /// Address that got the code.
    #[cfg_attr(feature = "openapi", schema(format = "email", max_length = 254))]
    pub email: String,
    /// Code of the latest message: six digits.
    #[cfg_attr(feature = "openapi", schema(example = "184302"))]
    pub code: String,
}

/// A verified e-mail address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct VerifiedEmail {
    /// Identifier; absent if nothing was stored, because the caller has no credentials.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub id: Option<i64>,
    /// Address in lower case.
    #[cfg_attr(feature = "openapi", schema(format = "email"))]
    pub email: String,
    /// User who verified it; absent as `id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub user_id: Option<i64>,
    /// Team that it was verified for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub team_id: Option<i64>,
}

impl Read for VerifiedEmail {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        Some(Self {
            id: fields.get("id")?,
            email: fields.text("email"),
            user_id: fields.get("userId")?,
            team_id: fields.get("teamId")?,
        })
    }
}
