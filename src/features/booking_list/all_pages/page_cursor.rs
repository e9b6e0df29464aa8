//! Page sequence through all matching bookings, while others create and cancel bookings.
//! No DOM access.
//!
//! The service pages by offset: a booking removed before a page moves all later ones forward, an
//! added one moves them back. So pages overlap: a page with a known booking follows without a gap;
//! one without may not, so the cursor steps back until it finds one. Every booking that exists from
//! the first page to the last is returned, and none twice.

use booking_wire::{Booking, Page};

/// Number of bookings that a page shares with the previous one.
pub(super) const OVERLAP: i64 = 10;

/// Maximum number of consecutive pages without new bookings: full pages, and short ones before a
/// page that the service announces.
const MAX_REPEATED_PAGES: u32 = 40;
const MAX_REPEATED_SHORT_PAGES: u32 = 3;

/// Result of a page.
#[derive(Debug, PartialEq)]
pub(super) enum PageResult {
    /// New bookings, perhaps none. The next page must be requested.
    More(Vec<Booking>),
    /// Last new bookings.
    Last(Vec<Booking>),
    /// Possible gap before this page: an earlier one must be requested.
    Gap,
}

/// Position in the pages, and the bookings found so far.
#[derive(Debug)]
pub struct PageCursor {
    take: i64,
    skip: i64,
    /// Length of the last step.
    stride: i64,
    seen: UidHashes,
    /// True after a step back.
    is_after_step_back: bool,
    /// True if the next page follows without a gap, even without a known booking.
    is_contiguous: bool,
    /// Hashes of the first and last booking of the previous page.
    first_and_last: Option<(u64, u64)>,
    repeated_pages: u32,
    repeated_short_pages: u32,
    found: usize,
    unreadable: UnreadableCount,
    total: Option<i64>,
}

/// Unreadable bookings. Pages overlap, so a sum may count some twice.
#[derive(Debug, Default)]
struct UnreadableCount {
    max: usize,
    sum: usize,
    /// End of the pages so far.
    end: i64,
}

impl PageCursor {
    /// Starts at the first page of `take` bookings.
    pub(super) fn new(take: i64, total: Option<i64>) -> Self {
        Self {
            take: take.max(1),
            skip: 0,
            stride: 0,
            seen: UidHashes::default(),
            is_after_step_back: false,
            is_contiguous: false,
            first_and_last: None,
            repeated_pages: 0,
            repeated_short_pages: 0,
            found: 0,
            unreadable: UnreadableCount::default(),
            total,
        }
    }

    /// Offset of the page to request.
    pub(super) fn skip(&self) -> i64 {
        self.skip
    }

    /// Size of the page to request.
    pub(super) fn take(&self) -> i64 {
        self.take
    }

    /// Number of bookings found.
    pub fn found(&self) -> usize {
        self.found
    }

    /// Total number of bookings, if the service reports a plausible one.
    pub fn total(&self) -> Option<usize> {
        let total = usize::try_from(self.total?).ok()?;
        (total >= self.found).then_some(total)
    }

    /// Number of unreadable bookings: exact unless bookings change while pages are read.
    pub fn unreadable(&self) -> usize {
        let end = usize::try_from(self.unreadable.end).unwrap_or_default();
        let missing = end.saturating_sub(self.found);
        missing.clamp(
            self.unreadable.max,
            self.unreadable.sum.max(self.unreadable.max),
        )
    }

