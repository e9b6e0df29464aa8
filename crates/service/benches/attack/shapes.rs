//! Hostile input: deep, wide, long, repeated and malformed.

use serde_json::{Value, json};

/// Name of a shape, and its JSON text. Text, because some shapes are too deep for a `Value`.
pub(crate) type Shape = (&'static str, String);

/// Repeats `text`.
fn repeat(text: &str, count: usize) -> String {
    text.repeat(count)
}

/// Joins `count` values with commas.
fn list(count: usize, value: impl Fn(usize) -> String) -> String {
    let values: Vec<String> = (0..count).map(value).collect();
    values.join(",")
}

fn quote(text: &str) -> String {
    json!(text).to_string()
}

fn deep(levels: usize) -> String {
    format!("{}1{}", repeat("[", levels), repeat("]", levels))
}

fn deep_object(levels: usize) -> String {
    format!("{}1{}", repeat("{\"a\":", levels), repeat("}", levels))
}

fn wide(keys: usize) -> String {
    format!("{{{}}}", list(keys, |key| format!("\"{key}\":1")))
}

/// Values of one property. `example`: example of the document.
pub(crate) fn values(example: Option<&Value>) -> Vec<Shape> {
    let mut shapes: Vec<Shape> = vec![
        ("deep array", deep(14)),
        ("deep object", deep_object(14)),
        ("wide object", wide(199)),
        ("wide object of texts", {
            let text = quote(&repeat("x", 400));
            format!("{{{}}}", list(199, |key| format!("\"key-{key}\":{text}")))
        }),
        (
            "key with dots",
            format!("{{{}:1}}", quote(&repeat("a.", 5_000))),
        ),
        ("long text", quote(&repeat("a", 19_000))),
        ("long text of wide letters", quote(&repeat("😀", 19_000))),
        ("text of combining marks", quote(&repeat("a\u{301}", 9_500))),
        ("text of line breaks", quote(&repeat("\r\n", 9_500))),
        (
            "text of escapes",
            format!("\"{}\"", repeat("\\u0000", 3_000)),
        ),
        ("text of key prefixes", quote(&repeat("svc_", 4_700))),
        ("text of token prefixes", quote(&repeat("eyJ", 6_000))),
        ("text of other key prefixes", quote(&repeat("cal_", 4_700))),
        ("text of placeholders", quote(&repeat("{{payload}}", 1_700))),
        ("text of commas", quote(&repeat(",", 19_000))),
        (
            "text of at signs",
            quote(&format!("a@{}", repeat("a.", 9_000))),
        ),
        (
            "address of a page",
            quote(&format!("https://{}", repeat("a.", 9_000))),
        ),
        ("path", quote(&repeat("../", 6_000))),
        (
            "date",
            quote(&format!("2027-03-01T{}Z", repeat("0", 18_000))),
        ),
        ("markup", quote(&repeat("<b>", 6_000))),
        (
            "array of numbers",
            format!("[{}]", list(1_000, |number| number.to_string())),
        ),
        (
            "array of one number",
            format!("[{}]", list(1_000, |_| "1".to_owned())),
        ),
        (
            "array of texts",
            format!("[{}]", list(1_000, |number| format!("\"text {number}\""))),
        ),
        ("array of long texts", {
            let text = quote(&repeat("x", 100));
            format!("[{}]", list(1_000, |_| text.clone()))
        }),
        (
            "array of addresses",
            format!(
                "[{}]",
                list(1_000, |number| format!("\"guest{number}@example.org\""))
            ),
        ),
        (
            "array of objects",
            format!("[{}]", list(1_000, |_| "{\"a\":1,\"b\":[]}".to_owned())),
        ),
        (
            "array of empty arrays",
            format!("[{}]", list(1_000, |_| "[]".to_owned())),
        ),
        (
            "array of nulls",
            format!("[{}]", list(1_000, |_| "null".to_owned())),
        ),
        ("large number", "1e308".to_owned()),
        ("number of many digits", repeat("9", 5_000)),
        (
            "fraction of many digits",
            format!("0.{}", repeat("1", 5_000)),
        ),
        ("largest integer", i64::MAX.to_string()),
        ("smallest integer", i64::MIN.to_string()),
        ("negative", "-1".to_owned()),
        ("zero", "0".to_owned()),
        ("null", "null".to_owned()),
        ("true", "true".to_owned()),
        ("empty text", "\"\"".to_owned()),
        ("empty object", "{}".to_owned()),
        ("empty array", "[]".to_owned()),
    ];
    match example {
        Some(Value::Array(items)) if !items.is_empty() => {
            // As many valid items as a body can hold.
            let item = items.first().cloned().unwrap_or_default().to_string();
            let count = (120_000 / (item.len() + 1)).min(1_000);
            shapes.push((
                "example many times",
                format!("[{}]", list(count, |_| item.clone())),
            ));
        }
        Some(Value::Object(map)) => {
            let mut long = map.clone();
            for value in long.values_mut().filter(|value| value.is_string()) {
                *value = Value::String(repeat("x", 9_000));
            }
            shapes.push(("example with long texts", Value::Object(long).to_string()));
        }
        _ => {}
    }
    shapes
}

/// Complete bodies.
pub(crate) fn bodies() -> Vec<(&'static str, Vec<u8>)> {
    let text = |name: &'static str, text: String| (name, text.into_bytes());
    vec![
        text("deep array", deep(60_000)),
        text("deep object", deep_object(20_000)),
        text("unclosed arrays", repeat("[", 120_000)),
        text("unclosed objects", repeat("{\"a\":", 20_000)),
        text("wide object", wide(10_000)),
        text("object at the limit of keys", wide(200)),
        text(
            "one key many times",
            format!("{{{}}}", list(20_000, |_| "\"a\":1".to_owned())),
        ),
        text(
            "key with dots",
            format!("{{{}:1}}", quote(&repeat("a.", 50_000))),
        ),
        text(
            "key with brackets",
            format!("{{{}:1}}", quote(&repeat("a[b]", 25_000))),
        ),
        text("long keys", {
            let key = repeat("k", 600);
            format!("{{{}}}", list(199, |number| format!("\"{key}{number}\":1")))
        }),
        text("keys of key prefixes", {
            let key = repeat("svc_", 150);
            format!("{{{}}}", list(199, |number| format!("\"{key}{number}\":1")))
        }),
        text("wide object of wide objects", {
            let inner = wide(95);
            format!("{{{}}}", list(199, |key| format!("\"{key}\":{inner}")))
        }),
        text(
            "long text",
            format!("{{\"a\":\"{}\"}}", repeat("a", 120_000)),
        ),
        text(
            "number of many digits",
            format!("{{\"a\":{}}}", repeat("9", 120_000)),
        ),
        text(
            "exponent of many digits",
            format!("{{\"a\":1e{}}}", repeat("9", 120_000)),
        ),
        text("blanks", format!("{{{}}}", repeat(" ", 120_000))),
        text("array", format!("[{}]", list(900, |_| "{}".to_owned()))),
        text("text", quote(&repeat("a", 1_000))),
        text("nothing", String::new()),
        text("too large", repeat(" ", 2_000_000)),
        ("no text at all", vec![0xff; 100_000]),
        ("zero bytes", vec![0; 100_000]),
        (
            "lone surrogates",
            repeat("\"\\ud800\",", 10_000).into_bytes(),
        ),
    ]
}

/// URL-encoded values of a query parameter.
pub(crate) fn parameters() -> Vec<Shape> {
    vec![
        ("long", repeat("a", 7_000)),
        ("escapes", repeat("%20", 2_300)),
        ("broken escapes", repeat("%", 7_000)),
        ("no text at all", repeat("%ff", 2_300)),
        ("zero bytes", repeat("%00", 2_300)),
        ("numbers", list(1_500, |number| number.to_string())),
        ("one number many times", list(3_000, |_| "1".to_owned())),
        ("commas", repeat(",", 7_000)),
        ("dots", repeat("a.", 3_500)),
        ("dashes", repeat("-", 7_000)),
        ("at signs", repeat("a%40", 1_700)),
        ("key prefixes", repeat("svc_", 1_700)),
        ("token prefixes", repeat("eyJ", 2_300)),
        ("largest number", i64::MAX.to_string()),
        ("number of many digits", repeat("9", 7_000)),
        ("negative", "-1".to_owned()),
        ("exponent", "1e308".to_owned()),
        ("last year", "9999-12-31".to_owned()),
        ("nothing", String::new()),
    ]
}

/// Complete queries.
pub(crate) fn queries() -> Vec<Shape> {
    let pairs = |count: usize, pair: &str| {
        let pairs: Vec<String> = (0..count)
            .map(|number| format!("{pair}{number}=1"))
            .collect();
        pairs.join("&")
    };
    vec![
        ("name with dots", format!("{}=1", repeat("a.", 3_700))),
        ("name with brackets", format!("{}=1", repeat("a[b]", 1_800))),
        ("long name", format!("{}=1", repeat("a", 7_500))),
        ("many names", pairs(1_000, "n")),
        ("names at the limit", pairs(99, "name-")),
        ("ampersands", repeat("&", 7_500)),
        ("equals signs", repeat("=", 7_500)),
        ("one name many times", repeat("status=upcoming&", 450)),
        ("brackets many times", repeat("eventTypeIds[]=1&", 430)),
        ("target too long", repeat("a", 20_000)),
    ]
}

/// URL-encoded path segments.
pub(crate) fn segments() -> Vec<Shape> {
    vec![
        ("long", repeat("a", 7_000)),
        ("escapes", repeat("%2e%2e%2f", 800)),
        ("no text at all", repeat("%ff", 2_300)),
        ("zero byte", "%00".to_owned()),
        ("dots", repeat("a.", 3_500)),
        ("number of many digits", repeat("9", 7_000)),
        ("negative", "-1".to_owned()),
        ("underscores", repeat("_", 7_000)),
        ("key prefixes", repeat("svc_", 1_700)),
    ]
}

/// Header lines.
pub(crate) fn headers() -> Vec<Shape> {
    let line = |name: &str, value: String| format!("{name}: {value}\r\n");
    vec![
        (
            "long bearer",
            line("authorization", format!("Bearer {}", repeat("a", 60_000))),
        ),
        (
            "long key",
            line(
                "authorization",
                format!("Bearer svc_{}", repeat("a", 60_000)),
            ),
        ),
        (
            "deep token",
            line(
                "authorization",
                // {"alg":"HS256"} and nested arrays.
                format!(
                    "Bearer eyJhbGciOiJIUzI1NiJ9.{}.aaaa",
                    repeat("W1tb", 14_000)
                ),
            ),
        ),
        (
            "dots of a token",
            line(
                "authorization",
                format!("Bearer eyJ{}", repeat(".", 60_000)),
            ),
        ),
        (
            "long client",
            line("x-svc-client-id", repeat("c", 60_000)) + "x-svc-secret-key: s\r\n",
        ),
        (
            "long secret",
            "x-svc-client-id: c\r\n".to_owned() + &line("x-svc-secret-key", repeat("s", 60_000)),
        ),
        (
            "long idempotency key",
            line("idempotency-key", repeat("k", 60_000)),
        ),
        ("long request id", line("x-request-id", repeat("a", 60_000))),
        (
            "forwarded many times",
            line("x-forwarded-for", repeat("1.1.1.1,", 7_000)),
        ),
        (
            "languages",
            line("accept-language", repeat("de;q=0.1,", 6_000)),
        ),
        (
            "encodings",
            line("accept-encoding", repeat("gzip;q=0.1,", 5_000)),
        ),
        (
            "origin",
            line("origin", format!("https://{}", repeat("a.", 30_000))),
        ),
        ("version", line("svc-api-version", repeat("2", 60_000))),
        ("many lines", repeat("x-a: b\r\n", 90)),
        ("too many lines", repeat("x-a: b\r\n", 5_000)),
        ("too long", line("x-a", repeat("a", 200_000))),
    ]
}
