//! Secrets that are sent to the wrong place come back in no error, and stand in no log.

use serde_json::{Map, Value, json};

use super::log::Log;
use super::requests::{Request, operations, requests};
use super::world::World;
use super::{Walk, callers, names, run};

/// Keys whose values are secrets wherever they stand.
const SECRET_KEYS: [&str; 3] = ["secret", "refreshToken", "encryptedKey"];

/// A request with secrets in its query, its path, its keys and its values.
fn spoilt(request: &Request, key: &str, token: &str) -> Vec<Request> {
    let mark = if request.target.contains('?') {
        '&'
    } else {
        '?'
    };
    let mut all = Vec::new();
    for secret in [key, token] {
        let mut in_query = request.clone();
        in_query.target = format!(
            "{}{mark}unknown={secret}&{secret}=1&take={secret}",
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
    // Too long, of another type, or one of several mistakes.
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
fn secrets_come_back_in_no_error_and_no_log() {
    let world = run(World::new(&names()));
    let token = world.canaries.text("managed.access-token").to_owned();
    let key = super::world::key("host");
    let log = Log::default();
    let _capture = log.capture();
    run(async {
        let mut walk = Walk::new(&world).await;
        let chosen = ["nobody", "org-owner", "operator", "client"];
        let callers = callers(&world).into_iter();
        let mut errors = 0;
        for mut caller in callers.filter(|caller| chosen.contains(&caller.name)) {
            for (method, path) in operations() {
                let request = requests(method, path, &caller.known).swap_remove(0);
                for request in spoilt(&request, &key, &token) {
                    let Some(answer) = walk.send(&mut caller, &request).await else {
                        continue;
                    };
                    if answer.status < 400 {
                        continue;
                    }
                    errors += 1;
                    let whole = format!("{} {:?}", answer.text, answer.headers);
                    for secret in [key.as_str(), token.as_str(), "cnr-hidden"] {
                        // Not even most of it.
                        let part = &secret[..secret.len().min(60)];
                        assert!(
                            !whole.contains(part),
                            "{part} in the answer to {method} {} as {}: {whole}",
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
