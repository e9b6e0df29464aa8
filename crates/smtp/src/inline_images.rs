//! Images of a message as separate parts: some mail programs, such as Gmail, show none that is a `data:` URL.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use lettre::message::header::{ContentTransferEncoding, ContentType};
use lettre::message::{Attachment, Body, SinglePart};

/// Start of an attribute that may have an image.
const ATTRIBUTE: &str = "src=\"";

/// Start of the URL of an image. Templates escape the slash that follows.
const SOURCE: &str = "data:image";

/// HTML of a message, and the images in it.
#[derive(Clone, Debug)]
pub(super) struct InlineImages {
    /// HTML with URLs of the images' parts.
    pub(super) html: String,
    /// Parts, each once.
    pub(super) images: Vec<SinglePart>,
}

impl InlineImages {
    /// Replaces the `data:` URLs in `src` attributes that have a type and BASE64. `message_id` makes the names of the parts
    /// unique.
    pub(super) fn of(html: &str, message_id: &str) -> Self {
        let mut found = Self {
            html: String::with_capacity(html.len()),
            images: Vec::new(),
        };
        let mut sources: Vec<&str> = Vec::new();
        let mut rest = html;
        while let Some((before, attribute)) = rest.split_once(ATTRIBUTE) {
            let (source, after) = attribute.split_at(attribute.find('"').unwrap_or_default());
            found.html.push_str(before);
            found.html.push_str(ATTRIBUTE);
            rest = after;
            if !source.starts_with(SOURCE) {
                found.html.push_str(source);
                continue;
            }
            let index = match sources.iter().position(|known| *known == source) {
                Some(index) => Some(index),
                None => image(source).map(|(content_type, body)| {
                    let id = content_id(sources.len(), message_id);
                    let image = Attachment::new_inline(id).body(body, content_type);
                    found.images.push(image);
                    sources.push(source);
                    sources.len() - 1
                }),
            };
            match index {
                Some(index) => {
                    found.html.push_str("cid:");
                    found.html.push_str(&content_id(index, message_id));
                }
                None => found.html.push_str(source),
            }
        }
        found.html.push_str(rest);
        found
    }
}

fn content_id(index: usize, message_id: &str) -> String {
    format!("image{}.{message_id}", index + 1)
}

/// Parses a `data:` URL as it is in an attribute.
fn image(source: &str) -> Option<(ContentType, Body)> {
    let url = source.replace("&#x2f;", "/");
    let (content_type, data) = url.strip_prefix("data:")?.split_once(";base64,")?;
    let content_type = ContentType::parse(content_type).ok()?;
    let bytes = STANDARD.decode(data).ok()?;
    // The library would send an SVG as it is, with its line ends.
    let body = Body::new_with_encoding(bytes, ContentTransferEncoding::Base64).ok()?;
    Some((content_type, body))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(html: &str) -> (String, Vec<String>) {
        let found = InlineImages::of(html, "m1@example.org");
        let images = found.images.iter();
        let formatted = images.map(|image| String::from_utf8(image.formatted()).unwrap());
        (found.html, formatted.collect())
    }

    #[test]
    fn each_image_becomes_one_part() {
        let (html, images) = parts(
            "<img src=\"data:image/png;base64,AAE=\" alt=\"a\"><img src=\"https://example.org/a.png\">\
             <img alt=\"\" src=\"data:image&#x2f;svg+xml;base64,&#x2f;&#x2f;8=\"><img src=\"data:image/png;base64,AAE=\">",
        );
        assert_eq!(
            html,
            "<img src=\"cid:image1.m1@example.org\" alt=\"a\"><img src=\"https://example.org/a.png\">\
             <img alt=\"\" src=\"cid:image2.m1@example.org\"><img src=\"cid:image1.m1@example.org\">"
        );
        let [png, svg] = &images[..] else {
            panic!("{images:#?}")
        };
        for (part, id, kind, data) in [
            (png, "image1", "image/png", "AAE="),
            (svg, "image2", "image/svg+xml", "//8="),
        ] {
            let id = format!("Content-ID: <{id}.m1@example.org>\r\n");
            assert!(part.contains(&id), "{part}");
            assert!(
                part.contains(&format!("Content-Type: {kind}\r\n")),
                "{part}"
            );
            assert!(part.contains("Content-Disposition: inline\r\n"), "{part}");
            assert!(part.ends_with(&format!("\r\n\r\n{data}\r\n")), "{part}");
        }
    }

    #[test]
    fn html_without_images_stays_as_it_is() {
        for html in [
            "",
            "<p>src=\"data:image/</p>",
            "<img src=\"data:image/png;base64,AA",
            "<img src=\"data:image/png,%89\">",
            "<img src=\"data:image/png;base64,???\">",
            "<img src=\"data:image/a b;c;base64,AAE=\">",
            "<img src=\"https://example.org/a.png\">",
            "src=\"data:image/\"",
        ] {
            let (unchanged, images) = parts(html);
            assert_eq!(unchanged, html);
            assert!(images.is_empty(), "{html}: {images:?}");
        }
    }
}
