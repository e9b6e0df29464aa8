//! Who is calling: credentials that the page gives as JavaScript values, renewed once when they
//! expire. One session for each mounted root; sessions share nothing.
//!
//! A secret lives in the page's own values and in `Secret` alone: in no signal, event, text or
//! log.

use std::cell::{Cell, RefCell};
use std::ops::Deref;
use std::rc::Rc;

use js_sys::{Array, Function, Object, Promise, Reflect};
use leptos::prelude::use_context;
use send_wrapper::SendWrapper;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise};

use crate::api::client::LocalFuture;
use crate::api::{Client, Credentials, Dialect, Renewal};

/// A mounted root's way to its service.
#[derive(Clone)]
pub struct Session(SendWrapper<Rc<Client>>);

impl Session {
    /// A session of a page that gave `settings`, the element's `session` property.
    ///
    /// | Key | Value |
    /// |---|---|
    /// | `baseUrl` | where the service is; the only origin that ever sees a header from here |
    /// | `clientId` | the platform client, sent with each call |
    /// | `token` | an access token or API key |
    /// | `getToken` | `({reason}) => token`, also as a promise; asked when there is no token and once when one is refused |
    /// | `headers` | a plain object, `Headers`, or `(request) => headers`, also as a promise |
    pub fn from_page(settings: &JsValue, base_url: &str, dialect: Dialect) -> Self {
        let given = |key: &str| {
            Reflect::get(settings, &key.into())
                .ok()
                .filter(|value| !value.is_falsy())
        };
        let base_url = given("baseUrl")
            .and_then(|url| url.as_string())
            .unwrap_or_else(|| base_url.to_owned());
        let credentials = PageCredentials {
            dialect,
            base_url: base_url.clone(),
            client_id: given("clientId").and_then(|id| id.as_string()),
            headers: given("headers"),
            get_token: given("getToken").and_then(|get| get.dyn_into().ok()),
            token: Rc::new(RefCell::new(
                given("token")
                    .and_then(|token| token.as_string())
                    .map(Secret),
            )),
            renewal: Rc::default(),
            renewals: Rc::default(),
            warned: Rc::default(),
        };
        Self(SendWrapper::new(Rc::new(Client::new(
            &base_url,
            dialect,
            Rc::new(credentials),
        ))))
    }

    /// A session that needs no credentials: all that a visitor does is public (contract 2.4).
    pub fn public(base_url: &str, dialect: Dialect) -> Self {
        Self::from_page(&JsValue::UNDEFINED, base_url, dialect)
    }
}

impl Deref for Session {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.0
    }
}

/// The session of the mounted root; a public one to the page's own origin if there is none.
pub fn use_session() -> Session {
    use_context().unwrap_or_else(|| Session::public("", Dialect::Svc))
}

/// A token. Deliberately without `Debug`, `Display` and `Serialize`.
struct Secret(String);

struct PageCredentials {
    dialect: Dialect,
    base_url: String,
    client_id: Option<String>,
    headers: Option<JsValue>,
    get_token: Option<Function>,
    token: Rc<RefCell<Option<Secret>>>,
    /// The renewal in flight: everybody awaits the same promise.
    renewal: Rc<RefCell<Option<Promise>>>,
    /// How many have ended, failed ones included: the number of the token that is held.
    renewals: Rc<Cell<u32>>,
    /// Whether the page was told that it gives a key away.
    warned: Rc<Cell<bool>>,
}

/// Said once for each session, wherever the page is not on the developer's own machine: whether a
/// page is public cannot be told from inside it.
const KEY_WARNING: &str = "This page sends a platform secret or an API key from the browser. Whoever \
    can open the page can read it. Give short-lived access tokens instead.";

/// Whether a request carries more than a short-lived token.
fn holds_a_key(headers: &web_sys::Headers, dialect: Dialect) -> bool {
    let is_key =
        |bearer: String| bearer.starts_with("Bearer svc_") || bearer.starts_with("Bearer cal_");
    let bearer = headers.get("Authorization").ok().flatten();
    headers.has(dialect.secret_header()).unwrap_or(false) || bearer.is_some_and(is_key)
}

fn is_this_machine() -> bool {
    let host = leptos::prelude::window()
        .location()
        .hostname()
        .unwrap_or_default();
    matches!(host.as_str(), "localhost" | "127.0.0.1" | "[::1]")
}

