//! How services of this interface differ (contract 9).

/// The names that a service uses for the same things.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// Neutral names, no version headers.
    #[default]
    Svc,
    /// Cal.com and self-hosted relatives: version headers required.
    Cal,
}

/// Operations that share a version header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionGroup {
    /// Slots and reservations.
    Slots,
    /// Bookings by uid.
    Bookings,
    /// Event types.
    EventTypes,
    /// Everything else.
    None,
}

impl Dialect {
    /// The dialect with that name; `None` if there is none.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "" | "svc" => Some(Self::Svc),
            "cal" => Some(Self::Cal),
            _ => None,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Svc => "svc",
            Self::Cal => "cal",
        }
    }

    /// The header that names the platform client.
    pub fn client_id_header(self) -> &'static str {
        match self {
            Self::Svc => "x-svc-client-id",
            Self::Cal => "x-cal-client-id",
        }
    }

    /// The header that proves the platform client.
    pub fn secret_header(self) -> &'static str {
        match self {
            Self::Svc => "x-svc-secret-key",
            Self::Cal => "x-cal-secret-key",
        }
    }

    /// Name and value of the version header, where the service wants one.
    pub fn version_header(self, group: VersionGroup) -> Option<(&'static str, &'static str)> {
        let value = match (self, group) {
            (Self::Svc, _) | (_, VersionGroup::None) => return None,
            (Self::Cal, VersionGroup::Slots) => "2024-09-04",
            (Self::Cal, VersionGroup::Bookings) => "2024-08-13",
            (Self::Cal, VersionGroup::EventTypes) => "2024-06-14",
        };
        Some(("cal-api-version", value))
    }
}
