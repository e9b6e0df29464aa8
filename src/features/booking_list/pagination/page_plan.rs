//! Page sequence of a walk through all matching bookings, while others create and cancel bookings.
//! No DOM access.
//!
//! The service pages by offset: a booking removed before a page moves all later ones forward, an
//! added one moves them back. So pages overlap: a page with a known booking follows without a gap;
//! one without may not, so the walk steps back until it finds one. Every booking that exists from
//! the first page to the last is returned, and none twice.

use booking_wire::{Booking, Page};

/// Number of bookings that a page shares with the previous one.
pub(super) const OVERLAP: i64 = 10;

/// Maximum number of consecutive pages without new bookings: full pages, and short ones before a
/// page that the service announces.
const MOST_KNOWN_PAGES: u32 = 40;
const MOST_KNOWN_ENDS: u32 = 3;

/// Result of a page.
#[derive(Debug, PartialEq)]
pub(super) enum Found {
    /// New bookings, perhaps none. The next page must be requested.
    Some(Vec<Booking>),
    /// Last new bookings.
    Last(Vec<Booking>),
    /// Possible gap before this page: an earlier one must be requested.
    Gap,
}

/// Progress of a walk.
#[derive(Debug)]
pub struct Plan {
    take: i64,
    skip: i64,
    /// Length of the last step.
    stride: i64,
    known: Known,
    /// True after a step back.
    is_back: bool,
    /// True if the next page follows without a gap, even without a known booking.
    trusts: bool,
    /// Hashes of the first and last booking of the previous page.
    ends: Option<(u64, u64)>,
    known_pages: u32,
    known_ends: u32,
    met: usize,
    odd: Odd,
    total: Option<i64>,
}

/// Unreadable bookings. Pages overlap, so a sum may count some twice.
#[derive(Debug, Default)]
struct Odd {
    most: usize,
    sum: usize,
    /// End of the pages so far.
    reach: i64,
}

impl Plan {
    /// Starts at the first page of `take` bookings.
    pub(super) fn new(take: i64, total: Option<i64>) -> Self {
        Self {
            take: take.max(1),
            skip: 0,
            stride: 0,
            known: Known::default(),
            is_back: false,
            trusts: false,
            ends: None,
            known_pages: 0,
            known_ends: 0,
            met: 0,
            odd: Odd::default(),
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
    pub fn met(&self) -> usize {
        self.met
    }

    /// Total number of bookings, if the service reports a plausible one.
    pub fn total(&self) -> Option<usize> {
        let total = usize::try_from(self.total?).ok()?;
        (total >= self.met).then_some(total)
    }

    /// Number of unreadable bookings: exact unless bookings change during the walk.
    pub fn odd(&self) -> usize {
        let reach = usize::try_from(self.odd.reach).unwrap_or_default();
        let missing = reach.saturating_sub(self.met);
        missing.clamp(self.odd.most, self.odd.sum.max(self.odd.most))
    }

    /// Processes the requested page.
    pub(super) fn take_page(&mut self, page: Page<Booking>) -> Found {
        let returned = i64::try_from(page.items.len() + page.unreadable).unwrap_or(i64::MAX);
        let told = page.pagination.map(|told| told.total_items);
        self.total = told.filter(|total| *total >= 0).or(self.total);

        let ends = match (page.items.first(), page.items.last()) {
            (Some(first), Some(last)) => Some((mark(first), mark(last))),
            _ => None,
        };
        let is_unreadable = page.items.is_empty() && page.unreadable > 0;
        let follows = self.skip == 0
            || self.trusts
            || is_unreadable
            || page
                .items
                .iter()
                .any(|booking| self.known.holds(mark(booking)));
        if !follows {
            self.skip = self.skip.saturating_sub(self.stride.max(1)).max(0);
            // Further each time, in case many were removed.
            self.stride = self.stride.saturating_mul(2);
            self.is_back = true;
            return Found::Gap;
        }

        self.odd.most = self.odd.most.max(page.unreadable);
        self.odd.sum += page.unreadable;
        self.odd.reach = self.odd.reach.max(self.skip.saturating_add(returned));
        let fresh: Vec<Booking> = page
            .items
            .into_iter()
            .filter(|booking| self.known.add(mark(booking)))
            .collect();
        self.met += fresh.len();

        // A short page is the last one unless the service reports more: it may leave out what it
        // cannot read itself, or return fewer than requested.
        let is_full = returned >= self.take;
        let follows_more = told.map(|told| told > self.skip.saturating_add(returned));
        let is_same = ends.is_some() && ends == self.ends;
        let is_last = if returned == 0 {
            true
        } else if fresh.is_empty() {
            let (count, most) = if is_full {
                (&mut self.known_pages, MOST_KNOWN_PAGES)
            } else {
                (&mut self.known_ends, MOST_KNOWN_ENDS)
            };
            *count += u32::from(!self.is_back);
            // Some services return the same page for every offset.
            (is_same && !self.is_back)
                || *count > most
                || (!is_full && !self.is_back && follows_more != Some(true))
        } else {
            self.known_pages = 0;
            self.known_ends = 0;
            !is_full && follows_more == Some(false)
        };
        let overlap = OVERLAP.min(returned / 2);
        // An earlier page without new bookings shows that there is no gap: the overlap is
        // unreadable.
        self.trusts = (self.is_back && fresh.is_empty()) || is_unreadable || overlap == 0;
        self.is_back = false;
        self.ends = ends;
        self.stride = (returned - overlap).max(1);
        self.skip = self.skip.saturating_add(self.stride);
        if is_last {
            Found::Last(fresh)
        } else {
            Found::Some(fresh)
        }
    }
}

/// Hash of the uid (FNV-1a), which takes less memory than the text.
fn mark(booking: &Booking) -> u64 {
    let mut mark = 0xcbf2_9ce4_8422_2325_u64;
    for byte in booking.uid.0.bytes() {
        mark = (mark ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    // 0 marks an empty entry.
    mark.max(1)
}

/// Hash set of the bookings found: one table, at most half full. The sets of the standard library
/// add several kilobytes of code.
#[derive(Debug, Default)]
struct Known {
    places: Vec<u64>,
    count: usize,
}

impl Known {
    fn holds(&self, mark: u64) -> bool {
        self.place(mark)
            .is_some_and(|place| self.places.get(place) == Some(&mark))
    }

    /// Returns true if it was not known.
    fn add(&mut self, mark: u64) -> bool {
        if self.holds(mark) {
            return false;
        }
        if self.count * 2 >= self.places.len() {
            let size = (self.places.len() * 2).max(512);
            let before = std::mem::replace(&mut self.places, vec![0; size]);
            before
                .into_iter()
                .filter(|mark| *mark != 0)
                .for_each(|mark| self.put(mark));
        }
        self.put(mark);
        self.count += 1;
        true
    }

    fn put(&mut self, mark: u64) {
        let place = self.place(mark);
        if let Some(place) = place.and_then(|place| self.places.get_mut(place)) {
            *place = mark;
        }
    }

    /// Index of the mark, or of an empty entry, which always exists.
    fn place(&self, mark: u64) -> Option<usize> {
        let last = self.places.len().checked_sub(1)?;
        // The table's length is a power of two.
        let mut place = mark as usize & last;
        while !matches!(self.places.get(place), Some(found) if *found == 0 || *found == mark) {
            place = (place + 1) & last;
        }
        Some(place)
    }
}

#[cfg(test)]
mod tests;
