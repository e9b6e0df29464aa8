//! Credentials. One session for each mounted root; what the page sets for it stays in `loader/session.js`, so
//! that secrets never enter the WebAssembly memory.

use std::cell::{Cell, RefCell};
use std::ops::Deref;
use std::rc::Rc;

use booking_ui::prelude::*;
use js_sys::{Function, Object, Promise, Reflect};
use send_wrapper::SendWrapper;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use crate::client::http::{LocalFuture, service_root};
use crate::client::query::Resumed;
use crate::client::{ApiError, Client, Credentials, DeclineReason, Dialect, Renewal};

/// Reason of an `auth-required` event, and result of `session.js`, while a session cannot be renewed.
const UNAVAILABLE: &str = "unavailable";

/// Status of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SessionStatus {
    /// Usable, as far as known.
    #[default]
    Usable,
    /// Renewal failed for now and is retried.
    Paused,
    /// Ended: no requests until there is another token.
    Ended,
}

/// Access of a mounted root to its service.
#[derive(Clone)]
pub struct Session(SendWrapper<Rc<Inner>>);

struct Inner {
    client: Client,
    /// `None` if only public data is requested.
    caller: Option<Rc<Caller>>,
    /// `None` if it cannot change.
    status: Option<RwSignal<SessionStatus>>,
    resumed: Option<Resumed>,
}

impl Session {
    /// Creates a session from `settings`, the element's `session` property, whose keys are in `docs/embedding.md`.
    /// `load_script` is the loader's function for further scripts. `on_event` receives names and details of events for
    /// the page. The session ends with the view in which it is created.
    ///
    /// Without settings, `prefetched` may have responses that the page's script has already requested.
    pub fn from_page(
        settings: &JsValue,
        base_url: &str,
        dialect: Dialect,
        load_script: &JsValue,
        prefetched: Option<&Function>,
        on_event: impl Fn(&str, &Object) + 'static,
    ) -> Self {
        let Some(load_script) = load_script
            .dyn_ref::<Function>()
            .filter(|_| settings.is_object())
        else {
            return Self::prefetched(base_url, dialect, prefetched.cloned());
        };
        // Unchecked: an object from another frame of the page has other classes.
        let settings = settings.unchecked_ref::<Object>();
        let session_url = Reflect::get(settings, &"baseUrl".into()).ok();
        let session_url = session_url.and_then(|url| url.as_string());
        let session_url = session_url.filter(|url| !url.is_empty());
        let is_usable = session_url.as_deref().is_none_or(is_address);
        if !is_usable {
            console_warn("booking: the session's baseUrl is no http or https address");
        }
        let base_url = session_url
            .filter(|_| is_usable)
            .unwrap_or_else(|| base_url.to_owned());
        let resumed = use_context::<Resumed>();
        let status = RwSignal::new(SessionStatus::Usable);
        let listener =
            Closure::<dyn Fn(String, Object)>::new(move |name: String, detail: Object| {
                if name.is_empty() {
                    set_status(status, SessionStatus::Usable);
                    if let Some(Resumed(resumed)) = resumed {
                        resumed.notify();
                    }
                    return;
                }
                if name == "auth-required" {
                    // Cannot fail: the detail is a plain object of the widget.
                    let reason = Reflect::get(&detail, &"reason".into()).unwrap_or_default();
                    set_status(status, status_after(&reason));
                }
                // Last, because the page may remove the view.
                on_event(&name, &detail);
            });
        let caller = Rc::new(Caller {
            settings: settings.clone(),
            base_url: service_root(&base_url).to_owned(),
            dialect,
            load_script: load_script.clone(),
            listener,
            store: RefCell::new(StoreState::NotLoaded),
            has_token: Cell::new(false),
            leases: Cell::new(0),
            has_ended: Cell::new(false),
        });
        let disposed = SendWrapper::new(caller.clone());
        on_cleanup(move || disposed.leave());
        let client = Client::new(&base_url, dialect, Rc::new(caller.clone()));
        Self::of(client, Some(caller), Some(status), resumed)
    }

    /// Creates a session without credentials: all requests of visitors are public.
    pub fn public(base_url: &str, dialect: Dialect) -> Self {
        Self::with(base_url, dialect, Rc::new(Anonymous))
    }

    /// Creates a session without credentials that uses prefetched responses, as [`Self::from_page`].
    pub fn prefetched(base_url: &str, dialect: Dialect, prefetched: Option<Function>) -> Self {
        let client = Client::new(base_url, dialect, Rc::new(Anonymous));
        Self::of(client.with_prefetched(prefetched), None, None, None)
    }

    /// Creates a session with other credentials.
    pub fn with(base_url: &str, dialect: Dialect, credentials: Rc<dyn Credentials>) -> Self {
        Self::of(
            Client::new(base_url, dialect, credentials),
            None,
            None,
            None,
        )
    }

