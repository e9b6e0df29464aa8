//! Channels of messages, and what becomes of a message.

/// Channel of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// E-mail.
    Mail,
    /// Webhooks.
    Webhook,
}

impl Channel {
    pub(super) const ALL: [Self; 2] = [Self::Mail, Self::Webhook];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Mail => "mail",
            Self::Webhook => "webhook",
        }
    }

    /// Outcomes of its messages.
    pub(super) fn outcomes(self) -> &'static [MessageOutcome] {
        match self {
            Self::Mail => &[
                MessageOutcome::Sent,
                MessageOutcome::Retried,
                MessageOutcome::Failed,
                MessageOutcome::Kept,
                MessageOutcome::Suppressed,
            ],
            Self::Webhook => &[
                MessageOutcome::Sent,
                MessageOutcome::Retried,
                MessageOutcome::Failed,
            ],
        }
    }
}

/// Outcome of a message or of an attempt to send it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageOutcome {
    /// Accepted by the receiver.
    Sent,
    /// Attempt failed; another one follows.
    Retried,
    /// Given up.
    Failed,
    /// Not sent without a mail server.
    Kept,
    /// Not sent because of a limit.
    Suppressed,
}

impl MessageOutcome {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Retried => "retried",
            Self::Failed => "failed",
            Self::Kept => "kept",
            Self::Suppressed => "suppressed",
        }
    }
}
