//! The published files: `dist/embed` for other sites, `dist/app` for the standalone app.
//!
//! Files are built in `target` and written to `dist` only if they changed, each with its precompressed
//! siblings: a second run is fast, and a server never reads a half-written file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Map, Value, json};
use wasm_bindgen_cli_support::Bindgen;

use crate::app;
use crate::build::{self, Project};
use crate::embed;
use crate::package;
use crate::parts;
use crate::step::{self, Attempt, Outcome};
use crate::strip::stripped;

/// A file to publish: its path below `dist`, with `/`, and its content.
pub(crate) struct Published {
    pub(crate) path: String,
    pub(crate) content: Vec<u8>,
}

/// Size of a file or of several, in bytes.
#[derive(Clone, Copy, Default)]
pub(crate) struct Bytes {
    pub(crate) raw: u64,
    pub(crate) gzip: u64,
    pub(crate) brotli: u64,
}

/// Downloads of a person who does one thing.
pub(crate) struct Flow {
    pub(crate) name: &'static str,
    pub(crate) bytes: Bytes,
}

/// Sizes of everything in `dist`.
pub(crate) struct Sizes {
    /// By path below `dist`, sorted.
    pub(crate) files: Vec<(String, Bytes)>,
    pub(crate) flows: Vec<Flow>,
}

/// Flows: name, starts of the paths of files beside the program, start of the path of the program's script,
/// and chunks that it loads. All other files of a flow are those that these files mention.
const FLOWS: [(&str, &[&str], &str, Later); 6] = [
    ("first time shown", &[LOADER], PICKER, Later::Only(&[])),
    ("picker", &[LOADER], PICKER, Later::All),
    ("list shown", &[LOADER, SESSION], STAFF, Later::Only(&[])),
    (
        "roles shown",
        &[LOADER, SESSION],
        STAFF,
        Later::Only(&["_roles-", "_shared"]),
    ),
    ("staff", &[LOADER, SESSION], STAFF, Later::All),
    ("app", &[], "app/index.html", Later::All),
];

/// Only elements with a session load it.
const SESSION: &str = "embed/session-";
const PICKER: &str = "embed/picker-";
const STAFF: &str = "embed/staff-";

/// Chunks of a flow.
enum Later {
    All,
    /// Files with one of these in their names.
    Only(&'static [&'static str]),
}

impl Later {
    fn has(&self, path: &str) -> bool {
        let is_first =
            !path.ends_with(".wasm") || path.contains("_bg-") || path.ends_with("_bg.wasm");
        match self {
            Self::All => true,
            Self::Only(names) => is_first || names.iter().any(|name| path.contains(name)),
        }
    }
}

/// Programs of elements.
pub(crate) const PROGRAMS: [&str; 2] = ["picker", "staff"];

/// Script that customers put on their pages.
pub(crate) const LOADER: &str = "embed/embed.js";

/// Builds `dist` and prints the number of its files.
pub(crate) fn run(project: &Project) -> Outcome {
    let sizes = make(project)?;
    println!(
        "{} files in dist, sizes in dist/sizes.json",
        sizes.files.len()
    );
    Ok(())
}

/// Builds `dist` and measures it.
pub(crate) fn make(project: &Project) -> Outcome<Sizes> {
    let compiled = build::wasm(project)?;

    let mut files = Vec::new();
    step::timed("Building the embed files and the app", || {
        files = embedded(project, |name| {
            let made = project.target.join("xtask").join(name);
            bind(&compiled, &made, name)?;
            Ok(made)
        })?;

        let app = project.target.join("xtask/app");
        bind(&compiled, &app, "app")?;
        collect(&app, "app", &mut files)?;
        app::finish(project, &mut files)
    })?;

    let dist = project.dist();
    let package = packaged(project, &files)?;
    files.extend(package);
    step::timed("Compressing what changed", || {
        for folder in ["embed", "app"] {
            remove_stale(&dist.join(folder), folder, &files)?;
        }
        files.iter().try_for_each(|file| publish(&dist, file))
    })?;

    let sizes = measure(&dist, &files)?;
    let path = dist.join("sizes.json");
    write(&path, format!("{:#}\n", sizes.to_json()).as_bytes())?;
    Ok(sizes)
}

