//! Rules of IANA 2025b, by which versions before 0.2 told people the times of bookings, where those of 2026f differ.
//! Needed as long as such bookings are ahead.

use booking_wire::Instant;
use booking_zones::Zone;

/// Names of zones, and their rule in POSIX's form.
const RULES: [(&[&str], &str); 6] = [
    (
        &["America/Vancouver", "Canada/Pacific"],
        "PST8PDT,M3.2.0,M11.1.0",
    ),
    (
        &[
            "America/Edmonton",
            "America/Inuvik",
            "America/Yellowknife",
            "Canada/Mountain",
        ],
        "MST7MDT,M3.2.0,M11.1.0",
    ),
    (
        &["America/Rainy_River", "America/Winnipeg", "Canada/Central"],
        "CST6CDT,M3.2.0,M11.1.0",
    ),
    (&["America/Havana", "Cuba"], "CST5CDT,M3.2.0/0,M11.1.0/1"),
    (
        &["Europe/Chisinau", "Europe/Tiraspol"],
        "EET-2EEST,M3.5.0,M10.5.0/3",
    ),
    // With Ramadan of 2027; other years have other dates.
    (
        &["Africa/Casablanca", "Africa/El_Aaiun"],
        "<+01>-1<+00>0,J38/3,J73/2",
    ),
];

/// Returns the offset in seconds that was told for a start after October 2026; none where the rules are the same.
pub(super) fn told_by_2025b(zone: &str, start: Instant) -> Option<i64> {
    let (_, rule) = RULES.iter().find(|(names, _)| names.contains(&zone))?;
    Some(Zone::from_rule(rule)?.offset_s(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn told_offset_is_that_of_the_former_rules() {
        for (zone, start, hours) in [
            ("America/Vancouver", "2027-01-15T12:00Z", Some(-8)),
            ("America/Vancouver", "2027-07-15T12:00Z", Some(-7)),
            ("Canada/Mountain", "2027-01-15T12:00Z", Some(-7)),
            ("America/Winnipeg", "2027-01-15T12:00Z", Some(-6)),
            ("Cuba", "2027-01-15T12:00Z", Some(-5)),
            ("Africa/Casablanca", "2027-01-15T12:00Z", Some(1)),
            ("Africa/Casablanca", "2027-02-07T01:59Z", Some(1)),
            ("Africa/Casablanca", "2027-02-07T02:00Z", Some(0)),
            ("Africa/Casablanca", "2027-03-14T01:59Z", Some(0)),
            ("Africa/Casablanca", "2027-03-14T02:00Z", Some(1)),
            ("Europe/Berlin", "2027-01-15T12:00Z", None),
        ] {
            let told = told_by_2025b(zone, Instant::parse(start).unwrap());
            assert_eq!(told, hours.map(|hours| hours * 3600), "{zone} {start}");
        }
    }
}
