//! Who may call which operation, and what strangers learn.

mod admin;
mod anonymous_callers;
mod existence_disclosure;
mod oauth;
mod privilege_escalation;
mod rules;
