//! Messages of each kind to each role in each language, and messages with hostile texts.

mod common;

use std::sync::LazyLock;

use booking_mail::data::{BookingData, MessageData, MissingLocation, Person, SeriesData};
use booking_mail::invitation::{Sender, invitation};
use booking_mail::message::{Kind, Links, Recipient, Role};
use booking_mail::samples::Sample;
use booking_mail::templates::{Branding, MessageInput, Rendered, Templates};
use booking_wire::Instant;
use booking_wire::formats::text_language::LANGUAGES;

use common::{dense, parse};

fn languages() -> impl Iterator<Item = &'static str> {
    ["en"].into_iter().chain(LANGUAGES)
}

/// Returns the texts of a plain message without spaces, and its URLs.
fn texts_and_urls(text: &str) -> (String, Vec<String>) {
    let mut texts = String::new();
    let mut urls = Vec::new();
    let lines: Vec<&str> = text.lines().filter(|line| *line != "-- ").collect();
    for (index, line) in lines.iter().enumerate() {
        let is_url = |line: &str| line.trim_start().starts_with("https://");
        if is_url(line) {
            urls.push(line.trim().to_owned());
        }
        if line.starts_with("https://") {
            continue;
        }
        let line = line.strip_prefix("  >").unwrap_or(line);
        // Label of a button.
        let next = lines.get(index + 1).copied().unwrap_or_default();
        let line = if next.starts_with("https://") {
            line.trim_end_matches(':')
        } else {
            line
        };
        texts.push_str(&dense(line));
    }
    (texts, urls)
}

#[test]
fn text_and_html_have_equal_content_in_all_languages() {
    let templates = &*TEMPLATES;
    let mut messages: Vec<(String, Rendered)> = Vec::new();
    for language in languages() {
        for mut sample in [
            Sample::full(language, "Europe/Berlin"),
            Sample::all()[1].clone(),
        ] {
            // The name is at the top of HTML and at the end of the text.
            sample.branding.name = String::new();
            for input in sample.messages() {
                let name = format!("{language} {:?} {:?}", input.kind, input.recipient.role);
                messages.push((name, templates.message(input).unwrap()));
            }
        }
    }
    let documents: Vec<String> = messages
        .iter()
        .map(|(_, message)| message.html.clone())
        .collect();
    for ((name, message), document) in messages.iter().zip(parse(&documents)) {
        let (texts, urls) = texts_and_urls(&message.text);
        assert_eq!(document.dense_text(), texts, "{name}");
        assert_eq!(document.list("links"), urls, "{name}");
        assert_eq!(document.get("title"), message.subject, "{name}");
        assert!(!message.text.contains("\n\n\n"), "{name}\n{}", message.text);
        assert!(
            message.subject.chars().count() <= 200 && !message.subject.is_empty(),
            "{name}"
        );
        assert!(
            !format!("{} {}", message.subject, message.text).contains('{'),
            "{name}: placeholder"
        );
    }
}

#[test]
fn each_kind_and_role_says_what_who_and_when() {
    let templates = &*TEMPLATES;
    for language in languages() {
        let mut subjects = Vec::new();
        let sample = Sample::full(language, "Europe/Berlin");
        for input in sample
            .messages()
            .filter(|input| input.kind != Kind::VerificationCode)
        {
            let message = templates.message(input).unwrap();
            let name = if input.recipient.role.is_host() {
                "Ada Lovelace"
            } else {
                "Grace Hopper"
            };
            for part in ["Introduction", name, "09:30", "2027"] {
                // Hours of one digit in some languages.
                let part = if part == "09:30" { "9:30" } else { part };
                assert!(
                    message.subject.contains(part),
                    "{language} {}",
                    message.subject
                );
                assert!(message.text.contains(part), "{language} {}", message.text);
            }
            if input.recipient.role == Role::Host {
                subjects.push(message.subject);
            }
        }
        subjects.sort();
        subjects.dedup();
        // Each kind has another status.
        assert_eq!(subjects.len(), 11, "{language} {subjects:?}");
    }
}

