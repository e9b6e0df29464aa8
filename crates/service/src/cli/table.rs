//! Tables that commands print.

use booking_wire::Instant;

/// Returns the day of an instant in UTC.
pub(super) fn day(epoch_ms: i64) -> String {
    let utc = Instant(epoch_ms).utc().unwrap_or_default();
    utc.date_naive().to_string()
}

/// Formats aligned columns under their headings, without trailing blanks.
pub(super) fn columns<const N: usize, T: AsRef<str>>(
    headings: [&str; N],
    rows: &[[T; N]],
) -> String {
    let rows: Vec<[&str; N]> = std::iter::once(headings)
        .chain(rows.iter().map(|row| row.each_ref().map(AsRef::as_ref)))
        .collect();
    let mut widths = [0; N];
    for row in &rows {
        for (width, text) in widths.iter_mut().zip(row) {
            *width = text.chars().count().max(*width);
        }
    }
    let mut text = String::new();
    for row in &rows {
        let line: Vec<String> = row
            .iter()
            .zip(widths)
            .map(|(text, width)| format!("{text:width$}"))
            .collect();
        text.push_str(line.join("  ").trim_end());
        text.push('\n');
    }
    text
}
