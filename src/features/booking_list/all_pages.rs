//! All bookings of a query, loaded page by page. Respects the rate limit of the service and can be stopped at
//! any time.

mod page_cursor;
mod retry_policy;

use booking_rules::limits::MAX_PAGE_SIZE;
use booking_wire::{Booking, BookingsQuery, Page};

use super::state::list_state::ListContext;
use crate::client::http::LocalFuture;
use crate::client::{Abort, ApiError};

pub use page_cursor::PageCursor;
use page_cursor::PageResult;
pub use retry_policy::{RetryPolicy, retry_delay_ms};

/// Timeout of a page request.
const PAGE_TIMEOUT_MS: u64 = 30_000;

/// Requests one page of a query.
type RequestPage =
    Box<dyn Fn(BookingsQuery, Abort) -> LocalFuture<Result<Page<Booking>, ApiError>>>;

/// Result of [`BookingPages::next`].
#[derive(Debug)]
pub enum NextPage {
    /// New bookings, at least one.
    Page(Vec<Booking>),
    /// Failed request. The next call retries the same page.
    Failed(ApiError),
    /// End of the bookings.
    End,
    /// Stopped by the retry policy.
    Stopped,
}

/// Iterator over the bookings of a query.
pub struct BookingPages {
    request_page: RequestPage,
    query: BookingsQuery,
    cursor: PageCursor,
    retry: RetryPolicy,
    has_ended: bool,
}

impl BookingPages {
    /// Starts at the first booking of `query`; `total` is the number of matches, if known.
    pub fn new(
        request_page: RequestPage,
        query: BookingsQuery,
        total: Option<i64>,
        retry: RetryPolicy,
    ) -> Self {
        Self {
            request_page,
            query,
            cursor: PageCursor::new(MAX_PAGE_SIZE, total),
            retry,
            has_ended: false,
        }
    }

    /// Starts at the first booking of the list's team.
    pub(super) fn of_team(
        context: ListContext,
        query: BookingsQuery,
        total: Option<i64>,
        retry: RetryPolicy,
    ) -> Self {
        let (session, team) = (context.session(), context.team);
        let request_page: RequestPage = Box::new(move |query, abort| {
            let session = session.clone();
            Box::pin(async move { session.team_bookings(team, query, abort).await })
        });
        Self::new(request_page, query, total, retry)
    }

    /// Progress.
    pub fn cursor(&self) -> &PageCursor {
        &self.cursor
    }

    /// Returns the next bookings.
    pub async fn next(&mut self) -> NextPage {
        while !self.has_ended {
            let query = BookingsQuery {
                take: Some(self.cursor.take()),
                skip: Some(self.cursor.skip()),
                ..self.query.clone()
            };
            let (request_page, retry) = (&self.request_page, &self.retry);
            let page = retry
                .read(PAGE_TIMEOUT_MS, &|abort| request_page(query.clone(), abort))
                .await;
            let bookings = match page {
                None => return NextPage::Stopped,
                Some(Err(error)) => return NextPage::Failed(error),
                Some(Ok(page)) => match self.cursor.take_page(page) {
                    PageResult::Gap => continue,
                    PageResult::More(bookings) => bookings,
                    PageResult::Last(bookings) => {
                        self.has_ended = true;
                        bookings
                    }
                },
            };
            if !bookings.is_empty() {
                return NextPage::Page(bookings);
            }
        }
        NextPage::End
    }
}
