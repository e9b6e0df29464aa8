//! The way through all bookings that match, page by page, while others make and cancel bookings. No
//! document.
//!
//! Pages are counted, not remembered by the service: what goes away before a page moves all that
//! follows forward, and what comes moves it back. So pages overlap: one that shows a booking which is
//! known follows without a gap, and one that shows none may not, so the way leads back until it does.
//! Every booking that is there from the first page to the last is met, and none twice.

use booking_wire::{Booking, Page};

/// Bookings that a page has in common with the one before it.
pub(super) const OVERLAP: i64 = 10;

/// Pages in a row that may bring nothing before the way ends: whole ones, and such as the service
/// promises to go on after.
const MOST_KNOWN_PAGES: u32 = 40;
const MOST_KNOWN_ENDS: u32 = 3;

/// What a page turned out to be.
#[derive(Debug, PartialEq)]
pub(super) enum Found {
    /// Bookings not met before; perhaps none. The next page is to be asked for.
    Some(Vec<Booking>),
    /// The last of them.
    Last(Vec<Booking>),
    /// A page that may follow after a gap: an earlier one is to be asked for.
    Gap,
}

/// Where a walk is.
#[derive(Debug)]
pub struct Plan {
    take: i64,
    skip: i64,
    /// How far the last step led.
    stride: i64,
    known: Known,
    /// Whether an earlier page was asked for.
    is_back: bool,
    /// Whether the next page follows without a gap although it may show nothing that is known.
    trusts: bool,
    /// The first and the last booking of the page before.
    ends: Option<(u64, u64)>,
    known_pages: u32,
    known_ends: u32,
    met: usize,
    odd: Odd,
    total: Option<i64>,
}

/// What could not be read. Pages overlap, so that it cannot simply be counted.
#[derive(Debug, Default)]
struct Odd {
    most: usize,
    sum: usize,
    /// How far the pages reach.
    reach: i64,
}

impl Plan {
    /// Begins at the first page. Pages have `take` bookings.
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

    /// How many bookings come before the page that is to be asked for.
    pub(super) fn skip(&self) -> i64 {
        self.skip
    }

    /// How many bookings it has.
    pub(super) fn take(&self) -> i64 {
        self.take
    }

    /// How many bookings were met.
    pub fn met(&self) -> usize {
        self.met
    }

    /// How many there are, as far as the service says and that can be.
    pub fn total(&self) -> Option<usize> {
        let total = usize::try_from(self.total?).ok()?;
        (total >= self.met).then_some(total)
    }

    /// How many could not be read: exactly, unless bookings come and go meanwhile.
    pub fn odd(&self) -> usize {
        let reach = usize::try_from(self.odd.reach).unwrap_or_default();
        let missing = reach.saturating_sub(self.met);
        missing.clamp(self.odd.most, self.odd.sum.max(self.odd.most))
    }

    /// Takes the page that was asked for.
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
            // Further each time, should a great many be gone.
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

        // A page that is not full is the last one, unless the service says that more follows: it may
        // leave out what it cannot read itself, or give fewer than are asked for.
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
            // Asked for another page, some services give the same again.
            (is_same && !self.is_back)
                || *count > most
                || (!is_full && !self.is_back && follows_more != Some(true))
        } else {
            self.known_pages = 0;
            self.known_ends = 0;
            !is_full && follows_more == Some(false)
        };
        let overlap = OVERLAP.min(returned / 2);
        // An earlier page that brought nothing shows that there is no gap: what pages have in common
        // cannot be read.
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

/// A number for the uid (FNV-1a): ten thousand of them take as much memory as two hundred uids.
fn mark(booking: &Booking) -> u64 {
    let mut mark = 0xcbf2_9ce4_8422_2325_u64;
    for byte in booking.uid.0.bytes() {
        mark = (mark ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    // 0 is an empty place.
    mark.max(1)
}

/// The marks of the bookings that were met: a table of places, most of them empty. The sets of the
/// standard library are several kilobytes of code for as much.
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

    /// Whether it was not known.
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

    /// Where the mark is, or would be. There is always an empty place.
    fn place(&self, mark: u64) -> Option<usize> {
        let last = self.places.len().checked_sub(1)?;
        // The number of places is a power of two.
        let mut place = mark as usize & last;
        while !matches!(self.places.get(place), Some(found) if *found == 0 || *found == mark) {
            place = (place + 1) & last;
        }
        Some(place)
    }
}

#[cfg(test)]
mod tests;
