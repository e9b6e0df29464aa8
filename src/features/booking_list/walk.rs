//! Walks through all bookings that match, however many: page by page, at the pace that the service
//! allows, and to be stopped at any time.

mod patience;
mod plan;

use booking_wire::{Booking, BookingsQuery, Page};

use super::list::List;
use super::model::LARGEST_PAGE;
use crate::api::client::LocalFuture;
use crate::api::{Abort, ApiError};

pub use patience::{Patience, pause_ms};
use plan::Found;
pub use plan::Plan;

/// How long a page may take before it counts as unanswered.
const PAGE_TIMEOUT_MS: u64 = 30_000;

/// Gives one page of what a query finds.
type Ask = Box<dyn Fn(BookingsQuery, Abort) -> LocalFuture<Result<Page<Booking>, ApiError>>>;

/// What comes next.
#[derive(Debug)]
pub enum Step {
    /// Bookings not met before, at least one.
    Page(Vec<Booking>),
    /// The service did not give the page. Asked again, the walk goes on with it.
    Failed(ApiError),
    /// All were met.
    End,
    /// The walk was stopped.
    Stopped,
}

/// A walk through what a query finds.
pub struct Walk {
    ask: Ask,
    query: BookingsQuery,
    plan: Plan,
    patience: Patience,
    has_ended: bool,
}

impl Walk {
    /// Begins at the first booking that `query` finds, of `total` as far as that is known.
    pub fn new(ask: Ask, query: BookingsQuery, total: Option<i64>, patience: Patience) -> Self {
        Self {
            ask,
            query,
            plan: Plan::new(LARGEST_PAGE, total),
            patience,
            has_ended: false,
        }
    }

    /// The same over the bookings of `list`'s team.
    pub(super) fn over(
        list: List,
        query: BookingsQuery,
        total: Option<i64>,
        patience: Patience,
    ) -> Self {
        let (session, team) = (list.session(), list.team());
        let ask: Ask = Box::new(move |query, abort| {
            let session = session.clone();
            Box::pin(async move { session.team_bookings(team, query, abort).await })
        });
        Self::new(ask, query, total, patience)
    }

    /// How far it is.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Goes on to the next bookings.
    pub async fn next(&mut self) -> Step {
        while !self.has_ended {
            let query = BookingsQuery {
                take: Some(self.plan.take()),
                skip: Some(self.plan.skip()),
                ..self.query.clone()
            };
            let (ask, patience) = (&self.ask, &self.patience);
            let page = patience
                .read(PAGE_TIMEOUT_MS, &|abort| ask(query.clone(), abort))
                .await;
            let bookings = match page {
                None => return Step::Stopped,
                Some(Err(error)) => return Step::Failed(error),
                Some(Ok(page)) => match self.plan.take_page(page) {
                    Found::Gap => continue,
                    Found::Some(bookings) => bookings,
                    Found::Last(bookings) => {
                        self.has_ended = true;
                        bookings
                    }
                },
            };
            if !bookings.is_empty() {
                return Step::Page(bookings);
            }
        }
        Step::End
    }
}
