//! `--env-file`: the settings of an installation, in the file that systemd reads, too.
//!
//! With it, commands have the configuration of the running service: its database, mail server and addresses. The syntax is
//! that of systemd's `EnvironmentFile`, in which `Name <address>` needs no quotes. Crates for `.env` files follow a shell
//! and reject that.

use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// File that is read without the option, if there is one.
pub const DEFAULT_PATH: &str = "/etc/booking/service.env";

/// Name of the option.
const OPTION: &str = "--env-file";

/// Option and variable of the data directory.
const DATA: (&str, &str) = ("--data", "BOOKING_DATA");

/// Error: the file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum EnvFileError {
    /// The file cannot be read.
    #[error("cannot read {}, which --env-file names: {cause}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        cause: std::io::Error,
    },
    /// A line is no assignment. Its text can be a password.
    #[error("line {line} of {} is not like NAME=value", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
    },
    /// A quotation has no end.
    #[error("the quotation that begins in line {line} of {} has no end", path.display())]
    OpenQuote {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
    },
}

/// A file that was read, with the variables that count: those that the environment does not have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EnvFile {
    /// None if no file was read.
    pub path: Option<PathBuf>,
    /// Names and values.
    pub variables: Vec<(String, String)>,
    /// Lines of the default file that were left out. systemd, which may have given this process the other ones, does the
    /// same.
    pub warnings: Vec<String>,
}

impl EnvFile {
    /// Reads the file that the arguments name, or else `default`, which may be missing or for other users only, and is left
    /// out for another data directory than its own: its settings are those of one installation. An empty name stands for no
    /// file. Variables of `environment` are left out: the environment wins.
    ///
    /// # Errors
    ///
    /// If the file is named and cannot be read, or has a line that is no assignment.
    pub fn read(
        arguments: impl Iterator<Item = OsString>,
        default: &Path,
        environment: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, EnvFileError> {
        let arguments: Vec<OsString> = arguments.collect();
        let named = value_of(OPTION, &arguments);
        let path = match &named {
            Some(name) if name.is_empty() => return Ok(Self::default()),
            Some(name) => Path::new(name),
            None => default,
        };
        let content = match std::fs::read(path) {
            Ok(content) => content,
            Err(cause)
                if named.is_none()
                    && [
                        ErrorKind::NotFound,
                        ErrorKind::NotADirectory,
                        ErrorKind::PermissionDenied,
                    ]
                    .contains(&cause.kind()) =>
            {
                return Ok(Self::default());
            }
            Err(cause) => {
                return Err(EnvFileError::Unreadable {
                    path: path.to_owned(),
                    cause,
                });
            }
        };
        let (mut variables, problems) = parse(&String::from_utf8_lossy(&content));
        let mut problems = (problems.into_iter()).map(|problem| problem.in_file(path));
        let mut warnings = Vec::new();
        if named.is_none() {
            warnings = problems.map(|problem| problem.to_string()).collect();
            let own = variables.iter().find(|(name, _)| name == DATA.1);
            let wanted = value_of(DATA.0, &arguments).or_else(|| environment(DATA.1));
            if let (Some((_, own)), Some(wanted)) = (own, wanted)
                && Path::new(own) != Path::new(&wanted)
            {
                return Ok(Self::default());
            }
        } else if let Some(problem) = problems.next() {
            return Err(problem);
        }
        variables.retain(|(name, _)| environment(name).is_none());
        Ok(Self {
            path: Some(path.to_owned()),
            variables,
            warnings,
        })
    }

    /// Returns true if the value of a variable comes from the file.
    pub fn has(&self, variable: &OsStr) -> bool {
        self.variables.iter().any(|(name, _)| variable == &**name)
    }

    /// Adds the variables to the environment of this process.
    ///
    /// Must be called while the process has one thread: others could read the environment at the same time.
    #[allow(unsafe_code)]
    pub fn apply(&self) {
        for (name, value) in &self.variables {
            // SAFETY: the caller has started no thread yet. clap and libraries read settings from the environment only,
            // so there is no other way to give them these.
            unsafe { std::env::set_var(name, value) };
        }
    }
}

/// Reads the current value of a variable in a file.
pub fn value(path: &Path, variable: &str) -> std::io::Result<Option<String>> {
    let content = std::fs::read(path)?;
    let (variables, _) = parse(&String::from_utf8_lossy(&content));
    let mut found = variables.into_iter().filter(|(name, _)| name == variable);
    Ok(found.next().map(|(_, value)| value))
}

/// Returns the last value of an option. The file must be known before clap reads the environment.
fn value_of(option: &str, arguments: &[OsString]) -> Option<OsString> {
    let mut last = None;
    let mut arguments = arguments.iter().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--" {
            break;
        }
        if argument == option {
            last = arguments.next().cloned();
        } else if let Some(value) = argument
            .to_str()
            .and_then(|text| text.strip_prefix(option)?.strip_prefix('='))
        {
            last = Some(value.into());
        }
    }
    last
}

