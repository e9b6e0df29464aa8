//! Verification of e-mail addresses by a code that is sent to them.

use booking_wire_macros::wire;

/// Digits of a code.
pub const CODE_DIGITS: usize = 6;

/// Minutes until a code expires.
pub const CODE_MINUTES: i64 = 15;

/// Seconds after a code until another one can be sent to the same address.
pub const RESEND_SECONDS: i64 = 30;

/// The body of POST …/verified-resources/emails/verification-code/request.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestEmailCode {
    /// Address that gets the code, in ASCII.
    #[schema(format = "email", max_length = 254)]
    pub email: String,
    /// BCP 47 tag of the message's language; by default that of `Accept-Language`, or English.
    pub language: Option<String>,
}

/// The body of POST …/verified-resources/emails/verification-code/verify.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifyEmailCode {
    /// Address that got the code.
    #[schema(format = "email", max_length = 254)]
    pub email: String,
    /// Code of the latest message: six digits.
    #[schema(example = "184302")]
    pub code: String,
}

/// A verified e-mail address.
#[wire(read, write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifiedEmail {
    /// Identifier; absent if nothing was stored, because the caller has no credentials.
    #[schema(nullable = false)]
    pub id: Option<i64>,
    /// Address in lower case.
    #[schema(format = "email")]
    pub email: String,
    /// User who verified it; absent as `id`.
    #[schema(nullable = false)]
    pub user_id: Option<i64>,
    /// Team that it was verified for.
    #[schema(nullable = false)]
    pub team_id: Option<i64>,
}
