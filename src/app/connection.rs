//! The service and the account that the app works with. Kept in memory only: gone with the page.

use booking_wire::{Fields, Read};
use gloo_net::http::{Request, RequestBuilder};
use js_sys::{Object, Reflect};
use serde_json::Value;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

use crate::api::Dialect;
use crate::api::fetch::{Answer, fetch};
use crate::session::Session;
use crate::signal::RwSignal;

/// What the person typed on Connect. Deliberately without `Debug`: it holds a secret until it is
/// handed to the session.
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

/// The account in use, shared by all screens.
#[derive(Clone, Copy)]
pub(super) struct Connection {
    /// What a screen asks with: replaced as a whole.
    session: RwSignal<Option<Session>>,
    /// Whose bookings and roles.
    pub(super) team: RwSignal<Team>,
    /// Whether the service offers its demo account.
    pub(super) demo: RwSignal<Option<Demo>>,
}

/// What screens may know of the account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Team {
    pub(super) org_id: Option<i64>,
    pub(super) team_id: Option<i64>,
    pub(super) username: String,
}

/// A demo service's account, as its `/demo.json` tells it. Without its token: that is asked for
/// when it is needed.
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
        }
    }

    /// The session of the account; a public one to the app's own origin without.
    pub(super) fn session(self) -> Session {
        self.session
            .get()
            .unwrap_or_else(|| Session::public("", Dialect::Svc))
    }

    pub(super) fn is_connected(self) -> bool {
        self.session.with(Option::is_some)
    }

    pub(super) fn disconnect(self) {
        self.session.set(None);
        self.team.set(
            self.demo
                .get_untracked()
                .map(|demo| demo.team)
                .unwrap_or_default(),
        );
    }

    /// Uses a typed account from now on.
    pub(super) fn connect(self, account: Account) {
        let settings = Object::new();
        set(&settings, "baseUrl", &account.base_url);
        set(&settings, "token", &account.token);
        if !account.client_secret.is_empty() {
            let headers = Object::new();
            set(
                &headers,
                Dialect::Svc.client_id_header(),
                &account.client_id,
            );
            set(
                &headers,
                Dialect::Svc.secret_header(),
                &account.client_secret,
            );
            set_value(&settings, "headers", &headers);
        }
        self.session
            .set(Some(Session::from_page(&settings, "", Dialect::Svc)));
        self.team.set(Team {
            org_id: account.org_id,
            team_id: account.team_id,
            username: account.username,
        });
    }

    /// Uses the demo account, whose tokens the demo service renews.
    pub(super) fn connect_demo(self, demo: Demo) {
        let get_token = Closure::<dyn FnMut() -> js_sys::Promise>::new(|| {
            future_to_promise(async { demo_token().await.map(|token| JsValue::from_str(&token)) })
        });
        let settings = Object::new();
        set_value(&settings, "getToken", &get_token.into_js_value());
        self.session
            .set(Some(Session::from_page(&settings, "", Dialect::Svc)));
        self.team.set(demo.team);
    }

    /// Finds out whether this service has a demo account.
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
        if !self.is_connected_untracked() {
            self.team.set(team.clone());
        }
        self.demo.set(Some(Demo { team }));
    }

    fn is_connected_untracked(self) -> bool {
        self.session.with_untracked(Option::is_some)
    }
}

async fn demo_token() -> Result<String, JsValue> {
    let answer = answer_of(Request::post("/demo/token")).await;
    answer
        .as_ref()
        .and_then(|answer| String::read(answer.get("accessToken")?))
        .ok_or(JsValue::UNDEFINED)
}

async fn answer_of(request: RequestBuilder) -> Option<Value> {
    let answer = fetch(request.build()).await;
    answer.filter(Answer::is_success)?.body
}

fn set(object: &Object, key: &str, value: &str) {
    if !value.is_empty() {
        set_value(object, key, &JsValue::from_str(value));
    }
}

fn set_value(object: &Object, key: &str, value: &JsValue) {
    // Setting a key of a fresh plain object cannot fail.
    let _ = Reflect::set(object, &key.into(), value);
}
