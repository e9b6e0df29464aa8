//! TLS of connections to other servers: mail servers, and receivers of webhooks.

use std::io;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};

/// Returns a configuration that trusts the certificate authorities in the program, because the container image has no
/// system's list, and `extra_roots`.
///
/// # Errors
///
/// If one of these is not a certificate of an authority.
pub fn client_config(extra_roots: &[CertificateDer<'static>]) -> io::Result<ClientConfig> {
    let mut roots = RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    };
    for root in extra_roots {
        roots.add(root.clone()).map_err(io::Error::other)?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(config)
}
