//! The network that a request comes from.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::app::AppState;
use crate::client_ip::{Network, client_ip};

/// Extracts the network that a request comes from.
#[derive(Clone, Copy, Debug)]
pub struct FromNetwork(pub Option<Network>);

impl FromRequestParts<AppState> for FromNetwork {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, Infallible> {
        let proxies = app.settings.limits.trusted_proxies;
        let ip = client_ip(&parts.extensions, &parts.headers, proxies);
        Ok(Self(ip.map(Network::of)))
    }
}
