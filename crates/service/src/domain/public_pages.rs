//! Previews of public pages: what chat programs and search engines show of links to them.

use booking_mail::colour::Palette;
use booking_mail::link_preview::{Preview, PreviewInput};
use booking_wire::page_paths::PublicPage;
use booking_wire::{PublicEventType, Read};
use percent_encoding::percent_decode_str;

use crate::app::AppState;
use crate::cache::page_pictures::Picture;
use crate::domain::demo;
use crate::domain::event_types::list;
use crate::error::Result;

/// Path below which the pictures are.
pub const PICTURES: &str = "/pictures";

/// Ending of a picture's path.
pub const PICTURE_EXTENSION: &str = ".png";

/// Link preview of a public page.
#[derive(Clone, Debug)]
pub struct PagePreview {
    /// Texts.
    pub texts: Preview,
    /// URL of the page.
    pub url: String,
    /// URL of the picture, with its version.
    pub picture_url: String,
    /// Name of the company, or else of the app.
    pub site_name: String,
    /// Colours of the browser's frame in the light and the dark theme.
    pub colours: [String; 2],
    /// True if search engines may list it.
    pub is_listed: bool,
    /// Picture.
    pub picture: Picture,
}

/// Returns the public page with this path.
pub fn at(path: &str) -> Option<PublicPage> {
    PublicPage::parse(path, |segment| {
        percent_decode_str(segment).decode_utf8_lossy().into_owned()
    })
}

/// Returns the preview of a page; none if the page shows nothing to visitors.
pub async fn find(
    app: &AppState,
    page: &PublicPage,
    language: &str,
) -> Result<Option<PagePreview>> {
    if *page == PublicPage::Home {
        return Ok(Some(preview(app, page, None, language)));
    }
    let mut found = list::of_page(app, page).await?.into_iter();
    let Some(mut event_type) = found.next() else {
        return Ok(None);
    };
    if !matches!(page, PublicPage::EventType(_)) {
        // The colour of the owner, and not that of the first event type.
        event_type.color = None;
    }
    let event_type = serde_json::to_value(event_type)?;
    let shown = PublicEventType::read(&event_type);
    Ok(shown.map(|shown| preview(app, page, Some(&shown), language)))
}

fn preview(
    app: &AppState,
    page: &PublicPage,
    shown: Option<&PublicEventType>,
    language: &str,
) -> PagePreview {
    let base = &app.settings.base_url;
    let branding = &app.settings.mail.branding;
    let is_event_type = matches!(page, PublicPage::EventType(_));
    let people = shown.map_or_else(Vec::new, people);
    let of_event_type = shown.filter(|_| is_event_type);
    let texts = app.settings.mail.templates.preview(PreviewInput {
        event_type: of_event_type.map_or("", |shown| &shown.title),
        description: of_event_type.map_or("", |shown| &shown.description),
        lengths: of_event_type.map_or(&[], |shown| &shown.lengths),
        people: &people,
        language,
    });
    let url = match (page, shown) {
        (PublicPage::EventType(_), Some(shown)) => shown.booking_url.clone(),
        (PublicPage::User(name), _) => format!("{base}/{name}"),
        (PublicPage::Team(team), _) => format!("{base}/team/{team}"),
        (PublicPage::Home | PublicPage::EventType(_), _) => format!("{base}/"),
    };
    let colours = match shown.and_then(|shown| shown.colors.clone()) {
        Some((light, dark)) => [light, dark],
        None => [branding.colour.clone(), branding.colour.clone()],
    };
    let colours = colours.map(|colour| Palette::new(&colour).button);
    let site_name = match branding.name.trim() {
        "" => texts.app_name.clone(),
        name => name.to_owned(),
    };
    let picture = Picture {
        heading: texts.heading.clone(),
        people: texts.people.clone(),
        length: texts.length.clone(),
        site_name: site_name.clone(),
        colour: colours[0].clone(),
        face: shown.and_then(|shown| built_in_face(app, &shown.picture)),
    };
    let path = url.strip_prefix(base.as_str()).unwrap_or_default();
    let picture_url = format!(
        "{base}{PICTURES}{}{PICTURE_EXTENSION}?lang={}&v={}",
        path.trim_end_matches('/'),
        texts.language,
        picture.version()
    );
    PagePreview {
        url,
        picture_url,
        site_name,
        colours,
        is_listed: shown.is_none_or(|shown| !shown.hidden),
        picture,
        texts,
    }
}

/// Returns the team, or else the hosts, as the app does.
fn people(shown: &PublicEventType) -> Vec<&str> {
    match &shown.team {
        Some(team) if !team.is_empty() => vec![team],
        _ => shown.host_names.iter().map(String::as_str).collect(),
    }
}

/// Returns the SVG of a face with this URL if it is part of the program.
fn built_in_face(app: &AppState, url: &str) -> Option<&'static str> {
    let path = url.strip_prefix(&app.settings.base_url)?;
    let mut faces = demo::PICTURES.into_iter().filter(|_| app.settings.demo);
    faces.find(|(known, _)| *known == path).map(|(_, svg)| svg)
}