/// Problem of a text, with the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Problem {
    Line(usize),
    OpenQuote(usize),
}

impl Problem {
    fn in_file(self, path: &Path) -> EnvFileError {
        let path = path.to_owned();
        match self {
            Self::Line(line) => EnvFileError::Line { path, line },
            Self::OpenQuote(line) => EnvFileError::OpenQuote { path, line },
        }
    }
}

/// Position in a text: as in `parse_env_file` of systemd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// At the start of a line.
    Start,
    Comment,
    Name,
    /// Before a value, or behind a quotation.
    BeforeValue,
    Value,
    SingleQuoted,
    DoubleQuoted,
}

/// Parses assignments; the last one of a name counts. Lines with problems are left out.
fn parse(text: &str) -> (Vec<(String, String)>, Vec<Problem>) {
    let mut variables: Vec<(String, String)> = Vec::new();
    let mut problems = Vec::new();
    let mut state = State::Start;
    let (mut name, mut value) = (String::new(), String::new());
    // Length of the value without white space at its end.
    let mut kept = 0;
    let mut line = 1;
    let mut quote_line = 0;
    // The end of the text ends a line.
    let mut characters = text.chars().chain(['\n']).peekable();
    while let Some(c) = characters.next() {
        let is_line_end = c == '\n';
        match state {
            State::Start => match c {
                '#' | ';' => state = State::Comment,
                c if c.is_whitespace() || c == '\u{feff}' => {}
                c => {
                    name = c.to_string();
                    state = State::Name;
                }
            },
            State::Comment => {
                if is_line_end {
                    state = State::Start;
                }
            }
            State::Name => match c {
                '=' if is_name(name.trim_end()) => {
                    value.clear();
                    kept = 0;
                    state = State::BeforeValue;
                }
                '=' | '\n' => {
                    problems.push(Problem::Line(line));
                    state = if is_line_end {
                        State::Start
                    } else {
                        State::Comment
                    };
                }
                c => name.push(c),
            },
            State::BeforeValue | State::Value => match c {
                '\n' => {
                    value.truncate(kept);
                    let name = name.trim_end();
                    variables.retain(|(known, _)| known != name);
                    variables.push((name.to_owned(), std::mem::take(&mut value)));
                    state = State::Start;
                }
                '\'' | '"' if state == State::BeforeValue => {
                    quote_line = line;
                    state = match c {
                        '"' => State::DoubleQuoted,
                        _ => State::SingleQuoted,
                    };
                }
                '\\' => {
                    state = State::Value;
                    match characters.next() {
                        // A line that goes on in the next one; or the end of the text.
                        Some('\n') if characters.peek().is_some() => line += 1,
                        Some('\n') | None => problems.push(Problem::Line(line)),
                        Some(escaped) => {
                            value.push(escaped);
                            kept = value.len();
                        }
                    }
                }
                c if c.is_whitespace() => {
                    if state == State::Value {
                        value.push(c);
                    }
                }
                c => {
                    state = State::Value;
                    value.push(c);
                    kept = value.len();
                }
            },
            State::SingleQuoted | State::DoubleQuoted => {
                match (c, state) {
                    ('\'', State::SingleQuoted) | ('"', State::DoubleQuoted) => {
                        state = State::BeforeValue;
                    }
                    ('\\', State::DoubleQuoted) => match characters.next() {
                        Some('\n') => line += 1,
                        Some(escaped) => {
                            if !"\"\\`$".contains(escaped) {
                                value.push('\\');
                            }
                            value.push(escaped);
                        }
                        None => {}
                    },
                    (c, _) => value.push(c),
                }
                kept = value.len();
            }
        }
        if is_line_end {
            line += 1;
        }
    }
    if matches!(state, State::SingleQuoted | State::DoubleQuoted) {
        problems.push(Problem::OpenQuote(quote_line));
    }
    (variables, problems)
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_systemd_reads_them() {
        for (text, expected) in [
            ("A=1", "1"),
            ("A=1\r\n", "1"),
            ("  A = 1  \n", "1"),
            ("A=", ""),
            (
                "A=Northwind <booking@example.org>\n",
                "Northwind <booking@example.org>",
            ),
            (
                "A=\"Northwind <b@example.org>\"",
                "Northwind <b@example.org>",
            ),
            ("A='it is $HOME \\ \"so\"'", "it is $HOME \\ \"so\""),
            ("A=\"a \\\"b\\\" \\\\ \\$c \\d\"", "a \"b\" \\ $c \\d"),
            ("A=\"  kept  \"  ", "  kept  "),
            ("A='one'\"two\"", "onetwo"),
            ("A=\"two\nlines\"", "two\nlines"),
            ("A=one \\\n two", "one  two"),
            ("A=a#b ; c", "a#b ; c"),
            ("A=don't", "don't"),
            ("A=a\\\\b\\ ", "a\\b "),
            ("A=a=b=c", "a=b=c"),
            ("# comment\n; another \n\n \nA=1\n", "1"),
            ("# A=2\nA=1", "1"),
            ("A=1\nA=2\n", "2"),
            ("\u{feff}A=1", "1"),
        ] {
            let expected = vec![("A".to_owned(), expected.to_owned())];
            assert_eq!(parse(text), (expected, Vec::new()), "{text:?}");
        }
        assert_eq!(parse(""), (Vec::new(), Vec::new()));
    }

    #[test]
    fn line_without_assignment_is_left_out_and_named() {
        for (text, problem) in [
            ("A=1\nB\n", Problem::Line(2)),
            ("export A=1", Problem::Line(1)),
            ("=1", Problem::Line(1)),
            ("1A=1", Problem::Line(1)),
            ("A-B=1", Problem::Line(1)),
            ("A=1\\\nB=2\nC", Problem::Line(3)),
            ("A=1\nB=\"2\nC=3\n", Problem::OpenQuote(2)),
            ("A='", Problem::OpenQuote(1)),
        ] {
            assert_eq!(parse(text).1, [problem], "{text:?}");
        }
        let (variables, problems) = parse("A=1\nexport B=2\nC\n3=4\nD=5\n");
        let names: Vec<String> = variables.into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["A", "D"]);
        assert_eq!(problems, [2, 3, 4].map(Problem::Line));
    }

    #[test]
    fn default_file_is_read_without_the_lines_that_are_wrong() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("service.env");
        std::fs::write(&file, b"# B\xfcro\nA=1\nexport B=a-password\nC=3\n").unwrap();
        let read_file = read(&["serve"], &file).unwrap();
        assert_eq!(read_file.variables.len(), 2);
        let [warning] = &read_file.warnings[..] else {
            panic!("{:?}", read_file.warnings);
        };
        assert!(warning.starts_with("line 3 of "), "{warning}");
        assert!(!warning.contains("a-password"), "{warning}");
        let named = format!("--env-file={}", file.display());
        let problem = read(&["serve", &named], Path::new("/none")).unwrap_err();
        assert_eq!(problem.to_string(), *warning);
    }

    fn read(arguments: &[&str], default: &Path) -> Result<EnvFile, EnvFileError> {
        let arguments = ["service"].iter().chain(arguments).map(OsString::from);
        let environment = |name: &str| (name == "SET").then(|| OsString::from("1"));
        EnvFile::read(arguments, default, environment)
    }

    #[test]
    fn default_file_is_for_its_own_data_directory() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("service.env");
        std::fs::write(&file, "BOOKING_DATA=/srv/a\nOTHER=file\n").unwrap();
        for (arguments, count) in [
            (&["check"][..], 2),
            (&["check", "--data", "/srv/a/"], 2),
            (&["check", "--data=/srv/b"], 0),
        ] {
            let read = read(arguments, &file).unwrap();
            assert_eq!(read.variables.len(), count, "{arguments:?}");
        }
        let named = format!("--env-file={}", file.display());
        let other = read(&["check", "--data=/srv/b", &named], Path::new("/none")).unwrap();
        assert_eq!(other.variables.len(), 2);
    }

    #[test]
    fn environment_wins_over_the_file() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("service.env");
        std::fs::write(&file, "SET=file\nOTHER=file\n").unwrap();
        let read = read(&[], &file).unwrap();
        assert_eq!(read.path.as_deref(), Some(&*file));
        assert_eq!(read.variables, [("OTHER".to_owned(), "file".to_owned())]);
        assert!(read.has(OsStr::new("OTHER")) && !read.has(OsStr::new("SET")));
    }

    #[test]
    fn named_file_replaces_the_default_and_must_exist() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name).display().to_string();
        std::fs::write(path("default"), "A=default\n").unwrap();
        std::fs::write(path("named"), "A=named\n").unwrap();
        let default = directory.path().join("default");
        let value = |arguments: &[&str]| {
            let read = read(arguments, &default).unwrap();
            read.variables.into_iter().next().map(|(_, value)| value)
        };
        assert_eq!(value(&["serve"]).as_deref(), Some("default"));
        let joined = format!("--env-file={}", path("named"));
        assert_eq!(value(&["serve", &joined]).as_deref(), Some("named"));
        let separate = ["--env-file", &path("named"), "serve"];
        assert_eq!(value(&separate).as_deref(), Some("named"));
        assert_eq!(value(&["--env-file=", "serve"]), None);
        let text = read(&["--env-file", &path("none")], &default).unwrap_err();
        assert!(
            text.to_string().contains("which --env-file names"),
            "{text}"
        );
        let missing = directory.path().join("none");
        assert_eq!(read(&[], &missing).unwrap(), EnvFile::default());
    }
}
