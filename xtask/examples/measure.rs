//! x
#[path = "../src/minify.rs"]
mod minify;
#[path = "../src/step.rs"]
#[allow(dead_code)]
mod step;
use std::io::Write;
fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap();
        let out = minify::minified(&path, &text).unwrap();
        if std::env::var("SHOW").is_ok_and(|v| !v.is_empty()) {
            println!("{out}");
        }
        let mut packed = Vec::new();
        brotli::CompressorWriter::new(&mut packed, 4096, 11, 24)
            .write_all(out.as_bytes())
            .unwrap();
        println!("{path} raw {} brotli {}", out.len(), packed.len());
    }
}