#[test]
fn html_has_language_direction_and_no_remote_content() {
    let templates = &*TEMPLATES;
    for language in languages() {
        let sample = Sample::full(language, "Asia/Tokyo");
        let html = templates
            .message(sample.messages().next().unwrap())
            .unwrap()
            .html;
        let [document] = &parse(std::slice::from_ref(&html))[..] else {
            panic!("one document")
        };
        assert_eq!(document.get("lang"), language);
        let is_rtl = matches!(language, "ar" | "he");
        assert_eq!(document.get("dir"), if is_rtl { "rtl" } else { "ltr" });
        assert_eq!(document.meta("color-scheme"), "light dark");
        assert!(html.len() < 40_000, "{}", html.len());
    }
}

/// Compiled once.
static TEMPLATES: LazyLock<Templates> = LazyLock::new(Templates::embedded);

/// A message about `booking`.
fn render(kind: Kind, booking: BookingData, role: Role, person: Person, links: &Links) -> Rendered {
    TEMPLATES
        .message(MessageInput {
            kind,
            data: &MessageData::Booking(Box::new(booking)),
            recipient: &Recipient { role, person },
            links,
            branding: &Branding::default(),
        })
        .unwrap()
}

fn person(name: &str, email: &str) -> Person {
    Person {
        name: name.to_owned(),
        email: email.to_owned(),
        ..Person::default()
    }
}

/// A booking whose texts are all `text`, with `count` people of each kind and answers.
fn booking_of(text: &str, count: usize) -> BookingData {
    let text = || text.to_owned();
    let all = |count: usize| {
        vec![
            Person {
                language: String::new(),
                ..person(&text(), &text())
            };
            count
        ]
    };
    BookingData {
        uid: text(),
        title: text(),
        event_type: text(),
        location: text(),
        previous_location: Some(text()),
        previous_time: Some((Instant(0), Instant(60_000))),
        notes: text(),
        answers: vec![(text(), text()); count],
        reason: Some(text()),
        hosts: all(5),
        former_hosts: all(5),
        attendees: all(count),
        guests: all(count),
        new_guests: vec![text(); count],
        ..BookingData::default()
    }
}

#[test]
fn hostile_texts_stay_texts() {
    let attacks = [
        "<script>alert(1)</script><img src=x onerror=alert(1)>\"'><a href=\"https://evil.example\">x</a>",
        "x\r\nBcc: victim@example.org\r\n\r\nbody",
        "\n\nConfirm:\nhttps://evil.example/confirm\n\n-- \nBank",
        "\u{2028}Confirm:\u{2029}https://evil.example\u{85}x\u{b}y",
        "\u{202e}evil\u{2066}\u{200b}\u{feff}\u{e0041}",
        "{{ 7 * 7 }}{% raw %}{name}{who}{when}",
        "javascript:alert(1)",
        "https://evil.example/\" onmouseover=\"alert(1)",
        "--><!--<!doctype html></td></tr></table>",
        "]]>&lt;b&gt;&amp;\0\u{1b}[31m",
    ];
    let mut documents = Vec::new();
    for attack in attacks {
        for text in [attack.to_owned(), attack.repeat(10_000 / attack.len() + 1)] {
            let is_long = text.len() > 1_000;
            let kinds = Kind::ALL
                .into_iter()
                .filter(|kind| *kind != Kind::VerificationCode)
                .filter(|kind| !is_long || *kind == Kind::GuestsAdded);
            for kind in kinds {
                for role in [Role::Attendee, Role::Host] {
                    let person = person(&text, &text);
                    let message =
                        render(kind, booking_of(&text, 8), role, person, &Links::default());
                    let subject = &message.subject;
                    assert!(
                        !subject.contains(|c: char| c.is_control()
                            || c == '\u{202e}'
                            || c == '\u{200b}')
                    );
                    assert!(subject.chars().count() <= 200, "{subject}");
                    assert!(message.html.len() < 800_000, "{}", message.html.len());
                    for line in message.text.lines() {
                        let forged = ["Confirm:", "https://evil", "Bcc", "Bank", "-- "];
                        assert!(!forged.iter().any(|text| line.starts_with(text)), "{line}");
                    }
                    if message.text.contains("{{") {
                        assert!(message.text.contains("{{ 7 * 7 }}"), "{}", message.text);
                    }
                    if !is_long && kind == Kind::LocationChanged {
                        documents.push(message.html);
                    }
                }
            }
        }
    }
    for document in parse(&documents) {
        assert!(
            document.list("links").is_empty(),
            "{:?}",
            document.list("links")
        );
    }
}

