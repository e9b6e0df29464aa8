//! Messages as a mail program reads them.

use std::sync::Arc;

use booking_mail::templates::Branding;
use booking_smtp::mime::Message;
use booking_smtp::settings::Sender;
use booking_smtp::transport::Transport;
use serde_json::{Value, json};

use crate::common::{Service, booking};
use crate::fixture::{
    CALENDAR, assert_failed, header, outgoing, send, settings, settings_of, with_lf,
};
use crate::mail_server::MailServer;
use crate::mail_service::{set_mail, worker};

/// Asserts what holds for each message.
#[track_caller]
fn assert_well_formed(message: &Value) {
    assert_eq!(message["defects"], json!([]), "{message:#}");
    assert_eq!(message["bare_line_ends"], 0);
    assert_eq!(message["has_nul"], false);
    let longest = message["longest_line"].as_u64().unwrap();
    assert!(longest <= 998, "{longest}");
}

#[tokio::test]
async fn message_has_headers_alternatives_and_invitation() {
    let server = MailServer::start(&[]);
    let mut settings = settings(&server);
    settings.sender = Sender::parse(
        "\"Büro, Nord\" <desk@bücher.example>",
        Some("Ann <ann@example.org>"),
        None,
    )
    .unwrap();
    let mut outgoing = outgoing("bob@example.net");
    outgoing.stop_reminders = Some("https://book.example/m/stop?t=abc.def-_~".to_owned());
    Transport::new(&settings).send(&outgoing).await.unwrap();
    let messages = server.messages();
    let [message] = &messages[..] else {
        panic!("{messages:#?}")
    };
    assert_well_formed(message);
    assert_eq!(message["is_ascii"], true);
    assert_eq!(message["envelope"]["from"], "desk@xn--bcher-kva.example");
    assert_eq!(message["envelope"]["to"], json!(["bob@example.net"]));
    assert_eq!(message["envelope"]["helo"], "xn--bcher-kva.example");
    let addresses = &message["addresses"];
    assert_eq!(
        addresses["From"],
        json!([["Büro, Nord", "desk@xn--bcher-kva.example"]])
    );
    assert_eq!(addresses["Reply-To"], json!([["Ann", "ann@example.org"]]));
    assert_eq!(addresses["To"], json!([["Ann Example", "bob@example.net"]]));
    for (name, value) in [
        ("Subject", "Booked: Consultation"),
        ("Message-ID", "<m1@example.org>"),
        ("Date", "Mon, 01 Mar 2027 08:00:00 +0000"),
        ("Auto-Submitted", "auto-generated"),
        ("Content-Language", "de"),
        (
            "List-Unsubscribe",
            "<https://book.example/m/stop?t=abc.def-_~>",
        ),
        ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
        ("MIME-Version", "1.0"),
    ] {
        assert_eq!(header(message, name), Some(value), "{name}");
    }
    assert_eq!(
        message["structure"],
        json!([
            "multipart/mixed",
            [
                "multipart/alternative",
                "text/plain",
                "text/html",
                "text/calendar"
            ],
            "application/ics"
        ])
    );
    let parts = message["parts"].as_array().unwrap();
    let text = |index: usize| with_lf(parts[index]["text"].as_str().unwrap());
    assert_eq!(text(0), outgoing.rendered.text);
    assert_eq!(parts[0]["parameters"], json!({"charset": "utf-8"}));
    assert_eq!(text(1), outgoing.rendered.html);
    assert_eq!(text(2), with_lf(CALENDAR));
    assert_eq!(
        parts[2]["parameters"],
        json!({"charset": "utf-8", "method": "REQUEST"})
    );
    assert_eq!(parts[3]["text"], CALENDAR);
    assert_eq!(parts[3]["disposition"], "attachment");
    assert_eq!(parts[3]["filename"], "invite.ics");
}

#[tokio::test]
async fn message_without_invitation_has_two_alternatives() {
    let server = MailServer::start(&[]);
    let mut outgoing = outgoing("bob@example.net");
    outgoing.invitation = None;
    outgoing.to.name = String::new();
    outgoing.language = String::new();
    let transport = Transport::new(&settings(&server));
    transport.send(&outgoing).await.unwrap();
    let messages = server.messages();
    assert_well_formed(&messages[0]);
    assert_eq!(
        messages[0]["structure"],
        json!(["multipart/alternative", "text/plain", "text/html"])
    );
    assert_eq!(
        messages[0]["addresses"]["To"],
        json!([["", "bob@example.net"]])
    );
    for name in ["Content-Language", "List-Unsubscribe", "Reply-To"] {
        assert_eq!(header(&messages[0], name), None);
    }
}

