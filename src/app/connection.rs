//! Service and account of the app. Kept in memory only and lost with the page, unless the tab is to stay
//! connected ([`super::stored_account`]).

use std::cell::RefCell;
use std::rc::Rc;

use booking_wire::{Fields, Read};
use gloo_net::http::{Request, RequestBuilder};
use js_sys::Promise;
use leptos::prelude::window;
use serde_json::Value;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, future_to_promise};
use web_sys::{Headers, Url};

use super::stored_account::{self, Kept};
use crate::client::fetch::{HttpResponse, fetch};
use crate::client::http::LocalFuture;
use crate::client::query::Resumed;
use crate::client::session::{Session, SessionStatus};
use crate::client::{ApiError, Credentials, DeclineReason, Dialect, Renewal};
use crate::ui::signal::{RwSignal, Trigger};

/// Account typed on the Connect screen. Deliberately without `Debug`: it holds a secret until the session
/// takes it.
#[derive(Clone, Default)]
pub(super) struct Account {
    pub(super) base_url: String,
    pub(super) token: String,
    pub(super) client_id: String,
    pub(super) client_secret: String,
    pub(super) org_id: Option<i64>,
    pub(super) team_id: Option<i64>,
    pub(super) username: String,
}

/// Account in use, shared by all screens.
#[derive(Clone, Copy)]
pub(super) struct Connection {
    /// Session for requests, replaced as a whole.
    session: RwSignal<Option<Session>>,
    /// Team whose data is shown.
    pub(super) team: RwSignal<Team>,
    /// Demo account of the service, if it has one.
    pub(super) demo: RwSignal<Option<Demo>>,
    /// True if the tab is to stay connected after a reload.
    pub(super) stays: RwSignal<bool>,
    /// Saved views of the booking list.
    pub(super) views: RwSignal<Value>,
    status: RwSignal<SessionStatus>,
    pub(super) resumed: Resumed,
}

/// Account data without secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Team {
    pub(super) org_id: Option<i64>,
    pub(super) team_id: Option<i64>,
    pub(super) username: String,
}

/// Demo account of a service, from its `/demo.json`. The token is requested when it is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Demo {
    pub(super) team: Team,
}

impl Connection {
    pub(super) fn new() -> Self {
        Self {
            session: RwSignal::new(None),
            team: RwSignal::new(Team::default()),
            demo: RwSignal::new(None),
            stays: RwSignal::new(false),
            views: RwSignal::new(Value::Null),
            status: RwSignal::new(SessionStatus::Usable),
            resumed: Resumed(Trigger::new()),
        }
    }

    /// Restores the stored account.
    pub(super) fn restore(self) {
        let Some(kept) = Kept::read() else {
            return;
        };
        let Kept {
            is_demo,
            base_url,
            token,
            org_id,
            team_id,
            username,
            views,
        } = kept;
        self.stays.set(true);
        self.views.set(views);
        if is_demo {
            let team = Team {
                org_id,
                team_id,
                username,
            };
            self.connect_demo(Demo { team });
        } else if is_private(&base_url) {
            self.connect(Account {
                base_url,
                token,
                org_id,
                team_id,
                username,
                ..Account::default()
            });
        }
    }

    /// Stores the saved views if the tab stays connected.
    pub(super) fn keep_views(self, views: Value) {
        if let Some(kept) = Kept::read().filter(|_| self.stays.get_untracked()) {
            Kept { views, ..kept }.write();
        }
    }

    /// Replaces the stored account; only deletes it unless the tab stays connected.
    fn keep(self, kept: Option<Kept>) {
        stored_account::forget();
        if let Some(kept) = kept.filter(|_| self.stays.get_untracked()) {
            let views = self.views.get_untracked();
            Kept { views, ..kept }.write();
        }
    }

    /// Returns the account's session; without an account, a public one for the app's own origin.
    pub(super) fn session(self) -> Session {
        self.session
            .get()
            .unwrap_or_else(|| Session::public("", Dialect::Svc))
    }

