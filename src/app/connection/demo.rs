//! Demo account of a service, and its tokens, which the service renews.

use std::cell::RefCell;
use std::rc::Rc;

use booking_ui::prelude::*;
use booking_wire::{Fields, Read};
use gloo_net::http::{Request, RequestBuilder};
use js_sys::Promise;
use serde_json::Value;
use wasm_bindgen_futures::JsFuture;
use web_sys::Headers;

use super::account::Team;
use super::credentials::set_bearer;
use crate::client::http::LocalFuture;
use crate::client::http::fetch::{HttpResponse, fetch};
use crate::client::session::SessionStatus;
use crate::client::{ApiError, Credentials, DeclineReason, Renewal};

/// Demo account of a service, from its `/demo.json`. The token is requested when it is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Demo {
    pub(crate) team: Team,
}

/// Returns the demo account of this service, if it has one.
pub(crate) async fn find_demo() -> Option<Demo> {
    let demo = response_of(Request::get("/demo.json")).await?;
    let fields = Fields::of(&demo)?;
    let team = Team {
        org_id: fields.get("orgId").unwrap_or_default(),
        team_id: fields.get("teamId").unwrap_or_default(),
        username: fields.text("username"),
    };
    Some(Demo { team })
}

/// Tokens that the demo service issues to everyone.
#[derive(Clone)]
pub(crate) struct DemoTokens {
    status: RwSignal<SessionStatus>,
    tokens: Rc<RefCell<Tokens>>,
}

#[derive(Default)]
struct Tokens {
    newest: Option<String>,
    /// Number of tokens so far.
    count: u32,
    /// Request in progress, shared by all callers.
    request: Option<Promise>,
}

impl DemoTokens {
    /// Creates tokens that report failed and successful renewals to `status`.
    pub(crate) fn new(status: RwSignal<SessionStatus>) -> Self {
        let tokens = Rc::default();
        Self { status, tokens }
    }

    /// Requests a successor of token number `old`, unless there is one.
    async fn renew(self, old: u32) {
        let request = {
            let mut tokens = self.tokens.borrow_mut();
            if tokens.count != old {
                return;
            }
            let this = self.clone();
            let request = || {
                spawn_with_promise(async move {
                    let token = demo_token().await;
                    let status = match token {
                        Some(_) => SessionStatus::Usable,
                        None => SessionStatus::Paused,
                    };
                    {
                        let mut tokens = this.tokens.borrow_mut();
                        tokens.newest = token;
                        tokens.count += 1;
                        tokens.request = None;
                    }
                    this.status.set(status);
                })
            };
            tokens.request.get_or_insert_with(request).clone()
        };
        // The promise never rejects.
        let _ = JsFuture::from(request).await;
    }
}

impl Credentials for DemoTokens {
    fn sign(&self, headers: Headers, _: &str, _: &str) -> LocalFuture<Result<u32, ApiError>> {
        let tokens = self.clone();
        Box::pin(async move {
            let count = {
                let tokens = tokens.tokens.borrow();
                tokens.newest.is_none().then_some(tokens.count)
            };
            if let Some(count) = count {
                tokens.clone().renew(count).await;
            }
            let tokens = tokens.tokens.borrow();
            let not_renewed = ApiError::Declined(DeclineReason::NotRenewed);
            set_bearer(&headers, tokens.newest.as_ref().ok_or(not_renewed)?);
            Ok(tokens.count)
        })
    }

    fn renew(&self, rejected: u32) -> LocalFuture<Renewal> {
        let tokens = self.clone();
        Box::pin(async move {
            tokens.clone().renew(rejected).await;
            match tokens.tokens.borrow().newest {
                Some(_) => Renewal::Renewed,
                None => Renewal::Unavailable,
            }
        })
    }
}

async fn demo_token() -> Option<String> {
    let response = response_of(Request::post("/demo/token")).await;
    String::read(response.as_ref()?.get("accessToken")?)
}

async fn response_of(request: RequestBuilder) -> Option<Value> {
    let response = fetch(request.build(), None).await;
    response.filter(HttpResponse::is_success)?.body
}
