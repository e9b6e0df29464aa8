//! Results in the output of test programs.

use std::fmt;

/// Largest number of lines of a failed test's output.
const MAX_LINES: usize = 15;

/// Numbers of passed and failed tests.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Counts {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    /// Passed tests that failed the first time.
    pub(crate) flaky: u64,
    pub(crate) failures: Vec<Failure>,
    /// Index of the failed test whose output is being read.
    open: Option<usize>,
    /// True within the list of failed tests.
    is_in_list: bool,
}

/// A failed test.
#[derive(Debug, PartialEq)]
pub(crate) struct Failure {
    pub(crate) name: String,
    /// First lines of its output.
    output: Vec<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for line in &self.output {
            write!(f, "\n    {line}")?;
        }
        Ok(())
    }
}

impl Counts {
    /// Reads a line; ignores all but results and the output of failed tests.
    pub(crate) fn add_line(&mut self, line: &str) {
        if let Some(name) = failed_test(line) {
            self.add_failure(name);
        } else if let Some(name) = test_with_output(line) {
            let mut failures = self.failures.iter();
            // The last one: test programs can have tests of the same name.
            self.open = failures.rposition(|failure| failure.name == name);
        } else if line == "failures:" || line.starts_with("test result: ") {
            self.open = None;
            self.is_in_list = line == "failures:";
        } else if let Some(name) = line.strip_prefix("    ")
            && self.is_in_list
            && self.open.is_none()
        {
            // With `--nocapture`, the result is on another line than the name.
            if self.failures.iter().all(|failure| failure.name != name) {
                self.add_failure(name);
            }
        } else if let Some(failure) = self.open.and_then(|index| self.failures.get_mut(index))
            && !line.is_empty()
            && failure.output.len() < MAX_LINES
        {
            failure.output.push(line.to_owned());
        }
        self.add_numbers(line);
    }

    fn add_failure(&mut self, name: &str) {
        self.failures.push(Failure {
            name: name.to_owned(),
            output: Vec::new(),
        });
    }

    /// Adds the numbers of a `test result:` line.
    fn add_numbers(&mut self, line: &str) {
        let Some((_, result)) = line.split_once("test result: ") else {
            return;
        };
        let words: Vec<&str> = result.split_whitespace().collect();
        for pair in words.windows(2) {
            let [number, word] = pair else { continue };
            let Ok(number) = number.parse::<u64>() else {
                continue;
            };
            match *word {
                "passed;" => self.passed += number,
                "failed;" => self.failed += number,
                _ => {}
            }
        }
    }

    /// Adds the results of other tests.
    pub(crate) fn plus(mut self, other: Self) -> Self {
        self.passed += other.passed;
        self.failed += other.failed;
        self.flaky += other.flaky;
        self.failures.extend(other.failures);
        self
    }
}

/// Name of the failed test in a line of a test program's output; tests in browsers print `FAIL`.
fn failed_test(line: &str) -> Option<&str> {
    let line = line.strip_prefix("test ")?;
    line.strip_suffix(" ... FAILED")
        .or_else(|| line.strip_suffix(" ... FAIL"))
}

/// Name of the test whose output follows a line.
fn test_with_output(line: &str) -> Option<&str> {
    line.strip_prefix("---- ")?.strip_suffix(" stdout ----")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_summed_and_other_lines_ignored() {
        let mut counts = Counts::default();
        for line in [
            "running 3 tests",
            "test a_visitor_books ... ok",
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s",
            "test result: FAILED. 4 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out",
        ] {
            counts.add_line(line);
        }
        assert_eq!((counts.passed, counts.failed, counts.flaky), (7, 2, 0));
        assert!(counts.failures.is_empty());
    }

    #[test]
    fn failed_tests_have_the_first_lines_of_their_output() {
        let mut counts = Counts::default();
        let mut read = |text: &str| text.lines().for_each(|line| counts.add_line(line));
        read(
            "test pick::a_day ... FAILED\ntest pick::a_time ... FAILED\ntest pick::no_day ... ok\n",
        );
        read(
            "failures:\n\n---- pick::a_day stdout ----\n\nthread 'pick::a_day' panicked\nno day\n",
        );
        read("---- pick::a_time stdout ----\n");
        read(&"line\n".repeat(100));
        read("\nfailures:\n    pick::a_day\ntest result: FAILED. 1 passed; 2 failed;\n    no more");
        // Without the name at the result, and in a browser.
        read("test pick::a_week ... no week\nFAILED\n\nfailures:\n\nfailures:\n    pick::a_week\n");
        read("test pick::a_month ... FAIL\n");
        let shown: Vec<String> = counts.failures.iter().map(Failure::to_string).collect();
        assert_eq!(
            shown,
            [
                "pick::a_day\n    thread 'pick::a_day' panicked\n    no day".to_owned(),
                format!("pick::a_time{}", "\n    line".repeat(MAX_LINES)),
                "pick::a_week".to_owned(),
                "pick::a_month".to_owned(),
            ]
        );
    }
}
