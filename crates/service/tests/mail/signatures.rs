//! DKIM signatures, verified by another implementation.

use booking_smtp::dkim::Dkim;
use booking_smtp::transport::Transport;

use crate::fixture::{outgoing, settings};
use crate::mail_server::{MailServer, make_keys};

#[tokio::test]
async fn signature_is_valid_for_each_kind_of_key() {
    let keys = tempfile::tempdir().unwrap();
    make_keys(keys.path());
    let server = MailServer::start(&[]);
    let names = ["rsa", "rsa1", "ed25519"];
    let subjects = [
        "Booked".to_owned(),
        "Gebucht: für Ångström 👋 ".repeat(40),
        "x".repeat(10_000),
    ];
    for name in names {
        let pem = std::fs::read(keys.path().join(format!("{name}.pem"))).unwrap();
        let mut settings = settings(&server);
        settings.sender.dkim = Some(Dkim::new("example.org", name, &pem).unwrap());
        let transport = Transport::new(&settings);
        for subject in &subjects {
            let mut outgoing = outgoing("bob@example.net");
            outgoing.rendered.subject.clone_from(subject);
            outgoing.rendered.text = "trailing  \t \n\n.\n two  spaces\n\n\n".to_owned();
            outgoing.stop_reminders = Some("https://book.example/stop".to_owned());
            transport.send(&outgoing).await.unwrap();
        }
    }
    let messages = server.signed_messages(keys.path());
    assert_eq!(messages.len(), names.len() * subjects.len());
    for message in &messages {
        assert_eq!(message["is_signed"], true, "{}", message["signature"]);
        let signature = message["signature"].as_str().unwrap();
        for signed in ["from", "subject", "list-unsubscribe-post", "content-type"] {
            assert!(signature.contains(signed), "{signature}");
        }
        assert!(message["longest_line"].as_u64().unwrap() <= 998);
    }
}

#[tokio::test]
async fn signature_of_other_key_or_changed_message_is_invalid() {
    let keys = tempfile::tempdir().unwrap();
    make_keys(keys.path());
    let server = MailServer::start(&[]);
    let mut settings = settings(&server);
    let pem = std::fs::read(keys.path().join("rsa.pem")).unwrap();
    settings.sender.dkim = Some(Dkim::new("example.org", "rsa", &pem).unwrap());
    let transport = Transport::new(&settings);
    transport.send(&outgoing("bob@example.net")).await.unwrap();
    assert_eq!(server.signed_messages(keys.path())[0]["is_signed"], true);
    // A second subject would be shown to the recipient by some programs.
    let [raw] = &server.raw_messages()[..] else {
        panic!("not one message")
    };
    let changed = [&b"Subject: other\r\n"[..], raw].concat();
    server.replace_message(1, &changed);
    assert_eq!(server.signed_messages(keys.path())[0]["is_signed"], false);
    server.replace_message(1, raw);
    make_keys(keys.path());
    assert_eq!(server.signed_messages(keys.path())[0]["is_signed"], false);
}

#[test]
fn short_key_is_rejected() {
    let keys = tempfile::tempdir().unwrap();
    make_keys(keys.path());
    let pem = std::fs::read(keys.path().join("small.pem")).unwrap();
    let error = Dkim::new("example.org", "small", &pem).unwrap_err();
    assert!(error.to_string().contains("2048"), "{error}");
}
