//! Parsing of typed or pasted lists of e-mail addresses, without DOM.

/// Splits typed or pasted text into addresses, also from `Ada <ada@example.org>`. Validates none.
pub fn addresses(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for part in text.split([',', ';', '\n', '\r', '\t']) {
        let named = part
            .rsplit_once('<')
            .and_then(|(_, address)| address.split_once('>'));
        match named {
            Some((address, _)) => add_address(&mut found, address),
            None => part
                .split_whitespace()
                .for_each(|word| add_address(&mut found, word)),
        }
    }
    found
}

/// Adds an address unless the list contains it, ignoring ASCII case.
pub fn add_address(list: &mut Vec<String>, address: &str) {
    let address = address.trim();
    let is_there = list.iter().any(|known| known.eq_ignore_ascii_case(address));
    if !address.is_empty() && !is_there {
        list.push(address.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_parsed_from_common_separators() {
        for (text, found) in [
            ("", vec![]),
            (" , ;\n", vec![]),
            ("a@b.example", vec!["a@b.example"]),
            (
                "a@b.example, c@d.example;e@f.example g@h.example",
                vec!["a@b.example", "c@d.example", "e@f.example", "g@h.example"],
            ),
            (
                "Ada Lovelace <ada@b.example>, \"Bo\" <bo@b.example>\r\nc@d.example",
                vec!["ada@b.example", "bo@b.example", "c@d.example"],
            ),
            ("a@b.example, A@B.Example", vec!["a@b.example"]),
            ("Ada", vec!["Ada"]),
        ] {
            assert_eq!(addresses(text), found, "{text:?}");
        }
    }
}
