//! HAProxy in front of the replicas.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::http;
use crate::ports::Port;

/// A running HAProxy; it ends with this value.
pub struct Proxy {
    child: Child,
    pub address: String,
    _port: Port,
}

impl Proxy {
    /// Starts HAProxy with a configuration in `directory`, and waits until it has found a replica.
    pub fn start(directory: &Path, ports: &[Port]) -> Self {
        let port = Port::reserve();
        let address = port.address();
        let servers: String = (1..)
            .zip(ports)
            .map(|(number, port)| format!("    server replica{number} 127.0.0.1:{port} check\n"))
            .collect();
        let file = directory.join("haproxy.cfg");
        let configuration = format!(
            // Visitors connect from one machine and send X-Forwarded-For themselves.
            "global
    maxconn 2000
defaults
    mode http
    timeout connect 2s
    timeout client 60s
    timeout server 45s
    option redispatch
    retries 3
    default-server inter 200ms downinter 100ms rise 1 fall 2
frontend visitors
    bind {address}
    default_backend replicas
backend replicas
    balance roundrobin
    option httpchk GET /readyz
{servers}"
        );
        std::fs::write(&file, configuration).unwrap();
        let child = Command::new(program())
            .args(["-db", "-q", "-f"])
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("HAProxy is installed: `cargo xtask test --only replicas` does so");
        let proxy = Self {
            child,
            address,
            _port: port,
        };
        wait_until("the proxy leads to a replica", || proxy.is_ready());
        proxy
    }

    fn is_ready(&self) -> bool {
        http::get(&self.address, "/readyz", "").is_some_and(|response| response.status == 200)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns HAProxy, which Debian does not put on the path of every user.
pub fn program() -> &'static Path {
    let installed = Path::new("/usr/sbin/haproxy");
    if installed.is_file() {
        installed
    } else {
        Path::new("haproxy")
    }
}

/// Waits for a condition, for a minute at most.
pub fn wait_until(condition: &str, mut is_met: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_met() {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "{condition}: never"
        );
        thread::sleep(Duration::from_millis(50));
    }
}
