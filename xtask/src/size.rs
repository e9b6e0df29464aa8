//! What visitors and staff download, against what they should.

use std::process::ExitCode;

use crate::build::Project;
use crate::dist::{self, Bytes};
use crate::step::Outcome;

/// The most that each may take, brotli, in KB of 1000 bytes. The only place with these numbers.
const BUDGETS: [(&str, u64); 7] = [
    ("loader", 4),
    ("first time shown", 128),
    ("picker", 228),
    ("list shown", 136),
    ("roles shown", 177),
    ("staff", 297),
    ("app", 413),
];

/// Prints the sizes of `dist`; fails if something is above its budget.
pub(crate) fn run(project: &Project) -> Outcome<ExitCode> {
    let sizes = dist::make(project)?;
    println!();
    row(
        "",
        ["raw", "gzip", "brotli", "budget"].map(str::to_owned),
        "",
    );
    for (path, bytes) in &sizes.files {
        row(path, cells(bytes, None), "");
    }
    println!();
    let loader = sizes.files.iter().find(|(path, _)| path == dist::LOADER);
    let loader = loader.map(|(_, bytes)| ("loader", *bytes));
    let flows = sizes.flows.iter().map(|flow| (flow.name, flow.bytes));
    let mut above = Vec::new();
    for (name, bytes) in loader.into_iter().chain(flows) {
        let budget = budget(name);
        let fits = budget.is_none_or(|budget| bytes.brotli <= budget);
        row(
            name,
            cells(&bytes, budget),
            if fits { "" } else { "  above the budget" },
        );
        if !fits {
            above.push(name);
        }
    }
    println!();
    if above.is_empty() {
        println!("Every flow is within its budget.");
        return Ok(ExitCode::SUCCESS);
    }
    println!("Above the budget: {}.", above.join(", "));
    Ok(ExitCode::FAILURE)
}

/// The budget in bytes.
fn budget(name: &str) -> Option<u64> {
    BUDGETS
        .iter()
        .find(|(budgeted, _)| *budgeted == name)
        .map(|(_, kilobytes)| kilobytes * 1000)
}

fn cells(bytes: &Bytes, budget: Option<u64>) -> [String; 4] {
    let budget = budget.map_or_else(String::new, grouped);
    [
        grouped(bytes.raw),
        grouped(bytes.gzip),
        grouped(bytes.brotli),
        budget,
    ]
}

fn row(name: &str, [raw, gzip, brotli, budget]: [String; 4], note: &str) {
    let line = format!("{name:<44} {raw:>10} {gzip:>10} {brotli:>10} {budget:>10}{note}");
    println!("{}", line.trim_end());
}

/// `1234567` as `1,234,567`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }

    #[test]
    fn every_budget_is_in_bytes() {
        assert_eq!(budget("loader"), Some(4_000));
        assert_eq!(budget("demo"), None);
    }
}
