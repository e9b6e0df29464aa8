//! Selects the journeys of an engine and of a dialect, by the lists beside the journeys.

use fs_err as fs;

use crate::process::Outcome;
use crate::project::Project;

/// Journeys that run in Chromium only, as `file::test`.
const CHROMIUM_ONLY: &str = include_str!("../../../tests/e2e/chromium_only.txt");

/// Files of journeys that run against a service of the `cal` dialect, and as `!file::test` their exceptions.
const CAL_DIALECT: &str = include_str!("../../../tests/e2e/cal_dialect.txt");

/// Journeys of a run without options, as `file::test`.
const SHORT: &str = include_str!("../../../tests/e2e/short.txt");

/// Returns the journeys of a run without options.
pub(crate) fn short() -> Vec<String> {
    entries(SHORT).map(str::to_owned).collect()
}

/// Returns the journeys to skip in Firefox and WebKit, for libtest's `--skip`, which matches substrings. None with
/// `every_journey`.
pub(crate) fn skipped_outside_chromium(every_journey: bool) -> impl Iterator<Item = &'static str> {
    entries(CHROMIUM_ONLY).filter(move |_| !every_journey)
}

/// Returns the journeys in the `cal` dialect as `file::test`; with `only`, those whose name contains it.
pub(crate) fn in_cal_dialect(project: &Project, only: Option<&str>) -> Outcome<Vec<String>> {
    let mut all = Vec::new();
    for file in entries(CAL_DIALECT).filter(|entry| !entry.starts_with('!')) {
        all.extend(journeys_in(project, file)?);
    }
    all.retain(|journey| excluded_from_cal_dialect().all(|excluded| journey != excluded));
    all.retain(|journey| only.is_none_or(|only| journey.contains(only)));
    Ok(all)
}

fn excluded_from_cal_dialect() -> impl Iterator<Item = &'static str> {
    entries(CAL_DIALECT).filter_map(|entry| entry.strip_prefix('!'))
}

/// Returns the lines of a list without comments and empty lines.
pub(crate) fn entries(list: &str) -> impl Iterator<Item = &str> {
    let is_entry = |line: &&str| !line.is_empty() && !line.starts_with('#');
    list.lines().map(str::trim).filter(is_entry)
}

/// Returns the journeys of a file as `file::test`.
fn journeys_in(project: &Project, file: &str) -> Outcome<Vec<String>> {
    let text = fs::read_to_string(project.root.join(format!("tests/e2e/{file}.rs")))?;
    let names = test_names(&text).map(|test| format!("{file}::{test}"));
    Ok(names.collect())
}

/// Names of the tests in the text of a file.
fn test_names(text: &str) -> impl Iterator<Item = &str> {
    text.split("#[test]\n").skip(1).filter_map(|rest| {
        let (_, rest) = rest.split_once("fn ")?;
        rest.split_once('(').map(|(name, _)| name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_names_exclude_helpers() {
        let text =
            "fn help() {}\n\n#[test]\nfn first() {}\n\n/// Says so.\n#[test]\nfn second() {}\n";
        assert_eq!(test_names(text).collect::<Vec<_>>(), ["first", "second"]);
    }

    fn all_journeys(project: &Project) -> Outcome<Vec<String>> {
        let mut all = Vec::new();
        for file in project.journeys()? {
            all.extend(journeys_in(project, &file)?);
        }
        Ok(all)
    }

    #[test]
    fn each_name_skipped_outside_chromium_matches_exactly_one_journey() -> Outcome {
        let all = all_journeys(&Project::locate()?)?;
        for journey in skipped_outside_chromium(false) {
            let matched: Vec<_> = all.iter().filter(|each| each.contains(journey)).collect();
            assert_eq!(matched, [journey]);
        }
        assert_eq!(skipped_outside_chromium(true).count(), 0);
        Ok(())
    }

    #[test]
    fn journeys_of_a_short_run_exist() -> Outcome {
        let all = all_journeys(&Project::locate()?)?;
        for journey in short() {
            assert!(all.contains(&journey), "{journey}");
        }
        Ok(())
    }

    #[test]
    fn journeys_excluded_from_cal_dialect_exist_and_do_not_run() -> Outcome {
        let project = Project::locate()?;
        let all = in_cal_dialect(&project, None)?;
        for journey in excluded_from_cal_dialect() {
            let (file, _) = journey.split_once("::").unwrap_or_default();
            assert!(entries(CAL_DIALECT).any(|entry| entry == file), "{journey}");
            let in_file = journeys_in(&project, file)?;
            assert!(in_file.iter().any(|each| each == journey), "{journey}");
            assert!(all.iter().all(|each| each != journey), "{journey}");
        }
        let filtered = in_cal_dialect(&project, Some("seat_is_booked"))?;
        assert_eq!(filtered, ["book::seat_is_booked_and_cancelled"]);
        Ok(())
    }
}
