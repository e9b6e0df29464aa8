//! Operation of the binary: configuration, logs, timeouts, shutdown and database commands.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    unreachable_pub,
    missing_docs,
    dead_code
)]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use booking_service::cli::database::instance_lock::InstanceLock;
use booking_service::store::{FILE_NAME, MIGRATIONS};
use serde_json::{Value, json};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};

#[path = "support/process.rs"]
mod process;
use process::{Process, run, serve_command, service_command};

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn free_start(service: &Process) -> String {
    let target = "/v2/slots?eventTypeId=1&start=2027-03-02&end=2027-03-12";
    let (_, free) = service.call("GET", target, "", "");
    let day = free["data"].as_object().unwrap().values().next().unwrap();
    day[0]["start"].as_str().unwrap().to_owned()
}

/// Polls until the condition holds.
fn wait_until(description: &str, mut condition: impl FnMut() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "not in time: {description}"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Reads the next message to a supervisor.
fn notification(socket: &UnixDatagram) -> String {
    let mut message = [0; 200];
    let length = socket.recv(&mut message).unwrap();
    text(&message[..length]).trim().to_owned()
}

#[test]
fn supervisor_is_notified_of_start_stop_and_progress() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    let mut command = serve_command(&directory.path().join("data"));
    command.args(["--port", "0"]).env("NOTIFY_SOCKET", &path);
    command.env("WATCHDOG_USEC", "600000");
    let service = Process::spawn(command, None);
    assert_eq!(notification(&socket), "READY=1");
    let started = Instant::now();
    for _ in 0..3 {
        assert_eq!(notification(&socket), "WATCHDOG=1");
    }
    // At once, and after each of two intervals of 200 ms.
    assert!(started.elapsed() > Duration::from_millis(350));
    service.send_signal("-TERM");
    while notification(&socket) != "STOPPING=1" {}
    assert_eq!(service.wait(), Some(0));
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(work)
}

fn sql(data: &Path, statement: &str) {
    block_on(async {
        // Without foreign keys: damage that the service itself could not do.
        let options = SqliteConnectOptions::new()
            .filename(data.join(FILE_NAME))
            .foreign_keys(false);
        let mut db = options.connect().await.unwrap();
        sqlx::raw_sql(AssertSqlSafe(statement))
            .execute(&mut db)
            .await
            .unwrap();
        db.close().await.unwrap();
    });
}

#[test]
fn slow_client_is_disconnected_while_others_are_served() {
    let directory = tempfile::tempdir().unwrap();
    let service = Process::start(directory.path(), &["--client-timeout", "1"]);
    let requests = [
        // Incomplete headers.
        "GET /healthz HTTP/1.1\r\nhost: x\r\n",
        // No request.
        "",
        // Idle after a complete request.
        "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n",
        // Incomplete body.
        "POST /v2/bookings HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{",
    ];
    let started = Instant::now();
    let mut streams: Vec<_> = requests.iter().map(|_| service.connect()).collect();
    for (stream, request) in streams.iter_mut().zip(requests) {
        stream.write_all(request.as_bytes()).unwrap();
    }
    assert_eq!(service.call("GET", "/v2/event-types/1", "", "").0, 200);
    let responses: Vec<String> = streams
        .iter_mut()
        .map(|stream| {
            let mut response = String::new();
            stream.read_to_string(&mut response).unwrap();
            response
        })
        .collect();
    let elapsed = started.elapsed();
    assert!(elapsed < Duration::from_secs(8), "{elapsed:?}");
    assert_eq!(responses[1], "");
    assert!(
        responses[2].starts_with("HTTP/1.1 200 "),
        "{}",
        responses[2]
    );
    assert!(
        responses[3].starts_with("HTTP/1.1 408 "),
        "{}",
        responses[3]
    );
}

