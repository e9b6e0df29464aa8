//! Hostile input: deep, wide, long, repeated and malformed.

use serde_json::{Value, json};

/// A JSON value as text, with the name of its shape. As text, because some shapes are too deep to
/// be built.
pub(crate) type Shape = (&'static str, String);

/// `text` as many times.
fn times(text: &str, count: usize) -> String {
    text.repeat(count)
}

/// `count` values, separated by commas.
fn list(count: usize, value: impl Fn(usize) -> String) -> String {
    let values: Vec<String> = (0..count).map(value).collect();
    values.join(",")
}

fn quoted(text: &str) -> String {
    json!(text).to_string()
}

fn deep(levels: usize) -> String {
    format!("{}1{}", times("[", levels), times("]", levels))
}

fn deep_object(levels: usize) -> String {
    format!("{}1{}", times("{\"a\":", levels), times("}", levels))
}

fn wide(keys: usize) -> String {
    format!("{{{}}}", list(keys, |key| format!("\"{key}\":1")))
}

/// Values in the place of one property. `example` is what the document gives as an example.
pub(crate) fn values(example: Option<&Value>) -> Vec<Shape> {
    let mut shapes: Vec<Shape> = vec![
        ("deep array", deep(14)),
        ("deep object", deep_object(14)),
        ("wide object", wide(199)),
        ("wide object of texts", {
            let text = quoted(&times("x", 400));
            format!("{{{}}}", list(199, |key| format!("\"key-{key}\":{text}")))
        }),
        (
            "key with dots",
            format!("{{{}:1}}", quoted(&times("a.", 5_000))),
        ),
        ("long text", quoted(&times("a", 19_000))),
        ("long text of wide letters", quoted(&times("😀", 19_000))),
        ("text of combining marks", quoted(&times("a\u{301}", 9_500))),
        ("text of line breaks", quoted(&times("\r\n", 9_500))),
        (
            "text of escapes",
            format!("\"{}\"", times("\\u0000", 3_000)),
        ),
        ("text of key prefixes", quoted(&times("svc_", 4_700))),
        ("text of token prefixes", quoted(&times("eyJ", 6_000))),
        ("text of other key prefixes", quoted(&times("cal_", 4_700))),
        ("text of placeholders", quoted(&times("{{payload}}", 1_700))),
        ("text of commas", quoted(&times(",", 19_000))),
        (
            "text of at signs",
            quoted(&format!("a@{}", times("a.", 9_000))),
        ),
        (
            "address of a page",
            quoted(&format!("https://{}", times("a.", 9_000))),
        ),
        ("path", quoted(&times("../", 6_000))),
        (
            "date",
            quoted(&format!("2027-03-01T{}Z", times("0", 18_000))),
        ),
        ("markup", quoted(&times("<b>", 6_000))),
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
            let text = quoted(&times("x", 100));
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
        ("number of many digits", times("9", 5_000)),
        (
            "fraction of many digits",
            format!("0.{}", times("1", 5_000)),
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
            // As many of what is expected as a body can hold.
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
                *value = Value::String(times("x", 9_000));
            }
            shapes.push(("example with long texts", Value::Object(long).to_string()));
        }
        _ => {}
    }
    shapes
}

/// Whole bodies.
pub(crate) fn bodies() -> Vec<(&'static str, Vec<u8>)> {
    let text = |name: &'static str, text: String| (name, text.into_bytes());
    vec![
        text("deep array", deep(60_000)),
        text("deep object", deep_object(20_000)),
        text("unclosed arrays", times("[", 120_000)),
        text("unclosed objects", times("{\"a\":", 20_000)),
        text("wide object", wide(10_000)),
        text("object at the limit of keys", wide(200)),
        text(
            "one key many times",
            format!("{{{}}}", list(20_000, |_| "\"a\":1".to_owned())),
        ),
        text(
            "key with dots",
            format!("{{{}:1}}", quoted(&times("a.", 50_000))),
        ),
        text(
            "key with brackets",
            format!("{{{}:1}}", quoted(&times("a[b]", 25_000))),
        ),
        text("long keys", {
            let key = times("k", 600);
            format!("{{{}}}", list(199, |number| format!("\"{key}{number}\":1")))
        }),
        text("keys of key prefixes", {
            let key = times("svc_", 150);
            format!("{{{}}}", list(199, |number| format!("\"{key}{number}\":1")))
        }),
        text("wide object of wide objects", {
            let inner = wide(95);
            format!("{{{}}}", list(199, |key| format!("\"{key}\":{inner}")))
        }),
        text(
            "long text",
            format!("{{\"a\":\"{}\"}}", times("a", 120_000)),
        ),
        text(
            "number of many digits",
            format!("{{\"a\":{}}}", times("9", 120_000)),
        ),
        text(
            "exponent of many digits",
            format!("{{\"a\":1e{}}}", times("9", 120_000)),
        ),
        text("blanks", format!("{{{}}}", times(" ", 120_000))),
        text("array", format!("[{}]", list(900, |_| "{}".to_owned()))),
        text("text", quoted(&times("a", 1_000))),
        text("nothing", String::new()),
        text("too large", times(" ", 2_000_000)),
        ("no text at all", vec![0xff; 100_000]),
        ("zero bytes", vec![0; 100_000]),
        (
            "lone surrogates",
            times("\"\\ud800\",", 10_000).into_bytes(),
        ),
    ]
}

