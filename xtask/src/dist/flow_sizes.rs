//! Computes download sizes: of each published file, and of each flow.

use std::collections::BTreeSet;
use std::path::Path;

use fs_err as fs;
use serde_json::{Map, Value, json};

use super::files::{self, Published};
use crate::process::Outcome;

/// Path of the script that customers put on their pages.
pub(crate) const LOADER: &str = "embed/embed.js";

/// Size of a file or of several, in bytes.
#[derive(Clone, Copy, Default)]
pub(crate) struct Bytes {
    pub(crate) raw: u64,
    pub(crate) gzip: u64,
    pub(crate) brotli: u64,
}

/// Sizes of everything in `dist`.
pub(crate) struct Sizes {
    /// By path below `dist`, sorted.
    pub(crate) files: Vec<(String, Bytes)>,
    /// Downloads of a person who does one thing, by its name.
    pub(crate) flows: Vec<(&'static str, Bytes)>,
}

/// Flows: name, starts of the paths of files beside the bundle, start of the path of the bundle's script, and chunks
/// that it loads. All other files of a flow are those that these files mention.
const FLOWS: [(&str, &[&str], &str, Later); 8] = [
    ("first time shown", &[LOADER], PICKER, Later::Only(&[])),
    ("picker", &[LOADER], PICKER, Later::Only(&["form"])),
    ("picker, list first", &[LOADER], PICKER, Later::All),
    ("list shown", &[LOADER, SESSION], STAFF, Later::Only(&[])),
    (
        "roles shown",
        &[LOADER, SESSION],
        STAFF,
        Later::Only(&["roles"]),
    ),
    ("staff", &[LOADER, SESSION], STAFF, Later::All),
    (
        "app, visitor's page",
        &[],
        "app/index.html",
        Later::Only(&[]),
    ),
    ("app", &[], "app/index.html", Later::All),
];

/// Only elements with a session load it.
const SESSION: &str = "embed/session-";
const PICKER: &str = "embed/picker-";
const STAFF: &str = "embed/staff-";

/// Chunks of a flow.
enum Later {
    All,
    /// Those of these names.
    Only(&'static [&'static str]),
}

impl Later {
    /// True if a flow loads the file at `path`. `script` is that of the bundle.
    fn has(&self, path: &str, script: &str) -> Outcome<bool> {
        let is_first =
            !path.ends_with(".wasm") || path.contains("_bg-") || path.ends_with("_bg.wasm");
        let Self::Only(chunks) = self else {
            return Ok(true);
        };
        let name = path.rsplit('/').next().unwrap_or(path);
        let mut has = is_first;
        for chunk in *chunks {
            has |= files_of(script, chunk)?.contains(name);
        }
        Ok(has)
    }
}

/// Returns the part of a minified script that names the files of `chunk`: `form:[`a.wasm`,`b.wasm`` (`CHUNKS` in
/// `loader.js`).
fn files_of<'script>(script: &'script str, chunk: &str) -> Outcome<&'script str> {
    let start = format!("{chunk}:[");
    let at = script
        .match_indices(&start)
        .map(|(at, _)| at)
        .find(|&at| script[..at].ends_with(['{', ',']));
    let at = at.ok_or_else(|| format!("the script names no files of the chunk {chunk}"))?;
    let list = &script[at..];
    Ok(list.split(']').next().unwrap_or(list))
}

/// Reads the sizes of the published files. Files that are not compressed count with their raw size.
pub(crate) fn measure(dist: &Path, files: &[Published]) -> Outcome<Sizes> {
    let mut measured = Vec::new();
    for file in files {
        let path = dist.join(&file.path);
        let length = |path: &Path| fs::metadata(path).map(|data| data.len());
        let raw = length(&path)?;
        let (mut gzip, mut brotli) = (raw, raw);
        if files::compresses(&path) {
            gzip = length(&files::sibling(&path, "gz"))?;
            brotli = length(&files::sibling(&path, "br"))?;
        }
        measured.push((file.path.clone(), Bytes { raw, gzip, brotli }));
    }
    measured.sort_by(|a, b| a.0.cmp(&b.0));

    let mut flows = Vec::new();
    for (name, others, start, later) in FLOWS {
        let mut total = Bytes::default();
        let script = files.iter().find(|file| file.path.starts_with(start));
        let script = script.map_or_else(String::new, |script| {
            String::from_utf8_lossy(&script.content).into_owned()
        });
        let mut paths = others.to_vec();
        for path in loaded(files, start)? {
            if later.has(path, &script)? {
                paths.push(path);
            }
        }
        for path in paths {
            let size = measured.iter().find(|(file, _)| file.starts_with(path));
            let (_, size) = size.ok_or_else(|| format!("dist has no {path}"))?;
            total.raw += size.raw;
            total.gzip += size.gzip;
            total.brotli += size.brotli;
        }
        flows.push((name, total));
    }
    Ok(Sizes {
        files: measured,
        flows,
    })
}

