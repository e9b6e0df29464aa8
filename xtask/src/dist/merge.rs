//! Scripts that import others, merged into one: each import would be a request, after the one before it.

use crate::process::Outcome;

/// Scripts that the loader and the page of the app import, in the order of their imports.
pub(super) const LOADER_MODULES: [&str; 3] = ["page-locale.js", "prefetch.js", "skeleton.js"];

/// Returns one script of several, the last of which imports the others: without these imports, and without the exports of
/// the others. Top-level names have to differ; the minifier reports those that do not. Fails if an import takes several
/// lines.
pub(super) fn merged(scripts: &[String]) -> Outcome<String> {
    let mut merged = String::new();
    for (index, script) in scripts.iter().enumerate() {
        let is_last = index + 1 == scripts.len();
        for line in script.lines() {
            let is_import = line.starts_with("import ") && line.contains(" from \".");
            if is_import {
                continue;
            }
            if line.contains(" from \".") {
                return Err(format!("an import takes several lines: {line}").into());
            }
            let line = match is_last {
                true => line,
                false => line.strip_prefix("export ").unwrap_or(line),
            };
            merged.push_str(line);
            merged.push('\n');
        }
    }
    Ok(merged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_script_has_no_imports_and_exports_of_the_last_one_only() {
        let part = "import { b } from \"./b.js\";\nexport const a = 1;\n".to_owned();
        let last =
            "import { a } from \"../a.js\";\nimport(\"./c.js\");\nexport const c = a;\n".to_owned();
        assert_eq!(
            merged(&[part, last]).unwrap(),
            "const a = 1;\nimport(\"./c.js\");\nexport const c = a;\n"
        );
        let wrapped = "import {\n  a,\n} from \"./a.js\";\n".to_owned();
        assert!(merged(&[wrapped]).is_err());
    }
}
