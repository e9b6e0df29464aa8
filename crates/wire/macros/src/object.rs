//! Expansion of `#[wire]`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::Parser;
use syn::{
    Attribute, Error, Expr, Field, Fields, Ident, ItemStruct, LitStr, Meta, Result, Type,
    parse_quote,
};

/// Words behind `wire` on a struct.
#[derive(Default)]
struct Words {
    write: bool,
    read: bool,
    or_default: bool,
    query: bool,
}

/// One field and what is said of its key.
struct Key {
    field: Ident,
    kind: Type,
    name: String,
    alias: Option<LitStr>,
    default: Option<Expr>,
    reader: Option<Expr>,
    is_required: bool,
    writes_null: bool,
    is_skipped: bool,
    is_flat: bool,
}

pub(crate) fn expand(words: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let words = parse_words(words)?;
    let mut object: ItemStruct = syn::parse2(item)?;
    let Fields::Named(fields) = &mut object.fields else {
        return Err(Error::new_spanned(&object.ident, "needs named fields"));
    };
    let mut keys = Vec::new();
    for field in &mut fields.named {
        let key = take_key(field)?;
        if words.write {
            field.attrs.extend(key.written());
        }
        move_to_openapi(&mut field.attrs);
        keys.push(key);
    }
    move_to_openapi(&mut object.attrs);
    let reader = words.read.then(|| reader(&object, words.or_default, &keys));
    let pairs = words.query.then(|| pairs(&object, &keys));
    let writer = words.write.then(|| {
        quote! {
            #[derive(::serde::Serialize)]
            #[cfg_attr(feature = "openapi", derive(::utoipa::ToSchema))]
        }
    });
    Ok(quote! {
        #writer
        #object
        #reader
        #pairs
    })
}

fn parse_words(tokens: TokenStream) -> Result<Words> {
    let mut words = Words::default();
    let parser = syn::meta::parser(|word| {
        let flag = match word.path.get_ident().map(ToString::to_string).as_deref() {
            Some("write") => &mut words.write,
            Some("read") => &mut words.read,
            Some("or_default") => &mut words.or_default,
            Some("query") => &mut words.query,
            _ => return Err(word.error("unknown word")),
        };
        *flag = true;
        Ok(())
    });
    parser.parse2(tokens)?;
    Ok(words)
}

/// Reads the attributes `wire` of a field and removes them.
fn take_key(field: &mut Field) -> Result<Key> {
    let Some(name) = field.ident.clone() else {
        return Err(Error::new_spanned(field, "needs a name"));
    };
    let mut key = Key {
        name: camel_case(&name.to_string()),
        field: name,
        kind: field.ty.clone(),
        alias: None,
        default: None,
        reader: None,
        is_required: false,
        writes_null: false,
        is_skipped: false,
        is_flat: false,
    };
    let is_own = |attribute: &Attribute| attribute.path().is_ident("wire");
    for attribute in field.attrs.iter().filter(|attribute| is_own(attribute)) {
        attribute.parse_nested_meta(|word| {
            match word.path.get_ident().map(ToString::to_string).as_deref() {
                Some("required") => key.is_required = true,
                Some("default") => key.default = Some(word.value()?.parse()?),
                Some("read") => key.reader = Some(word.value()?.parse()?),
                Some("key") => key.name = word.value()?.parse::<LitStr>()?.value(),
                Some("alias") => key.alias = Some(word.value()?.parse()?),
                Some("null") => key.writes_null = true,
                Some("skip") => key.is_skipped = true,
                Some("flatten") => key.is_flat = true,
                _ => return Err(word.error("unknown word")),
            }
            Ok(())
        })?;
    }
    field.attrs.retain(|attribute| !is_own(attribute));
    if is(&key.kind, "Option") && (key.alias.is_some() || key.default.is_some()) {
        let message = "an absent `Option` is `None`: neither `alias` nor `default` applies";
        return Err(Error::new_spanned(&key.field, message));
    }
    Ok(key)
}

