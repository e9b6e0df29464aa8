//! Plot of the benchmark's results as SVG, readable in light and dark pages.

use minijinja::{Environment, context};
use serde_json::Value;

use crate::process::{Attempt, Outcome};

const TEMPLATE: &str = include_str!("plot.svg.j2");

/// Ending of the names of the pages that are shown.
const CONDITIONS: &str = ", slow 4G, 4x CPU";

/// Figures shown: key in the results, and label.
const FIGURES: [(&str, &str); 3] = [
    ("fcp", "first content"),
    ("slot", "first slot"),
    ("view", "view"),
];

/// Sizes in pixels: of the plot, of the names at its left, of a bar with the space below it, of a page.
const WIDTH: u64 = 720;
const LEFT: u64 = 210;
const BAR: u64 = 14;
const PAGE: u64 = 60;
const TOP: u64 = 44;

/// Space for the number after the longest bar.
const RIGHT: u64 = 60;

/// Milliseconds between two lines of the scale: a multiple of this.
const STEP: u64 = 500;

/// Most intervals of the scale, so that its numbers do not overlap.
const INTERVALS: u64 = 9;

/// Returns the plot of `results`, as in `target/bench.json`: medians of each page as bars, with least and most.
pub(super) fn svg(results: &Value) -> Outcome<String> {
    let pages = results["pages"].as_object().into_iter().flatten();
    let pages: Vec<(&str, &Value)> = pages
        .filter_map(|(name, figures)| Some((name.strip_suffix(CONDITIONS)?, figures)))
        .filter(|(_, figures)| FIGURES.iter().all(|(key, _)| figures[*key].is_object()))
        .collect();
    let longest = pages
        .iter()
        .map(|(_, figures)| rounded(&figures["view"]["most"]));
    let longest = longest.max().unwrap_or(0).max(1);
    let step = longest.div_ceil(INTERVALS).next_multiple_of(STEP);
    let end = longest.next_multiple_of(step);
    let length = |ms: u64| ms * (WIDTH - LEFT - RIGHT) / end;
    let bar = |top: u64, figures: &Value, (position, (key, _)): (u64, (&str, &str))| {
        let [median, least, most] =
            ["median", "least", "most"].map(|which| rounded(&figures[key][which]));
        context! {
            key, y => top + position * BAR, ms => median, width => length(median),
            least => LEFT + length(least), most => LEFT + length(most),
        }
    };
    let rows = (0..).map(|page| TOP + page * PAGE).zip(&pages);
    let rows = rows.map(|(top, (name, figures))| {
        let bars = (0..).zip(FIGURES).map(|figure| bar(top, figures, figure));
        context! { name => *name, y => top, bars => bars.collect::<Vec<_>>() }
    });
    let ticks = (0..=end / step).map(|tick| tick * step);
    let ticks = ticks.map(|ms| context! { ms, x => LEFT + length(ms) });
    let context = context! {
        width => WIDTH, left => LEFT, height => TOP + PAGE * pages.len() as u64,
        figures => FIGURES.map(|(key, label)| context! { key, label }).to_vec(),
        ticks => ticks.collect::<Vec<_>>(), pages => rows.collect::<Vec<_>>(),
    };
    let environment = Environment::new();
    environment
        .render_str(TEMPLATE, context)
        .attempt("cannot render the plot")
}

/// A figure without its fraction.
fn rounded(value: &Value) -> u64 {
    value.as_f64().unwrap_or(0.0).round() as u64
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn plot_has_a_bar_for_each_figure_of_each_slow_page() {
        let figure = |median: f64| json!({ "median": median, "least": median - 50.0, "most": median + 50.0 });
        let page =
            |slot: f64| json!({ "fcp": figure(100.0), "slot": figure(slot), "view": figure(slot) });
        let results = json!({ "pages": {
            "picker, slow 4G, 4x CPU": page(700.4), "floor, slow 4G, 4x CPU": page(800.0),
            "picker, unthrottled": page(90.0), "roles, slow 4G, 4x CPU": { "slot": figure(1.0) },
        } });
        let svg = svg(&results).unwrap();
        assert_eq!(svg.matches("height=\"12\"").count(), 6, "{svg}");
        // 1,000 ms are 450 pixels.
        assert!(svg.contains("width=\"315\" height=\"12\""), "{svg}");
        assert!(
            svg.contains(">700</text>") && svg.contains(">1000</text>"),
            "{svg}"
        );
        assert!(
            !svg.contains("roles") && !svg.contains(">90</text>"),
            "{svg}"
        );
    }

    #[test]
    fn scale_of_long_bars_has_few_lines() {
        let figure = json!({ "median": 11_000, "least": 10_500, "most": 12_000 });
        let page = json!({ "fcp": figure, "slot": figure, "view": figure });
        let svg = svg(&json!({ "pages": { "@peer/name 1.2.3, slow 4G, 4x CPU": page } })).unwrap();
        assert_eq!(svg.matches("class=\"grid\"").count(), 9, "{svg}");
        assert!(svg.contains("@peer/name 1.2.3</text>"), "{svg}");
    }
}
