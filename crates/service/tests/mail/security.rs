//! Encryption and login.

use booking_smtp::settings::SmtpSettings;
use serde_json::json;

use crate::fixture::{assert_failed, send, settings, settings_of, trusting_settings};
use crate::mail_server::MailServer;

const TO: &str = "bob@example.net";

#[tokio::test]
async fn message_is_encrypted_from_the_start_or_by_starttls() {
    for (tls, url) in [
        ("smtps", "smtps://desk:s%40cret@localhost:PORT"),
        (
            "required",
            "smtp://desk:s%40cret@localhost:PORT?starttls=required",
        ),
        ("starttls", "smtp://desk:s%40cret@127.0.0.1:PORT"),
    ] {
        let server = MailServer::start(&["--tls", tls, "--auth", "desk:s@cret"]);
        let url = url.replace("PORT", &server.port.to_string());
        let settings = trusting_settings(&url, &server);
        send(&settings, TO).await.unwrap();
        let messages = server.messages();
        assert_eq!(messages[0]["envelope"]["tls"], true, "{tls}");
        assert_eq!(messages[0]["envelope"]["user"], "desk", "{tls}");
    }
}

#[tokio::test]
async fn certificate_must_be_valid() {
    for (certificate, problem) in [
        ("expired", "has expired"),
        ("other-name", "is for another name"),
        ("self-signed", "is not signed by a known authority"),
    ] {
        for (tls, scheme) in [("smtps", "smtps"), ("required", "smtp")] {
            let server = MailServer::start(&["--tls", tls, "--certificate", certificate]);
            let url = format!("{scheme}://localhost:{}", server.port);
            let settings = trusting_settings(&url, &server);
            assert_failed(send(&settings, TO).await, false, problem);
            assert_eq!(server.messages().len(), 0);
        }
    }
    // The authority is not known without --smtp-ca-file.
    let server = MailServer::start(&["--tls", "smtps"]);
    let settings = settings_of(&format!("smtps://localhost:{}", server.port));
    assert_failed(
        send(&settings, TO).await,
        false,
        "is not signed by a known authority",
    );
}

#[tokio::test]
async fn wrong_way_to_encrypt_is_explained() {
    let plain = MailServer::start(&[]);
    let port = plain.port;
    let required = settings_of(&format!("smtp://127.0.0.1:{port}?starttls=required"));
    assert_failed(send(&required, TO).await, false, "does not offer STARTTLS");
    let smtps = settings_of(&format!("smtps://127.0.0.1:{port}"));
    assert_failed(
        send(&smtps, TO).await,
        false,
        "does not speak TLS on this port",
    );
    let encrypted = MailServer::start(&["--tls", "smtps"]);
    let mut settings = settings(&encrypted);
    settings.timeouts.command = std::time::Duration::from_millis(500);
    assert_failed(
        send(&settings, TO).await,
        false,
        "did not answer within 0.5 seconds to the greeting",
    );
    let required = MailServer::start(&["--tls", "required"]);
    let none = settings_of(&required.url());
    assert_failed(send(&none, TO).await, false, "refused the sender: 530");
}

#[tokio::test]
async fn optional_encryption_is_used_if_offered() {
    let plain = MailServer::start(&[]);
    let url = format!("smtp://localhost:{}", plain.port);
    send(&settings_of(&url), TO).await.unwrap();
    assert_eq!(plain.messages()[0]["envelope"]["tls"], false);
}

/// Settings for a server on this machine, as if it were another one.
fn elsewhere(url: &str) -> SmtpSettings {
    let mut settings = settings_of(url);
    // The name of this machine for all systems, in a form that is not seen as such.
    "0.0.0.0".clone_into(&mut settings.server.host);
    settings
}

#[tokio::test]
async fn password_is_not_sent_if_optional_encryption_is_missing() {
    let mut server = MailServer::start(&["--auth", "desk:secret"]);
    let url = format!("smtp://desk:secret@127.0.0.1:{}?starttls=", server.port);
    let settings = elsewhere(&format!("{url}opportunistic"));
    assert_failed(send(&settings, TO).await, false, "does not offer STARTTLS");
    assert_eq!(server.stats().messages, 0);
    send(&elsewhere(&format!("{url}none")), TO).await.unwrap();
}

#[tokio::test]
async fn login_fails_without_showing_the_password() {
    let mut server = MailServer::start(&["--auth", "desk:right"]);
    let url = |login: &str| format!("smtp://{login}127.0.0.1:{}", server.port);
    let wrong = settings_of(&url("desk:hunter2@"));
    assert_failed(
        send(&wrong, TO).await,
        false,
        "refused the user or password: 535 5.7.8",
    );
    assert_failed(
        send(&settings_of(&url("")), TO).await,
        false,
        "refused the sender: 530",
    );
    server.set_faults(&json!({"replies": {"AUTH": "535 5.7.8 hunter2 is wrong"}}));
    let error = send(&wrong, TO).await.unwrap_err();
    assert!(!error.problem.contains("hunter2"), "{}", error.problem);
    let open = MailServer::start(&[]);
    let url = format!("smtp://desk:right@127.0.0.1:{}", open.port);
    let mut settings = settings_of(&url);
    settings.server.port = open.port;
    let sent = send(&settings, TO).await;
    assert_failed(sent, false, "offers no login with user and password");
}
