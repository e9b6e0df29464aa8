//! The service as a child process, with its processor time and memory.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::Outcome;

/// Running service with demo data. Dropping it kills the process.
pub(crate) struct Service {
    /// `host:port`.
    pub(crate) address: String,
    /// `host:port` of the listener for health checks.
    pub(crate) health_address: String,
    /// Contents of `demo.json`: ids and credentials.
    pub(crate) demo: Value,
    pub(crate) data: TempDir,
    child: Mutex<Child>,
    id: u32,
}

impl Service {
    /// Starts the service with more options of `serve` and waits until it is ready.
    pub(crate) fn start(options: &[&str]) -> Outcome<Self> {
        let data = tempfile::tempdir()?;
        let mut child = Command::new(env!("CARGO_BIN_EXE_service"))
            .args([
                "--env-file=",
                "serve",
                "--demo",
                "--rate-limit-off",
                "--port",
                "0",
            ])
            .args(["--health-port", "0"])
            .args(options)
            .arg("--data")
            .arg(data.path())
            .env("RUST_LOG", "warn")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        let stdout = child.stdout.take().ok_or("the service has no output")?;
        let mut health_address = String::new();
        for line in BufReader::new(stdout).lines() {
            let line = line?;
            if let Some(address) = line.strip_prefix("health http://") {
                health_address = address.trim().to_owned();
            }
            if let Some(address) = line.strip_prefix("ready http://") {
                let demo = fs::read(data.path().join("demo.json"))?;
                return Ok(Self {
                    address: address.trim().to_owned(),
                    health_address,
                    demo: serde_json::from_slice(&demo)?,
                    data,
                    id: child.id(),
                    child: Mutex::new(child),
                });
            }
        }
        Err("the service ended before it was ready".into())
    }

    /// Returns a string of `demo.json`.
    pub(crate) fn demo_text(&self, key: &str) -> String {
        let text = self.demo.get(key).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    }

    /// Waits until the service is idle, two seconds at most: messages to webhooks about an earlier
    /// request would count as processor time of the next one.
    pub(crate) fn settle(&self) -> Outcome {
        for _ in 0..40 {
            let before = self.cpu_ms()?;
            thread::sleep(Duration::from_millis(50));
            if self.cpu_ms()? - before < 1.0 {
                break;
            }
        }
        Ok(())
    }

    /// Processor time of all threads so far, in milliseconds. Ended threads are not counted, so a
    /// difference can be too small, never too large.
    pub(crate) fn cpu_ms(&self) -> Outcome<f64> {
        let mut nanos = 0;
        for task in fs::read_dir(format!("/proc/{}/task", self.id))? {
            // The thread may have ended.
            let Ok(text) = fs::read_to_string(task?.path().join("schedstat")) else {
                continue;
            };
            let first = text.split_whitespace().next().unwrap_or("0");
            nanos += first.parse::<u64>()?;
        }
        #[allow(clippy::cast_precision_loss, reason = "nanoseconds of a few minutes")]
        Ok(nanos as f64 / 1e6)
    }

    /// Returns a line of `/proc/…/status` in MiB, such as `VmRSS` or `VmHWM`.
    pub(crate) fn memory_mib(&self, line: &str) -> Outcome<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id))?;
        let kib = status
            .lines()
            .find_map(|each| each.strip_prefix(line)?.strip_prefix(':'))
            .and_then(|rest| rest.split_whitespace().next())
            .ok_or("the system does not say how much memory the service has")?;
        Ok(kib.parse::<u64>()? / 1024)
    }

    /// Returns true if the process has exited.
    pub(crate) fn has_ended(&self) -> bool {
        let mut child = self.child.lock().unwrap_or_else(|error| error.into_inner());
        !matches!(child.try_wait(), Ok(None))
    }

    /// Kills the process.
    pub(crate) fn stop(self) -> Outcome {
        let mut child = self.child.lock().unwrap_or_else(|error| error.into_inner());
        child.kill()?;
        child.wait()?;
        Ok(())
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let mut child = self.child.lock().unwrap_or_else(|error| error.into_inner());
        let _ = child.kill();
        let _ = child.wait();
    }
}
