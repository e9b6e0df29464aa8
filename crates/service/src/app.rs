//! State shared by all handlers.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use crate::auth::key_uses::KeyUses;
use crate::auth::seal::SealingKey;
use crate::auth::token::SigningKey;
use crate::cache::calendars::CalendarCache;
use crate::cache::page_pictures::PagePictures;
use crate::cache::slots::SlotCache;
use crate::clock::Clock;
use crate::limits::Limiter;
use crate::limits::concurrency::ConcurrencyLimits;
use crate::monitoring::health::Health;
use crate::monitoring::metrics::Metrics;
use crate::settings::Settings;
use crate::store::Store;

/// State of the running service, which handlers receive. Clones share it, as each layer of each request has one.
#[derive(Clone, Debug)]
pub struct AppState(Arc<AppParts>);

/// Parts of the state.
#[derive(Clone, Debug)]
pub struct AppParts {
    /// The database.
    pub store: Store,
    /// Current instant.
    pub clock: Clock,
    /// Signs access and refresh tokens.
    pub signing_key: SigningKey,
    /// Encrypts secrets that must be readable later.
    pub sealing_key: SealingKey,
    /// Configuration.
    pub settings: Arc<Settings>,
    /// Event types, working hours and busy times that slots are computed from.
    pub calendar_cache: CalendarCache,
    /// Responses to recent searches for slots.
    pub slot_cache: SlotCache,
    /// Rate limits.
    pub limiter: Limiter,
    /// Last use of each API key.
    pub key_uses: KeyUses,
    /// Concurrency limits.
    pub concurrency: ConcurrencyLimits,
    /// Readiness.
    pub health: Health,
    /// Pictures of public pages.
    pub page_pictures: PagePictures,
    /// Metrics.
    pub metrics: Metrics,
}

impl From<AppParts> for AppState {
    fn from(parts: AppParts) -> Self {
        Self(Arc::new(parts))
    }
}

impl Deref for AppState {
    type Target = AppParts;

    fn deref(&self) -> &AppParts {
        &self.0
    }
}

/// Before the service starts: other clones keep their parts.
impl DerefMut for AppState {
    fn deref_mut(&mut self) -> &mut AppParts {
        Arc::make_mut(&mut self.0)
    }
}