/// Shortest duration of five health checks.
fn health_check(address: &str) -> Duration {
    let check = || {
        let started = Instant::now();
        let mut stream = TcpStream::connect(address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        stream
            .write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
            .unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
        started.elapsed()
    };
    (0..5).map(|_| check()).min().unwrap()
}

/// Opens connections with an incomplete request or an unread response.
fn open_connections(service: &Process, count: usize, request: &str) -> Vec<TcpStream> {
    let open_connections = |_| {
        let mut stream = service.connect();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    };
    (0..count).map(open_connections).collect()
}

#[test]
fn health_check_is_fast_while_all_connections_are_in_use() {
    let directory = tempfile::tempdir().unwrap();
    let embed = directory.path().join("embed");
    std::fs::create_dir(&embed).unwrap();
    let large_file = std::fs::File::create(embed.join("large.bin")).unwrap();
    large_file.set_len(256 * 1024 * 1024).unwrap();
    std::fs::write(embed.join("embed.js"), "").unwrap();
    let embed = embed.to_str().unwrap();
    let arguments = [
        "--max-connections",
        "20",
        "--rate-limit-off",
        "--embed-dir",
        embed,
    ];
    let service = Process::start(&directory.path().join("data"), &arguments);

    let incomplete_headers = "GET /healthz HTTP/1.1\r\nhost: x\r\n";
    let body = "POST /v2/bookings HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{";
    let answered = "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";
    for request in ["", incomplete_headers, answered, body] {
        let connections = open_connections(&service, 20, request);
        let elapsed = health_check(&service.address);
        assert!(
            elapsed < Duration::from_millis(50),
            "{elapsed:?} for {request:?}"
        );
        drop(connections);
    }
    // Connections without a complete request are closed in favor of any new request.
    for request in ["", incomplete_headers, answered] {
        let _held = open_connections(&service, 20, request);
        assert_eq!(service.call("GET", "/v2/event-types/1", "", "").0, 200);
    }

    // Slowly read responses are not cut off. One after the other: the next request may close a connection whose own
    // has not arrived yet.
    let request = "GET /embed/large.bin HTTP/1.1\r\nhost: x\r\n\r\n";
    let mut slow = Vec::new();
    for _ in 0..20 {
        for mut stream in open_connections(&service, 1, request) {
            let mut head = [0; 12];
            stream.read_exact(&mut head).unwrap();
            assert_eq!(&head, b"HTTP/1.1 200");
            slow.push(stream);
        }
    }
    let elapsed = health_check(&service.address);
    assert!(elapsed < Duration::from_millis(50), "{elapsed:?}");
    assert_eq!(service.call("GET", "/readyz", "", "").0, 200);
    let (status, rejected) = service.call("GET", "/v2/event-types/1", "", "");
    assert_eq!(
        (status, &rejected["error"]["code"]),
        (503, &json!("ServiceUnavailableException"))
    );
    let mut chunk_sizes = Vec::new();
    let mut first = slow.remove(0);
    first
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    let mut chunk = vec![0; 1024 * 1024];
    while chunk_sizes.len() < 8 {
        chunk_sizes.push(first.read(&mut chunk).unwrap());
    }
    assert!(chunk_sizes.iter().all(|length| *length > 0));
    drop((slow, first));
    wait_until("a place is free again", || {
        service.call("GET", "/v2/event-types/1", "", "").0 == 200
    });
}

#[test]
fn health_port_serves_health_checks_only() {
    let directory = tempfile::tempdir().unwrap();
    let arguments = ["--health-port", "0", "--drain", "60"];
    let mut service = Process::start(directory.path(), &arguments);
    let main = service.address.clone();
    let health = service.health_address.clone().unwrap();
    let get_from = |service: &mut Process, address: &str, target: &str| {
        service.address = address.to_owned();
        let (status, body) = service.call_text(target);
        (status, body)
    };
    assert_eq!(
        get_from(&mut service, &health, "/healthz"),
        (200, "ok".to_owned())
    );
    assert_eq!(
        get_from(&mut service, &health, "/readyz").1.lines().next(),
        Some("ready")
    );
    assert_eq!(get_from(&mut service, &health, "/metrics").0, 200);
    for target in ["/v2/event-types/1", "/", "/demo.json"] {
        assert_eq!(get_from(&mut service, &health, target).0, 404, "{target}");
    }
    service.send_signal("-TERM");
    wait_until("the service drains", || {
        get_from(&mut service, &health, "/readyz") == (503, "stopping".to_owned())
    });
    assert_eq!(
        get_from(&mut service, &main, "/readyz"),
        (503, "stopping".to_owned())
    );
    assert_eq!(service.signal("-TERM"), Some(0));
}

#[test]
fn drain_reports_stopping_and_serves_requests() {
    let directory = tempfile::tempdir().unwrap();
    let service = Process::start(directory.path(), &["--drain", "60"]);
    let mut connection = service.connect();
    let send_health_check = |stream: &mut TcpStream| {
        stream
            .write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
            .unwrap();
        let mut response = Vec::new();
        while !response.ends_with(b"\r\n\r\nok") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            response.extend(byte);
        }
        text(&response)
    };
    assert!(!send_health_check(&mut connection).contains("connection: close"));
    service.send_signal("-TERM");
    wait_until("the service drains", || {
        service.call_text("/readyz").0 == 503
    });
    // New connections are accepted, and open ones may send one more request.
    assert_eq!(service.call_text("/readyz").1, "stopping");
    assert_eq!(service.call("GET", "/v2/event-types/1", "", "").0, 200);
    assert!(send_health_check(&mut connection).contains("connection: close"));
    assert_eq!(connection.read(&mut [0]).unwrap(), 0);

    // A second signal ends the drain period.
    let started = Instant::now();
    assert_eq!(service.signal("-TERM"), Some(0));
    let elapsed = started.elapsed();
    assert!(elapsed < Duration::from_secs(20), "{elapsed:?}");
}

#[test]
fn health_command_succeeds_only_if_the_service_is_ready() {
    let directory = tempfile::tempdir().unwrap();
    let service = Process::start(directory.path(), &["--drain", "60"]);
    let url = format!("http://{}", service.address);
    let port = service.address.rsplit(':').next().unwrap();
    let by_port = service_command()
        .arg("health")
        .env("BOOKING_HOST", "0.0.0.0")
        .env("BOOKING_PORT", port)
        // Not for a request to this machine.
        .env("HTTP_PROXY", "http://127.0.0.1:1")
        .output()
        .unwrap();
    for output in [run(&["health", "--url", &url]), by_port] {
        assert!(output.status.success(), "{}", text(&output.stderr));
        let output = text(&output.stdout);
        assert!(output.starts_with("ready\ntime zone data "), "{output}");
    }
    service.send_signal("-TERM");
    wait_until("the service drains", || {
        service.call_text("/readyz").0 == 503
    });
    let output = run(&["health", "--url", &url]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("stopping"));
    assert_eq!(service.signal("-TERM"), Some(0));
    let output = run(&["health", "--url", &url]);
    assert_eq!(output.status.code(), Some(1));
    let error = text(&output.stderr);
    assert!(error.contains("not ready"), "{error}");
    assert!(error.contains("Connection refused"), "{error}");
}

