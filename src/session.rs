//! Who is calling. One session for each mounted root; what the page gives for it stays with
//! `embed/session.js`, so that a secret is nowhere in the memory of this program.

use std::cell::{Cell, RefCell};
use std::ops::Deref;
use std::rc::Rc;

use js_sys::{Function, Object, Promise, Reflect};
use leptos::prelude::*;
use leptos::task::spawn_local;
use send_wrapper::SendWrapper;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use crate::api::client::{LocalFuture, service_root};
use crate::api::{ApiError, Client, Credentials, Dialect, Refusal, Renewal};
use crate::context::use_context;
use crate::load::Resumed;
use crate::signal::RwSignal;

/// The reason of an `auth-required` event, and the answer of `session.js`, while a session cannot be renewed.
const UNAVAILABLE: &str = "unavailable";

/// Whether a session can be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SessionStatus {
    /// As far as it is known.
    #[default]
    Usable,
    /// It could not be renewed at the moment; it is tried again.
    Paused,
    /// It has ended: nothing more is asked until there is another token.
    Ended,
}

/// A mounted root's way to its service.
#[derive(Clone)]
pub struct Session(SendWrapper<Rc<Inner>>);

struct Inner {
    client: Client,
    /// None if all that is asked for is public.
    caller: Option<Rc<Caller>>,
    /// None if it cannot change.
    status: Option<RwSignal<SessionStatus>>,
    resumed: Option<Resumed>,
}

impl Session {
    /// A session of a page that gave `settings`, the element's `session` property, whose keys are in
    /// `docs/embedding.md`. `more` is the loader's way to scripts of ours. `on_news` takes names and
    /// details of events for the page. It ends with the view that it is made in.
    ///
    /// Without settings, `early` may have answers that the page's script has asked for already.
    pub fn from_page(
        settings: &JsValue,
        base_url: &str,
        dialect: Dialect,
        more: &JsValue,
        early: Option<&Function>,
        on_news: impl Fn(&str, &Object) + 'static,
    ) -> Self {
        let Some(more) = more.dyn_ref::<Function>().filter(|_| settings.is_object()) else {
            let client = Client::new(base_url, dialect, Rc::new(Anybody));
            return Self::of(client.with_early(early.cloned()), None, None, None);
        };
        // Also one from another frame of the page, whose classes are not these.
        let settings = settings.unchecked_ref::<Object>();
        let given = Reflect::get(settings, &"baseUrl".into()).ok();
        let given = given.and_then(|url| url.as_string());
        let given = given.filter(|url| !url.is_empty());
        let is_usable = given.as_deref().is_none_or(is_address);
        if !is_usable {
            leptos::logging::warn!("booking: the session's baseUrl is no http or https address");
        }
        let base_url = given
            .filter(|_| is_usable)
            .unwrap_or_else(|| base_url.to_owned());
        let resumed = use_context::<Resumed>();
        let status = RwSignal::new(SessionStatus::Usable);
        let hear = Closure::<dyn Fn(String, Object)>::new(move |name: String, detail: Object| {
            if name.is_empty() {
                set_status(status, SessionStatus::Usable);
                if let Some(Resumed(resumed)) = resumed {
                    resumed.notify();
                }
                return;
            }
            if name == "auth-required" {
                // A detail of ours, a plain object.
                let reason = Reflect::get(&detail, &"reason".into()).unwrap_or_default();
                set_status(status, status_after(&reason));
            }
            // Last: the page may end the view.
            on_news(&name, &detail);
        });
        let caller = Rc::new(Caller {
            settings: settings.clone(),
            base_url: service_root(&base_url).to_owned(),
            dialect,
            more: more.clone(),
            hear,
            keeper: RefCell::new(Keeping::Away),
            has_token: Cell::new(false),
            kept: Cell::new(0),
            has_ended: Cell::new(false),
        });
        let leaving = SendWrapper::new(caller.clone());
        on_cleanup(move || leaving.leave());
        let client = Client::new(&base_url, dialect, Rc::new(caller.clone()));
        Self::of(client, Some(caller), Some(status), resumed)
    }

