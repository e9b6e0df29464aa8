//! Label, button and event of each booking action.

use super::super::state::action_state::model::ActionKind;
use crate::i18n::{Key, Translations};
use crate::page::team_events::TeamEvent;

/// Event that notifies the page.
pub(super) fn event_of(uid: &str, kind: ActionKind) -> TeamEvent {
    let uid = uid.to_owned();
    let what = match kind {
        ActionKind::Confirm => return TeamEvent::BookingConfirmed { uid },
        ActionKind::Decline => return TeamEvent::BookingDeclined { uid },
        ActionKind::Cancel => return TeamEvent::BookingCancelled { uid },
        ActionKind::MarkAbsent => "absence",
        ActionKind::AddGuests => "guests",
        ActionKind::Relocate => "location",
        ActionKind::Reassign => "host",
        ActionKind::Reschedule => "time",
    };
    TeamEvent::BookingChanged { uid, what }
}

/// Class of the submit button: actions that end a booking look dangerous.
pub(super) fn submit_class(kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::Cancel | ActionKind::Decline => "button-primary button-danger",
        _ => "button-primary",
    }
}

/// Label of an action's button.
pub(super) fn action_label(kind: ActionKind, texts: Translations) -> &'static str {
    texts.get(match kind {
        ActionKind::Confirm => Key::ActConfirm,
        ActionKind::Decline => Key::ActDecline,
        ActionKind::MarkAbsent => Key::ActMarkAbsent,
        ActionKind::Reschedule => Key::Reschedule,
        ActionKind::Reassign => Key::ActReassign,
        ActionKind::Relocate => Key::ActRelocate,
        ActionKind::AddGuests => Key::ActAddGuests,
        ActionKind::Cancel => Key::CancelBooking,
    })
}

/// Selector of an action's button.
pub(super) fn button_selector(kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::Confirm => "[data-act='confirm']",
        ActionKind::Decline => "[data-act='decline']",
        ActionKind::MarkAbsent => "[data-act='absent']",
        ActionKind::Reschedule => "[data-act='reschedule']",
        ActionKind::Reassign => "[data-act='reassign']",
        ActionKind::Relocate => "[data-act='relocate']",
        ActionKind::AddGuests => "[data-act='guests']",
        ActionKind::Cancel => "[data-act='cancel']",
    }
}

/// Value of `data-act` in [`button_selector`].
pub(super) fn button_name(kind: ActionKind) -> &'static str {
    button_selector(kind).split('\'').nth(1).unwrap_or_default()
}