#[test]
fn log_line_of_a_response_has_numbers_and_kinds_of_files() {
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("log");
    let arguments = ["--log-format", "json"];
    let data = directory.path().join("data");
    let service = Process::start_with(&data, &arguments, Some(log));
    let targets = [
        ("/healthz", None),
        ("/readyz", None),
        ("/metrics", None),
        ("/bookings", Some("pages")),
        ("/team/acme.js", Some("pages")),
        ("/none.js", Some("app files")),
        ("/embed/none.js", Some("embed files")),
        ("/v2/event-types/1", Some("/v2/event-types/{eventTypeId}")),
    ];
    for (target, _) in targets {
        service.call_text(target);
    }
    service.send_signal("-TERM");
    let mut logged = Vec::new();
    wait_until("all responses are logged", || {
        let log = service.log();
        let lines = log.lines().map(|line| serde_json::from_str(line).unwrap());
        let is_response = |line: &Value| line["message"] == "answered";
        logged = lines.filter(is_response).collect();
        logged.len() >= 5
    });
    for line in &logged {
        assert!(line["elapsed_ms"].is_u64(), "{line}");
    }
    let routes: Vec<_> = (logged.iter())
        .map(|line| line["route"].as_str().unwrap())
        .collect();
    let expected: Vec<_> = targets.iter().filter_map(|(_, route)| *route).collect();
    assert_eq!(routes, expected);
}

#[test]
fn log_filter_is_read_again_at_sighup() {
    let directory = tempfile::tempdir().unwrap();
    let (env_file, log) = (directory.path().join("env"), directory.path().join("log"));
    std::fs::write(&env_file, "RUST_LOG=warn\n").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_service"));
    command.arg("--env-file").arg(&env_file);
    command.args(["--log-format", "json", "serve", "--port", "0", "--data"]);
    command.arg(directory.path().join("data"));
    command.env_remove("DATABASE_URL").env_remove("RUST_LOG");
    let service = Process::spawn(command, Some(log));
    let answered = || service.log().matches("\"answered\"").count();
    let changed = || service.log().matches("the log filter was changed").count();
    service.call("GET", "/v2/event-types/1", "", "");
    for (count, line, expected) in [
        (1, "RUST_LOG=booking_service=debug\n", 1),
        // Health checks are lines of this level.
        (2, "RUST_LOG='booking_service=info'\n", 1),
        (3, "# The default.\n", 2),
    ] {
        std::fs::write(&env_file, line).unwrap();
        service.send_signal("-HUP");
        wait_until("the filter is changed", || changed() == count);
        service.call_text(if count == 3 {
            "/v2/event-types/1"
        } else {
            "/healthz"
        });
        wait_until("the response is logged", || answered() == expected);
    }
    std::fs::write(&env_file, "RUST_LOG=service=loud\n").unwrap();
    service.send_signal("-HUP");
    wait_until("the wrong filter is reported", || {
        service.log().contains("RUST_LOG is not a log filter")
    });
    assert_eq!(service.readiness().0, 200);
}

#[test]
fn drain_ends_after_timeout_and_sigint_skips_it() {
    for (signal, drain, minimum_seconds) in
        [("-TERM", "1", 1), ("-INT", "60", 0), ("-TERM", "0", 0)]
    {
        let directory = tempfile::tempdir().unwrap();
        let service = Process::start(directory.path(), &["--drain", drain]);
        let started = Instant::now();
        assert_eq!(service.signal(signal), Some(0));
        let elapsed = started.elapsed();
        assert!(
            elapsed >= Duration::from_secs(minimum_seconds),
            "{signal} {elapsed:?}"
        );
        assert!(elapsed < Duration::from_secs(20), "{signal} {elapsed:?}");
    }
}

#[test]
fn incomplete_headers_time_out_separately() {
    let directory = tempfile::tempdir().unwrap();
    let arguments = ["--header-timeout", "1", "--client-timeout", "60"];
    let service = Process::start(directory.path(), &arguments);
    let mut connection = service.connect();
    connection
        .write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n")
        .unwrap();
    let mut response = String::new();
    connection.read_to_string(&mut response).unwrap();
    assert_eq!(response, "");
}

#[test]
fn oversized_headers_return_431() {
    let directory = tempfile::tempdir().unwrap();
    let service = Process::start(directory.path(), &[]);
    let many = "x-a: b\r\n".repeat(200);
    let long = format!("x-a: {}\r\n", "b".repeat(100_000));
    for headers in [many, long] {
        let mut stream = service.connect();
        let request = format!("GET /healthz HTTP/1.1\r\nhost: x\r\n{headers}\r\n");
        // The service may reject the request before it is sent completely.
        let _ = stream.write_all(request.as_bytes());
        let mut response = Vec::new();
        let _ = stream.read_to_end(&mut response);
        let response = String::from_utf8_lossy(&response).into_owned();
        assert!(
            response.is_empty() || response.starts_with("HTTP/1.1 431 "),
            "{response}"
        );
    }
    assert_eq!(service.call("GET", "/v2/event-types/1", "", "").0, 200);
}

#[test]
fn shutdown_does_not_wait_for_slow_clients() {
    let directory = tempfile::tempdir().unwrap();
    let service = Process::start(directory.path(), &["--shutdown-timeout", "1"]);
    let mut idle = service.connect();
    idle.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
        .unwrap();
    let mut incomplete = service.connect();
    incomplete
        .write_all(b"POST /v2/bookings HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{")
        .unwrap();
    assert_eq!(service.call("GET", "/v2/event-types/1", "", "").0, 200);
    let started = Instant::now();
    assert_eq!(service.signal("-TERM"), Some(0));
    let elapsed = started.elapsed();
    assert!(elapsed < Duration::from_secs(6), "{elapsed:?}");
}