/// Returns the files for other sites. `made` builds a program and returns its folder.
pub(crate) fn embedded(
    project: &Project,
    mut made: impl FnMut(&str) -> Outcome<PathBuf>,
) -> Outcome<Vec<Published>> {
    let mut files = Vec::new();
    for name in PROGRAMS {
        collect(&made(name)?, "embed", &mut files)?;
    }
    for folder in ["scripts", "demo"] {
        let folder = project.root.join("src/element").join(folder);
        collect_static(&folder, "embed", &mut files)?;
    }
    let languages = project.root.join("src/i18n/lang");
    collect(&languages, "embed/lang", &mut files)?;
    // Texts of the app.
    files.retain(|file| !file.path.ends_with(".app.json"));
    // Both programs may have the same snippet.
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files.dedup_by(|a, b| a.path == b.path);
    embed::finish(&mut files, env!("CARGO_PKG_VERSION"))?;
    Ok(files)
}

/// Makes the files of a compiled program: its script, its first file and its chunks. Does nothing if they were
/// made from the same program by this build of xtask.
fn bind(compiled: &Path, into: &Path, name: &str) -> Outcome {
    let program = contents(&compiled.join(format!("{name}.wasm")))?;
    // The steps, and the loader of chunks, are part of xtask.
    let print = fingerprint(&[&program, format!("{:?}", built()?).as_bytes()]);
    let stamp = into.with_extension("stamp");
    if into.is_dir() && fs::read_to_string(&stamp).is_ok_and(|stored| stored == print) {
        return Ok(());
    }
    // The last run may have been interrupted, or may have made files that are no longer needed.
    let _ = fs::remove_file(&stamp);
    if into.is_dir() {
        fs::remove_dir_all(into).attempt(format!("cannot empty {}", into.display()))?;
    }
    if name == APP {
        generate(program, into, name)?;
    } else {
        bind_chunks(&program, into, name)?;
    }
    write(&stamp, print.as_bytes())
}

/// The program that is one file.
const APP: &str = "app";

/// Splits a program into a first file and chunks, and makes the script that loads them.
fn bind_chunks(program: &[u8], into: &Path, name: &str) -> Outcome {
    let split = parts::split(program, &into.with_extension("parts"))?;
    generate(contents(&split.first)?, into, name)?;
    let mut contents_of = BTreeMap::new();
    for (part, path) in &split.files {
        contents_of.insert(part, stripped(&contents(path)?)?);
    }
    // The hash of the program is in their names, as they fit no other: a page that was opened before an update
    // must not load a chunk of the new program. Their own contents are in it, as browsers cache them for good.
    let mut hashed = vec![program];
    hashed.extend(contents_of.values().map(Vec::as_slice));
    let version = fingerprint(&hashed);
    let file_of = |part: &String| format!("{name}_{part}-{version}.wasm");
    for (part, content) in &contents_of {
        write(&into.join(file_of(part)), content)?;
    }
    let files_of = |needs: &Vec<String>| needs.iter().map(file_of).collect();
    let needs = split.needs.iter();
    let needs = needs.map(|(part, needs)| (part.clone(), files_of(needs)));
    let script = into.join(format!("{name}.js"));
    let text = fs::read_to_string(&script).attempt(format!("cannot read {}", script.display()))?;
    write(
        &script,
        parts::with_loader(&text, &needs.collect())?.as_bytes(),
    )
}

/// Writes a program as browsers load it, and its script, to the folder `into`.
fn generate(program: Vec<u8>, into: &Path, name: &str) -> Outcome {
    let mut bindgen = Bindgen::new();
    bindgen
        .input_bytes(name, program)
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .omit_default_module_path(false)
        // The linker exports what chunks share.
        .keep_lld_exports(name != APP);
    let generated = bindgen.web(true).and_then(|bindgen| bindgen.generate(into));
    generated.attempt(format!("cannot make the script of {name}"))
}

/// Returns the time when xtask was compiled.
fn built() -> Outcome<SystemTime> {
    let path = std::env::current_exe().attempt("cannot find this program")?;
    let data = fs::metadata(&path).attempt(format!("cannot read {}", path.display()))?;
    data.modified().attempt("files have no times here")
}