    /// A session that needs no credentials: all that a visitor does is public (contract 2.4).
    pub fn public(base_url: &str, dialect: Dialect) -> Self {
        Self::with(base_url, dialect, Rc::new(Anybody))
    }

    /// A session with credentials of another kind.
    pub fn with(base_url: &str, dialect: Dialect, credentials: Rc<dyn Credentials>) -> Self {
        Self::of(
            Client::new(base_url, dialect, credentials),
            None,
            None,
            None,
        )
    }

    /// The same, where the credentials tell `status` whether they could be renewed.
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

    /// Keeps the credentials until the result is dropped, also when the view ends: for a task that has several
    /// requests to send.
    pub fn keep(&self) -> Kept {
        let caller = self.0.caller.clone();
        if let Some(caller) = &caller {
            caller.kept.set(caller.kept.get() + 1);
        }
        Kept(caller)
    }

    /// Goes on with another token, in place of one that could not be renewed.
    pub fn set_token(&self, token: JsValue) {
        if let Some(caller) = self.0.caller.clone() {
            caller.has_token.set(true);
            spawn_local(async move {
                if let Some(keeper) = caller.keeper().await {
                    let _ = keeper.set_token(&token);
                }
            });
        }
    }

    /// Whether it can be used.
    pub fn status(&self) -> SessionStatus {
        self.0.status.map(RwSignal::get).unwrap_or_default()
    }

    /// Whether it can be asked for other credentials.
    pub fn can_retry(&self) -> bool {
        self.0.status.is_some()
    }

    /// Asks for other credentials, of an embedded element the page. Ends once there is an answer, or once
    /// the calls ask that need them.
    pub async fn retry(self) {
        let Some(caller) = self.0.caller.clone() else {
            if let (Some(status), Some(Resumed(resumed))) = (self.0.status, self.0.resumed) {
                set_status(status, SessionStatus::Usable);
                resumed.notify();
            }
            return;
        };
        if let Some(keeper) = caller.keeper().await {
            let renewal = keeper.set_token(&JsValue::UNDEFINED);
            // It never rejects.
            let _ = JsFuture::from(Promise::resolve(&renewal)).await;
        }
    }
}

/// Sets the status, unless the view has ended.
fn set_status(status: RwSignal<SessionStatus>, now: SessionStatus) {
    if status
        .try_get_untracked()
        .is_some_and(|before| before != now)
    {
        status.set(now);
    }
}

/// The status after the page was told `auth-required` for `reason`.
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

/// Whether calls can go there: over http or https, or to the page's own origin.
pub fn is_address(text: &str) -> bool {
    ["https://", "http://", "/"].iter().any(|start| {
        let beginning = text.as_bytes().get(..start.len());
        beginning.is_some_and(|beginning| beginning.eq_ignore_ascii_case(start.as_bytes()))
    })
}

/// The session of the mounted root; a public one to the page's own origin if there is none.
pub fn use_session() -> Session {
    use_context().unwrap_or_else(|| Session::public("", Dialect::Svc))
}

/// Asks as anybody may.
struct Anybody;