#[test]
fn environment_variables_apply_unless_overridden_by_arguments() {
    let output = service_command()
        .args(["serve", "--print-config", "--port", "81"])
        .env("BOOKING_DATA", "/srv/booking")
        .env("BOOKING_PORT", "82")
        .env("BOOKING_RATE_LIMIT_OFF", "true")
        .env(
            "BOOKING_IMAGE_ORIGINS",
            "https://a.example,https://b.example",
        )
        .env("BOOKING_METRICS_TOKEN", "nobody-should-read-this")
        .output()
        .unwrap();
    assert!(output.status.success());
    let printed = text(&output.stdout);
    let line = |start: &str| {
        let line = printed.lines().find(|line| line.starts_with(start));
        line.unwrap_or_else(|| panic!("{start} in {printed}"))
            .to_owned()
    };
    assert!(line("BOOKING_DATA=/srv/booking ").ends_with("# environment"));
    assert!(line("BOOKING_PORT=81 ").ends_with("# command line"));
    assert!(line("BOOKING_RATE_LIMIT_OFF=true ").ends_with("# environment"));
    let origins = line("BOOKING_IMAGE_ORIGINS=https://a.example,https://b.example ");
    assert!(origins.ends_with("# environment"), "{origins}");
    assert!(line("BOOKING_HOST=127.0.0.1 ").ends_with("# default"));
    assert!(line("BOOKING_METRICS_TOKEN=******** ").ends_with("# environment"));
    assert!(!printed.contains("nobody-should-read-this"));
}

/// Runs the binary with a `DATABASE_URL` and returns its output.
fn run_on_platform(database_url: &str, own: Option<&str>, arguments: &[&str]) -> (bool, String) {
    let mut command = service_command();
    command.args(arguments).env("DATABASE_URL", database_url);
    if let Some(own) = own {
        command.env("BOOKING_DATABASE_URL", own);
    }
    let output = command.output().unwrap();
    let text = [text(&output.stdout), text(&output.stderr)].concat();
    (output.status.success(), text)
}

#[test]
fn database_url_of_the_platform_applies_without_a_variable_of_the_service() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().to_str().unwrap();
    let serve = ["serve", "--data", data, "--port", "0"];
    let refused_port = "postgres://platform:a-password@127.0.0.1:1/app";
    // No server there: the address was used.
    for arguments in [
        &serve[..],
        &["user", "list"],
        &["user", "list", "--data", data],
    ] {
        let (success, text) = run_on_platform(refused_port, None, arguments);
        assert!(
            !success && text.contains("refused"),
            "{arguments:?}: {text}"
        );
        assert!(!text.contains("a-password"), "{text}");
    }
    assert!(std::fs::read_dir(data).unwrap().next().is_none());
    for arguments in [&serve[..], &["user", "list"]] {
        let (success, text) = run_on_platform("mysql://db.example/app", None, arguments);
        assert!(
            !success && text.starts_with("booking-service: DATABASE_URL is not"),
            "{text}"
        );
    }
    // Empty: the data is in the directory.
    let (success, text) = run_on_platform(refused_port, Some(""), &["migrate", "--data", data]);
    assert!(success, "{text}");
    let add = [
        "user",
        "create",
        "--username",
        "ada",
        "--email",
        "ada@example.org",
        "--name",
        "Ada",
        "--time-zone",
        "UTC",
        "--data",
        data,
    ];
    let (success, text) = run_on_platform(refused_port, Some(""), &add);
    assert!(success, "{text}");
    // Which of both is meant is unknown.
    let (success, text) = run_on_platform(refused_port, None, &serve);
    assert!(
        !success && text.contains("DATABASE_URL names another one"),
        "{text}"
    );
    let (success, text) = run_on_platform(
        "mysql://db.example/app",
        Some(""),
        &["check", "--data", data],
    );
    assert!(success && text.contains("sound"), "{text}");
    // A file is no data directory.
    let file = directory.path().join("service.sqlite3");
    let (success, text) = run_on_platform(
        refused_port,
        None,
        &["check", "--data", file.to_str().unwrap()],
    );
    assert!(success && text.contains("sound"), "{text}");
}

#[test]
fn start_with_invalid_image_origin_fails() {
    for value in [
        "*",
        "https://a.example/faces",
        "https://a.example; script-src *",
    ] {
        let output = service_command()
            .args(["serve", "--print-config", "--data", "/srv/booking"])
            .env("BOOKING_IMAGE_ORIGINS", value)
            .output()
            .unwrap();
        assert!(!output.status.success(), "{value}");
        let errors = text(&output.stderr);
        assert!(errors.contains("--image-origins"), "{errors}");
    }
}