#[tokio::test]
async fn logo_is_a_separate_part() {
    let server = MailServer::start(&[]);
    let mut service = Service::start().await;
    set_mail(&mut service, settings(&server));
    service.restart_with(|settings| {
        settings.mail.branding = Arc::new(Branding {
            name: "Northwind".to_owned(),
            logo: format!("data:image/png;base64,{LOGO}"),
            ..Branding::default()
        });
    });
    let id = service.event_type("talk", json!({})).await;
    let request = booking(id, "2027-03-02T09:00:00Z");
    service.post("/v2/bookings", request).await.data();
    worker(&service).mail_round().await.unwrap();
    let messages = server.messages();
    assert_eq!(messages.len(), 2);
    for message in &messages {
        assert_well_formed(message);
        assert_eq!(
            message["structure"],
            json!([
                "multipart/mixed",
                [
                    "multipart/alternative",
                    "text/plain",
                    ["multipart/related", "text/html", "image/png"],
                    "text/calendar"
                ],
                "application/ics"
            ])
        );
        let [html, image] = [&message["parts"][1], &message["parts"][2]];
        assert_eq!(image["text"], LOGO);
        assert_eq!(image["disposition"], "inline");
        let id = image["content_id"].as_str().unwrap();
        let id = id.trim_start_matches('<').trim_end_matches('>');
        let html = html["text"].as_str().unwrap();
        assert!(
            html.contains(&format!("src=\"cid:{id}\" alt=\"Northwind\"")),
            "{html}"
        );
        assert!(!html.contains("data:"), "{html}");
    }
}

/// An image in BASE64, with all characters that templates could escape.
const LOGO: &str = "iVBORw0KGgo//+/8+A==";

/// Names and subjects that try to add headers, are long, or are hard to encode.
fn hostile_texts() -> Vec<String> {
    let mut texts: Vec<String> = [
        "Ann\r\nBcc: victim@example.net",
        "Ann\nBcc: victim@example.net\n\nbody",
        "Ann\rBcc: victim@example.net",
        "Ann\u{2028}Bcc: victim@example.net\u{85}X: y\u{b}\u{c}z",
        "a\0b\u{7f}c\u{1b}[31m",
        "\"quoted\" \\ back\\slash, (comment) <a@example.net>; group: x",
        "=?utf-8?q?=0D=0ABcc:_victim@example.net?=",
        "=?utf-8?b?QmNjOg==?= =?x?",
        "  spaces   around  and between  ",
        "👩‍👩‍👧‍👦 family 🎉🎉🎉",
        "مرحبا بالعالم \u{202e}evil\u{202c} שלום",
        "ÅÄÖ ß 日本語のとても長い題名です。改行されるはずです。",
        "e\u{301}\u{301}\u{301} Zalgo",
        "plain",
        ".",
        "..\r\n.\r\n",
    ]
    .map(str::to_owned)
    .to_vec();
    texts.push("x".repeat(10_000));
    texts.push("word ".repeat(2_000).trim_end().to_owned());
    texts.push("ü".repeat(10_000));
    texts.push("🎉".repeat(10_000));
    texts.push(format!("{} {}", "a".repeat(76), "b".repeat(997)));
    texts
}

/// The text that a header has: without control characters.
fn shown(text: &str) -> String {
    text.chars()
        .map(|letter| {
            let is_line = matches!(letter, '\u{2028}' | '\u{2029}');
            if letter.is_control() || is_line {
                ' '
            } else {
                letter
            }
        })
        .collect()
}

#[tokio::test]
async fn hostile_name_and_subject_arrive_unchanged_and_add_no_header() {
    let server = MailServer::start(&[]);
    let transport = Transport::new(&settings(&server));
    let texts = hostile_texts();
    for text in &texts {
        let mut outgoing = outgoing("bob@example.net");
        outgoing.to.name.clone_from(text);
        outgoing.rendered.subject.clone_from(text);
        outgoing.message_id = "a>\r\nX: y\u{0}@example.org".to_owned();
        outgoing.language = "de\r\nX: y".to_owned();
        outgoing.stop_reminders = Some("https://book.example/\r\nX: y".to_owned());
        transport.send(&outgoing).await.unwrap();
    }
    let messages = server.messages();
    assert_eq!(messages.len(), texts.len());
    for (message, text) in messages.iter().zip(&texts) {
        assert_well_formed(message);
        assert_eq!(message["is_ascii"], true);
        let headers = message["headers"].as_array().unwrap().iter();
        let names: Vec<_> = headers.map(|header| header[0].as_str().unwrap()).collect();
        assert_eq!(
            names,
            [
                "Date",
                "From",
                "To",
                "Subject",
                "Message-ID",
                "Auto-Submitted",
                "Content-Language",
                "MIME-Version",
                "Content-Type"
            ],
            "{text:?}"
        );
        assert_eq!(header(message, "Subject"), Some(&*shown(text)), "{text:?}");
        assert_eq!(
            message["addresses"]["To"],
            json!([[shown(text).trim(), "bob@example.net"]]),
            "{text:?}"
        );
        assert_eq!(header(message, "Message-ID"), Some("<aXy@example.org>"));
    }
}

