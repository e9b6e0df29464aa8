//! Access to each operation, and information that strangers get.

mod admin;
mod anonymous_callers;
mod existence_disclosure;
mod oauth;
mod privilege_escalation;
mod rules;
