//! Webhooks: notify subscribers of events. [`crate::process::worker`] sends the messages.
//!
//! | Module | Contents |
//! |---|---|
//! | [`manage`], [`input`] | use cases of subscriptions; parsing of their bodies |
//! | [`deliveries`] | use cases of deliveries: list and resend |
//! | [`events`] | records events in the transaction of the change |
//! | [`retries_and_limits`] | limits of messages, attempts and concurrency |
//! | [`payload`] | the payload of an event |
//! | [`template`] | templates of bodies |
//! | [`body`] | the body as it is sent: the envelope, or the filled template |
//! | [`signature`] | signatures and header names |
//! | [`message_id`] | ids of messages |
//! | [`meetings`] | records the starts and ends of meetings |
//! | [`http_client`] | restricts deliveries to public addresses |
//! | [`concurrency`] | fair shares of concurrent attempts |
//! | [`attempt`] | one attempt to send a message |
//! | [`switch_off`] | switches off webhooks that fail, or have too many waiting messages |

pub mod input;
pub mod manage;
pub mod retries_and_limits;

pub mod attempt;
pub mod body;
pub mod concurrency;
pub mod deliveries;
pub mod events;
pub mod http_client;
pub mod meetings;
pub mod message_id;
pub mod payload;
pub mod signature;
pub mod switch_off;
pub mod template;