#[test]
fn long_texts_in_each_field_are_shortened() {
    for text in [
        "x".repeat(10_000),
        "word ".repeat(2_000),
        "\n".repeat(10_000),
        "a\n".repeat(5_000),
        "漢".repeat(10_000),
    ] {
        let message = render(
            Kind::Rescheduled,
            booking_of(&text, 150),
            Role::Host,
            person("", ""),
            &Links::default(),
        );
        assert!(message.text.len() < 800_000, "{}", message.text.len());
        parse(&[message.html]);
    }
}

#[test]
fn attendee_never_learns_of_hidden_attendees() {
    let ada = person("Ada", "ada@example.org");
    let booking = BookingData {
        title: "Class between Grace and Secret Bob".to_owned(),
        event_type: "Class".to_owned(),
        hosts: vec![person("Grace", "grace@example.org")],
        attendees: vec![ada.clone(), person("Secret Bob", "bob@example.org")],
        guests: vec![person("Secret Guest", "guest@example.org")],
        notes: "Secret notes".to_owned(),
        answers: vec![("Allergy".to_owned(), "Secret answer".to_owned())],
        hides_attendees: true,
        ..BookingData::default()
    };
    for kind in Kind::ALL {
        for role in [Role::Attendee, Role::Guest] {
            let message = render(kind, booking.clone(), role, ada.clone(), &Links::default());
            for text in [&message.subject, &message.text, &message.html] {
                assert!(!text.contains("Secret") && !text.contains("bob@"), "{text}");
            }
            assert!(message.text.contains("Ada"));
        }
    }
    let message = render(
        Kind::Booked,
        booking,
        Role::Host,
        person("Grace", "grace@example.org"),
        &Links::default(),
    );
    for text in [
        "Secret Bob",
        "Secret Guest",
        "Secret notes",
        "Secret answer",
        "bob@example.org",
    ] {
        assert!(message.text.contains(text), "{text}");
    }
}

#[test]
fn host_is_told_who_cancelled_a_place_and_that_the_meeting_takes_place() {
    let grace = person("Grace", "grace@example.org");
    let booking = BookingData {
        event_type: "Class".to_owned(),
        hosts: vec![grace.clone()],
        attendees: vec![person("Ada", "ada@example.org")],
        remaining_attendees: vec![person("Bob", "bob@example.org")],
        ..BookingData::default()
    };
    let message = render(
        Kind::Cancelled,
        booking,
        Role::Host,
        grace,
        &Links::default(),
    );
    assert!(message.subject.contains("A place was cancelled"));
    for text in ["Ada will not attend", "Bob"] {
        assert!(message.text.contains(text), "{}", message.text);
    }
    assert!(!message.text.contains("meeting is cancelled"));
}