/// Values of a query parameter, ready to be sent.
pub(crate) fn parameters() -> Vec<Shape> {
    vec![
        ("long", times("a", 7_000)),
        ("escapes", times("%20", 2_300)),
        ("broken escapes", times("%", 7_000)),
        ("no text at all", times("%ff", 2_300)),
        ("zero bytes", times("%00", 2_300)),
        ("numbers", list(1_500, |number| number.to_string())),
        ("one number many times", list(3_000, |_| "1".to_owned())),
        ("commas", times(",", 7_000)),
        ("dots", times("a.", 3_500)),
        ("dashes", times("-", 7_000)),
        ("at signs", times("a%40", 1_700)),
        ("key prefixes", times("svc_", 1_700)),
        ("token prefixes", times("eyJ", 2_300)),
        ("largest number", i64::MAX.to_string()),
        ("number of many digits", times("9", 7_000)),
        ("negative", "-1".to_owned()),
        ("exponent", "1e308".to_owned()),
        ("last year", "9999-12-31".to_owned()),
        ("nothing", String::new()),
    ]
}

/// Whole queries.
pub(crate) fn queries() -> Vec<Shape> {
    let pairs = |count: usize, pair: &str| {
        let pairs: Vec<String> = (0..count)
            .map(|number| format!("{pair}{number}=1"))
            .collect();
        pairs.join("&")
    };
    vec![
        ("name with dots", format!("{}=1", times("a.", 3_700))),
        ("name with brackets", format!("{}=1", times("a[b]", 1_800))),
        ("long name", format!("{}=1", times("a", 7_500))),
        ("many names", pairs(1_000, "n")),
        ("names at the limit", pairs(99, "name-")),
        ("ampersands", times("&", 7_500)),
        ("equals signs", times("=", 7_500)),
        ("one name many times", times("status=upcoming&", 450)),
        ("brackets many times", times("eventTypeIds[]=1&", 430)),
        ("target too long", times("a", 20_000)),
    ]
}

/// Segments of a path, ready to be sent.
pub(crate) fn segments() -> Vec<Shape> {
    vec![
        ("long", times("a", 7_000)),
        ("escapes", times("%2e%2e%2f", 800)),
        ("no text at all", times("%ff", 2_300)),
        ("zero byte", "%00".to_owned()),
        ("dots", times("a.", 3_500)),
        ("number of many digits", times("9", 7_000)),
        ("negative", "-1".to_owned()),
        ("underscores", times("_", 7_000)),
        ("key prefixes", times("svc_", 1_700)),
    ]
}

/// Header lines.
pub(crate) fn headers() -> Vec<Shape> {
    let line = |name: &str, value: String| format!("{name}: {value}\r\n");
    vec![
        (
            "long bearer",
            line("authorization", format!("Bearer {}", times("a", 60_000))),
        ),
        (
            "long key",
            line(
                "authorization",
                format!("Bearer svc_{}", times("a", 60_000)),
            ),
        ),
        (
            "deep token",
            line(
                "authorization",
                // {"alg":"HS256"} and arrays in arrays.
                format!("Bearer eyJhbGciOiJIUzI1NiJ9.{}.aaaa", times("W1tb", 14_000)),
            ),
        ),
        (
            "dots of a token",
            line("authorization", format!("Bearer eyJ{}", times(".", 60_000))),
        ),
        (
            "long client",
            line("x-svc-client-id", times("c", 60_000)) + "x-svc-secret-key: s\r\n",
        ),
        (
            "long secret",
            "x-svc-client-id: c\r\n".to_owned() + &line("x-svc-secret-key", times("s", 60_000)),
        ),
        (
            "long idempotency key",
            line("idempotency-key", times("k", 60_000)),
        ),
        ("long request id", line("x-request-id", times("a", 60_000))),
        (
            "forwarded many times",
            line("x-forwarded-for", times("1.1.1.1,", 7_000)),
        ),
        (
            "languages",
            line("accept-language", times("de;q=0.1,", 6_000)),
        ),
        (
            "encodings",
            line("accept-encoding", times("gzip;q=0.1,", 5_000)),
        ),
        (
            "origin",
            line("origin", format!("https://{}", times("a.", 30_000))),
        ),
        ("version", line("svc-api-version", times("2", 60_000))),
        ("many lines", times("x-a: b\r\n", 90)),
        ("too many lines", times("x-a: b\r\n", 5_000)),
        ("too long", line("x-a", times("a", 200_000))),
    ]
}
