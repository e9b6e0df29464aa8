//! Schema of the permissions that requests accept, for the service's OpenAPI document.

use std::borrow::Cow;

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::people::permission::{ORGANIZATION_PERMISSIONS, TEAM_PERMISSIONS};

/// A permission of a role of a team or organisation. Requests accept known ones only; responses may
/// come from a newer service.
pub(crate) struct KnownPermission;

impl PartialSchema for KnownPermission {
    fn schema() -> RefOr<Schema> {
        let mut names = TEAM_PERMISSIONS.to_vec();
        names.extend(ORGANIZATION_PERMISSIONS);
        names.sort_unstable();
        names.dedup();
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(names))
            .into()
    }
}

impl ToSchema for KnownPermission {
    fn name() -> Cow<'static, str> {
        "KnownPermission".into()
    }
}