#[test]
fn host_is_told_of_their_part_in_a_change_of_hosts() {
    let [new, other, former] =
        ["new", "other", "former"].map(|name| person(name, &format!("{name}@example.org")));
    for (kind, is_confirmed, new_subject, other_subject) in [
        (
            Kind::HostReassigned,
            true,
            "A booking was assigned to you",
            "The hosts have changed",
        ),
        (
            Kind::Rescheduled,
            true,
            "A booking was assigned to you",
            "Booking rescheduled",
        ),
        (
            Kind::Rescheduled,
            false,
            "New booking request",
            "New time to confirm",
        ),
    ] {
        let booking = BookingData {
            event_type: "Talk".to_owned(),
            hosts: vec![other.clone(), new.clone()],
            new_hosts: vec![new.email.clone()],
            former_hosts: vec![former.clone()],
            attendees: vec![person("Ada", "ada@example.org")],
            is_confirmed,
            ..BookingData::default()
        };
        for (role, host, subject) in [
            (Role::Host, &new, new_subject),
            (Role::Host, &other, other_subject),
            (
                Role::FormerHost,
                &former,
                "Your booking was assigned to someone else",
            ),
        ] {
            let message = render(kind, booking.clone(), role, host.clone(), &Links::default());
            assert!(
                message.subject.starts_with(subject),
                "{kind:?} {}",
                message.subject
            );
        }
    }
}

#[test]
fn attendee_who_is_added_is_invited_and_does_not_see_the_answers() {
    let [booker, added] = ["Ada", "Eve"].map(|name| person(name, &format!("{name}@example.org")));
    let booking = BookingData {
        event_type: "Talk".to_owned(),
        hosts: vec![person("Grace", "grace@example.org")],
        attendees: vec![booker.clone(), added.clone()],
        new_guests: vec![added.email.clone()],
        answers: vec![("Budget".to_owned(), "secret".to_owned())],
        is_confirmed: true,
        ..BookingData::default()
    };
    let message = |role, person: &Person| {
        render(
            Kind::GuestsAdded,
            booking.clone(),
            role,
            person.clone(),
            &Links::default(),
        )
    };
    let to_added = message(Role::Attendee, &added);
    assert!(
        to_added.subject.starts_with("You’re invited"),
        "{}",
        to_added.subject
    );
    assert!(!to_added.text.contains("secret"), "{}", to_added.text);
    let to_booker = message(Role::Attendee, &booker);
    assert!(
        to_booker.subject.starts_with("Guests added"),
        "{}",
        to_booker.subject
    );
    assert!(
        to_booker.text.contains("secret") && to_booker.text.contains("New guests\n  Eve"),
        "{}",
        to_booker.text
    );
    assert!(!to_booker.text.contains("Eve@example.org"));
    assert!(
        message(Role::Host, &booking.hosts[0])
            .text
            .contains("Eve@example.org")
    );
}

#[test]
fn addresses_of_hosts_can_be_hidden() {
    let hosts = vec![
        person("Grace", "grace@example.org"),
        person("", "nameless@example.org"),
    ];
    for hides_host_addresses in [true, false] {
        let booking = BookingData {
            hosts: hosts.clone(),
            attendees: vec![person("Ada", "ada@example.org")],
            hides_host_addresses,
            ..BookingData::default()
        };
        for kind in Kind::ALL {
            for (role, is_shown) in [
                (Role::Attendee, !hides_host_addresses),
                (Role::Guest, !hides_host_addresses),
                (Role::Host, true),
            ] {
                let person = person("Ada", "ada@example.org");
                let message = render(kind, booking.clone(), role, person, &Links::default());
                for address in ["grace@example.org", "nameless@example.org"] {
                    let contains = |text: &str| text.contains(address);
                    assert_eq!(contains(&message.text), is_shown, "{kind:?} {role:?}");
                    assert_eq!(contains(&message.html), is_shown, "{kind:?} {role:?}");
                    assert!(is_shown || !contains(&message.subject), "{kind:?} {role:?}");
                }
            }
        }
    }
}

