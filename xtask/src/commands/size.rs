//! Budgets of download sizes: `cargo xtask size` fails above them.

use crate::dist::{self, flow_sizes, flow_sizes::Bytes};
use crate::process::Outcome;
use crate::project::Project;

/// Maximum brotli size of the loader and of each flow, in bytes. Defined here only. The loader's size varies by some
/// 15 bytes with the hashes in it; a module of the same length compresses up to 850 bytes worse in another order of functions,
/// which depends on the folder.
const BUDGETS: [(&str, u64); 8] = [
    ("loader", 8_760),
    ("first time shown", 153_100),
    ("picker", 296_500),
    ("list shown", 164_800),
    ("roles shown", 209_200),
    ("staff", 367_100),
    ("app, visitor's page", 196_300),
    ("app", 566_000),
];

/// Prints the sizes of `dist`; fails if a budget is exceeded.
pub(crate) fn run(project: &Project) -> Outcome {
    let sizes = dist::make(project)?;
    println!();
    let headings = ["raw", "gzip", "brotli", "budget"].map(str::to_owned);
    print_row("", headings, "");
    for (path, bytes) in &sizes.files {
        print_row(path, cells(bytes, None), "");
    }
    println!();
    let loader = sizes
        .files
        .iter()
        .find(|(path, _)| path == flow_sizes::LOADER);
    let loader = loader.map(|(_, bytes)| ("loader", *bytes));
    let mut above = Vec::new();
    for (name, bytes) in loader.into_iter().chain(sizes.flows) {
        let budget = budget(name);
        let is_within = budget.is_none_or(|budget| bytes.brotli <= budget);
        let note = if is_within { "" } else { "  above the budget" };
        print_row(name, cells(&bytes, budget), note);
        above.extend((!is_within).then_some(name));
    }
    println!();
    if above.is_empty() {
        println!("Every flow is within its budget.");
        return Ok(());
    }
    Err(format!("above the budget: {}", above.join(", ")).into())
}

/// Budget in bytes.
fn budget(name: &str) -> Option<u64> {
    BUDGETS
        .iter()
        .find(|(flow, _)| *flow == name)
        .map(|(_, bytes)| *bytes)
}

fn cells(bytes: &Bytes, budget: Option<u64>) -> [String; 4] {
    let [raw, gzip, brotli] = [bytes.raw, bytes.gzip, bytes.brotli].map(group_digits);
    [
        raw,
        gzip,
        brotli,
        budget.map_or_else(String::new, group_digits),
    ]
}

fn print_row(name: &str, [raw, gzip, brotli, budget]: [String; 4], note: &str) {
    let line = format!("{name:<44} {raw:>10} {gzip:>10} {brotli:>10} {budget:>10}{note}");
    println!("{}", line.trim_end());
}

/// Formats `1234567` as `1,234,567`.
fn group_digits(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(String::from_utf8_lossy)
        .collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn group_digits_separates_thousands() {
        assert_eq!(group_digits(7), "7");
        assert_eq!(group_digits(1_000), "1,000");
        assert_eq!(group_digits(1_234_567), "1,234,567");
    }

    #[test]
    fn budget_of_loader_is_in_bytes() {
        assert_eq!(budget("loader"), Some(8_760));
        assert_eq!(budget("demo"), None);
    }
}
