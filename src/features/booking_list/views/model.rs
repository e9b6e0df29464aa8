//! Saved views. No DOM access.

use booking_wire::{Fields, JsonMap};
use serde_json::Value;

/// Saved view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SavedView {
    /// Unique name.
    pub(super) name: String,
    /// Serialised filters.
    pub(super) query: String,
}

/// Parses the views of a page. Skips invalid ones, and those with an empty or duplicate name.
pub(super) fn parse_views(json: &Value) -> Vec<SavedView> {
    let mut views = Vec::new();
    for value in json.as_array().into_iter().flatten() {
        let Some(fields) = Fields::of(value) else {
            continue;
        };
        let query = fields.text("query");
        let query = query.trim_start_matches('?').to_owned();
        // Views with an invalid name are skipped.
        let _ = add(&mut views, &fields.text("name"), query);
    }
    views
}

/// Views as JSON for the page.
pub(super) fn to_json(views: &[SavedView]) -> Value {
    let object = |view: &SavedView| {
        let mut object = JsonMap::new();
        object.insert("name".to_owned(), Value::String(view.name.clone()));
        object.insert("query".to_owned(), Value::String(view.query.clone()));
        Value::Object(object)
    };
    Value::Array(views.iter().map(object).collect())
}

/// Error of a view's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ViewNameError {
    /// Empty name.
    Missing,
    /// Name of another view.
    Taken,
}

/// Current view of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ActiveView {
    /// No saved view.
    None,
    /// View that the list shows.
    View(String),
    /// Selected view, changed since.
    Changed(String),
}

/// View with this `query`, or else the last `selected` one, changed since.
pub(super) fn active_view(views: &[SavedView], selected: Option<&str>, query: &str) -> ActiveView {
    let is_selected = |view: &&SavedView| Some(view.name.as_str()) == selected;
    let mut same = views.iter().filter(|view| view.query == query);
    let same = same.clone().find(is_selected).or_else(|| same.next());
    match (same, views.iter().find(is_selected)) {
        (Some(view), _) => ActiveView::View(view.name.clone()),
        (None, Some(view)) => ActiveView::Changed(view.name.clone()),
        (None, None) => ActiveView::None,
    }
}

/// Normalises a name and checks it; `current` may keep its own.
fn valid_name(
    views: &[SavedView],
    name: &str,
    current: Option<&str>,
) -> Result<String, ViewNameError> {
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() {
        return Err(ViewNameError::Missing);
    }
    let is_taken = views
        .iter()
        .any(|view| view.name == name && Some(view.name.as_str()) != current);
    if is_taken {
        return Err(ViewNameError::Taken);
    }
    Ok(name)
}

/// Adds a view. Returns its normalised name.
pub(super) fn add(
    views: &mut Vec<SavedView>,
    name: &str,
    query: String,
) -> Result<String, ViewNameError> {
    let name = valid_name(views, name, None)?;
    views.push(SavedView {
        name: name.clone(),
        query,
    });
    Ok(name)
}

/// Renames a view.
pub(super) fn rename(
    views: &mut [SavedView],
    before: &str,
    name: &str,
) -> Result<String, ViewNameError> {
    let name = valid_name(views, name, Some(before))?;
    if let Some(view) = views.iter_mut().find(|view| view.name == before) {
        view.name.clone_from(&name);
    }
    Ok(name)
}

/// Replaces the query of a view.
pub(super) fn overwrite(views: &mut [SavedView], name: &str, query: String) {
    if let Some(view) = views.iter_mut().find(|view| view.name == name) {
        view.query = query;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn views() -> Vec<SavedView> {
        let view = |name: &str, query: &str| SavedView {
            name: name.into(),
            query: query.into(),
        };
        vec![
            view("Past", "status=past"),
            view("All", "status=all"),
            view("Everything", "status=all"),
        ]
    }

    #[test]
    fn stored_views_are_parsed_and_invalid_ones_skipped() {
        assert_eq!(parse_views(&to_json(&views())), views());
        let json = serde_json::json!([
            {"name": "Past", "query": "?status=past"},
            {"name": "Past", "query": "take=50"},
            {"name": "  "},
            {"query": "take=50"},
            {"name": "Usual"},
            {"name": 7, "query": {}},
            null, "All", [],
        ]);
        let parsed: Vec<_> = parse_views(&json)
            .into_iter()
            .map(|view| (view.name, view.query))
            .collect();
        let view = |name: &str, query: &str| (name.to_owned(), query.to_owned());
        assert_eq!(
            parsed,
            [
                view("Past", "status=past"),
                view("Usual", ""),
                view("7", "")
            ]
        );
        for json in [Value::Null, "x".into(), 3.into()] {
            assert_eq!(parse_views(&json), []);
        }
    }

    #[test]
    fn active_view_follows_query() {
        let view = |name: &str| ActiveView::View(name.into());
        for (selected, query, expected) in [
            (None, "", ActiveView::None),
            (None, "status=past", view("Past")),
            (None, "status=all", view("All")),
            (Some("Everything"), "status=all", view("Everything")),
            (Some("Past"), "status=all", view("All")),
            (Some("Past"), "take=50", ActiveView::Changed("Past".into())),
            (Some("Gone"), "take=50", ActiveView::None),
        ] {
            assert_eq!(
                active_view(&views(), selected, query),
                expected,
                "{selected:?} {query}"
            );
        }
    }

    #[test]
    fn view_name_is_unique() {
        let long = "x".repeat(500);
        for (name, expected) in [
            ("", Err(ViewNameError::Missing)),
            (" \t ", Err(ViewNameError::Missing)),
            ("Past", Err(ViewNameError::Taken)),
            (" Past ", Err(ViewNameError::Taken)),
            ("past", Ok("past")),
            ("  My \n own ", Ok("My own")),
            (long.as_str(), Ok(long.as_str())),
        ] {
            let mut views = views();
            let added = add(&mut views, name, "take=50".into());
            assert_eq!(added, expected.map(str::to_owned), "{name}");
            assert_eq!(views.len(), if added.is_ok() { 4 } else { 3 });
        }
        let mut views = views();
        assert_eq!(rename(&mut views, "Past", "All"), Err(ViewNameError::Taken));
        assert_eq!(rename(&mut views, "Past", "Past "), Ok("Past".into()));
        assert_eq!(rename(&mut views, "Past", "Over"), Ok("Over".into()));
        overwrite(&mut views, "Over", "take=50".into());
        assert_eq!(
            (views[0].name.as_str(), views[0].query.as_str()),
            ("Over", "take=50")
        );
    }
}
