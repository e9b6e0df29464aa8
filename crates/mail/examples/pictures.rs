//! Writes sample messages and pages to a folder, for a look at them in a browser:
//! `cargo run -p booking-mail --example pictures -- DIR`

use std::path::Path;
use std::{env, fs, io};

use booking_mail::data::{MessageData, Person, SeriesData};
use booking_mail::samples::Sample;
use booking_mail::templates::Templates;

/// Languages and time zones: both directions, and scripts that need other fonts.
const LANGUAGES: [(&str, &str); 6] = [
    ("en", "America/New_York"),
    ("de", "Europe/Berlin"),
    ("ar", "Africa/Cairo"),
    ("he", "Asia/Jerusalem"),
    ("ja", "Asia/Tokyo"),
    ("hi", "Asia/Kolkata"),
];

/// A logo with a transparent background.
const LOGO: &str = "data:image/svg+xml;utf8,%3Csvg%20xmlns='http://www.w3.org/2000/svg'%20width='120'%20height='32'%3E\
    %3Crect%20width='32'%20height='32'%20rx='8'%20fill='%23c2410c'/%3E%3Ctext%20x='42'%20y='23'%20font-size='20'%20\
    font-family='sans-serif'%3EEngines%3C/text%3E%3C/svg%3E";

fn main() -> io::Result<()> {
    let folder = env::args_os()
        .nth(1)
        .ok_or_else(|| io::Error::other("usage: pictures DIR"))?;
    let folder = Path::new(&folder);
    fs::create_dir_all(folder)?;
    let templates = Templates::embedded();
    for (language, zone) in LANGUAGES {
        write_long(&templates, language, zone, folder)?;
        let sample = Sample::full(language, zone);
        for input in sample.messages() {
            let message = templates.message(input).map_err(io::Error::other)?;
            let name = format!(
                "{language}-{}-{}",
                input.kind.name(),
                input.recipient.role.name()
            );
            fs::write(folder.join(format!("{name}.html")), message.html)?;
            let text = format!("Subject: {}\n\n{}", message.subject, message.text);
            fs::write(folder.join(format!("{name}.txt")), text)?;
        }
        for (index, input) in sample.pages().enumerate() {
            let page = templates.page(input).map_err(io::Error::other)?;
            fs::write(
                folder.join(format!("{language}-page-{index:02}.html")),
                page,
            )?;
        }
    }
    Ok(())
}

/// Writes a message with long texts, a series over a change of clocks, a light colour and a logo.
fn write_long(templates: &Templates, language: &str, zone: &str, folder: &Path) -> io::Result<()> {
    let mut sample = Sample::full(language, zone);
    sample.branding.colour = "#ffd54a".to_owned();
    sample.branding.logo = LOGO.to_owned();
    if let MessageData::Booking(booking) = &mut sample.booking {
        let start = booking.start;
        booking.series = Some(SeriesData {
            starts: (0..5)
                .map(|week| start.plus_minutes(week * 7 * 24 * 60))
                .collect(),
            ..SeriesData::default()
        });
        booking.title =
            "Donaudampfschifffahrtsgesellschaftskapitänskajütenschlüsselübergabebesprechung"
                .to_owned();
        booking.location = format!("https://meet.example.org/{}", "a1b2c3d4".repeat(12));
        booking.notes =
            "A sentence of a visitor that is long enough for several lines. ".repeat(12);
        booking.attendees.push(Person {
            name: "משה כהן".to_owned(),
            email: "moshe@example.com".to_owned(),
            ..Person::default()
        });
    }
    let input = sample
        .messages()
        .nth(6)
        .ok_or_else(|| io::Error::other("no message"))?;
    let message = templates.message(input).map_err(io::Error::other)?;
    fs::write(folder.join(format!("{language}-long.html")), message.html)?;
    fs::write(folder.join(format!("{language}-long.txt")), message.text)
}