#[test]
fn message_says_the_time_of_the_other_side_if_clocks_differ() {
    let in_zone = |name: &str, time_zone: &str, language: &str| Person {
        time_zone: time_zone.to_owned(),
        language: language.to_owned(),
        ..person(name, &format!("{name}@b.example"))
    };
    let host = in_zone("grace", "Europe/London", "en");
    for (zone, language, at, texts) in [
        (
            "America/New_York",
            "en",
            "2027-01-12T14:00:00Z",
            ["9:00 AM – 9:30 AM", "2:00 PM in London"],
        ),
        (
            "Asia/Tokyo",
            "en-US",
            "2027-01-12T17:00:00Z",
            ["2:00 AM – 2:30 AM", "Tue, Jan 12, 2027, 5:00 PM in London"],
        ),
        (
            "Europe/Warsaw",
            "pl",
            "2027-01-12T14:00:00Z",
            ["15:00 – 15:30", "Londyn: 14:00"],
        ),
    ] {
        let start = Instant::parse(at).unwrap();
        let visitor = in_zone("ada", zone, language);
        let booking = BookingData {
            start,
            end: start.plus_minutes(30),
            hosts: vec![host.clone()],
            attendees: vec![visitor.clone()],
            calendar_uid: "meeting@b.example".to_owned(),
            ..BookingData::default()
        };
        let recipient = Recipient {
            role: Role::Attendee,
            person: visitor.clone(),
        };
        let elsewhere = TEMPLATES.time_elsewhere(&booking, &recipient);
        let elsewhere = elsewhere.map(|time| time.replace('\u{202f}', " "));
        assert_eq!(elsewhere.as_deref(), Some(texts[1]));
        let sender = Sender {
            name: "Bookings",
            email: "bookings@b.example",
        };
        let file = invitation(
            Kind::Booked,
            &booking,
            &recipient,
            None,
            elsewhere.as_deref(),
            sender,
        );
        // Commas are escaped.
        let description = format!("DESCRIPTION:{}", texts[1].replace(',', "\\,"));
        let file = file.unwrap().text.replace("\r\n ", "");
        assert!(file.contains(&description), "{file}");
        let links = Links::default();
        let of = |role, person| {
            let text = render(Kind::Booked, booking.clone(), role, person, &links).text;
            text.replace('\u{202f}', " ")
        };
        let text = of(Role::Attendee, visitor);
        for part in texts {
            assert!(text.contains(part), "{zone}: {part}\n{text}");
        }
        assert!(of(Role::Host, host.clone()).contains(" in "), "{zone}");
        assert!(!of(Role::Host, host.clone()).contains("in London"));
        // On the same clock, one time is enough.
        let neighbour = in_zone("emmy", "Europe/Lisbon", "en");
        assert!(!of(Role::Guest, neighbour).contains("in London"));
    }
}

#[test]
fn series_names_all_dates_in_time_of_recipient() {
    // 10:00 in Berlin, before and after the clock change there.
    let starts =
        ["2027-03-23T09:00:00Z", "2027-03-30T08:00:00Z"].map(|text| Instant::parse(text).unwrap());
    let booking = BookingData {
        start: starts[0],
        end: starts[0].plus_minutes(30),
        series: Some(SeriesData {
            starts: starts.to_vec(),
            ..SeriesData::default()
        }),
        ..BookingData::default()
    };
    let ada = Person {
        time_zone: "Europe/Berlin".to_owned(),
        has_24_hours: Some(true),
        ..person("Ada", "a@b.example")
    };
    let message = render(
        Kind::Booked,
        booking,
        Role::Attendee,
        ada,
        &Links::default(),
    );
    assert!(
        message
            .text
            .contains("Tue, 23 Mar 2027, 10:00 – 10:30\n  Tue, 30 Mar 2027, 10:00 – 10:30"),
        "{}",
        message.text
    );
}

#[test]
fn buttons_are_those_of_links() {
    let booking = BookingData {
        start: Instant(0),
        ..BookingData::default()
    };
    let links = Links {
        manage: Some("https://booking.example/m".to_owned()),
        confirm: Some("https://booking.example/c".to_owned()),
        decline: Some("https://booking.example/d".to_owned()),
        cancel: Some("javascript:alert(1)".to_owned()),
        ..Links::default()
    };
    let message = render(
        Kind::Requested,
        booking,
        Role::Host,
        person("", "h@b.example"),
        &links,
    );
    let document = parse(&[message.html]).remove(0);
    let expected = [
        "https://booking.example/c",
        "https://booking.example/d",
        "https://booking.example/m",
    ];
    assert_eq!(document.list("links"), expected);
}

