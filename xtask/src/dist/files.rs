//! Published files: reads, compresses and writes them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use flate2::Compression;
use flate2::write::GzEncoder;
use fs_err as fs;

use crate::process::{self, Attempt, Outcome};

/// A file to publish: its path below `dist`, with `/`, and its content.
pub(crate) struct Published {
    pub(crate) path: String,
    pub(crate) content: Vec<u8>,
}

impl Published {
    pub(crate) fn new(path: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        let (path, content) = (path.into(), content.into());
        Self { path, content }
    }
}

/// Returns the files below `folder`, sorted: their names below it, with `/`, and their paths.
pub(crate) fn list(folder: &Path) -> Outcome<Vec<(String, PathBuf)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.into_owned();
        if path.is_dir() {
            let inner = list(&path)?.into_iter();
            files.extend(inner.map(|(file, path)| (format!("{name}/{file}"), path)));
        } else {
            files.push((name, path));
        }
    }
    files.sort();
    Ok(files)
}

/// Reads the files below `folder`, named below `prefix`.
pub(crate) fn read_folder(folder: &Path, prefix: &str) -> Outcome<Vec<Published>> {
    let files = list(folder)?.into_iter();
    files
        .map(|(name, path)| Ok(Published::new(format!("{prefix}/{name}"), fs::read(path)?)))
        .collect()
}

/// Removes files of an earlier build from the folder `name` of `dist`: those that are not among `files`.
pub(crate) fn remove_stale(dist: &Path, name: &str, files: &[Published]) -> Outcome {
    let folder = dist.join(name);
    if !folder.is_dir() {
        return Ok(());
    }
    for (file, path) in list(&folder)? {
        let original = file.trim_end_matches(".br").trim_end_matches(".gz");
        let original = format!("{name}/{original}");
        if !files.iter().any(|file| file.path == original) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// Writes files and their compressed siblings, unless they are there. On two threads, as the compression takes
/// half a minute.
pub(crate) fn publish(dist: &Path, files: &[Published]) -> Outcome {
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            publish_file(dist, file)?;
        }
        Ok(())
    };
    process::both(work, work).map(|_| ())
}

fn publish_file(dist: &Path, file: &Published) -> Outcome {
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

/// Returns true for files that are published compressed, too.
pub(crate) fn compresses(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(
        extension,
        Some("html" | "js" | "css" | "wasm" | "svg" | "json" | "txt" | "webmanifest")
    )
}

/// Returns the path of the compressed sibling of a file.
pub(crate) fn sibling(path: &Path, extension: &str) -> PathBuf {
    PathBuf::from(format!("{}.{extension}", path.display()))
}

/// Quality of the compression: the best.
const BROTLI_QUALITY: u32 = 11;

/// Size of the window, as a power of two: the largest.
const BROTLI_WINDOW: u32 = 24;

fn brotli(content: &[u8]) -> Outcome<Vec<u8>> {
    let mut packed = Vec::new();
    brotli::CompressorWriter::new(&mut packed, 4096, BROTLI_QUALITY, BROTLI_WINDOW)
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

/// Writes a file and creates its folder.
pub(crate) fn write(path: &Path, content: &[u8]) -> Outcome {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    Ok(fs::write(path, content)?)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn compressed_content_decompresses_to_the_original() {
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