    pub(super) fn is_connected(self) -> bool {
        self.session.with(Option::is_some)
    }

    pub(super) fn disconnect(self) {
        stored_account::forget();
        self.stays.set(false);
        self.views.set(Value::Null);
        self.status.set(SessionStatus::Usable);
        self.session.set(None);
        self.team.set(
            self.demo
                .get_untracked()
                .map(|demo| demo.team)
                .unwrap_or_default(),
        );
    }

    /// Connects with a typed account.
    pub(super) fn connect(self, account: Account) {
        self.keep(kept_of(&account));
        let has_secret = !account.client_secret.is_empty();
        let base_url = account.base_url;
        self.use_credentials(
            &base_url,
            Typed {
                status: self.status,
                token: Some(account.token).filter(|token| !token.is_empty()),
                client: has_secret.then_some((account.client_id, account.client_secret)),
            },
        );
        self.team.set(Team {
            org_id: account.org_id,
            team_id: account.team_id,
            username: account.username,
        });
    }

    /// Connects with the demo account, whose tokens the service renews.
    pub(super) fn connect_demo(self, demo: Demo) {
        let Team {
            org_id,
            team_id,
            username,
        } = demo.team.clone();
        self.keep(Some(Kept {
            is_demo: true,
            org_id,
            team_id,
            username,
            ..Kept::default()
        }));
        self.use_credentials("", DemoTokens::telling(self.status));
        self.team.set(demo.team);
    }

    fn use_credentials(self, base_url: &str, credentials: impl Credentials + 'static) {
        let (dialect, credentials) = (Dialect::Svc, Rc::new(credentials));
        self.status.set(SessionStatus::Usable);
        let session =
            Session::with_status(base_url, dialect, credentials, self.status, self.resumed);
        self.session.set(Some(session));
    }

    /// Looks for a demo account of this service.
    pub(super) async fn look_for_demo(self) {
        let Some(demo) = answer_of(Request::get("/demo.json")).await else {
            return;
        };
        let Some(fields) = Fields::of(&demo) else {
            return;
        };
        let team = Team {
            org_id: fields.get("orgId").unwrap_or_default(),
            team_id: fields.get("teamId").unwrap_or_default(),
            username: fields.text("username"),
        };
        if let Some(None) = self.session.try_get_untracked() {
            self.team.set(team.clone());
        }
        self.demo.set(Some(Demo { team }));
    }
}

/// Returns the data to store; `None` if the account needs a client secret, which is never stored.
fn kept_of(account: &Account) -> Option<Kept> {
    let is_fit = account.client_secret.is_empty() && !account.token.is_empty();
    is_fit.then(|| Kept {
        base_url: account.base_url.clone(),
        token: account.token.clone(),
        org_id: account.org_id,
        team_id: account.team_id,
        username: account.username.clone(),
        ..Kept::default()
    })
}

/// Returns true if requests to `base_url` cannot be read in transit: by HTTPS, or on this machine.
pub(super) fn is_private(base_url: &str) -> bool {
    let here = window().location().href().unwrap_or_default();
    let Ok(address) = Url::new_with_base(base_url, &here) else {
        return false;
    };
    let host = address.hostname();
    address.protocol() == "https:"
        || ["localhost", "127.0.0.1", "[::1]"].contains(&host.as_str())
        || host.ends_with(".localhost")
}

/// Typed credentials. Deliberately without `Debug`.
struct Typed {
    status: RwSignal<SessionStatus>,
    token: Option<String>,
    /// Id and secret of a platform client.
    client: Option<(String, String)>,
}

impl Credentials for Typed {
    fn sign(&self, headers: Headers, _: &str, _: &str) -> LocalFuture<Result<u32, ApiError>> {
        if let Some((id, secret)) = &self.client {
            set_header(&headers, Dialect::Svc.client_id_header(), id);
            set_header(&headers, Dialect::Svc.secret_header(), secret);
        }
        if let Some(token) = &self.token {
            set_bearer(&headers, token);
        }
        Box::pin(async { Ok(0) })
    }

