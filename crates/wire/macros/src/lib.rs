//! `#[wire]`: one declaration of an object of the interface gives its reader, its writer, its schema and its parameters.

use proc_macro::TokenStream;

mod object;

/// Implements what the interface needs of a struct. The key of a field `event_type_id` is `eventTypeId`.
///
/// | Word | Gives |
/// |---|---|
/// | `write` | `serde::Serialize` and, with the feature `openapi`, `utoipa::ToSchema` |
/// | `read` | `booking_wire::Read` |
/// | `or_default` | with `read`: an absent object is the default one |
/// | `query` | `pairs`: name and value of each parameter that is set |
///
/// An `Option` that is `None` is not written. A key that is absent or unreadable is read as `None`, `""`, `0`, `false` or the
/// default of its type.
///
/// | On a field | Meaning |
/// |---|---|
/// | `#[wire(required)]` | an absent or unreadable key makes the object unreadable, unless its type has a value for that |
/// | `#[wire(default = 30)]` | value of an absent or unreadable key |
/// | `#[wire(read = …)]` | expression that reads it from `fields` or `value`, where none of these words does |
/// | `#[wire(key = "type")]` | key that does not follow from the field's name |
/// | `#[wire(alias = "id")]` | another key, read if the own one is absent |
/// | `#[wire(null)]` | `None` is written as `null` |
/// | `#[wire(skip)]` | neither read nor written |
/// | `#[wire(flatten)]` | the keys of the field's type are keys of this object |
/// | `#[schema(…)]`, `#[param(…)]` | bounds for the OpenAPI document |
#[proc_macro_attribute]
pub fn wire(words: TokenStream, item: TokenStream) -> TokenStream {
    object::expand(words.into(), item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