impl Credentials for Anybody {
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

/// What can be in a session that says who is calling.
const CREDENTIALS: [&str; 5] = ["token", "getToken", "refreshUrl", "refreshToken", "headers"];

#[wasm_bindgen]
extern "C" {
    /// What `session.js` gives.
    type Keepers;

    #[wasm_bindgen(method)]
    fn join(
        this: &Keepers,
        settings: &Object,
        base_url: &str,
        dialect: &str,
        hear: &Closure<dyn Fn(String, Object)>,
    ) -> Keeper;

    /// Keeps the credentials of one or more roots that were given the same session.
    #[derive(Clone)]
    type Keeper;

    /// Resolves to the number of the token used, or to the reason why none is accepted.
    #[wasm_bindgen(method)]
    fn sign(this: &Keeper, headers: &web_sys::Headers, method: &str, path: &str) -> Promise;

    /// Resolves to whether there is a newer token than the refused one, or to [`UNAVAILABLE`].
    #[wasm_bindgen(method)]
    fn renew(this: &Keeper, refused: u32) -> Promise;

    #[wasm_bindgen(method, js_name = giveUp)]
    fn give_up(this: &Keeper, refused: u32);

    /// Gives a promise if it asks for a token.
    #[wasm_bindgen(method, js_name = setToken)]
    fn set_token(this: &Keeper, token: &JsValue) -> JsValue;

    #[wasm_bindgen(method)]
    fn leave(this: &Keeper, hear: &Closure<dyn Fn(String, Object)>);
}

/// Who calls with what the page gave.
struct Caller {
    settings: Object,
    base_url: String,
    dialect: Dialect,
    more: Function,
    hear: Closure<dyn Fn(String, Object)>,
    keeper: RefCell<Keeping>,
    /// Whether the page has given a token since.
    has_token: Cell<bool>,
    /// How many tasks need the credentials.
    kept: Cell<usize>,
    /// Whether the view has ended.
    has_ended: Cell<bool>,
}

/// Credentials that a task needs. See [`Session::keep`].
pub struct Kept(Option<Rc<Caller>>);

impl Drop for Kept {
    fn drop(&mut self) {
        if let Some(caller) = &self.0 {
            caller.kept.set(caller.kept.get().saturating_sub(1));
            caller.forget();
        }
    }
}

enum Keeping {
    /// The script has to be fetched.
    Away,
    Here(Keeper),
    /// The view has ended, and all tasks with it.
    Over,
}

impl Caller {
    /// `None` if the script cannot be had, and once nobody needs it.
    async fn keeper(&self) -> Option<Keeper> {
        if let Keeping::Here(keeper) = &*self.keeper.borrow() {
            return Some(keeper.clone());
        }
        let script = self.more.call1(&JsValue::UNDEFINED, &"session".into());
        let script = JsFuture::from(Promise::resolve(&script.ok()?)).await.ok()?;
        let mut keeping = self.keeper.borrow_mut();
        if let Keeping::Over = *keeping {
            return None;
        }
        // Whoever joins twice has joined once.
        let keeper = script.unchecked_into::<Keepers>().join(
            &self.settings,
            &self.base_url,
            self.dialect.name(),
            &self.hear,
        );
        *keeping = Keeping::Here(keeper.clone());
        Some(keeper)
    }

    fn leave(&self) {
        self.has_ended.set(true);
        self.forget();
    }

    /// Forgets the credentials once the view has ended and no task needs them.
    fn forget(&self) {
        if !self.has_ended.get() || self.kept.get() > 0 {
            return;
        }
        if let Keeping::Here(keeper) = self.keeper.replace(Keeping::Over) {
            keeper.leave(&self.hear);
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
            let keeper = caller.keeper().await.ok_or(ApiError::Unreachable)?;
            let signed = JsFuture::from(keeper.sign(&headers, &method, &path)).await;
            let signed = signed.unwrap_or_default();
            match signed.as_f64() {
                Some(number) => Ok(number as u32),
                None if signed == UNAVAILABLE => Err(ApiError::Declined(Refusal::NotRenewed)),
                None => Err(ApiError::Declined(Refusal::SignInNeeded)),
            }
        })
    }

    fn renew(&self, refused: u32) -> LocalFuture<Renewal> {
        let caller = self.clone();
        Box::pin(async move {
            let Some(keeper) = caller.keeper().await else {
                return Renewal::Impossible;
            };
            match JsFuture::from(keeper.renew(refused)).await {
                Ok(answer) if answer == UNAVAILABLE => Renewal::Unavailable,
                Ok(answer) if answer.is_truthy() => Renewal::Renewed,
                _ => Renewal::Impossible,
            }
        })
    }

    fn give_up(&self, refused: u32) {
        if let Keeping::Here(keeper) = &*self.keeper.borrow() {
            keeper.give_up(refused);
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
    fn calls_go_to_web_addresses_only() {
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