/// Sends canary values in every part of a request, none of which may appear in the log.
#[test]
fn request_data_is_not_logged() {
    for format in ["text", "json"] {
        let directory = tempfile::tempdir().unwrap();
        let data = directory.path().join("data");
        let log = directory.path().join("log");
        let arguments = ["--demo", "--log-format", format, "--rate-limit-off"];
        let service = Process::start_with(&data, &arguments, Some(log.clone()));
        let demo: Value =
            serde_json::from_slice(&std::fs::read(data.join("demo.json")).unwrap()).unwrap();
        let secret = |key: &str| demo[key].as_str().unwrap().to_owned();

        let canaries = [
            "canary@secret.example",
            "Cänary Nämesdóttir",
            "svc_canarykey0123456789",
        ];
        let [email, name, token] = canaries;
        let encoded_email = "canary%40secret.example";
        let body = json!({
            "start": free_start(&service),
            "eventTypeId": 1,
            "attendee": {"name": name, "email": email, "timeZone": "Europe/Rome", "phoneNumber": "+390612345678"},
            "metadata": {"note": email},
        });
        let (status, created) = service.call("POST", "/v2/bookings", "", &body.to_string());
        assert_eq!(status, 201, "{created}");
        let uid = created["data"]["uid"].as_str().unwrap().to_owned();

        let headers = format!(
            "authorization: Bearer {token}\r\nx-request-id: {token}\r\nuser-agent: {email}\r\n\
             referer: https://x.example/{email}\r\ncookie: a={token}\r\norigin: https://{encoded_email}\r\n"
        );
        let client = format!("x-svc-client-id: {token}\r\nx-svc-secret-key: {token}\r\n");
        let key = format!("authorization: Bearer {}\r\n", secret("apiKey"));
        let access = format!("authorization: Bearer {}\r\n", secret("accessToken"));
        let refresh = json!({"refreshToken": secret("refreshToken")}).to_string();
        let reason = json!({"cancellationReason": format!("{name} {email}")}).to_string();
        let invalid = json!({"start": email, "eventTypeId": name, email: token}).to_string();
        let truncated = format!("{{\"name\": \"{email}");
        for (method, target, headers, body) in [
            ("GET", format!("/v2/bookings/{uid}"), "", ""),
            (
                "GET",
                format!("/v2/bookings/{uid}?email={encoded_email}"),
                "",
                "",
            ),
            (
                "GET",
                format!("/v2/{encoded_email}?q={encoded_email}"),
                "",
                "",
            ),
            ("GET", format!("/{encoded_email}/{token}"), "", ""),
            ("GET", format!("/embed/{encoded_email}"), "", ""),
            ("GET", format!("/v1/bookings?apiKey={token}"), "", ""),
            (
                "GET",
                format!("/v1/teams?apiKey={}", secret("apiKey")),
                "",
                "",
            ),
            (
                "GET",
                format!("/v1/teams/{token}?apiKey={}", secret("apiKey")),
                "",
                "",
            ),
            (
                "GET",
                format!("/v1/{encoded_email}?apiKey={}", secret("apiKey")),
                "",
                "",
            ),
            (
                "POST",
                format!("/v1/bookings?apiKey={}", secret("apiKey")),
                "",
                invalid.as_str(),
            ),
            // Fails with an internal error, too.
            (
                "GET",
                format!("/v1/event-types/2?apiKey={}", secret("apiKey")),
                "",
                "",
            ),
            ("GET", "/v2/me".to_owned(), headers.as_str(), ""),
            ("GET", "/v2/me".to_owned(), client.as_str(), ""),
            ("GET", "/v2/me".to_owned(), key.as_str(), ""),
            ("GET", "/v2/me".to_owned(), access.as_str(), ""),
            (
                "GET",
                format!("/v2/event-types?username={encoded_email}"),
                "",
                "",
            ),
            (
                "POST",
                format!("/v2/oauth/{}/refresh", secret("clientId")),
                client.as_str(),
                refresh.as_str(),
            ),
            ("POST", "/v2/bookings".to_owned(), "", invalid.as_str()),
            ("POST", "/v2/bookings".to_owned(), "", truncated.as_str()),
            ("POST", "/v2/bookings".to_owned(), "", &body.to_string()),
            ("PUT", format!("/v2/bookings/{uid}"), "", reason.as_str()),
            (email, format!("/v2/{encoded_email}"), "", ""),
            (
                "POST",
                format!("/v2/bookings/{uid}/cancel"),
                "",
                reason.as_str(),
            ),
        ] {
            service.try_call(method, &target, headers, body);
        }
        // Invalid stored data.
        let statement =
            format!("UPDATE event_types SET settings = '{{\"title\": \"{email}' WHERE id = 2");
        sql(&data, &statement);
        let (status, _) = service.call("GET", "/v2/event-types/2", &key, "");
        assert_eq!(status, 500);
        service.send_signal("-TERM");
        std::thread::sleep(Duration::from_millis(300));

        let log_text = service.log();
        assert!(log_text.contains("/v2/bookings/{bookingUid}"), "{log_text}");
        assert!(log_text.contains("request failed"), "{log_text}");
        let more_canaries = [
            encoded_email.to_owned(),
            uid,
            "canary".to_owned(),
            "390612345678".to_owned(),
            secret("apiKey"),
            secret("accessToken"),
            secret("refreshToken"),
            secret("clientSecret"),
        ];
        for canary in canaries.map(str::to_owned).iter().chain(&more_canaries) {
            assert!(
                !log_text.contains(canary.as_str()),
                "{canary} in {log_text}"
            );
        }
        if format == "json" {
            for line in log_text.lines() {
                let line: Value = serde_json::from_str(line).unwrap();
                assert!(
                    line["timestamp"].is_string() && line["level"].is_string(),
                    "{line}"
                );
            }
        }
    }
}

