//! Property test: status filters and pages agree with a naive filter over random bookings.

use booking_service::store::Subject;
use booking_service::store::bookings::list::{self, Filter};
use booking_service::store::bookings::scope::BookingScope;
use booking_store_engine::sql;
use booking_wire::{
    BookingStatus, BookingsQuery, Instant, OwnBookingsQuery, Pagination, SortOrder, StatusFilter,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::common::{NOW, Service};

/// A booking of the naive filter, in minutes relative to the current instant.
#[derive(Clone, Debug)]
struct Sample {
    start: i64,
    minutes: i64,
    status: BookingStatus,
    is_of_series: bool,
}

impl Sample {
    fn end(&self) -> i64 {
        self.start + self.minutes
    }

    /// The status filters of Cal.com's interface.
    fn matches(&self, filter: StatusFilter) -> bool {
        let is_cancelled = matches!(
            self.status,
            BookingStatus::Cancelled | BookingStatus::Rejected
        );
        match filter {
            StatusFilter::Upcoming if self.is_of_series => {
                self.end() >= 0 && self.status == BookingStatus::Accepted
            }
            StatusFilter::Upcoming => self.end() >= 0 && !is_cancelled,
            StatusFilter::Recurring => self.end() >= 0 && self.is_of_series && !is_cancelled,
            StatusFilter::Past => self.end() <= 0 && !is_cancelled,
            StatusFilter::Cancelled => is_cancelled,
            StatusFilter::Unconfirmed => self.end() >= 0 && self.status == BookingStatus::Pending,
        }
    }
}

fn samples() -> impl Strategy<Value = Vec<Sample>> {
    let status = prop_oneof![
        4 => Just(BookingStatus::Accepted),
        2 => Just(BookingStatus::Pending),
        1 => Just(BookingStatus::Cancelled),
        1 => Just(BookingStatus::Rejected),
        1 => Just(BookingStatus::AwaitingHost),
    ];
    let sample = (-3_i64..3, 1_i64..4, status, any::<bool>()).prop_map(
        |(start, minutes, status, is_of_series)| Sample {
            start,
            minutes,
            status,
            is_of_series,
        },
    );
    prop::collection::vec(sample, 0..40)
}

#[derive(Clone, Debug)]
struct ListParams {
    statuses: Vec<StatusFilter>,
    order: Option<SortOrder>,
    take: i64,
    skip: i64,
}

fn param_sets() -> impl Strategy<Value = ListParams> {
    let statuses = prop::sample::subsequence(StatusFilter::ALL.to_vec(), 0..3);
    let order = prop::option::of(prop_oneof![Just(SortOrder::Asc), Just(SortOrder::Desc)]);
    (statuses, order, 1_i64..15, 0_i64..45).prop_map(|(statuses, order, take, skip)| ListParams {
        statuses,
        order,
        take,
        skip,
    })
}

/// Indices (in the order of the ids) of the bookings on the page, and the total.
fn naive_page(samples: &[Sample], params: &ListParams) -> (Vec<usize>, i64) {
    let mut matching: Vec<usize> = (0..samples.len())
        .filter(|index| {
            params.statuses.is_empty()
                || params
                    .statuses
                    .iter()
                    .any(|filter| samples[*index].matches(*filter))
        })
        .collect();
    let descending = match params.order {
        Some(order) => order == SortOrder::Desc,
        None => matches!(
            params.statuses.as_slice(),
            [StatusFilter::Past | StatusFilter::Cancelled]
        ),
    };
    matching.sort_by_key(|index| (samples[*index].start, *index));
    if descending {
        matching.reverse();
    }
    let total = matching.len() as i64;
    let page = matching
        .into_iter()
        .skip(params.skip as usize)
        .take(params.take as usize)
        .collect();
    (page, total)
}

#[test]
fn list_equals_naive_filter() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let service = runtime.block_on(Service::start());
    let config = Config {
        cases: 40,
        failure_persistence: None,
        ..Config::default()
    };
    let mut runner = TestRunner::new(config);
    let cases = (samples(), prop::collection::vec(param_sets(), 12));
    runner
        .run(&cases, |(samples, param_sets)| {
            runtime.block_on(check(&service, &samples, &param_sets));
            Ok(())
        })
        .unwrap();
}

async fn check(service: &Service, samples: &[Sample], param_sets: &[ListParams]) {
    let now = Instant::parse(NOW).unwrap();
    let mut transaction = service.app.store.begin(&[Subject::Rows]).await.unwrap();
    sql::query("DELETE FROM bookings")
        .execute(&mut transaction)
        .await
        .unwrap();
    for (index, sample) in samples.iter().enumerate() {
        sql::query(
            "INSERT INTO bookings (uid, series_uid, team_id, title, status, start_ms, end_ms, created_ms, updated_ms)
             VALUES (?, ?, 1, '', ?, ?, ?, 0, 0)",
        )
        .bind(format!("s{index}"))
        .bind(sample.is_of_series.then_some("series"))
        .bind(sample.status.as_str())
        .bind(now.plus_minutes(sample.start).0)
        .bind(now.plus_minutes(sample.end()).0)
        .execute(&mut transaction)
        .await
        .unwrap();
    }
    for params in param_sets {
        let list = BookingsQuery {
            status: params.statuses.clone(),
            sort_start: params.order,
            take: Some(params.take),
            skip: Some(params.skip),
            ..BookingsQuery::default()
        };
        let filter = Filter {
            query: OwnBookingsQuery {
                list,
                ..OwnBookingsQuery::default()
            },
            event_types: Vec::new(),
        };
        let (found, pagination) =
            list::page(&mut transaction, &BookingScope::Team(1), &filter, now)
                .await
                .unwrap();
        let (page, total) = naive_page(samples, params);
        let found: Vec<String> = found.into_iter().map(|booking| booking.uid.0).collect();
        let expected: Vec<String> = page.iter().map(|index| format!("s{index}")).collect();
        assert_eq!(found, expected, "{params:?} {samples:?}");
        check_pagination(pagination, total, params, found.len() as i64);
    }
    transaction.rollback().await.unwrap();
}

/// The formulas of `pagination` and their consequences.
fn check_pagination(pagination: Pagination, total: i64, params: &ListParams, returned: i64) {
    let (take, skip) = (params.take, params.skip.min(total));
    let pages = (total + take - 1) / take;
    assert_eq!(
        pagination,
        Pagination {
            total_items: total,
            items_per_page: take,
            returned_items: (total - skip).clamp(0, take),
            remaining_items: (total - (skip + take)).clamp(0, total),
            total_pages: pages,
            current_page: (skip / take + 1).clamp(1, pages.max(1)),
            has_next_page: skip + take < total,
            has_previous_page: skip > 0,
        },
        "{params:?} of {total}"
    );
    assert_eq!(pagination.returned_items, returned);
    assert_eq!(skip + returned + pagination.remaining_items, total);
}
