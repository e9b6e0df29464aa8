//! Service and account of the app. Kept in memory only and lost with the page, unless the tab is to stay
//! signed in ([`stored_account`]).

pub(super) mod account;
mod credentials;
mod demo;
mod stored_account;

use std::rc::Rc;

use booking_ui::prelude::*;
use js_sys::{Function, Reflect};
use serde_json::Value;
use wasm_bindgen::JsCast;

use crate::client::http::Client;
use crate::client::operations::profile::Profile;
use crate::client::query::{READ_TIMEOUT_MS, Resumed};
use crate::client::session::{Session, SessionStatus};
use crate::client::{Abort, ApiError, Credentials, DeclineReason, Dialect};
use account::{Account, Team, is_safe_address};
use credentials::EnteredCredentials;
use demo::{Demo, DemoTokens, find_demo};
use stored_account::StoredAccount;

/// Account in use, shared by all screens.
#[derive(Clone, Copy)]
pub(super) struct Connection {
    /// Session for requests, replaced as a whole.
    session: RwSignal<Option<Session>>,
    /// Team whose data is shown.
    pub(super) team: RwSignal<Team>,
    /// Demo account of the service, if it has one.
    pub(super) demo: RwSignal<Option<Demo>>,
    /// True once it is known that the service has no demo account.
    pub(super) has_no_demo: RwSignal<bool>,
    /// True if the account in use is the demo account.
    pub(super) is_demo: RwSignal<bool>,
    /// True if the tab is to stay signed in after a reload.
    pub(super) stays_connected: RwSignal<bool>,
    /// Saved views of the booking list.
    pub(super) views: RwSignal<Value>,
    /// Profile of the person who is signed in; empty until the frame has loaded it.
    pub(super) profile: RwSignal<Profile>,
    /// True if the account is known to have no access to the roles of its organisation.
    pub(super) has_no_org_roles: RwSignal<bool>,
    status: RwSignal<SessionStatus>,
    pub(super) resumed: Resumed,
}

/// Function of the page that has responses for visitors (`scripts/start.js`).
fn prefetched() -> Option<Function> {
    let function = Reflect::get(&window(), &"bookingPrefetched".into()).ok()?;
    function.dyn_into().ok()
}

impl Connection {
    pub(super) fn new() -> Self {
        Self {
            session: RwSignal::new(None),
            team: RwSignal::new(Team::default()),
            demo: RwSignal::new(None),
            has_no_demo: RwSignal::new(false),
            is_demo: RwSignal::new(false),
            stays_connected: RwSignal::new(false),
            views: RwSignal::new(Value::Null),
            profile: RwSignal::default(),
            has_no_org_roles: RwSignal::new(false),
            status: RwSignal::new(SessionStatus::Usable),
            resumed: Resumed(Trigger::new()),
        }
    }

    /// Restores the stored account.
    pub(super) fn restore(self) {
        let Some(account) = StoredAccount::read() else {
            return;
        };
        let StoredAccount {
            is_demo,
            base_url,
            token,
            org_id,
            team_id,
            username,
            views,
        } = account;
        self.stays_connected.set(true);
        self.views.set(views);
        if is_demo {
            let team = Team {
                org_id,
                team_id,
                username,
            };
            self.connect_demo(Demo { team });
        } else if is_safe_address(&base_url) {
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

    /// Stores the saved views if the tab stays signed in.
    pub(super) fn store_views(self, views: Value) {
        if let Some(account) =
            StoredAccount::read().filter(|_| self.stays_connected.get_untracked())
        {
            StoredAccount { views, ..account }.write();
        }
    }

    /// Replaces the stored account; only deletes it unless the tab stays signed in.
    fn store(self, account: Option<StoredAccount>) {
        stored_account::delete();
        if let Some(account) = account.filter(|_| self.stays_connected.get_untracked()) {
            let views = self.views.get_untracked();
            StoredAccount { views, ..account }.write();
        }
    }

    /// Returns the account's session; without an account, a public one for the app's own origin.
    pub(super) fn session(self) -> Session {
        self.session
            .get()
            .unwrap_or_else(|| Session::prefetched("", Dialect::Svc, prefetched()))
    }

    pub(super) fn is_connected(self) -> bool {
        self.session.with(Option::is_some)
    }

    pub(super) fn disconnect(self) {
        stored_account::delete();
        self.stays_connected.set(false);
        self.views.set(Value::Null);
        self.status.set(SessionStatus::Usable);
        self.session.set(None);
        self.profile.set(Profile::default());
        self.team.set(
            self.demo
                .get_untracked()
                .map(|demo| demo.team)
                .unwrap_or_default(),
        );
    }

    /// False if the service rejects the token of a typed account. One that cannot be asked says so on the next screen.
    pub(super) async fn accepts(self, account: &Account) -> bool {
        if account.token.is_empty() {
            return true;
        }
        let credentials = Rc::new(self.credentials_of(account));
        let client = Client::new(&account.base_url, Dialect::Svc, credentials);
        let profile = client.profile(Abort::after(READ_TIMEOUT_MS)).await;
        // Rejected credentials have ended it.
        self.status.set(SessionStatus::Usable);
        !matches!(
            profile,
            Err(ApiError::Declined(DeclineReason::SignInNeeded))
        )
    }

    fn credentials_of(self, account: &Account) -> EnteredCredentials {
        let has_secret = !account.client_secret.is_empty();
        EnteredCredentials {
            status: self.status,
            token: Some(account.token.clone()).filter(|token| !token.is_empty()),
            client: has_secret.then(|| (account.client_id.clone(), account.client_secret.clone())),
        }
    }

    /// Connects with a typed account.
    pub(super) fn connect(self, account: Account) {
        self.store(stored_account_of(&account));
        self.is_demo.set(false);
        self.use_credentials(&account.base_url, self.credentials_of(&account));
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
        self.store(Some(StoredAccount {
            is_demo: true,
            org_id,
            team_id,
            username,
            ..StoredAccount::default()
        }));
        self.is_demo.set(true);
        self.use_credentials("", DemoTokens::new(self.status));
        self.team.set(demo.team);
    }

    fn use_credentials(self, base_url: &str, credentials: impl Credentials + 'static) {
        let (dialect, credentials) = (Dialect::Svc, Rc::new(credentials));
        self.status.set(SessionStatus::Usable);
        self.has_no_org_roles.set(false);
        self.profile.set(Profile::default());
        let session =
            Session::with_status(base_url, dialect, credentials, self.status, self.resumed);
        self.session.set(Some(session));
    }

    /// Finds the demo account of this service, if it has one.
    pub(super) async fn find_demo(self) {
        let Some(demo) = find_demo().await else {
            self.has_no_demo.set(true);
            return;
        };
        if self.session.with_untracked(Option::is_none) {
            self.team.set(demo.team.clone());
        }
        self.demo.set(Some(demo));
    }
}

/// Returns the data to store; `None` if the account needs a client secret, which is never stored.
fn stored_account_of(account: &Account) -> Option<StoredAccount> {
    let is_storable = account.client_secret.is_empty() && !account.token.is_empty();
    is_storable.then(|| StoredAccount {
        base_url: account.base_url.clone(),
        token: account.token.clone(),
        org_id: account.org_id,
        team_id: account.team_id,
        username: account.username.clone(),
        ..StoredAccount::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn account_with_client_secret_is_not_stored() {
        for (token, client_secret, is_stored) in [
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
            let account = stored_account_of(&account);
            assert_eq!(account.is_some(), is_stored, "{token:?} {client_secret:?}");
        }
    }
}