#[tokio::test]
async fn hostile_texts_arrive_unchanged() {
    let server = MailServer::start(&[]);
    let transport = Transport::new(&settings(&server));
    let mut texts = hostile_texts();
    texts.push(".\n..\n.x\n".to_owned());
    texts.push("\n.\nQUIT\n".to_owned());
    texts.push("From me\n>From you\n trailing \t\n\n\n\n".to_owned());
    texts.push("line\n".repeat(20_000));
    texts.push(String::new());
    for text in &texts {
        let mut outgoing = outgoing("bob@example.net");
        outgoing.rendered.text.clone_from(text);
        outgoing.rendered.html.clone_from(text);
        outgoing.invitation.as_mut().unwrap().text.clone_from(text);
        transport.send(&outgoing).await.unwrap();
    }
    let messages = server.messages();
    assert_eq!(messages.len(), texts.len());
    for (message, text) in messages.iter().zip(&texts) {
        assert_well_formed(message);
        assert_eq!(message["is_ascii"], true);
        let expected = with_lf(&text.replace('\0', ""));
        for part in message["parts"].as_array().unwrap() {
            let found = with_lf(part["text"].as_str().unwrap());
            // Python may add the line end that ends a part.
            let found = found.trim_end_matches('\n');
            assert_eq!(found, expected.trim_end_matches('\n'), "{text:?}");
        }
    }
}

#[tokio::test]
async fn hostile_address_is_refused_before_the_server_sees_it() {
    let mut server = MailServer::start(&[]);
    let transport = Transport::new(&settings(&server));
    for address in [
        "",
        "bob",
        "bob@example.net\r\nRCPT TO:<victim@example.net>",
        "bob@example.net>\r\nDATA",
        "bob@example.net, victim@example.net",
        "bob@example.net victim@example.net",
        "<bob@example.net>",
        "bob\u{0}@example.net",
        "bob@exam\u{a0}ple.net",
    ] {
        let sent = transport.send(&outgoing(address)).await;
        assert_failed(sent, true, "the recipient is not an e-mail address");
    }
    let long = format!("{}@example.net", "a".repeat(10_000));
    assert_failed(
        transport.send(&outgoing(&long)).await,
        true,
        "is not an e-mail address",
    );
    assert_eq!(server.stats().connections, 0);
}

#[tokio::test]
async fn internationalised_addresses_use_punycode_and_smtputf8() {
    let server = MailServer::start(&[]);
    let settings_utf8 = settings(&server);
    send(&settings_utf8, "ann@bücher.example").await.unwrap();
    send(&settings_utf8, "用户@例子.测试").await.unwrap();
    let messages = server.messages();
    assert_eq!(
        messages[0]["envelope"]["to"],
        json!(["ann@xn--bcher-kva.example"])
    );
    assert_eq!(messages[0]["is_ascii"], true);
    assert_eq!(messages[0]["envelope"]["options"], json!([]));
    let address = "用户@xn--fsqu00a.xn--0zwm56d";
    assert_eq!(messages[1]["envelope"]["to"], json!([address]));
    assert_eq!(
        messages[1]["envelope"]["options"],
        json!(["SMTPUTF8", "BODY=8BITMIME"])
    );
    assert!(header(&messages[1], "To").unwrap().contains(address));

    let ascii_only = MailServer::start(&["--no-smtputf8"]);
    let settings = settings(&ascii_only);
    send(&settings, "ann@bücher.example").await.unwrap();
    let sent = send(&settings, "用户@example.org").await;
    assert_failed(sent, true, "does not accept addresses with characters");
    assert_eq!(ascii_only.messages().len(), 1);
}

#[test]
fn content_is_the_same_in_each_attempt_but_for_boundaries() {
    let sender = settings_of("smtp://localhost").sender;
    let build = || Message::build(&sender, &outgoing("bob@example.net")).unwrap();
    let without_boundaries = |message: Message| {
        let text = String::from_utf8(message.bytes).unwrap();
        text.lines()
            .filter(|line| !line.starts_with("--") && !line.contains("boundary="))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(without_boundaries(build()), without_boundaries(build()));
}
