//! Limits of requests that services apply and clients respect: pages, searches, answers, guests, metadata,
//! reservations.

/// Items of one page of a list (`take`).
pub const MAX_PAGE_SIZE: i64 = 250;

/// Characters of a search.
pub const MAX_SEARCH_CHARS: usize = 100;

/// Characters of a user's or visitor's name.
pub const MAX_NAME_CHARS: usize = 300;

/// Characters of one booking field response.
pub const MAX_ANSWER_CHARS: usize = 10_000;

/// Characters of a reason (cancellation, decline, reassignment).
pub const MAX_REASON_CHARS: usize = 5_000;

/// Guests of one booking.
pub const MAX_GUESTS: usize = 30;

/// Guests that one call may add.
pub const MAX_GUESTS_PER_CALL: usize = 10;

/// Minutes after a booking in which the person who booked can correct the e-mail address.
pub const EMAIL_CORRECTION_MINUTES: i64 = 10;

/// Corrections of one person's e-mail address.
pub const MAX_EMAIL_CORRECTIONS: i64 = 3;

/// Keys of a metadata object.
pub const MAX_METADATA_KEYS: usize = 50;

/// Characters of a key in a metadata object.
pub const MAX_METADATA_KEY_CHARS: usize = 40;

/// Characters of a text in a metadata object.
pub const MAX_METADATA_TEXT_CHARS: usize = 500;

/// Minutes for which one client can reserve one slot, including renewals.
pub const MAX_RESERVED_MINUTES: i64 = 30;
