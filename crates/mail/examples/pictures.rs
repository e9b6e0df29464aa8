//! Writes sample messages and pages to a folder, for a look at them in a browser:
//! `cargo run -p booking-mail --example pictures -- DIR`

use std::path::Path;
use std::{env, fs, io};

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

fn main() -> io::Result<()> {
    let folder = env::args_os()
        .nth(1)
        .ok_or_else(|| io::Error::other("usage: pictures DIR"))?;
    let folder = Path::new(&folder);
    fs::create_dir_all(folder)?;
    let templates = Templates::embedded();
    for (language, zone) in LANGUAGES {
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