#[test]
fn backup_of_running_service_is_private_and_valid() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let service = Process::start(&data, &[]);
    let data_text = data.to_str().unwrap();
    let body = json!({
        "start": free_start(&service),
        "eventTypeId": 1,
        "attendee": {"name": "Zoë", "email": "zoe@example.org", "timeZone": "Europe/Rome"},
    });
    let (status, created) = service.call("POST", "/v2/bookings", "", &body.to_string());
    assert_eq!(status, 201);
    let backup = directory.path().join("backup.sqlite3");
    let backup_text = backup.to_str().unwrap();
    let output = run(&["backup", "--data", data_text, "--to", backup_text]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let mode = std::fs::metadata(&backup).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let files: Vec<_> = std::fs::read_dir(directory.path())
        .unwrap()
        .map(|file| file.unwrap().file_name())
        .collect();
    assert_eq!(files.len(), 2, "{files:?}");

    // An existing file is not overwritten.
    let repeated = run(&["backup", "--data", data_text, "--to", backup_text]);
    assert_eq!(repeated.status.code(), Some(1));
    let invalid_target = directory.path().join("none/backup");
    let invalid_target = run(&[
        "backup",
        "--data",
        data_text,
        "--to",
        invalid_target.to_str().unwrap(),
    ]);
    assert_eq!(invalid_target.status.code(), Some(1));

    // A service over the copy returns the same booking.
    assert!(run(&["check", "--data", backup_text]).status.success());
    let restored = directory.path().join("restored");
    std::fs::create_dir(&restored).unwrap();
    std::fs::copy(&backup, restored.join(FILE_NAME)).unwrap();
    for key in ["signing.key", "sealing.key"] {
        std::fs::copy(data.join(key), restored.join(key)).unwrap();
    }
    let second = Process::start_with(&restored, &[], None);
    let target = format!("/v2/bookings/{}", created["data"]["uid"].as_str().unwrap());
    assert_eq!(
        second.call("GET", &target, "", ""),
        service.call("GET", &target, "", "")
    );
}

#[test]
fn check_reports_damage_and_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let data_text = data.to_str().unwrap();
    assert!(
        run(&["demo", "--data", data_text, "--now", "2027-03-01T08:00:00Z"])
            .status
            .success()
    );
    let result = run(&["check", "--data", data_text]);
    assert!(result.status.success(), "{}", text(&result.stdout));

    let table = [
        ("UPDATE bookings SET metadata = '{' WHERE id = 1", "valid JSON: booking 1"),
        ("UPDATE bookings SET guests = '{}' WHERE id = 2", "valid JSON: booking 2"),
        ("UPDATE event_types SET settings = 'x' WHERE id = 1", "settings cannot be read: event type 1"),
        ("DELETE FROM booking_hosts WHERE booking_id = 6; UPDATE bookings SET status = 'accepted',
          start_ms = 4102444800000, end_ms = 4102446600000 WHERE id = 6", "an upcoming booking has no host: booking 6"),
        ("UPDATE bookings SET rescheduled_to_uid = 'gone' WHERE id = 3", "moved to one that does not exist: booking 3"),
        ("UPDATE bookings SET rescheduled_from_uid = 'gone' WHERE id = 4", "moved from one that does not exist: booking 4"),
        ("UPDATE bookings SET rescheduled_to_uid = uid, rescheduled_from_uid = uid WHERE id = 5", "in a circle: booking 5"),
        ("UPDATE memberships SET role_id = 'gone' WHERE id = 1", "row 1 of memberships refers to a row of roles that does not exist"),
        ("INSERT INTO teams (id, name, slug) VALUES (9, 'Other', 'other');
          INSERT INTO roles (id, team_id, name, kind, created_ms, updated_ms) VALUES ('r', 9, 'R', 'CUSTOM', 0, 0);
          UPDATE memberships SET role_id = 'r' WHERE id = 1", "role that does not exist or is another team's: membership 1"),
        ("INSERT INTO oauth_clients (id, name, owner_id, secret_hash, redirect_uris, scopes, created_ms)
          VALUES ('c', 'C', 999, '', '[]', '[]', 0)", "oauth_clients refers to a row of users that does not exist"),
        ("UPDATE users SET time_zone = 'Mars/Base' WHERE id = 1", "time zone is unknown: user 1"),
        ("INSERT INTO role_permissions VALUES ('member_role', 'made.up', 99)", "unknown permission: role member_role"),
        ("UPDATE schedule_hours SET to_minute = 2000 WHERE id = 1", "no part of a day: hours 1"),
        ("DROP TRIGGER booking_hosts_stay_apart_on_update;
          UPDATE booking_hosts SET holds = 1, start_ms = 0, end_ms = 1000 WHERE user_id = (SELECT min(user_id) FROM booking_hosts)",
         "in two bookings at one time: host"),
        ("UPDATE api_keys SET scopes = '{}'", "scopes of an API key are not valid JSON: key "),
        ("PRAGMA writable_schema = 1; UPDATE bookings SET status = 'cancelled' WHERE id IN (
             SELECT booking_id FROM booking_hosts WHERE holds = 1 LIMIT 1)", "keeps its host busy: booking"),
        ("DELETE FROM _sqlx_migrations WHERE version = (SELECT max(version) FROM _sqlx_migrations)", "run `booking-service migrate`"),
    ];
    for (statement, expected) in table {
        let copy = tempfile::tempdir().unwrap();
        let file = copy.path().join(FILE_NAME);
        std::fs::copy(data.join(FILE_NAME), &file).unwrap();
        // A process that exits quickly leaves the write-ahead log.
        let log = format!("{FILE_NAME}-wal");
        if data.join(&log).exists() {
            std::fs::copy(data.join(&log), copy.path().join(&log)).unwrap();
        }
        sql(copy.path(), statement);
        // The last connection to close removes the write-ahead log.
        while copy.path().join(format!("{FILE_NAME}-wal")).exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        let before = std::fs::read(&file).unwrap();
        let output = run(&["check", "--data", copy.path().to_str().unwrap()]);
        let findings = text(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{statement}: {findings}");
        assert!(findings.contains(expected), "{statement}: {findings}");
        assert!(std::fs::read(&file).unwrap() == before, "{statement}");
        let files = std::fs::read_dir(copy.path()).unwrap().count();
        assert_eq!(files, 1, "{statement}");
    }
    let damaged = tempfile::tempdir().unwrap();
    let file = damaged.path().join(FILE_NAME);
    let mut bytes = std::fs::read(data.join(FILE_NAME)).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 20_000].fill(0x5a);
    std::fs::write(&file, bytes).unwrap();
    assert_eq!(
        run(&["check", "--data", file.to_str().unwrap()])
            .status
            .code(),
        Some(1)
    );
    assert_eq!(
        run(&["check", "--data", "/nonexistent"]).status.code(),
        Some(1)
    );
}

#[test]
fn migrate_creates_database_and_is_idempotent() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("new");
    let data = data.to_str().unwrap();
    let first = run(&["migrate", "--data", data]);
    assert!(first.status.success());
    assert!(text(&first.stdout).starts_with("version "));
    assert_eq!(run(&["migrate", "--data", data]).stdout, first.stdout);
    assert!(run(&["check", "--data", data]).status.success());
}

/// Runs `serve` over `data`, which must fail, and returns its error output.
fn run_serve_rejected(data: &Path, extra: &[&str]) -> String {
    let data = data.to_str().unwrap();
    let mut arguments = vec!["serve", "--port", "0", "--data", data];
    arguments.extend(extra);
    let output = run(&arguments);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    text(&output.stderr)
}

#[test]
fn second_service_on_same_directory_is_rejected() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let service = Process::start(&data, &[]);
    let data_text = data.to_str().unwrap();
    let error_output = run_serve_rejected(&data, &[]);
    assert!(error_output.contains(data_text), "{error_output}");
    assert!(
        error_output.contains(&format!("process {}", service.id())),
        "{error_output}"
    );
    // The takeover times out while the first service is running.
    let error_output = run_serve_rejected(&data, &["--takeover=1"]);
    assert!(error_output.contains("in use"), "{error_output}");

    // Other commands work during the run.
    assert!(run(&["key", "list", "--data", data_text]).status.success());
    assert!(run(&["check", "--data", data_text]).status.success());
    assert_eq!(service.call("GET", "/readyz", "", "").0, 200);
}