    fn renew(&self, _: u32) -> LocalFuture<Renewal> {
        // Typed credentials cannot be renewed, so the stored ones are useless.
        stored_account::forget();
        self.status.set(SessionStatus::Ended);
        Box::pin(async { Renewal::Impossible })
    }
}

/// Tokens that the demo service issues to everyone.
#[derive(Clone)]
struct DemoTokens {
    status: RwSignal<SessionStatus>,
    tokens: Rc<RefCell<Tokens>>,
}

#[derive(Default)]
struct Tokens {
    newest: Option<String>,
    /// Number of tokens so far.
    count: u32,
    /// Request in progress, shared by all callers.
    asking: Option<Promise>,
}

impl DemoTokens {
    /// Creates tokens that report failed and successful renewals to `status`.
    fn telling(status: RwSignal<SessionStatus>) -> Self {
        let tokens = Rc::default();
        Self { status, tokens }
    }

    /// Requests a successor of token number `old`, unless there is one.
    async fn renew(self, old: u32) {
        let asking = {
            let mut tokens = self.tokens.borrow_mut();
            if tokens.count != old {
                return;
            }
            let tokens_there = self.clone();
            let ask = || {
                future_to_promise(async move {
                    let token = demo_token().await;
                    let status = match token {
                        Some(_) => SessionStatus::Usable,
                        None => SessionStatus::Paused,
                    };
                    {
                        let mut tokens = tokens_there.tokens.borrow_mut();
                        tokens.newest = token;
                        tokens.count += 1;
                        tokens.asking = None;
                    }
                    tokens_there.status.set(status);
                    Ok(JsValue::UNDEFINED)
                })
            };
            tokens.asking.get_or_insert_with(ask).clone()
        };
        // The promise never rejects.
        let _ = JsFuture::from(asking).await;
    }
}

impl Credentials for DemoTokens {
    fn sign(&self, headers: Headers, _: &str, _: &str) -> LocalFuture<Result<u32, ApiError>> {
        let tokens = self.clone();
        Box::pin(async move {
            let known = {
                let tokens = tokens.tokens.borrow();
                tokens.newest.is_none().then_some(tokens.count)
            };
            if let Some(count) = known {
                tokens.clone().renew(count).await;
            }
            let tokens = tokens.tokens.borrow();
            let not_renewed = ApiError::Declined(DeclineReason::NotRenewed);
            set_bearer(&headers, tokens.newest.as_ref().ok_or(not_renewed)?);
            Ok(tokens.count)
        })
    }

    fn renew(&self, refused: u32) -> LocalFuture<Renewal> {
        let tokens = self.clone();
        Box::pin(async move {
            tokens.clone().renew(refused).await;
            match tokens.tokens.borrow().newest {
                Some(_) => Renewal::Renewed,
                None => Renewal::Unavailable,
            }
        })
    }
}

/// Sets a header. Values that the browser rejects are skipped.
fn set_header(headers: &Headers, name: &str, value: &str) {
    let _ = headers.set(name, value);
}

fn set_bearer(headers: &Headers, token: &str) {
    set_header(headers, "Authorization", &format!("Bearer {token}"));
}

async fn demo_token() -> Option<String> {
    let answer = answer_of(Request::post("/demo/token")).await;
    String::read(answer.as_ref()?.get("accessToken")?)
}

async fn answer_of(request: RequestBuilder) -> Option<Value> {
    let answer = fetch(request.build(), None).await;
    answer.filter(HttpResponse::is_success)?.body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn account_with_a_client_secret_is_not_kept() {
        for (token, client_secret, is_kept) in [
            ("token", "", true),
            ("token", "secret", false),
            ("", "secret", false),
            ("", "", false),
        ] {
            let account = Account {
                token: token.to_owned(),
                client_secret: client_secret.to_owned(),
                ..Account::default()
            };
            let kept = kept_of(&account);
            assert_eq!(kept.is_some(), is_kept, "{token:?} {client_secret:?}");
        }
    }
}
