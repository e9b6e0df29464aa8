//! Schemas of types with a manual `Serialize`, for the service's OpenAPI document.

use std::borrow::Cow;

use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Schema, SchemaFormat, Type};
use utoipa::openapi::{KnownFormat, RefOr};
use utoipa::{PartialSchema, ToSchema};

use crate::formats::instant::Instant;
use crate::formats::locale::{LOCALES, WEEKDAYS};
use crate::webhook::Trigger;

// Its names come from a macro, from which a derived schema cannot read them.
impl PartialSchema for Trigger {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(Self::ALL.iter().map(|trigger| trigger.as_str())))
            .description(Some("An event by its name on the wire"))
            .into()
    }
}

impl ToSchema for Trigger {
    fn name() -> Cow<'static, str> {
        "Trigger".into()
    }
}

/// An id: a number, or a text if there is none.
pub(crate) fn id_or_text() -> RefOr<Schema> {
    let integer = ObjectBuilder::new()
        .schema_type(Type::Integer)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)));
    OneOfBuilder::new()
        .item(integer)
        .item(ObjectBuilder::new().schema_type(Type::String))
        .into()
}

impl PartialSchema for Instant {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
            .description(Some("UTC with milliseconds"))
            .examples(["2027-03-29T07:00:00.000Z"])
            .into()
    }
}

impl ToSchema for Instant {
    fn name() -> Cow<'static, str> {
        "Instant".into()
    }
}

/// English name of a weekday.
pub(crate) struct Weekday;

impl PartialSchema for Weekday {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(WEEKDAYS))
            .into()
    }
}

impl ToSchema for Weekday {
    fn name() -> Cow<'static, str> {
        "Weekday".into()
    }
}

/// Metadata: keys and values chosen by customers.
pub(crate) struct Metadata;

impl PartialSchema for Metadata {
    fn schema() -> RefOr<Schema> {
        let text = ObjectBuilder::new()
            .schema_type(Type::String)
            .max_length(Some(500));
        let value = OneOfBuilder::new()
            .item(text)
            .item(ObjectBuilder::new().schema_type(Type::Number))
            .item(ObjectBuilder::new().schema_type(Type::Boolean));
        ObjectBuilder::new()
            .schema_type(Type::Object)
            .max_properties(Some(50))
            .property_names(Some(
                ObjectBuilder::new()
                    .schema_type(Type::String)
                    .max_length(Some(40)),
            ))
            .additional_properties(Some(Schema::from(value)))
            .into()
    }
}

impl ToSchema for Metadata {
    fn name() -> Cow<'static, str> {
        "Metadata".into()
    }
}

/// Code of a language of e-mails.
pub(crate) struct Language;

impl PartialSchema for Language {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(LOCALES))
            .into()
    }
}

impl ToSchema for Language {
    fn name() -> Cow<'static, str> {
        "Language".into()
    }
}