/// Returns the file whose path begins with `start` and, transitively, every file of the same folder whose name
/// is in its text.
fn loaded<'files>(files: &'files [Published], start: &str) -> Outcome<Vec<&'files str>> {
    let folder = start.split('/').next().unwrap_or(start);
    let mut loaded = BTreeSet::new();
    let first = files.iter().find(|file| file.path.starts_with(start));
    let first = first.ok_or_else(|| format!("dist has no {start}"))?;
    let mut unread = vec![first];
    while let Some(file) = unread.pop() {
        if !loaded.insert(file.path.as_str()) || file.path.ends_with(".wasm") {
            continue;
        }
        let text = String::from_utf8_lossy(&file.content);
        unread.extend(files.iter().filter(|other| {
            let name = other.path.rsplit('/').next().unwrap_or(&other.path);
            other.path.split('/').next() == Some(folder) && text.contains(name)
        }));
    }
    Ok(loaded.into_iter().collect())
}

impl Sizes {
    /// Returns the content of `dist/sizes.json`.
    pub(crate) fn to_json(&self) -> Value {
        let bytes =
            |bytes: &Bytes| json!({ "raw": bytes.raw, "gzip": bytes.gzip, "brotli": bytes.brotli });
        let files = self
            .files
            .iter()
            .map(|(path, size)| (path.clone(), bytes(size)));
        let flows = self
            .flows
            .iter()
            .map(|(name, size)| ((*name).to_owned(), bytes(size)));
        let (files, flows): (Map<_, _>, Map<_, _>) = (files.collect(), flows.collect());
        json!({ "files": files, "flows": flows })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flow_has_the_files_of_its_chunks_and_what_they_share() {
        let script = "x={role_tools:[`a_shared1-2.wasm`,`a_tools-2.wasm`],tools:[`a_shared2-2.wasm`,`a_tools-3.wasm`]}";
        let has = |path: &str| Later::Only(&["tools"]).has(path, script).unwrap();
        assert!(has("embed/a_shared2-2.wasm") && has("embed/a_tools-3.wasm"));
        assert!(has("embed/a_bg-1.wasm") && has("embed/a-1.js"));
        assert!(!has("embed/a_shared1-2.wasm") && !has("embed/a_tools-2.wasm"));
        assert!(Later::Only(&["gone"]).has("embed/a-1.js", script).is_err());
    }

    #[test]
    fn flow_has_only_files_that_its_files_mention() {
        let files = [
            Published::new(
                "app/index.html",
                "<script>import init from '/app-1.js'</script>",
            ),
            Published::new(
                "app/app-1.js",
                "import './snippets/a/time.js'; fetch('app-1_bg.wasm')",
            ),
            Published::new("app/app-1_bg.wasm", "unused.js"),
            Published::new("app/snippets/a/time.js", "picker.js"),
            Published::new("app/unused.js", ""),
            Published::new("embed/picker-1.js", "fetch('picker_bg-2.wasm')"),
            Published::new("embed/picker_bg-2.wasm", ""),
        ];
        let app = [
            "app/app-1.js",
            "app/app-1_bg.wasm",
            "app/index.html",
            "app/snippets/a/time.js",
        ];
        assert_eq!(loaded(&files, "app/index.html").unwrap(), app);
        let picker = ["embed/picker-1.js", "embed/picker_bg-2.wasm"];
        assert_eq!(loaded(&files, PICKER).unwrap(), picker);
        assert!(loaded(&files, STAFF).is_err());
    }
}
