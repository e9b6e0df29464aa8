//! Options of what messages look like.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use booking_mail::templates::{Branding, Templates};
use booking_smtp::settings::SmtpSettings;
use booking_wire::formats::{is_color, is_url};
use clap::Args;

use crate::cli::error::CliError;
use crate::settings::MailSettings;

/// Largest file of a logo, in bytes: it is part of each message.
const MAX_LOGO_BYTES: usize = 50 * 1024;

/// Most characters of the footer.
const MAX_FOOTER_CHARS: usize = 2_000;

/// Options of what messages look like.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "E-mail")]
pub struct MailContent {
    /// Name of the company in messages and on the pages that their links open
    #[arg(long, value_name = "NAME")]
    pub mail_name: Option<String>,

    /// Colour of buttons and links there, such as `#2454c6`
    #[arg(long, value_name = "COLOR")]
    pub mail_color: Option<String>,

    /// Logo at the top: a PNG, JPEG or GIF file of up to 50 KiB
    #[arg(long, value_name = "FILE")]
    pub mail_logo: Option<PathBuf>,

    /// Text at the end of messages, such as the address of the company
    #[arg(long, value_name = "TEXT")]
    pub mail_footer: Option<String>,

    /// Page that shows a booking to its visitor, with {uid} in place of its uid and optionally {seat} in place of the uid
    /// of a seat, if not the page of this service
    #[arg(long, value_name = "URL", value_parser = page_url)]
    pub booking_page_url: Option<String>,

    /// Directory with templates that replace those of the program (docs/mail-templates.md)
    #[arg(long, value_name = "DIR")]
    pub mail_templates: Option<PathBuf>,
}

impl MailContent {
    /// Returns the settings of e-mail.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or used.
    pub fn settings(&self, smtp: Option<SmtpSettings>) -> Result<MailSettings, CliError> {
        let text = |option: &Option<String>| option.clone().unwrap_or_default().trim().to_owned();
        let color = text(&self.mail_color);
        if !color.is_empty() && !is_color(&color) {
            return Err(CliError::MailContent(format!(
                "--mail-color must be like #2454c6, not {color:?}"
            )));
        }
        let footer = text(&self.mail_footer);
        if footer.chars().count() > MAX_FOOTER_CHARS {
            return Err(CliError::MailContent(format!(
                "--mail-footer must have at most {MAX_FOOTER_CHARS} characters"
            )));
        }
        let logo = given(self.mail_logo.as_deref()).map(logo).transpose()?;
        let templates = match given(self.mail_templates.as_deref()) {
            Some(folder) => Templates::load(folder)
                .map_err(|error| CliError::MailContent(format!("--mail-templates: {error}")))?,
            None => Templates::embedded(),
        };
        Ok(MailSettings {
            smtp,
            templates: Arc::new(templates),
            branding: Arc::new(Branding {
                name: text(&self.mail_name),
                colour: color,
                logo: logo.unwrap_or_default(),
                footer,
            }),
        })
    }
}

/// Parses the URL of a page that shows a booking; empty for none, as compose files set it.
fn page_url(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Ok(String::new()),
        url if is_url(&url.replace("{uid}", "x").replace("{seat}", "x"))
            && url.contains("{uid}") =>
        {
            Ok(url.to_owned())
        }
        _ => Err("must be like https://example.org/booking?uid={uid}".to_owned()),
    }
}

/// Returns a path that is set; compose files set empty ones.
fn given(path: Option<&Path>) -> Option<&Path> {
    path.filter(|path| !path.as_os_str().is_empty())
}

/// Returns the `data:` URL of a logo.
fn logo(file: &Path) -> Result<String, CliError> {
    let error =
        |text: String| CliError::MailContent(format!("--mail-logo {}: {text}", file.display()));
    let bytes = fs::read(file).map_err(|cause| error(cause.to_string()))?;
    let kind = match bytes.as_slice() {
        [0x89, b'P', b'N', b'G', ..] => "png",
        [0xff, 0xd8, 0xff, ..] => "jpeg",
        [b'G', b'I', b'F', b'8', ..] => "gif",
        _ => return Err(error("is no PNG, JPEG or GIF file".to_owned())),
    };
    if bytes.len() > MAX_LOGO_BYTES {
        return Err(error(format!(
            "has {} KiB, 50 are the most",
            bytes.len() / 1024
        )));
    }
    Ok(format!(
        "data:image/{kind};base64,{}",
        STANDARD.encode(bytes)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_or_rejected_with_the_option() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("logo");
        fs::write(&file, [0x89, b'P', b'N', b'G', 1]).unwrap();
        let content = MailContent {
            mail_name: Some(" Northwind ".to_owned()),
            mail_color: Some("#2454c6".to_owned()),
            mail_logo: Some(file.clone()),
            ..MailContent::default()
        };
        let settings = content.settings(None).unwrap();
        assert_eq!(settings.branding.name, "Northwind");
        assert_eq!(settings.branding.logo, "data:image/png;base64,iVBORwE=");
        assert!(settings.smtp.is_none());
        fs::write(&file, "<svg/>").unwrap();
        let none = MailContent::default();
        for (content, expected) in [
            (content.clone(), "no PNG"),
            (
                MailContent {
                    mail_color: Some("blue".to_owned()),
                    ..none.clone()
                },
                "--mail-color",
            ),
            (
                MailContent {
                    mail_footer: Some("x".repeat(2_001)),
                    ..none.clone()
                },
                "--mail-footer",
            ),
            (
                MailContent {
                    mail_logo: Some(directory.path().join("missing")),
                    ..none
                },
                "--mail-logo",
            ),
        ] {
            let error = content.settings(None).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