#[test]
fn takeover_waits_for_previous_service_to_exit() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let first = Process::start(&data, &[]);
    let log = directory.path().join("log");
    let second = std::thread::spawn({
        let (data, log) = (data.clone(), log.clone());
        move || Process::start_with(&data, &["--demo", "--takeover"], Some(log))
    });
    wait_until("the second service waits", || {
        std::fs::read_to_string(&log).is_ok_and(|text| text.contains("waiting"))
    });
    assert_eq!(first.call("GET", "/healthz", "", "").0, 200);
    assert_eq!(first.signal("-KILL"), None);
    let second = second.join().unwrap();
    assert_eq!(second.call("GET", "/readyz", "", "").0, 200);
}

/// Creates a database with only the first `applied` migrations.
fn older_database(data: &Path, applied: usize) {
    std::fs::create_dir_all(data).unwrap();
    let options = SqliteConnectOptions::new()
        .filename(data.join(FILE_NAME))
        .create_if_missing(true)
        // Migrations re-create referenced tables.
        .foreign_keys(false);
    let earlier = sqlx::migrate::Migrator {
        migrations: MIGRATIONS.migrations[..applied].to_vec().into(),
        ..sqlx::migrate::Migrator::DEFAULT
    };
    block_on(async {
        let mut db = SqliteConnection::connect_with(&options).await.unwrap();
        earlier.run(&mut db).await.unwrap();
        db.close().await.unwrap();
    });
}

/// Commands that need a database of the current version, without `--data`.
const COMMANDS: [&[&str]; 14] = [
    &["user", "list"],
    &["user", "disable", "ada"],
    &["client", "list"],
    &["client", "delete", "cl0"],
    &["token", "revoke", "--user", "ada"],
    &["vacuum"],
    &["key", "list"],
    &["key", "create", "--user", "ada"],
    &["key", "revoke", "0123456789ab"],
    &["client", "create", "--owner", "ada", "--name", "Shop"],
    &["client", "rotate", "cl0"],
    &["user", "confirm-email", "ada"],
    &["webhooks"],
    &[
        "user",
        "create",
        "--username",
        "bob",
        "--email",
        "bob@example.org",
        "--name",
        "Bob",
        "--time-zone",
        "UTC",
    ],
];

/// Runs a command that must fail and returns its output.
fn run_rejected(data: &Path, command: &[&str]) -> String {
    let output = run(&[command, &["--data", data.to_str().unwrap()]].concat());
    assert_eq!(output.status.code(), Some(1), "{command:?}");
    text(&output.stdout) + &text(&output.stderr)
}

