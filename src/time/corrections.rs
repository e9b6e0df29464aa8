//! Offsets of time zones that the service has, where those of the browser differ: laws change, and browsers learn of it
//! late.

use super::zone::Zone;
use booking_wire::Instant;

/// An instant at which offsets were compared.
struct Compared {
    zone: Zone,
    at: Instant,
    /// Minutes that the service's offset is east of the browser's.
    minutes: i64,
}

/// Differences between the service and the browser.
#[derive(Default)]
pub struct Corrections(Vec<Compared>);

impl Corrections {
    /// Adds the minutes that the service's offset of a zone is east of the browser's at an instant. Returns true if that
    /// changes the correction there.
    pub fn add(&mut self, zone: &Zone, at: Instant, minutes: i64) -> bool {
        let is_new = self.minutes(at, zone) != minutes;
        if is_new {
            self.0.retain(|known| known.at != at);
        }
        // Instants without a difference bound those with one.
        if is_new || self.has(zone) {
            let zone = zone.clone();
            self.0.push(Compared { zone, at, minutes });
        }
        is_new
    }

    /// True if the service has other offsets of a zone.
    pub fn has(&self, zone: &Zone) -> bool {
        self.0.iter().any(|known| known.zone == *zone)
    }

    /// Returns the minutes to add to the browser's offset at an instant: those of the nearest one that was compared.
    pub fn minutes(&self, at: Instant, zone: &Zone) -> i64 {
        let mut nearest = (u64::MAX, 0);
        for known in &self.0 {
            let distance = known.at.0.abs_diff(at.0);
            if known.zone == *zone && distance < nearest.0 {
                nearest = (distance, known.minutes);
            }
        }
        nearest.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_compared_instant_corrects_the_offset() {
        let (vancouver, berlin) = (
            Zone("America/Vancouver".into()),
            Zone("Europe/Berlin".into()),
        );
        let day = |number: i64| Instant(number * 86_400_000);
        let mut corrections = Corrections::default();
        assert!(!corrections.add(&berlin, day(1), 0));
        assert!(corrections.add(&vancouver, day(20), 60));
        assert!(corrections.add(&vancouver, day(10), 0));
        assert!(!corrections.add(&vancouver, day(21), 60));
        assert!(!corrections.has(&berlin) && corrections.has(&vancouver));
        for (at, minutes) in [(1, 0), (14, 0), (16, 60), (99, 60)] {
            assert_eq!(corrections.minutes(day(at), &vancouver), minutes, "{at}");
            assert_eq!(corrections.minutes(day(at), &berlin), 0, "{at}");
        }
        assert!(corrections.add(&vancouver, day(30), 0));
        assert_eq!(corrections.minutes(day(99), &vancouver), 0);
        // The rules of the service have changed again.
        assert!(corrections.add(&vancouver, day(20), 30));
        assert_eq!(corrections.minutes(day(20), &vancouver), 30);
    }
}