/// Reads the files that are served as they are written.
fn collect_static(folder: &Path, prefix: &str, files: &mut Vec<Published>) -> Outcome {
    for entry in list(folder)? {
        let served = ["js", "html", "css"]
            .iter()
            .any(|kind| has_extension(&entry, kind));
        if let (true, Some(name)) = (served, entry.file_name()) {
            let path = format!("{prefix}/{}", name.to_string_lossy());
            files.push(Published {
                path,
                content: contents(&entry)?,
            });
        }
    }
    Ok(())
}

/// Returns the files that make the embed files an npm package.
fn packaged(project: &Project, files: &[Published]) -> Outcome<Vec<Published>> {
    let embedded: Vec<(&str, &[u8])> = files
        .iter()
        .filter_map(|file| Some((file.path.strip_prefix("embed/")?, file.content.as_slice())))
        .collect();
    let made = package::files(project, &embedded)?.into_iter();
    let made = made.map(|(name, content)| Published {
        path: format!("embed/{name}"),
        content,
    });
    Ok(made.collect())
}

/// Reads every file below `folder` into `files`, named below `prefix`.
pub(crate) fn collect(folder: &Path, prefix: &str, files: &mut Vec<Published>) -> Outcome {
    for entry in list(folder)? {
        let Some(name) = entry.file_name() else {
            continue;
        };
        let path = format!("{prefix}/{}", name.to_string_lossy());
        if entry.is_dir() {
            collect(&entry, &path, files)?;
        } else {
            files.push(Published {
                path,
                content: contents(&entry)?,
            });
        }
    }
    Ok(())
}

/// Removes files of an earlier build that are not among `files`.
pub(crate) fn remove_stale(folder: &Path, prefix: &str, files: &[Published]) -> Outcome {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in list(folder)? {
        let Some(name) = entry.file_name() else {
            continue;
        };
        let path = format!("{prefix}/{}", name.to_string_lossy());
        if entry.is_dir() {
            remove_stale(&entry, &path, files)?;
            continue;
        }
        let original = path.trim_end_matches(".br").trim_end_matches(".gz");
        if !files.iter().any(|file| file.path == original) {
            fs::remove_file(&entry).attempt(format!("cannot remove {}", entry.display()))?;
        }
    }
    Ok(())
}

/// Writes a file and its compressed siblings, unless they are there.
pub(crate) fn publish(dist: &Path, file: &Published) -> Outcome {
    let path = dist.join(&file.path);
    let siblings = [sibling(&path, "br"), sibling(&path, "gz")];
    let complete = siblings.iter().all(|sibling| sibling.is_file()) || !compresses(&path);
    if complete && fs::read(&path).is_ok_and(|there| there == file.content) {
        return Ok(());
    }
    if compresses(&path) {
        let [br, gz] = &siblings;
        write(br, &brotli(&file.content)?)?;
        write(gz, &gzip(&file.content)?)?;
    }
    // Last, so that an interrupted run is not taken for a complete one.
    write(&path, &file.content)
}

fn compresses(path: &Path) -> bool {
    [
        "html",
        "js",
        "css",
        "wasm",
        "svg",
        "json",
        "txt",
        "webmanifest",
    ]
    .iter()
    .any(|kind| has_extension(path, kind))
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|own| own == extension)
}

fn sibling(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    PathBuf::from(name)
}

pub(crate) fn brotli(content: &[u8]) -> Outcome<Vec<u8>> {
    let (quality, window) = (11, 24);
    let mut packed = Vec::new();
    brotli::CompressorWriter::new(&mut packed, 4096, quality, window)
        .write_all(content)
        .attempt("cannot compress")?;
    Ok(packed)
}

fn gzip(content: &[u8]) -> Outcome<Vec<u8>> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer
        .write_all(content)
        .and_then(|()| packer.finish())
        .attempt("cannot compress")
}