/// Returns the URLs of the links in elements of the accent colour.
fn primary_urls(html: &str) -> Vec<String> {
    html.split("<td bgcolor=")
        .skip(1)
        .map(|cell| {
            let url = cell.split_once("href=\"").unwrap().1;
            url.split_once('"').unwrap().0.replace("&#x2f;", "/")
        })
        .collect()
}

#[test]
fn primary_button_never_cancels_or_declines() {
    let link = |name: &str| Some(format!("https://booking.example/{name}"));
    let sample = Sample::full("en", "Europe/Berlin");
    // All combinations of links: a message has those that its recipient can use.
    for present in 0_u8..64 {
        let of = |bit: u8, name: &str| link(name).filter(|_| present & (1 << bit) != 0);
        let links = Links {
            manage: of(0, "manage"),
            reschedule: of(1, "reschedule"),
            cancel: of(2, "cancel"),
            book_again: None,
            confirm: of(3, "confirm"),
            decline: of(4, "decline"),
            stop_reminders: of(5, "stop"),
        };
        for input in sample.messages() {
            if input.kind == Kind::VerificationCode {
                continue;
            }
            let html = TEMPLATES
                .message(MessageInput {
                    links: &links,
                    ..input
                })
                .unwrap()
                .html;
            let call = "https://meet.example.org/grace".to_owned();
            let expected = links.confirm.as_ref().or(match links.decline {
                // The first button decides.
                Some(_) => None,
                None => links.manage.as_ref(),
            });
            let expected = match input.kind {
                Kind::Reminder => Some(&call),
                _ => expected,
            };
            let expected: Vec<String> = expected.cloned().into_iter().collect();
            let name = format!("{:?} {:?} {links:?}", input.kind, input.recipient.role);
            assert_eq!(primary_urls(&html), expected, "{name}");
            // The style of the button is in no other element.
            assert_eq!(
                html.matches("font-weight:600;text-decoration:none").count(),
                expected.len(),
                "{name}"
            );
        }
    }
}

#[test]
fn host_opens_bookings_and_answers_requests() {
    let sample = Sample::full("en", "Europe/Berlin");
    for input in sample.messages() {
        let message = TEMPLATES.message(input).unwrap();
        let name = format!(
            "{:?} {:?}\n{}",
            input.kind, input.recipient.role, message.text
        );
        let expected = match (input.kind, input.recipient.role) {
            (Kind::VerificationCode, _) => continue,
            (Kind::Requested, Role::Host) => "Confirm",
            (Kind::Reminder, _) => "Join",
            (_, Role::Host | Role::FormerHost) => "Open booking",
            _ => "View booking",
        };
        let primary = &primary_urls(&message.html)[0];
        assert!(
            message
                .text
                .contains(&format!("\n{expected}:\n{primary}\n")),
            "{name}"
        );
        if input.kind == Kind::Requested && input.recipient.role == Role::Host {
            assert!(!message.text.contains("Cancel booking"), "{name}");
        }
    }
}

/// Returns the lines below a label of a plain message.
fn lines_below<'a>(text: &'a str, label: &str) -> Vec<&'a str> {
    text.lines()
        .skip_while(|line| *line != label)
        .skip(1)
        .map_while(|line| line.strip_prefix("  "))
        .collect()
}