impl Credentials for PageCredentials {
    fn sign(&self, headers: web_sys::Headers) -> LocalFuture<u32> {
        if let Some(client_id) = &self.client_id {
            set_header(&headers, self.dialect.client_id_header(), client_id);
        }
        let given = match self
            .headers
            .as_ref()
            .map(|given| (given, given.dyn_ref::<Function>()))
        {
            Some((_, Some(callback))) => {
                let request = Object::new();
                // Setting a key of a fresh plain object cannot fail.
                let _ = Reflect::set(
                    &request,
                    &"baseUrl".into(),
                    &JsValue::from_str(&self.base_url),
                );
                callback.call1(&JsValue::UNDEFINED, &request).ok()
            }
            Some((given, None)) => Some(given.clone()),
            None => None,
        };
        let first_token = (self.token.borrow().is_none() && self.get_token.is_some())
            .then(|| self.renewal("initial"));
        let token = Rc::clone(&self.token);
        let renewals = Rc::clone(&self.renewals);
        let warned = Rc::clone(&self.warned);
        let dialect = self.dialect;
        // A page that gives no token here is not asked again when the service wants one.
        let mut number = renewals.get();
        Box::pin(async move {
            if let Some(first_token) = first_token {
                // A page that has no token now may still have headers.
                let _ = JsFuture::from(first_token).await;
            }
            if let Some(Secret(token)) = token.borrow().as_ref() {
                number = renewals.get();
                set_header(&headers, "Authorization", &format!("Bearer {token}"));
            }
            if let Some(given) = given
                && let Ok(given) = JsFuture::from(Promise::resolve(&given)).await
            {
                copy_headers(&given, &headers);
            }
            if !warned.get() && holds_a_key(&headers, dialect) && !is_this_machine() {
                warned.set(true);
                leptos::logging::warn!("{KEY_WARNING}");
            }
            number
        })
    }

    fn renew(&self, refused: u32) -> LocalFuture<Renewal> {
        if self.get_token.is_none() {
            return Box::pin(async { Renewal::Impossible });
        }
        // Somebody else's call was refused first and has renewed since.
        if self.renewals.get() != refused {
            let has_token = self.token.borrow().is_some();
            return Box::pin(async move {
                if has_token {
                    Renewal::Renewed
                } else {
                    Renewal::Impossible
                }
            });
        }
        let renewal = self.renewal("expired");
        Box::pin(async move {
            match JsFuture::from(renewal).await {
                Ok(_) => Renewal::Renewed,
                Err(_) => Renewal::Impossible,
            }
        })
    }
}

impl PageCredentials {
    /// The renewal in flight, or a new one. Resolves once the token is there, rejects if the page
    /// gives none.
    fn renewal(&self, reason: &str) -> Promise {
        if let Some(running) = self.renewal.borrow().as_ref() {
            return running.clone();
        }
        let request = Object::new();
        // Setting a key of a fresh plain object cannot fail.
        let _ = Reflect::set(&request, &"reason".into(), &reason.into());
        let answer = match self.get_token.as_ref() {
            Some(get_token) => get_token.call1(&JsValue::UNDEFINED, &request),
            None => Err(JsValue::UNDEFINED),
        };
        let token = Rc::clone(&self.token);
        let running = Rc::clone(&self.renewal);
        let renewals = Rc::clone(&self.renewals);
        let promise = future_to_promise(async move {
            let given = match answer {
                Ok(answer) => JsFuture::from(Promise::resolve(&answer)).await,
                Err(thrown) => Err(thrown),
            };
            running.borrow_mut().take();
            renewals.set(renewals.get().wrapping_add(1));
            let fresh = given
                .ok()
                .and_then(|given| given.as_string())
                .filter(|token| !token.is_empty());
            let outcome = fresh
                .as_ref()
                .map(|_| JsValue::UNDEFINED)
                .ok_or(JsValue::UNDEFINED);
            *token.borrow_mut() = fresh.map(Secret);
            outcome
        });
        *self.renewal.borrow_mut() = Some(promise.clone());
        promise
    }
}

/// Names and values come from the page: those that no header can have are left out, because a
/// refused one would throw.
fn set_header(headers: &web_sys::Headers, name: &str, value: &str) {
    let _ = headers.set(name, value);
}

fn copy_headers(given: &JsValue, headers: &web_sys::Headers) {
    let pairs = match given.dyn_ref::<web_sys::Headers>() {
        Some(given) => Array::from(given),
        None => match given.dyn_ref::<Object>() {
            Some(given) => Object::entries(given),
            None => return,
        },
    };
    for pair in pairs.iter() {
        let pair: Array = pair.unchecked_into();
        if let (Some(name), Some(value)) = (pair.get(0).as_string(), pair.get(1).as_string()) {
            set_header(headers, &name, &value);
        }
    }
}
