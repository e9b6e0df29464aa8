//! Pictures of public pages as PNG: one is rendered at a time, and the last ones stay in memory.

mod fonts;
mod picture;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::body::Bytes;
use quick_cache::sync::Cache;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::error::{Error, Result};
use fonts::Fonts;

pub use picture::{HEIGHT, Picture, WIDTH};

/// Pictures in memory, each of some 20 to 60 KB.
const MAX_PICTURES: usize = 64;

/// Time that a request waits for others to be rendered.
const RENDER_QUEUE_TIMEOUT: Duration = Duration::from_secs(3);

/// Renderer of the pictures. Clones share their memory.
#[derive(Clone, Debug)]
pub struct PagePictures(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    rendering: Arc<Semaphore>,
    fonts: OnceLock<Fonts>,
    pictures: Cache<String, Bytes>,
}

impl Default for PagePictures {
    fn default() -> Self {
        Self(Arc::new(Shared {
            rendering: Arc::new(Semaphore::new(1)),
            fonts: OnceLock::new(),
            pictures: Cache::new(MAX_PICTURES),
        }))
    }
}

impl PagePictures {
    /// Returns a picture as PNG.
    pub async fn png(&self, picture: &Picture) -> Result<Bytes> {
        let version = picture.version();
        if let Some(found) = self.0.pictures.get(&version) {
            return Ok(found);
        }
        let permit = Arc::clone(&self.0.rendering).acquire_owned();
        let permit = timeout(RENDER_QUEUE_TIMEOUT, permit).await;
        let permit = permit
            .ok()
            .and_then(std::result::Result::ok)
            .ok_or(Error::Overloaded)?;
        // A request before may have asked for the same.
        if let Some(found) = self.0.pictures.get(&version) {
            return Ok(found);
        }
        let (pictures, picture) = (self.clone(), picture.clone());
        let rendered = tokio::task::spawn_blocking(move || {
            // A caller that leaves does not end the rendering.
            let _permit = permit;
            let fonts = pictures.0.fonts.get_or_init(Fonts::load);
            let png = Bytes::from(picture.png(fonts)?);
            pictures.0.pictures.insert(version, png.clone());
            Ok(png)
        });
        rendered.await.map_err(Error::internal)?
    }
}
