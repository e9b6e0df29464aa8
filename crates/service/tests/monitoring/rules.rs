//! The alert rules and the dashboard in `deploy/monitoring`: tests of the rules with promtool, and their queries against the
//! metrics of a running service.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::process::Process;

/// Labels that Prometheus adds.
const SCRAPE_LABELS: [&str; 2] = ["instance", "job"];

/// Metrics that a service with SQLite does not have.
const OF_POSTGRES: [&str; 3] = [
    "booking_read_replica_used",
    "booking_read_replica_lag_seconds",
    "booking_clock_difference_seconds",
];

/// Declarations of those.
const GAUGES: &str = include_str!("../../src/monitoring/metrics/gauges.rs");

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/monitoring")
}

fn read(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap()
}

fn promtool(arguments: &[&str]) {
    let output = Command::new("promtool")
        .current_dir(folder())
        .args(arguments)
        .output()
        .expect("promtool is missing: `apt-get install prometheus`");
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

/// Queries of the dashboard, with a value for its variables.
fn dashboard_queries() -> Vec<String> {
    let dashboard: Value = serde_json::from_str(&read("dashboard.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let targets = panels
        .iter()
        .filter_map(|panel| panel["targets"].as_array());
    targets
        .flatten()
        .map(|target| target["expr"].as_str().unwrap())
        .map(|query| {
            query
                .replace("$__rate_interval", "5m")
                .replace("$instance", ".*")
        })
        .collect()
}

/// Queries of the rules, and the names that they record.
fn rule_queries() -> (Vec<String>, BTreeSet<String>) {
    let (mut queries, mut recorded) = (Vec::new(), BTreeSet::new());
    let rules = read("alerts.yaml");
    for rule in rules.split("\n      - ").skip(1) {
        let (head, rest) = rule.split_once("expr: ").unwrap();
        let is_end = |line: &&str| !line.starts_with("          ");
        let mut lines = rest.trim_start_matches(">-\n").lines();
        let mut query = lines.next().unwrap().trim().to_owned();
        for line in lines.by_ref().take_while(|line| !is_end(line)) {
            query = format!("{query} {}", line.trim());
        }
        queries.push(query);
        if let Some(name) = head.strip_prefix("record: ") {
            recorded.insert(name.lines().next().unwrap().to_owned());
        }
    }
    (queries, recorded)
}

/// Values of the labels of each metric.
type Families = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// Parses the text format of Prometheus.
fn families(text: &str) -> Families {
    let mut families = Families::new();
    for line in text.lines() {
        if let Some(declaration) = line.strip_prefix("# TYPE ") {
            let name = declaration.split(' ').next().unwrap();
            families.entry(name.to_owned()).or_default();
        }
        if line.starts_with('#') {
            continue;
        }
        let series = line.rsplit_once(' ').unwrap().0;
        let (name, labels) = series.split_once('{').unwrap_or((series, ""));
        let values = families.entry(name.to_owned()).or_default();
        for (label, value) in matchers(labels.trim_end_matches('}')) {
            values.entry(label).or_default().insert(value);
        }
    }
    families
}

/// Parses `a="b",c=~"d"`. Values have no quotes here.
fn matchers(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((label, after)) = rest.split_once('=') {
        let (_, after) = after.split_once('"').unwrap();
        let (value, after) = after.split_once('"').unwrap();
        let label = label.trim_matches([',', ' ', '!']);
        found.push((label.to_owned(), value.to_owned()));
        rest = after;
    }
    found
}

/// Names of metrics in a query, each with the labels that it must have.
fn selectors(query: &str) -> Vec<(String, Vec<(String, String)>)> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    let mut found = Vec::new();
    let mut rest = query;
    while let Some(at) = ["booking", "process_"]
        .iter()
        .filter_map(|start| rest.find(start))
        .min()
    {
        let text = &rest[at..];
        let (name, after) = text.split_at(text.find(|c| !is_name(c)).unwrap_or(text.len()));
        let (labels, after) = match after.strip_prefix('{') {
            Some(labels) => labels.split_once('}').unwrap(),
            None => ("", after),
        };
        found.push((name.to_owned(), matchers(labels)));
        rest = after;
    }
    found
}

/// Labels by which a query groups or matches.
fn groupings(query: &str) -> BTreeSet<String> {
    let mut labels = BTreeSet::new();
    for word in [" by (", "ignoring("] {
        for (at, _) in query.match_indices(word) {
            let list = query[at + word.len()..].split(')').next().unwrap();
            labels.extend(list.split(',').map(|label| label.trim().to_owned()));
        }
    }
    labels
}

#[test]
fn queries_name_metrics_and_labels_of_the_service() {
    let directory = tempfile::tempdir().unwrap();
    let service = Process::start(directory.path(), &[]);
    for target in ["/v2/slots", "/v2/bookings"] {
        service.call("POST", target, "", "{}");
        service.call("GET", target, "", "");
    }
    let (status, text) = service.call_text("/metrics");
    assert_eq!(status, 200);
    let families = families(&text);
    let (mut queries, recorded) = rule_queries();
    assert!(queries.len() > 25 && recorded.len() > 5);
    queries.extend(dashboard_queries());
    let none = BTreeMap::new();
    let mut used = BTreeSet::new();
    for query in &queries {
        let mut known: BTreeSet<String> = SCRAPE_LABELS.map(str::to_owned).into();
        for (name, matchers) in selectors(query) {
            if recorded.contains(&name) {
                continue;
            }
            let labels = match OF_POSTGRES.contains(&&*name) {
                true => GAUGES.contains(&format!("\"{name}\"")).then_some(&none),
                false => families.get(&name),
            };
            let labels = labels.unwrap_or_else(|| panic!("no metric {name}: {query}"));
            known.extend(labels.keys().cloned());
            for (label, value) in matchers {
                let is_known = value == ".*" && SCRAPE_LABELS.contains(&&*label)
                    || labels.get(&label).is_some_and(|all| all.contains(&value));
                assert!(is_known, "no {name} has {label}=\"{value}\": {query}");
            }
            used.insert(name);
        }
        for label in groupings(query) {
            assert!(known.contains(&label), "no label {label}: {query}");
        }
    }
    assert!(used.len() > 25, "{used:?}");
}

#[test]
fn rules_pass_their_tests_and_queries_are_valid() {
    promtool(&["test", "rules", "alerts.test.yaml"]);
    // As rules, which promtool can parse.
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("dashboard.yaml");
    let mut rules = "groups:\n  - name: dashboard\n    rules:\n".to_owned();
    for (index, query) in dashboard_queries().iter().enumerate() {
        rules += &format!("      - record: query_{index}\n        expr: >-\n          {query}\n");
    }
    std::fs::write(&file, rules).unwrap();
    promtool(&["check", "rules", file.to_str().unwrap()]);
}

#[test]
fn alerts_link_to_headings_of_the_guide() {
    let guide = std::fs::read_to_string(folder().join("../../docs/monitoring.md")).unwrap();
    let anchors: BTreeSet<String> = guide
        .lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| {
            line.trim_start_matches('#')
                .trim()
                .to_lowercase()
                .replace(' ', "-")
        })
        .collect();
    let rules = read("alerts.yaml");
    let alerts = rules.matches("- alert: ").count();
    let links: Vec<&str> = rules
        .lines()
        .filter_map(|line| line.trim().strip_prefix("runbook: docs/monitoring.md#"))
        .collect();
    assert_eq!(links.len(), alerts);
    for link in links {
        assert!(anchors.contains(link), "{link}");
    }
    for rule in rules.split("- alert: ").skip(1) {
        let name = rule.lines().next().unwrap();
        assert!(guide.contains(&format!("`{name}`")), "{name}");
    }
}