#[test]
fn every_message_about_a_meeting_says_where() {
    let call = "Video call";
    for (missing, of_attendee, of_others) in [
        (
            MissingLocation::VideoCall,
            [
                call,
                "You’ll get the link by email and on your booking’s page.",
            ]
            .as_slice(),
            [call, "No link has been added yet."].as_slice(),
        ),
        (MissingLocation::Unset, &["Not set yet"], &["Not set yet"]),
        (
            MissingLocation::Withheld,
            &["The location given when booking"],
            &["The location given when booking"],
        ),
    ] {
        for kind in Kind::ALL {
            if kind == Kind::VerificationCode {
                continue;
            }
            for role in [Role::Attendee, Role::Guest, Role::Host, Role::FormerHost] {
                let booking = BookingData {
                    missing_location: Some(missing),
                    is_confirmed: true,
                    ..BookingData::default()
                };
                let person = person("Ada", "ada@example.org");
                let message = render(kind, booking, role, person, &Links::default());
                let expected = match role {
                    Role::Attendee => of_attendee,
                    _ => of_others,
                };
                // Nobody waits for the link of a meeting that does not take place.
                let is_over = matches!(kind, Kind::Cancelled | Kind::Declined);
                let expected = if is_over { &expected[..1] } else { expected };
                let found = lines_below(&message.text, "Where");
                assert_eq!(found, expected, "{kind:?} {role:?}\n{}", message.text);
                assert!(message.html.contains(expected[0]), "{kind:?} {role:?}");
            }
        }
    }
}

#[test]
fn link_of_a_meeting_is_for_those_who_can_use_it() {
    let link = "https://meet.example/room";
    for kind in Kind::ALL {
        if kind == Kind::VerificationCode {
            continue;
        }
        for role in [Role::Attendee, Role::Host] {
            for is_confirmed in [true, false] {
                let booking = BookingData {
                    location: link.to_owned(),
                    is_confirmed,
                    ..BookingData::default()
                };
                let (me, links) = (person("Ada", "ada@example.org"), Links::default());
                let message = render(kind, booking, role, me, &links);
                let expected = match kind {
                    Kind::Cancelled | Kind::Declined => false,
                    _ => is_confirmed || role == Role::Host,
                };
                for text in [&message.text, &message.html] {
                    assert_eq!(
                        text.contains("meet.example"),
                        expected,
                        "{kind:?} {role:?}: {text}"
                    );
                }
            }
        }
    }
}

#[test]
fn reminder_leads_into_the_call() {
    let manage = "https://booking.example/m";
    let links = Links {
        manage: Some(manage.to_owned()),
        ..Links::default()
    };
    for (location, expected) in [
        ("https://meet.example/room", "https://meet.example/room"),
        ("Market Street 1", manage),
    ] {
        let booking = BookingData {
            location: location.to_owned(),
            is_confirmed: true,
            ..BookingData::default()
        };
        let message = render(
            Kind::Reminder,
            booking,
            Role::Attendee,
            person("Ada", "ada@example.org"),
            &links,
        );
        assert_eq!(primary_urls(&message.html), [expected], "{location}");
    }
}

#[test]
fn message_about_a_new_time_says_the_former_one_once() {
    let at = |text: &str| Instant::parse(text).unwrap();
    let booking = BookingData {
        start: at("2027-03-09T13:00:00Z"),
        end: at("2027-03-09T13:30:00Z"),
        previous_time: Some((at("2027-03-08T13:00:00Z"), at("2027-03-08T13:30:00Z"))),
        is_confirmed: true,
        ..BookingData::default()
    };
    let (me, links) = (person("Ada", "ada@example.org"), Links::default());
    let message = render(Kind::Rescheduled, booking, Role::Attendee, me, &links);
    assert_eq!(
        message.text.matches("8 Mar").count() + message.text.matches("Mar 8").count(),
        1,
        "{}",
        message.text
    );
}

