//! Phone number field with a choice of its country.

use booking_ui::prelude::*;

use super::{PLUS_SIGNS, calling_code, countries, country, national_example};
use crate::components::field::{described, option, whole_field};
use crate::components::{Shape, icon};
use crate::i18n::{Key, use_formats, use_texts};

/// Number with its country; a number with a plus sign determines the country. The `id` must be unique within the root.
#[component]
pub(crate) fn PhoneField(
    #[prop(into)] id: String,
    #[prop(into)] label: String,
    /// Country of the number.
    #[prop(into)]
    selected: Signal<&'static str>,
    #[prop(into)] number: Signal<String>,
    /// Receives both.
    #[prop(into)]
    on_change: Callback<(&'static str, String)>,
    /// Called when the field loses the focus.
    #[prop(into)]
    on_leave: Callback<()>,
    #[prop(optional)] is_required: bool,
    #[prop(optional)] is_read_only: bool,
    #[prop(optional, into)] hint: String,
    /// Example number.
    #[prop(optional, into)]
    placeholder: String,
    /// Name for the browser's autofill.
    #[prop(optional, into)]
    name: String,
    #[prop(optional, into)] error: Signal<Option<String>>,
) -> Node {
    let texts = use_texts();
    let formats = use_formats();

    // Hundreds of names in the visitor's language: rendered when the list is first focused.
    let is_open = RwSignal::new(false);
    let options = move || {
        let current = selected.get();
        let named = if is_open.get() {
            formats.countries(countries())
        } else {
            formats.countries(countries().filter(|country| *country == current))
        };
        let unknown = current.is_empty().then(|| option("", "–", true));
        let known = named.into_iter().map(|(country, mut name)| {
            name.push_str(" +");
            name.push_str(calling_code(country));
            option(country, &name, country == current)
        });
        fragment_of(unknown.into_iter().chain(known))
    };
    let select = el("select")
        .attr("aria-label", texts.get(Key::CountryCode))
        .attr("part", "select")
        .attr_if("disabled", is_read_only.then_some(""))
        .on("focus", move |_| is_open.set(true))
        .on("pointerdown", move |_| is_open.set(true))
        .on("change", move |event| {
            if let Some(country) = country(&value_of(&event)) {
                let before = selected.get_untracked();
                let number = number.get_untracked();
                on_change.run((
                    country,
                    without_code(&number, calling_code(before)).to_owned(),
                ));
            }
        })
        .child_with(options);
    // The closed list shows the code only; the open one names the countries.
    let code = move || {
        let country = selected.get();
        let mut code = country.to_owned();
        if !number.with(|number| number.trim_start().starts_with(PLUS_SIGNS)) && !country.is_empty()
        {
            code.push_str(" +");
            code.push_str(calling_code(country));
        }
        code
    };
    let shown = el("span")
        .class("phone-code")
        .attr("aria-hidden", "true")
        .child(el("span").attr("dir", "ltr").text_with(code))
        .child(icon(Shape::Expand));
    let input = described(el("input"), &id, &hint, is_required, error)
        .attr("type", "tel")
        .attr("inputmode", "tel")
        .attr("autocomplete", "tel")
        .attr("part", "input")
        .attr("name", &name)
        .attr_with("placeholder", move || {
            Some(national_example(selected.get(), &placeholder))
                .filter(|example| !example.is_empty())
        })
        // Numbers are written from left to right in every language.
        .attr("dir", "ltr")
        .attr_if("readonly", is_read_only.then_some(""))
        .value_with(move || number.get())
        .on("input", move |event| {
            on_change.run((selected.get_untracked(), value_of(&event)));
        })
        .on("blur", move |_| on_leave.run(()));
    let control = el("div")
        .class("phone")
        .child(el("span").class("phone-country").child(shown).child(select))
        .child(input);
    whole_field(&id, &label, is_required, control, &hint, error)
}

/// Number without the calling code of its previous country.
fn without_code<'a>(number: &'a str, code: &str) -> &'a str {
    let inner = number
        .trim_start()
        .strip_prefix(PLUS_SIGNS)
        .and_then(|rest| rest.strip_prefix(code));
    inner.map_or(number, str::trim_start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_after_country_change_loses_old_code() {
        for (number, code, expected) in [
            ("+49 30 123", "49", "30 123"),
            ("+4930123", "49", "30123"),
            ("030 123", "49", "030 123"),
            ("+44 20", "49", "+44 20"),
            ("＋81 90", "81", "90"),
            ("", "49", ""),
        ] {
            assert_eq!(without_code(number, code), expected);
        }
    }
}
