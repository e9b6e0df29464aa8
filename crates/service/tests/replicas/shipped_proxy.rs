//! The proxy of `deploy/haproxy.cfg`.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::http;
use crate::ports::Port;
use crate::process::Process;
use crate::proxy::{program, wait_until};

const LIMIT: usize = 20;

const SLOTS: &str = "/v2/slots?eventTypeId=1&start=2027-03-02&end=2027-03-02";

/// A running HAProxy with the configuration of `deploy`; it ends with this value.
struct Proxy {
    child: Child,
    port: Port,
}

impl Proxy {
    fn start(replicas: &[&Process; 2]) -> Self {
        let port = Port::reserve();
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/haproxy.cfg");
        let [first, second] = replicas.map(|replica| &replica.address);
        let child = Command::new(program())
            .args(["-db", "-q", "-f"])
            .arg(file)
            .env("HTTP_BIND", port.address())
            .env("RATE_LIMIT", LIMIT.to_string())
            .env("REPLICA_1", first)
            .env("REPLICA_2", second)
            .env("REPLICA_3", second)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let proxy = Self { child, port };
        wait_until("the proxy leads to a replica", || {
            http::get(&proxy.address(), "/readyz", "").is_some_and(|found| found.status == 200)
        });
        proxy
    }

    fn address(&self) -> String {
        self.port.address()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Names of the values of a document.
fn names(value: &Value) -> BTreeSet<String> {
    let Some(object) = value.as_object() else {
        return BTreeSet::new();
    };
    let mut all = BTreeSet::new();
    for (name, value) in object {
        all.insert(name.clone());
        all.extend(names(value).iter().map(|inner| format!("{name}.{inner}")));
    }
    all
}

#[test]
#[ignore = "needs HAProxy"]
fn requests_of_one_caller_are_limited_over_all_replicas() {
    let directory = tempfile::tempdir().unwrap();
    let start = |name: &str, more: &[&str]| {
        let options = [&["--trust-proxy=1"], more].concat();
        Process::start(&directory.path().join(name), &options)
    };
    let (first, second) = (start("1", &[]), start("2", &[]));
    let proxy = Proxy::start(&[&first, &second]);
    let address = proxy.address();
    let get = |target: &str, headers: &str| http::get(&address, target, headers).unwrap();
    for number in 0..LIMIT {
        // Not what it says: the proxy replaces it.
        let forged = format!("x-forwarded-for: 10.0.0.{number}\r\n");
        assert_eq!(get(SLOTS, &forged).status, 200, "{number}");
    }
    let refused = get(SLOTS, "");
    assert_eq!(refused.status, 429, "{}", refused.text);
    assert_eq!(refused.header("retry-after"), Some("60"));
    assert_eq!(refused.header("access-control-allow-origin"), Some("*"));
    // As a replica answers.
    let limited = start("3", &["--rate-limit", "1"]);
    let own = [(), ()].map(|()| http::get(&limited.address, SLOTS, "").unwrap());
    assert_eq!(own[1].status, 429, "{}", own[1].text);
    assert_eq!(names(&refused.body), names(&own[1].body));
    assert_eq!(refused.body["error"], own[1].body["error"]);
    assert_eq!(refused.body["path"], "/v2/slots");
    // Others than API calls, and other callers.
    assert_eq!(get("/readyz", "").status, 200);
    let key = "authorization: Bearer svc_another\r\n";
    assert_eq!(get(SLOTS, key).status, 401);
    // Version 1 has a quarter of the limit, and another form.
    let keyed = "/v1/users?apiKey=another";
    for number in 0..LIMIT / 4 {
        assert_eq!(get(keyed, "").status, 401, "{number}");
    }
    let refused = get(keyed, "");
    assert_eq!(refused.status, 429, "{}", refused.text);
    assert_eq!(names(&refused.body), BTreeSet::from(["message".to_owned()]));
}