    /// Creates a session whose credentials report in `status` if they could be renewed.
    pub fn with_status(
        base_url: &str,
        dialect: Dialect,
        credentials: Rc<dyn Credentials>,
        status: RwSignal<SessionStatus>,
        resumed: Resumed,
    ) -> Self {
        let client = Client::new(base_url, dialect, credentials);
        Self::of(client, None, Some(status), Some(resumed))
    }

    fn of(
        client: Client,
        caller: Option<Rc<Caller>>,
        status: Option<RwSignal<SessionStatus>>,
        resumed: Option<Resumed>,
    ) -> Self {
        Self(SendWrapper::new(Rc::new(Inner {
            client,
            caller,
            status,
            resumed,
        })))
    }

    /// Keeps the credentials until the result is dropped, also if the view is disposed: for a task with several
    /// requests.
    pub fn keep(&self) -> CredentialLease {
        let caller = self.0.caller.clone();
        if let Some(caller) = &caller {
            caller.leases.set(caller.leases.get() + 1);
        }
        CredentialLease(caller)
    }

    /// Sets another token, in place of one that could not be renewed.
    pub fn set_token(&self, token: JsValue) {
        if let Some(caller) = self.0.caller.clone() {
            caller.has_token.set(true);
            spawn_local(async move {
                if let Some(store) = caller.store().await {
                    let _ = store.set_token(&token);
                }
            });
        }
    }

    /// Returns the status.
    pub fn status(&self) -> SessionStatus {
        self.0.status.map(RwSignal::get).unwrap_or_default()
    }

    /// True if other credentials can be requested.
    pub fn can_retry(&self) -> bool {
        self.0.status.is_some()
    }

    /// Requests other credentials from the page and waits for the result; without a page, repeats the reads that
    /// need them.
    pub async fn retry(self) {
        let Some(caller) = self.0.caller.clone() else {
            if let (Some(status), Some(Resumed(resumed))) = (self.0.status, self.0.resumed) {
                set_status(status, SessionStatus::Usable);
                resumed.notify();
            }
            return;
        };
        if let Some(store) = caller.store().await {
            let renewal = store.set_token(&JsValue::UNDEFINED);
            // It never rejects.
            let _ = JsFuture::from(Promise::resolve(&renewal)).await;
        }
    }
}

/// Sets the status, unless the view is disposed.
fn set_status(status: RwSignal<SessionStatus>, now: SessionStatus) {
    if status
        .try_get_untracked()
        .is_some_and(|before| before != now)
    {
        status.set(now);
    }
}

/// Status after an `auth-required` event with `reason`.
fn status_after(reason: &JsValue) -> SessionStatus {
    if *reason == UNAVAILABLE {
        SessionStatus::Paused
    } else {
        SessionStatus::Ended
    }
}

impl Deref for Session {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.0.client
    }
}

/// True for a URL with http or https, or one relative to the page's origin.
pub fn is_address(text: &str) -> bool {
    ["https://", "http://", "/"].iter().any(|start| {
        let beginning = text.as_bytes().get(..start.len());
        beginning.is_some_and(|beginning| beginning.eq_ignore_ascii_case(start.as_bytes()))
    })
}

/// Returns the session of the mounted root; a public one to the page's own origin if there is none.
pub fn use_session() -> Session {
    use_context().unwrap_or_else(|| Session::public("", Dialect::Svc))
}

/// No credentials.
struct Anonymous;

impl Credentials for Anonymous {
    fn sign(&self, _: web_sys::Headers, _: &str, _: &str) -> LocalFuture<Result<u32, ApiError>> {
        Box::pin(async { Ok(0) })
    }

    fn renew(&self, _: u32) -> LocalFuture<Renewal> {
        Box::pin(async { Renewal::Impossible })
    }

    fn is_anonymous(&self) -> bool {
        true
    }
}

/// Keys of a session that hold credentials.
const CREDENTIALS: [&str; 5] = ["token", "getToken", "refreshUrl", "refreshToken", "headers"];

#[wasm_bindgen]
extern "C" {
    /// Exports of `session.js`.
    type SessionScript;

    #[wasm_bindgen(method)]
    fn join(
        this: &SessionScript,
        settings: &Object,
        base_url: &str,
        dialect: &str,
        listener: &Closure<dyn Fn(String, Object)>,
    ) -> CredentialStore;

    /// Credentials of one or more roots with the same session.
    #[derive(Clone)]
    type CredentialStore;

    /// Resolves to the generation of the token used, or to the reason why none is accepted.
    #[wasm_bindgen(method)]
    fn sign(
        this: &CredentialStore,
        headers: &web_sys::Headers,
        method: &str,
        path: &str,
    ) -> Promise;

    /// Resolves to true if there is a newer token than the rejected one, or to [`UNAVAILABLE`].
    #[wasm_bindgen(method)]
    fn renew(this: &CredentialStore, rejected: u32) -> Promise;

    #[wasm_bindgen(method, js_name = giveUp)]
    fn give_up(this: &CredentialStore, rejected: u32);

    /// Returns a promise if it requests a token.
    #[wasm_bindgen(method, js_name = setToken)]
    fn set_token(this: &CredentialStore, token: &JsValue) -> JsValue;

    #[wasm_bindgen(method)]
    fn leave(this: &CredentialStore, listener: &Closure<dyn Fn(String, Object)>);
}

