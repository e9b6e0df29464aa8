//! Iterates over all matching bookings page by page. Respects the rate limit of the service and can be
//! stopped at any time.

mod page_plan;
mod retry_policy;

use booking_wire::{Booking, BookingsQuery, Page};

use super::list_state::List;
use super::model::LARGEST_PAGE;
use crate::client::http::LocalFuture;
use crate::client::{Abort, ApiError};

use page_plan::Found;
pub use page_plan::Plan;
pub use retry_policy::{RetryPolicy, pause_ms};

/// Timeout of a page request.
const PAGE_TIMEOUT_MS: u64 = 30_000;

/// Requests one page of a query.
type Ask = Box<dyn Fn(BookingsQuery, Abort) -> LocalFuture<Result<Page<Booking>, ApiError>>>;

/// Result of a step.
#[derive(Debug)]
pub enum Step {
    /// New bookings, at least one.
    Page(Vec<Booking>),
    /// Failed request. The next step retries the same page.
    Failed(ApiError),
    /// End of the bookings.
    End,
    /// The walk was stopped.
    Stopped,
}

/// Iterator over the bookings of a query.
pub struct Walk {
    ask: Ask,
    query: BookingsQuery,
    plan: Plan,
    patience: RetryPolicy,
    has_ended: bool,
}

impl Walk {
    /// Starts at the first booking of `query`; `total` is the number of matches, if known.
    pub fn new(ask: Ask, query: BookingsQuery, total: Option<i64>, patience: RetryPolicy) -> Self {
        Self {
            ask,
            query,
            plan: Plan::new(LARGEST_PAGE, total),
            patience,
            has_ended: false,
        }
    }

    /// Starts at the first booking of `list`'s team.
    pub(super) fn over(
        list: List,
        query: BookingsQuery,
        total: Option<i64>,
        patience: RetryPolicy,
    ) -> Self {
        let (session, team) = (list.session(), list.team());
        let ask: Ask = Box::new(move |query, abort| {
            let session = session.clone();
            Box::pin(async move { session.team_bookings(team, query, abort).await })
        });
        Self::new(ask, query, total, patience)
    }

    /// Progress of the walk.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the next bookings.
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