    /// Processes the requested page.
    pub(super) fn take_page(&mut self, page: Page<Booking>) -> PageResult {
        let returned = i64::try_from(page.items.len() + page.unreadable).unwrap_or(i64::MAX);
        let total = page.pagination.map(|total| total.total_items);
        self.total = total.filter(|total| *total >= 0).or(self.total);

        let first_and_last = match (page.items.first(), page.items.last()) {
            (Some(first), Some(last)) => Some((uid_hash(first), uid_hash(last))),
            _ => None,
        };
        let is_unreadable = page.items.is_empty() && page.unreadable > 0;
        let follows = self.skip == 0
            || self.is_contiguous
            || is_unreadable
            || page
                .items
                .iter()
                .any(|booking| self.seen.contains(uid_hash(booking)));
        if !follows {
            self.skip = self.skip.saturating_sub(self.stride.max(1)).max(0);
            // Further each time, in case many were removed.
            self.stride = self.stride.saturating_mul(2);
            self.is_after_step_back = true;
            return PageResult::Gap;
        }

        self.unreadable.max = self.unreadable.max.max(page.unreadable);
        self.unreadable.sum += page.unreadable;
        self.unreadable.end = self.unreadable.end.max(self.skip.saturating_add(returned));
        let new_bookings: Vec<Booking> = page
            .items
            .into_iter()
            .filter(|booking| self.seen.add(uid_hash(booking)))
            .collect();
        self.found += new_bookings.len();

        // A short page is the last one unless the service reports more: it may leave out what it
        // cannot read itself, or return fewer than requested.
        let is_full = returned >= self.take;
        let follows_more = total.map(|total| total > self.skip.saturating_add(returned));
        let is_same = first_and_last.is_some() && first_and_last == self.first_and_last;
        let is_last = if returned == 0 {
            true
        } else if new_bookings.is_empty() {
            let (count, max) = if is_full {
                (&mut self.repeated_pages, MAX_REPEATED_PAGES)
            } else {
                (&mut self.repeated_short_pages, MAX_REPEATED_SHORT_PAGES)
            };
            *count += u32::from(!self.is_after_step_back);
            // Some services return the same page for every offset.
            (is_same && !self.is_after_step_back)
                || *count > max
                || (!is_full && !self.is_after_step_back && follows_more != Some(true))
        } else {
            self.repeated_pages = 0;
            self.repeated_short_pages = 0;
            !is_full && follows_more == Some(false)
        };
        let overlap = OVERLAP.min(returned / 2);
        // An earlier page without new bookings shows that there is no gap: the overlap is
        // unreadable.
        self.is_contiguous =
            (self.is_after_step_back && new_bookings.is_empty()) || is_unreadable || overlap == 0;
        self.is_after_step_back = false;
        self.first_and_last = first_and_last;
        self.stride = (returned - overlap).max(1);
        self.skip = self.skip.saturating_add(self.stride);
        if is_last {
            PageResult::Last(new_bookings)
        } else {
            PageResult::More(new_bookings)
        }
    }
}

/// Hash of the uid (FNV-1a), which takes less memory than the text.
fn uid_hash(booking: &Booking) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in booking.uid.0.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    // 0 marks an empty entry.
    hash.max(1)
}

/// Hash set of the bookings found: one table, at most half full. The sets of the standard library
/// add several kilobytes of code.
#[derive(Debug, Default)]
struct UidHashes {
    entries: Vec<u64>,
    count: usize,
}

impl UidHashes {
    fn contains(&self, hash: u64) -> bool {
        self.slot(hash)
            .is_some_and(|slot| self.entries.get(slot) == Some(&hash))
    }

    /// Returns true if it was not seen.
    fn add(&mut self, hash: u64) -> bool {
        if self.contains(hash) {
            return false;
        }
        if self.count * 2 >= self.entries.len() {
            let size = (self.entries.len() * 2).max(512);
            let before = std::mem::replace(&mut self.entries, vec![0; size]);
            before
                .into_iter()
                .filter(|hash| *hash != 0)
                .for_each(|hash| self.insert(hash));
        }
        self.insert(hash);
        self.count += 1;
        true
    }

    fn insert(&mut self, hash: u64) {
        let slot = self.slot(hash);
        if let Some(slot) = slot.and_then(|slot| self.entries.get_mut(slot)) {
            *slot = hash;
        }
    }

    /// Index of the hash, or of an empty entry, which always exists.
    fn slot(&self, hash: u64) -> Option<usize> {
        let last = self.entries.len().checked_sub(1)?;
        // The table's length is a power of two.
        let mut slot = hash as usize & last;
        while !matches!(self.entries.get(slot), Some(found) if *found == 0 || *found == hash) {
            slot = (slot + 1) & last;
        }
        Some(slot)
    }
}

#[cfg(test)]
mod tests;
