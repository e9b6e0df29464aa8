//! What people download: `dist/embed` for other sites, `dist/app` for the standalone app.
//!
//! Files are built elsewhere and published here only if they changed, each with its precompressed
//! siblings, so that a second run is quick and a reader never meets a half-written pair.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Map, Value, json};

use crate::build::{self, Project};
use crate::compact::compact;
use crate::embed;
use crate::glue;
use crate::names::with_names;
use crate::package;
use crate::parts;
use crate::step::{self, Attempt, Outcome};
use crate::tools;

/// A file to publish: its path below `dist`, with `/`, and its content.
pub(crate) struct Published {
    pub(crate) path: String,
    pub(crate) content: Vec<u8>,
}

/// How many bytes something takes.
#[derive(Clone, Copy, Default)]
pub(crate) struct Bytes {
    pub(crate) raw: u64,
    pub(crate) gzip: u64,
    pub(crate) brotli: u64,
}

/// What a person downloads to do one thing.
pub(crate) struct Flow {
    pub(crate) name: &'static str,
    pub(crate) bytes: Bytes,
}

/// The sizes of everything in `dist`.
pub(crate) struct Sizes {
    /// By path below `dist`, sorted.
    pub(crate) files: Vec<(String, Bytes)>,
    pub(crate) flows: Vec<Flow>,
}

/// What each flow takes beside its program: the files whose paths begin so. Where the program's files
/// start, and which of the later parts it goes on to; what else it takes is what these files mention.
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

/// Who is calling: only elements with a session take it.
const SESSION: &str = "embed/session-";
const PICKER: &str = "embed/picker-";
const STAFF: &str = "embed/staff-";

/// Which of the parts that are loaded later belong to a flow.
enum Later {
    All,
    /// Those with one of these in their names.
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

/// The programs of elements.
pub(crate) const PROGRAMS: [&str; 2] = ["picker", "staff"];

/// The script that customers put on their pages.
pub(crate) const LOADER: &str = "embed/embed.js";

/// The command: builds `dist` and says where it is.
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
    let trunk = tools::trunk(project)?;
    let compiled = build::wasm(project)?;

