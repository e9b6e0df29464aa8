//! The network of the client.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::app::AppState;
use crate::limits::client_ip::{Network, client_ip};

/// Extracts the network of the client, if its IP address is known.
#[derive(Clone, Copy, Debug)]
pub struct ClientNetwork(pub Option<Network>);

impl FromRequestParts<AppState> for ClientNetwork {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, Infallible> {
        let proxies = app.settings.limits.trusted_proxies;
        let ip = client_ip(&parts.extensions, &parts.headers, proxies);
        Ok(Self(ip.map(Network::of)))
    }
}
