//! Query parameters that several operations share, for the OpenAPI document. Use cases read and
//! check the values (see [`crate::validate::Query`]). The attributes take literals only; a test
//! compares them with the limits that apply.

use utoipa::IntoParams;

/// One page of a list.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Paging {
    /// Number of entries; 250 by default.
    #[param(minimum = 1, maximum = 250)]
    pub take: Option<i64>,
    /// Number of entries to skip.
    #[param(minimum = 0)]
    pub skip: Option<i64>,
}