    let mut files = Vec::new();
    step::timed("Building the embed files and the app", || {
        files = embedded(project, |name| {
            let made = project.target.join("xtask").join(name);
            bind(project, &compiled, &made, name)?;
            Ok(made)
        })?;

        let app = project.target.join("xtask/app");
        build_app(project, &trunk, &app)?;
        collect(&app, "app", &mut files)?;
        compact_app(&mut files)
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

/// The files for other sites, with each program as `made` makes it and says where.
pub(crate) fn embedded(
    project: &Project,
    mut made: impl FnMut(&str) -> Outcome<PathBuf>,
) -> Outcome<Vec<Published>> {
    let mut files = Vec::new();
    for name in PROGRAMS {
        collect(&made(name)?, "embed", &mut files)?;
    }
    collect_static(&project.root.join("src/embed"), "embed", &mut files)?;
    let languages = project.root.join("src/i18n/lang");
    collect(&languages, "embed/lang", &mut files)?;
    // What only the app says.
    files.retain(|file| !file.path.ends_with(".app.json"));
    // Both artefacts may bring the same snippet.
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files.dedup_by(|a, b| a.path == b.path);
    embed::finish(&mut files, env!("CARGO_PKG_VERSION"))?;
    Ok(files)
}

/// A program as it leaves `wasm-bindgen`, with the names of its functions.
pub(crate) struct Bound {
    pub(crate) first: Vec<u8>,
    pub(crate) script: String,
    /// The files that each later part needs.
    needs: BTreeMap<String, Vec<String>>,
    /// The later parts as they were cut, by name.
    pub(crate) parts: BTreeMap<String, PathBuf>,
}

/// Cuts a program in parts and lets `wasm-bindgen` make the JavaScript that loads it, in the folder `into`.
/// Writes the later parts there.
pub(crate) fn bound(project: &Project, program: &[u8], into: &Path, name: &str) -> Outcome<Bound> {
    // What an earlier program needed may not be needed any more.
    if into.is_dir() {
        fs::remove_dir_all(into).attempt(format!("cannot empty {}", into.display()))?;
    }
    let mut command = project.command(tools::wasm_bindgen(project)?);
    command.args(["--target", "web", "--no-typescript", "--no-demangle"]);
    command.args(["--remove-producers-section", "--out-name", name]);
    command.arg("--out-dir").arg(into);
    let named = with_names(program).attempt(format!("{name} cannot be read"))?;
    let parts = parts::split(&named, &into.with_extension("parts"))?;
    // What the linker exports is what the parts share.
    step::run(command.arg("--keep-lld-exports").arg(&parts.first))?;
    let mut contents_of = BTreeMap::new();
    for (part, path) in &parts.files {
        contents_of.insert(part, compact(&contents(path)?)?);
    }
    // Named after the program, because they fit no other: a page that was opened before a new version
    // came must not find a part that is not its own. And after what is in them: they are kept for good.
    let mut named_after = vec![program];
    named_after.extend(contents_of.values().map(Vec::as_slice));
    let version = fingerprint(&named_after);
    let file_of = |part: &String| format!("{name}_{part}-{version}.wasm");
    for (part, content) in &contents_of {
        write(&into.join(file_of(part)), content)?;
    }
    let files_of = |needs: &Vec<String>| needs.iter().map(file_of).collect();
    let needs = parts.needs.iter();
    let needs = needs.map(|(part, needs)| (part.clone(), files_of(needs)));
    let needs = needs.collect();
    let script = into.join(format!("{name}.js"));
    let text = fs::read_to_string(&script).attempt(format!("cannot read {}", script.display()))?;
    let first = contents(&into.join(format!("{name}_bg.wasm")))?;
    let (script, first) = glue::shortened(&text, &first)?;
    Ok(Bound {
        first,
        script,
        needs,
        parts: parts.files,
    })
}

impl Bound {
    /// The script with what fetches the later parts of the program.
    fn joined(&self) -> Outcome<String> {
        parts::joined(&self.script, &self.needs)
    }
}

/// Makes of a compiled program the files that are published, unless they were made from this very program
/// in this very way.
fn bind(project: &Project, compiled: &Path, into: &Path, name: &str) -> Outcome {
    let program = contents(&compiled.join(format!("{name}.wasm")))?;
    let bindgen = tools::wasm_bindgen(project)?;
    let print = fingerprint(&[
        &program,
        bindgen.as_os_str().as_encoded_bytes(),
        // What is done with it, and every script that is joined to it, is in this program.
        format!("{:?}", built()?).as_bytes(),
    ]);
    let stamp = into.with_extension("stamp");
    if into.is_dir() && fs::read_to_string(&stamp).is_ok_and(|made_from| made_from == print) {
        return Ok(());
    }
    // What is half made is made again.
    let _ = fs::remove_file(&stamp);
    let bound = bound(project, &program, into, name)?;
    let script = bound.joined()?;
    write(&into.join(format!("{name}.js")), script.as_bytes())?;
    write(
        &into.join(format!("{name}_bg.wasm")),
        &compact(&bound.first)?,
    )?;
    write(&stamp, print.as_bytes())
}

/// When this program was compiled.
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

fn build_app(project: &Project, trunk: &Path, into: &Path) -> Outcome {
    let mut command = project.command(trunk);
    command.args([
        "build",
        "--release",
        "--cargo-profile",
        "wasm",
        "--offline",
        "--log",
        "warn",
        "--dist",
    ]);
    // Trunk takes these variables for its own options and rejects the usual values.
    command
        .arg(into)
        .env_remove("NO_COLOR")
        .env_remove("CARGO_TERM_COLOR");
    step::run(build::small(project, &mut command)?).attempt("the app could not be built")
}

/// What makes the embed files an npm package.
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

/// Makes the app's program small. Its page says no hash of it (`data-integrity="none"`): browsers ignore that of
/// a program that is preloaded, and warn of it.
fn compact_app(files: &mut [Published]) -> Outcome {
    const PROGRAM: &str = "app/app_bg.wasm";
    let program = files.iter_mut().find(|file| file.path == PROGRAM);
    let program = program.ok_or_else(|| format!("there is no {PROGRAM}"))?;
    program.content = compact(&program.content)?;
    Ok(())
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

/// Removes what an earlier build published and this one does not.
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
    // Last, so that an interrupted run leaves nothing that looks complete and is not.
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

/// Reads the sizes of what was published. What does not compress is sent as it is.
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

/// The file whose path begins with `start` and, transitively, every file of the same folder whose name
/// its text mentions.
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

/// Tells programs apart, and what they were given to.
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

fn contents(path: &Path) -> Outcome<Vec<u8>> {
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
    fn a_flow_is_what_its_files_mention_and_nothing_else() {
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
    fn app_program_is_compacted() {
        // An empty program with something that only tools read.
        let program = "\0asm\x01\0\0\0\0\x03\x02ab";
        let mut files = [file("app/app_bg.wasm", program)];
        compact_app(&mut files).unwrap();
        assert_eq!(files[0].content, b"\0asm\x01\0\0\0");
        assert!(compact_app(&mut [file("app/index.html", "")]).is_err());
    }

    #[test]
    fn compressed_files_unpack_to_what_they_were() {
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
