//! Secrets in unexpected parts of a request appear in no error and no log.

use serde_json::{Map, Value, json};

use super::fixture::Fixture;
use super::log::Log;
use super::requests::{Request, operations, requests};
use super::{Crawler, callers, names, run};

/// Keys with secret values.
const SECRET_KEYS: [&str; 3] = ["secret", "refreshToken", "encryptedKey"];

/// Variants of a request with secrets in its query, path, body keys and body values.
fn with_secrets(request: &Request, key: &str, token: &str) -> Vec<Request> {
    let separator = if request.target.contains('?') {
        '&'
    } else {
        '?'
    };
    let mut all = Vec::new();
    for secret in [key, token] {
        let mut in_query = request.clone();
        in_query.target = format!(
            "{}{separator}unknown={secret}&{secret}=1&take={secret}",
            request.target
        );
        all.push(in_query);
        let mut in_path = request.clone();
        let (path, query) = request
            .target
            .split_once('?')
            .unwrap_or((&request.target, ""));
        if let Some((start, _)) = path.rsplit_once('/') {
            in_path.target = format!("{start}/{secret}?{query}");
            all.push(in_path);
        }
        let Some(body) = request.body.as_ref().and_then(Value::as_object) else {
            continue;
        };
        for value in [
            json!(secret),
            json!([secret]),
            json!({"a": secret}),
            json!(secret.repeat(40)),
        ] {
            let mut wrong: Map<String, Value> = body
                .keys()
                .map(|key| (key.clone(), value.clone()))
                .collect();
            wrong.insert(secret.to_owned(), json!(1));
            wrong.insert("unknown".to_owned(), value.clone());
            let mut in_body = request.clone();
            in_body.body = Some(wrong.into());
            all.push(in_body);
        }
    }
    let Some(body) = request.body.as_ref().and_then(Value::as_object) else {
        return all;
    };
    // Too long, of a wrong type, or with further invalid values.
    for value in [
        json!("cnr-hidden ".repeat(2000)),
        json!(["cnr-hidden"]),
        json!("cnr-hidden"),
    ] {
        let mut wrong = body.clone();
        for key in SECRET_KEYS {
            wrong.insert(key.to_owned(), value.clone());
        }
        for broken in [false, true] {
            let mut in_body = request.clone();
            let mut wrong = wrong.clone();
            if broken {
                let others = wrong
                    .iter_mut()
                    .filter(|(key, _)| !SECRET_KEYS.contains(&key.as_str()));
                others.for_each(|(_, value)| *value = json!([{}]));
            }
            in_body.body = Some(wrong.into());
            all.push(in_body);
        }
    }
    all
}

#[test]
fn secrets_are_absent_from_errors_and_logs() {
    let fixture = run(Fixture::new(&names()));
    let token = fixture.canaries.text("managed.access-token").to_owned();
    let key = super::fixture::key("host");
    let log = Log::default();
    let _capture = log.capture();
    run(async {
        let mut crawler = Crawler::new(&fixture).await;
        let chosen = ["nobody", "org-owner", "operator", "client"];
        let callers = callers(&fixture).into_iter();
        let mut errors = 0;
        for mut caller in callers.filter(|caller| chosen.contains(&caller.name)) {
            for (method, path) in operations() {
                let request = requests(method, path, &caller.known_ids).swap_remove(0);
                for request in with_secrets(&request, &key, &token) {
                    let Some(response) = crawler.send(&mut caller, &request).await else {
                        continue;
                    };
                    if response.status < 400 {
                        continue;
                    }
                    errors += 1;
                    let full_text = format!("{} {:?}", response.text, response.headers);
                    for secret in [key.as_str(), token.as_str(), "cnr-hidden"] {
                        // A prefix is a leak, too.
                        let part = &secret[..secret.len().min(60)];
                        assert!(
                            !full_text.contains(part),
                            "{part} in the answer to {method} {} as {}: {full_text}",
                            request.target,
                            caller.name
                        );
                    }
                }
            }
        }
        println!("{errors} errors");
        assert!(errors > 3000, "{errors}");
    });
    let text = log.text();
    assert!(text.contains("answered"));
    for secret in [key.as_str(), &token[..60], "cnr-hidden"] {
        let line = text.lines().find(|line| line.contains(secret));
        assert!(line.is_none(), "{line:?}");
    }
}
