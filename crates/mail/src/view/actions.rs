//! Links of a message or a page, as buttons and as quiet links at its end.

use serde::Serialize;

use crate::clean;
use crate::input::{PageAction, PageState};
use crate::message::{Links, Role};
use crate::texts::Texts;

/// A link that looks like a button.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Button {
    pub(super) id: &'static str,
    pub(super) label: String,
    pub(super) url: String,
    pub(super) is_primary: bool,
}

/// Links of a message or page, by their look.
#[derive(Clone, Debug, Default)]
pub(crate) struct Actions {
    pub(crate) buttons: Vec<Button>,
    /// Text links at the end: for few recipients, and away from the buttons, against presses by mistake.
    pub(crate) quiet_links: Vec<Button>,
    /// Question before these links; empty unless one of them reschedules or cancels.
    pub(crate) quiet_text: String,
    /// Link of a page that asks whether to cancel or decline, for those who do not want to.
    pub(crate) keep: Option<Button>,
}

/// Returns the links that are present; a page leaves out its own action.
///
/// The first button is the primary one unless it declines, or the page has a form.
pub(crate) fn actions(
    texts: &Texts,
    role: Role,
    links: &Links,
    page: Option<PageState>,
) -> Actions {
    let button = |id, label: &str, url: &Option<String>| {
        let url = clean::web_url(url.as_deref()?)?.to_owned();
        Some(Button {
            id,
            label: label.to_owned(),
            url,
            is_primary: false,
        })
    };
    let manage_label = if role.is_host() {
        &texts.open_booking
    } else {
        &texts.view_booking
    };
    let mut manage = button("manage", manage_label, &links.manage);
    let keep = match page {
        Some(PageState::Question(PageAction::Cancel)) => manage.take().map(|manage| Button {
            label: texts.keep_booking.clone(),
            ..manage
        }),
        Some(PageState::Question(PageAction::Decline)) => manage.take(),
        _ => None,
    };
    let mut found = Actions {
        keep,
        ..Actions::default()
    };
    found
        .buttons
        .extend(button("book_again", &texts.book_again, &links.book_again));
    found
        .buttons
        .extend(button("confirm", &texts.confirm, &links.confirm));
    found
        .buttons
        .extend(button("decline", &texts.decline, &links.decline));
    // A request has one obvious action.
    match links.confirm {
        Some(_) => found.quiet_links.extend(manage),
        None => found.buttons.extend(manage),
    }
    found.quiet_links.extend(
        [
            button("reschedule", &texts.reschedule, &links.reschedule),
            button("cancel", &texts.cancel_booking, &links.cancel),
            button(
                "stop_reminders",
                &texts.stop_reminders,
                &links.stop_reminders,
            ),
        ]
        .into_iter()
        .flatten(),
    );
    let own = match page {
        Some(PageState::Question(action) | PageState::Done(action)) => action.name(),
        Some(PageState::Taken) => PageAction::Confirm.name(),
        _ => "",
    };
    found.buttons.retain(|button| button.id != own);
    found.quiet_links.retain(|link| link.id != own);
    let mut quiet = found.quiet_links.iter();
    if quiet.any(|link| matches!(link.id, "reschedule" | "cancel")) {
        found.quiet_text.clone_from(&texts.cannot_attend);
    }
    let has_form = matches!(page, Some(PageState::Question(_)));
    if let Some(first) = found.buttons.first_mut() {
        first.is_primary = !has_form && first.id != "decline";
    }
    found
}
