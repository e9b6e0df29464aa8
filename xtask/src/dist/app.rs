//! The files of the standalone app: its page, icon, style sheet and languages.
//!
//! Trunk builds the same from `index.html` and rebuilds it on each change (`trunk serve`). What people
//! download is made here, so that a fresh machine needs no Trunk.

use std::path::Path;

use fs_err as fs;

use super::files::{self, Published};
use super::merge::{LOADER_MODULES, merged};
use crate::process::Outcome;
use crate::project::Project;
use crate::wasm::bundle::Bundler;

/// Lines of the page with this are instructions for Trunk.
const INSTRUCTION: &str = "data-trunk";

/// Requests the program before the script runs.
const PRELOADS: &str = r#"<link rel="modulepreload" href="/app.js">
    <link rel="preload" href="/app_bg.wasm" as="fetch" type="application/wasm" crossorigin>"#;

/// Starts the app, after what the page shows until then. A screen of the team needs its chunk at once; if there are
/// slots, the form's is requested before the first rendering.
const START: &str = r#"
try {
  const { default: init, prefetchChunk } = await import("/app.js");
  const chunk = chunkOf(location.pathname);
  if (chunk === "staff") prefetchChunk(chunk);
  else app.addEventListener("booking-mount", () => skeleton?.hasSlots && prefetchChunk(chunk), { once: true });
  await init({ module_or_path: "/app_bg.wasm" });
} catch (error) {
  showFailure();
  throw error;
}
"#;

/// Script of the program.
const SCRIPT: &str = "app/app.js";

/// Reports a trap of a chunk like any other, for the app's notice. Elements have `traps.js` in its place.
const GUARD: &str = r"
function guard(callback) {
  return (...values) => {
    try {
      return callback(...values);
    } catch (error) {
      reportError(error);
    }
  };
}
";

/// Makes the files of the app from its compiled program and from `index.html`.
pub(crate) fn files(
    project: &Project,
    bundler: &Bundler,
    compiled: &Path,
) -> Outcome<Vec<Published>> {
    let made = project.target.join("xtask/app");
    bundler.link(&compiled.join("app.wasm"), &made)?;
    let mut files = files::read_folder(&made, "app")?;
    for file in &mut files {
        if file.path.ends_with(".js") {
            let mut script = String::from_utf8_lossy(&file.content).into_owned();
            if file.path == SCRIPT {
                script.push_str(GUARD);
            }
            file.content = bundler.minify(&file.path, &script)?.into_bytes();
        }
    }
    let script = start_script(project, bundler)?;
    let html = fs::read_to_string(project.root.join("index.html"))?;
    let css = |source: &str| Ok(fs::read_to_string(project.root.join(source))?);
    let page = page(&html, &script, css)?;
    for (name, source) in &page.files {
        let content = fs::read(project.root.join(source))?;
        files.push(Published::new(format!("app/{name}"), content));
    }
    for (name, folder) in &page.folders {
        let folder = project.root.join(folder);
        files.extend(files::read_folder(&folder, &format!("app/{name}"))?);
    }
    files.push(Published::new("app/index.html", page.html));
    Ok(files)
}

/// Script at the end of the page, which needs its elements. The service allows it by its hash.
fn start_script(project: &Project, bundler: &Bundler) -> Outcome<String> {
    let parts = LOADER_MODULES.map(|name| format!("src/loader/{name}"));
    let paths = parts
        .iter()
        .map(String::as_str)
        .chain(["src/loader/error-panel.js", "src/app/scripts/start.js"]);
    let mut scripts = Vec::new();
    for path in paths {
        scripts.push(fs::read_to_string(project.root.join(path))?);
    }
    let script = bundler.minify("start.js", &(merged(&scripts)? + START))?;
    match script.contains("</") {
        true => Err("the script would end early in the page".into()),
        false => Ok(script),
    }
}

/// A page without instructions, and the files that they name: name below the app, path in the project.
struct Page {
    html: String,
    files: Vec<(String, String)>,
    folders: Vec<(String, String)>,
}

/// Carries out the instructions of a page, and adds `script` to it. `css` reads a style sheet, which becomes part of the
/// page: its script waits for separate ones.
fn page(html: &str, script: &str, css: impl Fn(&str) -> Outcome<String>) -> Outcome<Page> {
    let mut page = Page {
        html: String::new(),
        files: Vec::new(),
        folders: Vec::new(),
    };
    let mut has_program = false;
    for line in html.lines() {
        if line.trim() == "</body>" {
            page.html
                .push_str(&format!("    <script type=\"module\">{script}</script>\n"));
        }
        if !line.contains(INSTRUCTION) {
            page.html.push_str(line);
            page.html.push('\n');
            continue;
        }
        let source = attribute(line, "href").unwrap_or_default().to_owned();
        let name = source.rsplit('/').next().unwrap_or_default().to_owned();
        let element = match attribute(line, "rel") {
            Some("rust") => {
                has_program = true;
                PRELOADS.to_owned()
            }
            Some("css") => format!("<style>{}</style>", css(&source)?),
            Some("icon") => {
                let element = format!("<link rel=\"icon\" href=\"/{name}\">");
                page.files.push((name, source));
                element
            }
            Some("copy-dir") => {
                page.folders.push((name, source));
                continue;
            }
            _ => return Err(format!("index.html has an unknown instruction: {line}").into()),
        };
        page.html.push_str("    ");
        page.html.push_str(&element);
        page.html.push('\n');
    }
    if !has_program {
        return Err("index.html does not load the program".into());
    }
    Ok(page)
}

/// Value of an attribute in double quotes.
fn attribute<'line>(line: &'line str, name: &str) -> Option<&'line str> {
    let (_, value) = line.split_once(&format!(" {name}=\""))?;
    value.split_once('"').map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_with_instructions_has_their_elements_and_files() {
        let html = "<head>\n<link data-trunk rel=\"rust\" data-bin=\"app\">\n\
                    <link data-trunk rel=\"css\" href=\"style/page.css\">\n\
                    <link data-trunk rel=\"icon\" href=\"style/icon.svg\">\n\
                    <link data-trunk rel=\"copy-dir\" href=\"src/i18n/lang\">\n</head>\n\
                    <body>\n</body>\n";
        let css = |source: &str| Ok(format!("/* {source} */"));
        let page = page(html, "start()", css).unwrap();
        assert!(page.html.contains("rel=\"modulepreload\" href=\"/app.js\""));
        let body = "<body>\n    <script type=\"module\">start()</script>\n</body>";
        assert!(page.html.contains(body), "{}", page.html);
        let style = "<style>/* style/page.css */</style>";
        assert!(page.html.contains(style), "{}", page.html);
        assert!(!page.html.contains(INSTRUCTION), "{}", page.html);
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(page.files, [pair("icon.svg", "style/icon.svg")]);
        assert_eq!(page.folders, [pair("lang", "src/i18n/lang")]);
    }

    #[test]
    fn page_without_program_or_with_unknown_instruction_is_rejected() {
        let unknown =
            "<link data-trunk rel=\"rust\">\n<link data-trunk rel=\"sass\" href=\"a.scss\">\n";
        let css = |_: &str| Ok(String::new());
        assert!(page(unknown, "", css).is_err());
        assert!(page("<head></head>\n", "", css).is_err());
    }
}
