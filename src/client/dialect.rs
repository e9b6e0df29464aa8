//! Differences between services of this API.

/// Header names and versions of a service.
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
    /// Parses the name of a dialect; `None` if it is unknown.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "" | "svc" => Some(Self::Svc),
            "cal" => Some(Self::Cal),
            _ => None,
        }
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Svc => "svc",
            Self::Cal => "cal",
        }
    }

    /// Returns the header for the platform client's id.
    pub fn client_id_header(self) -> &'static str {
        match self {
            Self::Svc => "x-svc-client-id",
            Self::Cal => "x-cal-client-id",
        }
    }

    /// Returns the header for the platform client's secret.
    pub fn secret_header(self) -> &'static str {
        match self {
            Self::Svc => "x-svc-secret-key",
            Self::Cal => "x-cal-secret-key",
        }
    }

    /// Returns name and value of the version header, if the service requires one.
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