impl Key {
    /// Returns the attributes of serde.
    fn written(&self) -> Vec<Attribute> {
        if self.is_skipped {
            return vec![parse_quote!(#[serde(skip)])];
        }
        if self.is_flat {
            return vec![parse_quote!(#[serde(flatten)])];
        }
        let name = &self.name;
        let mut attributes = vec![parse_quote!(#[serde(rename = #name)])];
        if !self.writes_null && is(&self.kind, "Option") {
            attributes.push(parse_quote!(#[serde(skip_serializing_if = "Option::is_none")]));
        }
        attributes
    }

    /// Returns the expression that reads the field.
    fn read(&self) -> TokenStream {
        let name = &self.name;
        if let Some(reader) = &self.reader {
            return reader.to_token_stream();
        }
        if self.is_skipped {
            return quote!(::core::default::Default::default());
        }
        if self.is_flat {
            return quote!(::booking_wire::Read::read(value)?);
        }
        let found = match &self.alias {
            Some(alias) => quote!(fields.get(#name).or_else(|| fields.get(#alias))),
            None => quote!(fields.get(#name)),
        };
        if let Some(default) = &self.default {
            return quote!(#found.unwrap_or_else(|| #default));
        }
        if self.is_required || is(&self.kind, "Option") {
            return quote!(#found?);
        }
        if self.alias.is_some() {
            return quote!(#found.unwrap_or_default());
        }
        // Functions that exist once for all fields of the type.
        for (kind, method) in [
            ("String", quote!(text)),
            ("i64", quote!(integer)),
            ("bool", quote!(flag)),
            ("Vec", quote!(list)),
            ("JsonMap", quote!(map)),
        ] {
            if is(&self.kind, kind) {
                return quote!(fields.#method(#name));
            }
        }
        quote!(#found.unwrap_or_default())
    }
}

fn reader(object: &ItemStruct, or_default: bool, keys: &[Key]) -> TokenStream {
    let name = &object.ident;
    let fields: Vec<&Ident> = keys.iter().map(|key| &key.field).collect();
    let values = keys.iter().map(Key::read);
    let absent = or_default.then(|| {
        quote! {
            fn absent() -> ::core::option::Option<Self> {
                ::core::option::Option::Some(Self::default())
            }
        }
    });
    quote! {
        impl ::booking_wire::Read for #name {
            fn read(value: &::serde_json::Value) -> ::core::option::Option<Self> {
                let fields = ::booking_wire::Fields::of(value)?;
                ::core::option::Option::Some(Self { #(#fields: #values),* })
            }

            #absent
        }
    }
}

fn pairs(object: &ItemStruct, keys: &[Key]) -> TokenStream {
    let name = &object.ident;
    let flat = keys.iter().find(|key| key.is_flat);
    let first = flat.map_or_else(
        || quote!(::std::vec::Vec::new()),
        |Key { field, .. }| quote!(self.#field.pairs()),
    );
    let others = keys.iter().filter(|key| !key.is_flat && !key.is_skipped);
    let additions = others.map(|Key { field, name, .. }| {
        quote! {
            let text = ::booking_wire::query_parameter::Parameter::text(&self.#field);
            ::booking_wire::query_parameter::add(&mut pairs, #name, text);
        }
    });
    quote! {
        impl #name {
            /// Returns the name and value of each query parameter that is set.
            pub fn pairs(&self) -> ::std::vec::Vec<(&'static str, ::std::string::String)> {
                let mut pairs = #first;
                #(#additions)*
                pairs
            }
        }
    }
}

/// Leaves the bounds of the OpenAPI document to builds with the feature.
fn move_to_openapi(attributes: &mut [Attribute]) {
    for attribute in attributes {
        if attribute.path().is_ident("schema") || attribute.path().is_ident("param") {
            let Meta::List(bounds) = &attribute.meta else {
                continue;
            };
            *attribute = parse_quote!(#[cfg_attr(feature = "openapi", #bounds)]);
        }
    }
}

/// Returns true for a type whose last name is `name`.
fn is(kind: &Type, name: &str) -> bool {
    let Type::Path(path) = kind else { return false };
    path.path
        .segments
        .last()
        .is_some_and(|last| last.ident == name)
}

fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |text, word| {
        let mut letters = word.chars();
        let initial = letters.next().map(|letter| letter.to_ascii_uppercase());
        text + &initial.into_iter().chain(letters).collect::<String>()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_is_the_field_name_in_camel_case() {
        assert_eq!(camel_case("id"), "id");
        assert_eq!(camel_case("hide_book_a_team_member"), "hideBookATeamMember");
    }

    #[test]
    fn unknown_word_and_unnamed_field_do_not_compile() {
        let expand = |words: &str, item: &str| {
            let error = expand(words.parse().unwrap(), item.parse().unwrap());
            error.map(drop).map_err(|error| error.to_string())
        };
        assert_eq!(expand("read, write", "struct A { b: i64 }"), Ok(()));
        assert!(expand("rad", "struct A { b: i64 }").is_err());
        assert!(expand("read", "struct A(i64);").is_err());
        assert!(expand("read", "struct A { #[wire(requird)] b: i64 }").is_err());
        let never = r#"struct A { #[wire(alias = "c")] b: Option<i64> }"#;
        assert!(expand("read", never).is_err());
    }
}