#[test]
fn older_database_is_migrated_only_by_serve_and_migrate() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    older_database(&data, 7);
    let file = data.join(FILE_NAME);
    let before = std::fs::read(&file).unwrap();
    for command in COMMANDS.into_iter().chain([&["check"][..], &["demo"]]) {
        let error_output = run_rejected(&data, command);
        assert!(
            error_output.contains("at version 7"),
            "{command:?}: {error_output}"
        );
        assert!(
            error_output.contains("service migrate"),
            "{command:?}: {error_output}"
        );
    }
    // The older database can be backed up before it is migrated.
    let backup = directory.path().join("backup");
    let backup_command = [
        "backup",
        "--data",
        data.to_str().unwrap(),
        "--to",
        backup.to_str().unwrap(),
    ];
    assert!(run(&backup_command).status.success());
    assert!(std::fs::read(&file).unwrap() == before);
    assert!(!data.join("demo.json").exists());

    let migrated = run(&["migrate", "--data", data.to_str().unwrap()]);
    let newest = MIGRATIONS.iter().last().unwrap().version;
    assert_eq!(text(&migrated.stdout), format!("version {newest}\n"));
    std::fs::copy(&backup, &file).unwrap();
    let service = Process::start_with(&data, &[], None);
    assert_eq!(service.call("GET", "/readyz", "", "").0, 200);
}

#[test]
fn newer_database_is_rejected_by_every_command() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let data_text = data.to_str().unwrap();
    assert!(run(&["migrate", "--data", data_text]).status.success());
    let newer = "INSERT INTO _sqlx_migrations SELECT 9999, '', installed_on, 1, x'', 0 FROM _sqlx_migrations LIMIT 1";
    sql(&data, newer);
    sql(
        &data,
        "UPDATE schema_compatibility SET oldest_version = 9999",
    );
    let backup = directory.path().join("backup");
    let others: [&[&str]; 5] = [
        &["serve", "--port", "0"],
        &["migrate"],
        &["demo"],
        &["check"],
        &["backup", "--to", backup.to_str().unwrap()],
    ];
    for command in COMMANDS.into_iter().chain(others) {
        let error_output = run_rejected(&data, command);
        assert!(
            error_output.contains("at version 9999"),
            "{command:?}: {error_output}"
        );
        assert!(
            error_output.contains("newer program"),
            "{command:?}: {error_output}"
        );
    }
    assert!(!backup.exists());
}

#[test]
fn migrate_during_running_service_is_rejected() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let service = Process::start(&data, &[]);
    let data_text = data.to_str().unwrap();
    // No pending migrations.
    assert!(run(&["migrate", "--data", data_text]).status.success());
    sql(
        &data,
        "DELETE FROM _sqlx_migrations WHERE version = (SELECT max(version) FROM _sqlx_migrations)",
    );
    let error_output = run_rejected(&data, &["migrate"]);
    assert!(
        error_output.contains(&format!("process {}", service.id())),
        "{error_output}"
    );
}

#[test]
fn vacuum_during_running_service_is_rejected() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let data_text = data.to_str().unwrap();
    let service = Process::start(&data, &[]);
    let error_output = run_rejected(&data, &["vacuum"]);
    assert!(
        error_output.contains(&format!("process {}", service.id())),
        "{error_output}"
    );
    service.signal("-TERM");
    let output = run(&["vacuum", "--data", data_text]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("bytes after"));
    assert!(run(&["check", "--data", data_text]).status.success());
    let mode = std::fs::metadata(data.join(FILE_NAME))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);

    // The backup has the same auto_vacuum mode.
    let backup = directory.path().join("backup");
    let backup_command = [
        "backup",
        "--data",
        data_text,
        "--to",
        backup.to_str().unwrap(),
    ];
    assert!(run(&backup_command).status.success());
    let incremental: i64 = block_on(async {
        let options = SqliteConnectOptions::new().filename(&backup);
        let mut db = SqliteConnection::connect_with(&options).await.unwrap();
        sqlx::query_scalar("PRAGMA auto_vacuum")
            .fetch_one(&mut db)
            .await
            .unwrap()
    });
    assert_eq!(incremental, 2);
}

#[test]
fn check_reports_clients_without_owner() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().to_str().unwrap();
    assert!(run(&["demo", "--data", data]).status.success());
    block_on(async {
        // Without foreign keys, so that the reference can be broken.
        let options = SqliteConnectOptions::new()
            .filename(directory.path().join(FILE_NAME))
            .foreign_keys(false);
        let mut db = SqliteConnection::connect_with(&options).await.unwrap();
        sqlx::query("UPDATE oauth_clients SET owner_id = 999")
            .execute(&mut db)
            .await
            .unwrap();
        db.close().await.unwrap();
    });
    let output = run(&["check", "--data", data]);
    assert_eq!(output.status.code(), Some(1));
    let findings = text(&output.stdout);
    assert!(
        findings.contains("client") && findings.contains("does not exist"),
        "{findings}"
    );
    let listed = run(&["client", "list", "--data", data]);
    assert!(text(&listed.stdout).contains("nobody"));
}

#[test]
fn service_start_waits_for_lock_of_other_command() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    std::fs::create_dir(&data).unwrap();
    let command = InstanceLock::try_acquire(&data).unwrap();
    let log = directory.path().join("log");
    let service = std::thread::spawn({
        let (data, log) = (data.clone(), log.clone());
        move || Process::start_with(&data, &[], Some(log))
    });
    wait_until("the service waits", || {
        std::fs::read_to_string(&log).is_ok_and(|text| text.contains("waiting"))
    });
    drop(command);
    assert_eq!(service.join().unwrap().call_text("/readyz").0, 200);
}