#[test]
fn video_call_has_the_words_of_the_widget() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../src/i18n");
    let read = |file: &str| std::fs::read_to_string(format!("{folder}/{file}")).unwrap();
    for language in languages() {
        let words = match language {
            "en" => {
                let english = read("english.rs");
                let (_, rest) = english.split_once("PlaceVideo => \"").unwrap();
                rest.split_once('"').unwrap().0.to_owned()
            }
            _ => {
                let texts = read(&format!("lang/{language}.json"));
                let texts: serde_json::Value = serde_json::from_str(&texts).unwrap();
                texts["placeVideo"].as_str().unwrap().to_owned()
            }
        };
        let booking = BookingData {
            missing_location: Some(MissingLocation::VideoCall),
            ..BookingData::default()
        };
        let ada = Person {
            language: language.to_owned(),
            ..person("Ada", "ada@example.org")
        };
        let message = render(Kind::Booked, booking, Role::Host, ada, &Links::default());
        let line = format!("\n  {words}\n");
        assert!(message.text.contains(&line), "{language} {}", message.text);
    }
}

#[test]
fn first_sentence_names_who_what_and_when() {
    let ada = person("Ada Lovelace", "ada@example.org");
    let start = Instant::parse("2027-03-09T13:00:00Z").unwrap();
    let single = BookingData {
        title: "Intro call between Grace and Ada".to_owned(),
        event_type: "Intro call".to_owned(),
        start,
        end: start.plus_minutes(30),
        previous_time: Some((start.plus_minutes(-1_440), start.plus_minutes(-1_410))),
        is_confirmed: true,
        hosts: vec![person("Grace", "grace@example.org")],
        attendees: vec![ada.clone()],
        ..BookingData::default()
    };
    let series = BookingData {
        series: Some(SeriesData {
            starts: vec![start, start.plus_minutes(10_080)],
            ..SeriesData::default()
        }),
        ..single.clone()
    };
    let seats = BookingData {
        attendees: vec![ada, person("Bob", "bob@example.org")],
        ..single.clone()
    };
    let nameless = BookingData {
        attendees: vec![person("", "ada@example.org")],
        ..single.clone()
    };
    for (kind, booking, role, sentence) in [
        (
            Kind::Booked,
            &single,
            Role::Attendee,
            "See you on Tuesday, 9 March 2027, 13:00.",
        ),
        (
            Kind::Booked,
            &series,
            Role::Attendee,
            "All dates are listed below.",
        ),
        (
            Kind::Booked,
            &single,
            Role::Host,
            "Ada Lovelace booked “Intro call” with you.",
        ),
        (
            Kind::Booked,
            &seats,
            Role::Host,
            "Someone has booked a time with you. Here are the details.",
        ),
        (
            Kind::Booked,
            &nameless,
            Role::Host,
            "Someone has booked a time with you. Here are the details.",
        ),
        (
            Kind::Requested,
            &single,
            Role::Host,
            "Ada Lovelace would like to meet on Tuesday, 9 March 2027, 13:00.",
        ),
        (
            Kind::Requested,
            &series,
            Role::Host,
            "Someone would like to meet you. Please confirm or decline.",
        ),
        (
            Kind::Confirmed,
            &single,
            Role::Attendee,
            "It’s on: Tuesday, 9 March 2027, 13:00.",
        ),
        (
            Kind::Rescheduled,
            &single,
            Role::Guest,
            "Moved from Mon, 8 Mar 2027, 13:00 to Tue, 9 Mar 2027, 13:00.",
        ),
        (
            Kind::Cancelled,
            &single,
            Role::Host,
            "This meeting is cancelled. There’s nothing you need to do.",
        ),
        (
            Kind::Declined,
            &single,
            Role::Attendee,
            "This meeting won’t take place. There’s nothing you need to do.",
        ),
    ] {
        let recipient = Person {
            language: "en-GB".to_owned(),
            time_zone: "UTC".to_owned(),
            ..person("Recipient", "recipient@example.org")
        };
        let message = render(kind, booking.clone(), role, recipient, &Links::default());
        // It follows the time, which a series has below.
        let index = if booking.series.is_some() { 1 } else { 2 };
        let paragraph = message.text.split("\n\n").nth(index).unwrap();
        assert_eq!(paragraph.replace('\n', " "), sentence, "{kind:?} {role:?}");
    }
}