/// Caller with the page's credentials.
struct Caller {
    settings: Object,
    base_url: String,
    dialect: Dialect,
    load_script: Function,
    listener: Closure<dyn Fn(String, Object)>,
    store: RefCell<StoreState>,
    /// True if the page has set a token since.
    has_token: Cell<bool>,
    /// Number of tasks that need the credentials.
    leases: Cell<usize>,
    /// True if the view is disposed.
    has_ended: Cell<bool>,
}

/// Credentials that a task needs. See [`Session::keep`].
pub struct CredentialLease(Option<Rc<Caller>>);

impl Drop for CredentialLease {
    fn drop(&mut self) {
        if let Some(caller) = &self.0 {
            caller.leases.set(caller.leases.get().saturating_sub(1));
            caller.forget();
        }
    }
}

enum StoreState {
    /// The script is not loaded yet.
    NotLoaded,
    Loaded(CredentialStore),
    /// The view is disposed, and all tasks have ended.
    Released,
}

impl Caller {
    /// Returns the credentials, fetching the script if needed; `None` if that fails or they are no longer needed.
    async fn store(&self) -> Option<CredentialStore> {
        if let Some(store) = self.joined() {
            return Some(store);
        }
        let script = self
            .load_script
            .call1(&JsValue::UNDEFINED, &"session".into());
        let script = JsFuture::from(Promise::resolve(&script.ok()?)).await.ok()?;
        if let StoreState::Released = *self.store.borrow() {
            return None;
        }
        // Joining twice has no further effect. Not borrowed: the script may report an event, on which the page
        // removes the view.
        let store = script.unchecked_into::<SessionScript>().join(
            &self.settings,
            &self.base_url,
            self.dialect.name(),
            &self.listener,
        );
        if self.has_ended.get() && self.leases.get() == 0 {
            store.leave(&self.listener);
            return None;
        }
        self.store.replace(StoreState::Loaded(store.clone()));
        Some(store)
    }

    /// Returns the credentials if the script is loaded.
    fn joined(&self) -> Option<CredentialStore> {
        match &*self.store.borrow() {
            StoreState::Loaded(store) => Some(store.clone()),
            _ => None,
        }
    }

    fn leave(&self) {
        self.has_ended.set(true);
        self.forget();
    }

    /// Releases the credentials once the view is disposed and no task needs them.
    fn forget(&self) {
        if !self.has_ended.get() || self.leases.get() > 0 {
            return;
        }
        if let StoreState::Loaded(store) = self.store.replace(StoreState::Released) {
            store.leave(&self.listener);
        }
    }
}

impl Credentials for Rc<Caller> {
    fn sign(
        &self,
        headers: web_sys::Headers,
        method: &str,
        path: &str,
    ) -> LocalFuture<Result<u32, ApiError>> {
        let caller = self.clone();
        let (method, path) = (method.to_owned(), path.to_owned());
        Box::pin(async move {
            let store = caller.store().await.ok_or(ApiError::Unreachable)?;
            let signed = JsFuture::from(store.sign(&headers, &method, &path)).await;
            let signed = signed.unwrap_or_default();
            match signed.as_f64() {
                Some(generation) => Ok(generation as u32),
                None if signed == UNAVAILABLE => Err(ApiError::Declined(DeclineReason::NotRenewed)),
                None => Err(ApiError::Declined(DeclineReason::SignInNeeded)),
            }
        })
    }

    fn renew(&self, rejected: u32) -> LocalFuture<Renewal> {
        let caller = self.clone();
        Box::pin(async move {
            let Some(store) = caller.store().await else {
                return Renewal::Impossible;
            };
            match JsFuture::from(store.renew(rejected)).await {
                Ok(result) if result == UNAVAILABLE => Renewal::Unavailable,
                Ok(result) if result.is_truthy() => Renewal::Renewed,
                _ => Renewal::Impossible,
            }
        })
    }

    fn give_up(&self, rejected: u32) {
        // Not borrowed during the call, which reports an event: the page may remove the view on it.
        if let Some(store) = self.joined() {
            store.give_up(rejected);
        }
    }

    fn is_anonymous(&self) -> bool {
        let is_given = |name: &&str| {
            Reflect::get(&self.settings, &(*name).into()).is_ok_and(|it| it.is_truthy())
        };
        !self.has_token.get() && !CREDENTIALS.iter().any(is_given)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_address_other_scheme_is_false() {
        for (text, is_fit) in [
            ("https://book.example", true),
            ("HTTP://127.0.0.1:8080", true),
            ("/booking", true),
            ("//book.example", true),
            ("book.example", false),
            ("javascript:alert(1)", false),
            ("ftp://book.example", false),
            ("", false),
        ] {
            assert_eq!(is_address(text), is_fit, "{text}");
        }
    }
}