/// Reads the sizes of the published files. Files that are not compressed count with their raw size.
fn measure(dist: &Path, files: &[Published]) -> Outcome<Sizes> {
    let mut measured = Vec::new();
    for file in files {
        let path = dist.join(&file.path);
        let raw = length(&path)?;
        let bytes = if compresses(&path) {
            let (gzip, brotli) = (
                length(&sibling(&path, "gz"))?,
                length(&sibling(&path, "br"))?,
            );
            Bytes { raw, gzip, brotli }
        } else {
            Bytes {
                raw,
                gzip: raw,
                brotli: raw,
            }
        };
        measured.push((file.path.clone(), bytes));
    }
    measured.sort_by(|a, b| a.0.cmp(&b.0));

    let mut flows = Vec::new();
    for (name, others, start, later) in FLOWS {
        let mut bytes = Bytes::default();
        let files = loaded(files, start)?.into_iter();
        let files = files.filter(|path| later.has(path));
        for path in others.iter().copied().chain(files) {
            let (_, size) = measured
                .iter()
                .find(|(measured, _)| measured.starts_with(path))
                .ok_or_else(|| format!("dist has no {path}"))?;
            bytes.raw += size.raw;
            bytes.gzip += size.gzip;
            bytes.brotli += size.brotli;
        }
        flows.push(Flow { name, bytes });
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
    let mut unread = vec![first.path.as_str()];
    while let Some(path) = unread.pop() {
        let file = files
            .iter()
            .find(|file| file.path == path)
            .ok_or_else(|| format!("dist has no {path}"))?;
        if !loaded.insert(path) || has_extension(Path::new(path), "wasm") {
            continue;
        }
        let text = String::from_utf8_lossy(&file.content);
        let mentioned = files.iter().filter(|other| {
            let name = other.path.rsplit('/').next().unwrap_or(&other.path);
            other.path.split('/').next() == Some(folder) && text.contains(name)
        });
        unread.extend(mentioned.map(|other| other.path.as_str()));
    }
    Ok(loaded.into_iter().collect())
}

impl Sizes {
    fn to_json(&self) -> Value {
        let bytes =
            |bytes: &Bytes| json!({ "raw": bytes.raw, "gzip": bytes.gzip, "brotli": bytes.brotli });
        let files: Map<String, Value> = self
            .files
            .iter()
            .map(|(path, size)| (path.clone(), bytes(size)))
            .collect();
        let flows: Map<String, Value> = self
            .flows
            .iter()
            .map(|flow| (flow.name.to_owned(), bytes(&flow.bytes)))
            .collect();
        json!({ "files": files, "flows": flows })
    }
}

/// Returns a hash of the parts.
fn fingerprint(parts: &[&[u8]]) -> String {
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

fn list(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let context = || format!("cannot list {}", folder.display());
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).attempt(context())? {
        entries.push(entry.attempt(context())?.path());
    }
    entries.sort();
    Ok(entries)
}

pub(crate) fn contents(path: &Path) -> Outcome<Vec<u8>> {
    fs::read(path).attempt(format!("cannot read {}", path.display()))
}

fn length(path: &Path) -> Outcome<u64> {
    fs::metadata(path)
        .map(|data| data.len())
        .attempt(format!("cannot measure {}", path.display()))
}

pub(crate) fn write(path: &Path, content: &[u8]) -> Outcome {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).attempt(format!("cannot make {}", folder.display()))?;
    fs::write(path, content).attempt(format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, content: &str) -> Published {
        Published {
            path: path.to_owned(),
            content: content.as_bytes().to_vec(),
        }
    }

    #[test]
    fn flow_has_only_files_that_its_files_mention() {
        let files = [
            file(
                "app/index.html",
                "<script>import init from '/app-1.js'</script>",
            ),
            file(
                "app/app-1.js",
                "import './snippets/a/time.js'; fetch('app-1_bg.wasm')",
            ),
            file("app/app-1_bg.wasm", "unused.js"),
            file("app/snippets/a/time.js", "picker.js"),
            file("app/unused.js", ""),
            file("embed/picker-1.js", "fetch('picker_bg-2.wasm')"),
            file("embed/picker_bg-2.wasm", ""),
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

    #[test]
    fn compressed_content_decompresses_to_the_original() {
        use std::io::Read;
        let text = "a slot, a slot, a slot".repeat(50);
        let mut unpacked = String::new();
        let packed = brotli(text.as_bytes()).unwrap();
        brotli::Decompressor::new(&packed[..], 4096)
            .read_to_string(&mut unpacked)
            .unwrap();
        assert_eq!(unpacked, text);
        unpacked.clear();
        let packed = gzip(text.as_bytes()).unwrap();
        flate2::read::GzDecoder::new(&packed[..])
            .read_to_string(&mut unpacked)
            .unwrap();
        assert_eq!(unpacked, text);
    }
}
