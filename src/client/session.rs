//! Credentials. One session for each mounted root. The credentials that the page sets stay in
//! `element/scripts/session.js`, so that secrets never enter the WebAssembly memory.

use std::cell::{Cell, RefCell};
use std::ops::Deref;
use std::rc::Rc;

use js_sys::{Function, Object, Promise, Reflect};
use leptos::prelude::*;
use leptos::task::spawn_local;
use send_wrapper::SendWrapper;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use crate::client::http::{LocalFuture, service_root};
use crate::client::query::Resumed;
use crate::client::{ApiError, Client, Credentials, DeclineReason, Dialect, Renewal};
use crate::ui::context::use_context;
use crate::ui::signal::RwSignal;

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
    /// `import_script` is the loader's function for further scripts. `on_event` receives names and details of events for
    /// the page. The session ends with the view in which it is created.
    ///
    /// Without settings, `prefetched` may have responses that the page's script has already requested.
    pub fn from_page(
        settings: &JsValue,
        base_url: &str,
        dialect: Dialect,
        import_script: &JsValue,
        prefetched: Option<&Function>,
        on_event: impl Fn(&str, &Object) + 'static,
    ) -> Self {
        let Some(import_script) = import_script
            .dyn_ref::<Function>()
            .filter(|_| settings.is_object())
        else {
            let client = Client::new(base_url, dialect, Rc::new(Anonymous));
            return Self::of(client.with_early(prefetched.cloned()), None, None, None);
        };
        // Unchecked: an object from another frame of the page has other classes.
        let settings = settings.unchecked_ref::<Object>();
        let own_base_url = Reflect::get(settings, &"baseUrl".into()).ok();
        let own_base_url = own_base_url.and_then(|url| url.as_string());
        let own_base_url = own_base_url.filter(|url| !url.is_empty());
        let is_usable = own_base_url.as_deref().is_none_or(is_address);
        if !is_usable {
            leptos::logging::warn!("booking: the session's baseUrl is no http or https address");
        }
        let base_url = own_base_url
            .filter(|_| is_usable)
            .unwrap_or_else(|| base_url.to_owned());
        let resumed = use_context::<Resumed>();
        let status = RwSignal::new(SessionStatus::Usable);
        let listener =
            Closure::<dyn Fn(String, Object)>::new(move |name: String, detail: Object| {
                if name.is_empty() {
                    change_status(status, SessionStatus::Usable);
                    if let Some(Resumed(resumed)) = resumed {
                        resumed.notify();
                    }
                    return;
                }
                if name == "auth-required" {
                    // Cannot fail: the detail is a plain object of the widget.
                    let reason = Reflect::get(&detail, &"reason".into()).unwrap_or_default();
                    change_status(status, status_after(&reason));
                }
                // Last, because the page may remove the view.
                on_event(&name, &detail);
            });
        let caller = Rc::new(Caller {
            settings: settings.clone(),
            base_url: service_root(&base_url).to_owned(),
            dialect,
            import_script: import_script.clone(),
            listener,
            credentials: RefCell::new(CredentialsState::NotLoaded),
            has_token: Cell::new(false),
            users: Cell::new(0),
            has_ended: Cell::new(false),
        });
        let leaving = SendWrapper::new(caller.clone());
        on_cleanup(move || leaving.leave());
        let client = Client::new(&base_url, dialect, Rc::new(caller.clone()));
        Self::of(client, Some(caller), Some(status), resumed)
    }

    /// Creates a session without credentials: all requests of visitors are public (contract 2.4).
    pub fn public(base_url: &str, dialect: Dialect) -> Self {
        Self::with(base_url, dialect, Rc::new(Anonymous))
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
    pub fn keep(&self) -> CredentialsGuard {
        let caller = self.0.caller.clone();
        if let Some(caller) = &caller {
            caller.users.set(caller.users.get() + 1);
        }
        CredentialsGuard(caller)
    }

    /// Sets another token, in place of one that could not be renewed.
    pub fn set_token(&self, token: JsValue) {
        if let Some(caller) = self.0.caller.clone() {
            caller.has_token.set(true);
            spawn_local(async move {
                if let Some(credentials) = caller.credentials().await {
                    let _ = credentials.set_token(&token);
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

    /// Requests other credentials from the page and waits for the answer; without a page, repeats the reads that
    /// need them.
    pub async fn retry(self) {
        let Some(caller) = self.0.caller.clone() else {
            if let (Some(status), Some(Resumed(resumed))) = (self.0.status, self.0.resumed) {
                change_status(status, SessionStatus::Usable);
                resumed.notify();
            }
            return;
        };
        if let Some(credentials) = caller.credentials().await {
            let renewal = credentials.set_token(&JsValue::UNDEFINED);
            // It never rejects.
            let _ = JsFuture::from(Promise::resolve(&renewal)).await;
        }
    }
}

/// Sets the status, unless the view is disposed.
fn change_status(status: RwSignal<SessionStatus>, now: SessionStatus) {
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
    ) -> PageCredentials;

    /// Credentials of one or more roots with the same session.
    #[derive(Clone)]
    type PageCredentials;

    /// Resolves to the version of the token used, or to the reason why the session is paused or has ended.
    #[wasm_bindgen(method)]
    fn sign(
        this: &PageCredentials,
        headers: &web_sys::Headers,
        method: &str,
        path: &str,
    ) -> Promise;

    /// Resolves to true if there is a newer token than the rejected one, or to [`UNAVAILABLE`].
    #[wasm_bindgen(method)]
    fn renew(this: &PageCredentials, version: u32) -> Promise;

    #[wasm_bindgen(method, js_name = giveUp)]
    fn give_up(this: &PageCredentials, version: u32);

    /// Returns a promise if it requests a token.
    #[wasm_bindgen(method, js_name = setToken)]
    fn set_token(this: &PageCredentials, token: &JsValue) -> JsValue;

    #[wasm_bindgen(method)]
    fn leave(this: &PageCredentials, listener: &Closure<dyn Fn(String, Object)>);
}

/// Caller with the page's credentials.
struct Caller {
    settings: Object,
    base_url: String,
    dialect: Dialect,
    import_script: Function,
    listener: Closure<dyn Fn(String, Object)>,
    credentials: RefCell<CredentialsState>,
    /// True if the page has set a token since.
    has_token: Cell<bool>,
    /// Number of tasks that need the credentials.
    users: Cell<usize>,
    /// True if the view is disposed.
    has_ended: Cell<bool>,
}

/// Keeps the credentials of a task. See [`Session::keep`].
pub struct CredentialsGuard(Option<Rc<Caller>>);

impl Drop for CredentialsGuard {
    fn drop(&mut self) {
        if let Some(caller) = &self.0 {
            caller.users.set(caller.users.get().saturating_sub(1));
            caller.release_if_unused();
        }
    }
}

enum CredentialsState {
    /// The script is not fetched yet.
    NotLoaded,
    Loaded(PageCredentials),
    /// The view is disposed, and all tasks have ended.
    Released,
}

impl Caller {
    /// Fetches the script if needed; `None` if that fails, and when it is no longer needed.
    async fn credentials(&self) -> Option<PageCredentials> {
        if let CredentialsState::Loaded(credentials) = &*self.credentials.borrow() {
            return Some(credentials.clone());
        }
        let script = self
            .import_script
            .call1(&JsValue::UNDEFINED, &"session".into());
        let script = JsFuture::from(Promise::resolve(&script.ok()?)).await.ok()?;
        let mut state = self.credentials.borrow_mut();
        if let CredentialsState::Released = *state {
            return None;
        }
        // Joining twice has no further effect.
        let credentials = script.unchecked_into::<SessionScript>().join(
            &self.settings,
            &self.base_url,
            self.dialect.name(),
            &self.listener,
        );
        *state = CredentialsState::Loaded(credentials.clone());
        Some(credentials)
    }

    fn leave(&self) {
        self.has_ended.set(true);
        self.release_if_unused();
    }

    /// Releases the credentials once the view is disposed and no task needs them.
    fn release_if_unused(&self) {
        if !self.has_ended.get() || self.users.get() > 0 {
            return;
        }
        if let CredentialsState::Loaded(credentials) =
            self.credentials.replace(CredentialsState::Released)
        {
            credentials.leave(&self.listener);
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
            let credentials = caller.credentials().await.ok_or(ApiError::Unreachable)?;
            let signed = JsFuture::from(credentials.sign(&headers, &method, &path)).await;
            let signed = signed.unwrap_or_default();
            match signed.as_f64() {
                Some(number) => Ok(number as u32),
                None if signed == UNAVAILABLE => Err(ApiError::Declined(DeclineReason::NotRenewed)),
                None => Err(ApiError::Declined(DeclineReason::SignInNeeded)),
            }
        })
    }

    fn renew(&self, version: u32) -> LocalFuture<Renewal> {
        let caller = self.clone();
        Box::pin(async move {
            let Some(credentials) = caller.credentials().await else {
                return Renewal::Impossible;
            };
            match JsFuture::from(credentials.renew(version)).await {
                Ok(answer) if answer == UNAVAILABLE => Renewal::Unavailable,
                Ok(answer) if answer.is_truthy() => Renewal::Renewed,
                _ => Renewal::Impossible,
            }
        })
    }

    fn give_up(&self, version: u32) {
        if let CredentialsState::Loaded(credentials) = &*self.credentials.borrow() {
            credentials.give_up(version);
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
    fn is_address_accepts_web_addresses_only() {
        for (text, is_valid) in [
            ("https://book.example", true),
            ("HTTP://127.0.0.1:8080", true),
            ("/booking", true),
            ("//book.example", true),
            ("book.example", false),
            ("javascript:alert(1)", false),
            ("ftp://book.example", false),
            ("", false),
        ] {
            assert_eq!(is_address(text), is_valid, "{text}");
        }
    }
}
