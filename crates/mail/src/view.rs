//! Values that templates show: what a recipient may see of a booking, in words.

use booking_wire::Instant;
use booking_wire::formats::text_language::direction_of;
use serde::Serialize;

use crate::clean;
use crate::colour::Palette;
use crate::data::{
    BookingData, CodeData, MAX_ANSWERS, MAX_PEOPLE, MissingLocation, Person, SeriesData,
};
use crate::dates::{Dates, Range};
use crate::input::{Branding, PageAction, PageState};
use crate::message::{Kind, Links, Recipient, Role, sees_answers};
use crate::texts::{Catalogue, Texts, fill};

/// Dates of a series in a message.
const MAX_DATES: usize = 150;
/// People in a subject.
const MAX_SUBJECT_NAMES: usize = 2;
/// People in a sentence.
const MAX_SENTENCE_NAMES: usize = 5;
/// Characters of a title or name in a subject.
const MAX_SUBJECT_PART: usize = 60;
/// Characters of a subject.
const MAX_SUBJECT: usize = 200;

/// Variables of a message.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct MessageView {
    pub(crate) kind: &'static str,
    pub(crate) role: &'static str,
    pub(crate) language: &'static str,
    pub(crate) direction: &'static str,
    pub(crate) brand: Brand,
    pub(crate) subject: String,
    /// Text that mail programs show beside the subject.
    pub(crate) preheader: String,
    pub(crate) headline: String,
    pub(crate) intro: String,
    /// Empty in other kinds than a verification code.
    pub(crate) code: String,
    pub(crate) code_hints: Vec<String>,
    pub(crate) facts: Vec<Fact>,
    pub(crate) details: Vec<Fact>,
    pub(crate) buttons: Vec<Button>,
    /// Text links at the end.
    pub(crate) quiet_links: Vec<Button>,
    /// Question before these links; may be empty.
    pub(crate) quiet_text: String,
}

/// Company.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Brand {
    name: String,
    logo: String,
    footer: Vec<String>,
    colour: String,
    text_colour: String,
    link_colour: String,
    link_colour_dark: String,
}

/// A fact of the booking.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Fact {
    id: &'static str,
    label: String,
    lines: Vec<Line>,
    /// True for texts of several lines that a visitor wrote.
    is_quoted: bool,
    /// True for what no longer applies.
    is_former: bool,
}

/// A line of a fact.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Line {
    text: String,
    /// Smaller, behind or below the text; may be empty.
    detail: String,
    /// Empty unless the text is a link.
    url: String,
}

/// A link that looks like a button.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Button {
    id: &'static str,
    label: String,
    url: String,
    is_primary: bool,
}

impl Line {
    fn new(text: String) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }

    fn with_detail(text: String, detail: String) -> Self {
        Self {
            text,
            detail,
            ..Self::default()
        }
    }
}

impl Brand {
    /// `colour` is that of the event type; the company's if it is empty.
    pub(crate) fn new(branding: &Branding, colour: &str) -> Self {
        let palette = Palette::new(if colour.is_empty() {
            &branding.colour
        } else {
            colour
        });
        let logo = branding.logo.trim();
        let is_image = logo.starts_with("data:image/") && !logo.contains(char::is_whitespace);
        Self {
            name: clean::line(&branding.name, clean::MAX_TITLE),
            logo: if is_image {
                logo.to_owned()
            } else {
                String::new()
            },
            footer: clean::lines(&branding.footer, clean::MAX_LONG_TEXT),
            colour: palette.button,
            text_colour: palette.button_text,
            link_colour: palette.link,
            link_colour_dark: palette.link_dark,
        }
    }
}

/// Returns the variables of a message about a booking.
pub(crate) fn booking_message(
    catalogue: &Catalogue,
    kind: Kind,
    booking: &BookingData,
    recipient: &Recipient,
    links: &Links,
    branding: &Branding,
) -> MessageView {
    let view = View::new(catalogue, &recipient.person.language, recipient, booking);
    let (headline, intro) = view.headline(kind);
    let Actions {
        mut buttons,
        quiet_links,
        quiet_text,
        ..
    } = actions(view.texts, recipient.role, links, None);
    if kind == Kind::Reminder
        && booking.is_confirmed
        && let Some(url) = clean::web_url(&booking.location)
    {
        buttons
            .iter_mut()
            .for_each(|button| button.is_primary = false);
        let join = Button {
            id: "join",
            label: view.texts.join.clone(),
            url: url.to_owned(),
            is_primary: true,
        };
        buttons.insert(0, join);
    }
    MessageView {
        kind: kind.name(),
        role: recipient.role.name(),
        language: view.language,
        direction: direction_of(view.language),
        brand: Brand::new(branding, &booking.colour),
        preheader: view.preheader(kind),
        subject: view.subject(&headline),
        headline,
        intro,
        code: String::new(),
        code_hints: Vec::new(),
        facts: view.facts(kind),
        details: view.details(),
        buttons,
        quiet_links,
        quiet_text,
    }
}

/// Returns the variables of a message with a code.
pub(crate) fn code_message(
    catalogue: &Catalogue,
    kind: Kind,
    data: &CodeData,
    recipient: &Recipient,
    branding: &Branding,
) -> MessageView {
    let (language, texts) = catalogue.get(&recipient.person.language);
    let code = clean::line(&data.code, MAX_SUBJECT_PART);
    let valid = fill(
        &texts.code_valid,
        &[("count", &data.valid_minutes.to_string())],
    );
    MessageView {
        kind: kind.name(),
        role: recipient.role.name(),
        language,
        direction: direction_of(language),
        brand: Brand::new(branding, ""),
        preheader: texts.code_text.clone(),
        subject: fill(&texts.code_subject, &[("code", &code)]),
        headline: texts.verification_code.clone(),
        intro: texts.code_text.clone(),
        code,
        code_hints: vec![valid, texts.code_ignore.clone()],
        facts: Vec::new(),
        details: Vec::new(),
        buttons: Vec::new(),
        quiet_links: Vec::new(),
        quiet_text: String::new(),
    }
}

/// Links of a message or page, by their look.
#[derive(Clone, Debug, Default)]
pub(crate) struct Actions {
    pub(crate) buttons: Vec<Button>,
    /// Text links at the end: what few recipients want, and nobody should press by mistake.
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

/// Returns true if the address of a person is among `emails`.
fn is_among(person: &Person, emails: &[String]) -> bool {
    let mut emails = emails.iter();
    emails.any(|email| email.eq_ignore_ascii_case(&person.email))
}

/// A booking as one recipient sees it.
pub(crate) struct View<'a> {
    language: &'static str,
    texts: &'a Texts,
    dates: Dates,
    role: Role,
    person: &'a Person,
    booking: &'a BookingData,
}

impl<'a> View<'a> {
    pub(crate) fn new(
        catalogue: &'a Catalogue,
        tag: &str,
        recipient: &'a Recipient,
        booking: &'a BookingData,
    ) -> Self {
        let person = &recipient.person;
        let (language, texts) = catalogue.get(tag);
        Self {
            language,
            texts,
            dates: Dates::new(language, tag, &person.time_zone, person.has_24_hours),
            role: recipient.role,
            person,
            booking,
        }
    }

    fn is_host(&self) -> bool {
        self.role.is_host()
    }

    /// True if the recipient must not learn of other attendees.
    fn sees_no_others(&self) -> bool {
        self.booking.hides_attendees && !self.is_host()
    }

    fn is_recipient(&self, person: &Person) -> bool {
        person.email.eq_ignore_ascii_case(&self.person.email)
    }

    /// Returns the subject and the first sentence of a kind of message.
    fn headline(&self, kind: Kind) -> (String, String) {
        let texts = self.texts;
        let (headline, intro) = match (kind, self.role) {
            (Kind::Booked, Role::Attendee) => (&texts.booked, self.when_text(&texts.booked_text)),
            (Kind::Booked, Role::Guest) => (&texts.invited, texts.invited_text.clone()),
            (Kind::Booked, _) => (&texts.new_booking, self.new_booking_text()),
            (Kind::Requested, Role::Attendee) => (&texts.requested, self.requested_text()),
            (Kind::Requested, Role::Guest) => (&texts.invited, self.requested_text()),
            (Kind::Requested, _) => (&texts.new_request, self.new_request_text()),
            (Kind::Confirmed | Kind::Rescheduled | Kind::HostReassigned, Role::FormerHost) => (
                &texts.assigned_to_other,
                texts.assigned_to_other_text.clone(),
            ),
            (Kind::Confirmed, _) => (&texts.confirmed, self.when_text(&texts.confirmed_text)),
            (Kind::Declined, _) => (&texts.declined, texts.declined_text.clone()),
            (Kind::Rescheduled, Role::Host) if self.is_new_host() => self.new_host_headline(),
            (Kind::Rescheduled, _) => (self.rescheduled(), self.rescheduled_text()),
            (Kind::ClocksChanged, _) => (&texts.clocks_changed, self.clocks_changed_text()),
            (Kind::Cancelled, Role::Host) if self.takes_place_with_others() => {
                (&texts.place_cancelled, self.place_cancelled_text())
            }
            // The meeting may take place with the others.
            (Kind::Cancelled, _) if self.person.seat_uid.is_some() => {
                (&texts.cancelled, String::new())
            }
            (Kind::Cancelled, _) => (&texts.cancelled, texts.no_meeting_text.clone()),
            (Kind::LocationChanged, _) => {
                (&texts.location_changed, texts.location_changed_text.clone())
            }
            (Kind::GuestsAdded, Role::Guest | Role::Attendee) if self.is_new_guest() => {
                (&texts.invited, texts.invited_text.clone())
            }
            (Kind::GuestsAdded, _) => (&texts.guests_added, texts.guests_added_text.clone()),
            (Kind::HostReassigned, Role::Host) if self.is_new_host() => self.new_host_headline(),
            (Kind::HostReassigned, Role::Host) => {
                (&texts.hosts_changed, texts.hosts_changed_text.clone())
            }
            (Kind::HostReassigned, _) => {
                let names: Vec<String> = self
                    .names(&self.booking.hosts, MAX_SENTENCE_NAMES)
                    .iter()
                    .map(|name| clean::name_in_sentence(name))
                    .collect();
                let names = self.joined(&names);
                (
                    &texts.host_changed,
                    fill(&texts.host_changed_text, &[("names", &names)]),
                )
            }
            (Kind::Reminder, _) => (&texts.reminder, texts.reminder_text.clone()),
            (Kind::VerificationCode, _) => (&texts.verification_code, texts.code_text.clone()),
        };
        (headline.clone(), intro)
    }

    /// Subject and first sentence for a host who was none before.
    fn new_host_headline(&self) -> (&String, String) {
        let texts = self.texts;
        if self.booking.is_confirmed {
            (&texts.assigned_to_you, texts.assigned_to_you_text.clone())
        } else {
            (&texts.new_request, self.new_request_text())
        }
    }

    /// A host may have to confirm the new time.
    fn rescheduled(&self) -> &'a String {
        match (self.booking.is_confirmed, self.is_host()) {
            (true, _) => &self.texts.rescheduled,
            (false, true) => &self.texts.move_to_confirm,
            (false, false) => &self.texts.move_requested,
        }
    }

    /// Names the recipient's time zone if its rules have changed, or else the first one whose rules have.
    fn clocks_changed_text(&self) -> String {
        let booking = self.booking;
        let own = &self.person.time_zone;
        let zone = if booking.told_offsets.contains_key(own) {
            Some(own)
        } else {
            booking.told_offsets.keys().next()
        };
        let zone = zone.map(|name| self.dates.with_zone(name).zone(booking.start).0);
        let text = if booking.previous_time.is_some() {
            &self.texts.clocks_moved_text
        } else {
            &self.texts.clocks_changed_text
        };
        fill(text, &[("zone", &zone.unwrap_or_default())])
    }

    /// Time that the recipient was told before, if clocks showed another one than at the present time.
    fn former_time(&self, kind: Kind) -> Option<Vec<Line>> {
        let booking = self.booking;
        match kind {
            // Otherwise the first sentence names both.
            Kind::Rescheduled if !dates_of(booking).is_empty() => {
                let (start, end) = booking.previous_time?;
                Some(self.range(start, end))
            }
            Kind::ClocksChanged if dates_of(booking).is_empty() => {
                let (start, end) = booking
                    .previous_time
                    .unwrap_or((booking.start, booking.end));
                let told_s = booking.told_offsets.get(&self.person.time_zone);
                let shift_ms =
                    told_s.map_or(0, |told_s| (told_s - self.dates.offset_s(start)) * 1000);
                let told = |instant: Instant| Instant(instant.0.saturating_add(shift_ms));
                let lines = self.range(told(start), told(end));
                (lines != self.range(booking.start, booking.end)).then_some(lines)
            }
            _ => None,
        }
    }

    /// A host may have to confirm the new time.
    fn rescheduled_text(&self) -> String {
        let text = self.moved_text();
        if self.booking.is_confirmed {
            return text;
        }
        let next = if self.is_host() {
            self.texts.please_confirm.clone()
        } else {
            self.requested_text()
        };
        let has_spaces = !matches!(self.language, "ja" | "zh-CN");
        [text.as_str(), next.as_str()].join(if has_spaces { " " } else { "" })
    }

    /// Both times of a booking that was moved.
    fn moved_text(&self) -> String {
        let texts = self.texts;
        match self.booking.previous_time {
            Some((from, _)) if dates_of(self.booking).is_empty() => {
                let [from, to] = [from, self.booking.start].map(|start| {
                    self.day_and_time(&self.dates.short_day(start), &self.dates.time(start))
                });
                fill(&texts.rescheduled_text, &[("from", &from), ("to", &to)])
            }
            _ => texts.rescheduled_text_plain.clone(),
        }
    }

    /// Fills in the start; of a series, refers to the dates below.
    fn when_text(&self, text: &str) -> String {
        if dates_of(self.booking).is_empty() {
            fill(text, &[("when", &self.start())])
        } else {
            self.texts.all_dates_text.clone()
        }
    }

    /// Long date and time of the start.
    fn start(&self) -> String {
        let start = self.booking.start;
        self.day_and_time(&self.dates.long_day(start), &self.dates.time(start))
    }

    /// Name of the only person who booked. Sentences have their verb in the singular.
    fn booker(&self) -> Option<String> {
        let [attendee] = self.booking.attendees.as_slice() else {
            return None;
        };
        let name = clean::line(&attendee.name, clean::MAX_NAME);
        let name = clean::name_in_sentence(&name);
        (!name.is_empty()).then_some(name)
    }

    fn new_booking_text(&self) -> String {
        let texts = self.texts;
        let what = clean::line(&self.booking.event_type, MAX_SUBJECT_PART);
        let what = clean::name_in_sentence(&what);
        match self.booker() {
            Some(names) if !what.is_empty() => fill(
                &texts.new_booking_text,
                &[("names", &names), ("what", &what)],
            ),
            _ => texts.new_booking_text_plain.clone(),
        }
    }

    fn new_request_text(&self) -> String {
        let texts = self.texts;
        match self.booker() {
            Some(names) if dates_of(self.booking).is_empty() => fill(
                &texts.new_request_text,
                &[("names", &names), ("when", &self.start())],
            ),
            _ => texts.new_request_text_plain.clone(),
        }
    }

    fn requested_text(&self) -> String {
        match self.names(&self.booking.hosts, 2).as_slice() {
            // The sentence has its verb in the singular in several languages.
            [name] => fill(
                &self.texts.requested_text,
                &[("names", &clean::name_in_sentence(name))],
            ),
            _ => self.texts.requested_text_plain.clone(),
        }
    }

    /// Returns true if a place was cancelled, and others keep theirs.
    fn takes_place_with_others(&self) -> bool {
        !self.booking.remaining_attendees.is_empty()
    }

    fn place_cancelled_text(&self) -> String {
        let names = self.names(&self.booking.attendees, MAX_SENTENCE_NAMES);
        let names = clean::name_in_sentence(&self.joined(&names));
        fill(&self.texts.place_cancelled_text, &[("names", &names)])
    }

    fn is_new_guest(&self) -> bool {
        is_among(self.person, &self.booking.new_guests)
    }

    fn is_new_host(&self) -> bool {
        is_among(self.person, &self.booking.new_hosts)
    }

    /// Time and location, or else what has happened.
    fn preheader(&self, kind: Kind) -> String {
        let booking = self.booking;
        let is_over = matches!(kind, Kind::Cancelled | Kind::Declined);
        if is_over || !dates_of(booking).is_empty() {
            let (headline, intro) = self.headline(kind);
            return if intro.is_empty() { headline } else { intro };
        }
        let start = booking.start;
        let when = self.day_and_time(&self.dates.short_day(start), &self.dates.time(start));
        let place = self.place(is_over).map(|line| line.text);
        let parts = [Some(when), place].into_iter().flatten();
        parts.collect::<Vec<_>>().join(" · ")
    }

    /// Status, meeting, person on the other side, and time.
    fn subject(&self, status: &str) -> String {
        let booking = self.booking;
        let others = if self.is_host() {
            &booking.attendees
        } else {
            &booking.hosts
        };
        let mut names: Vec<String> = self.names(others, MAX_SUBJECT_NAMES);
        for name in &mut names {
            *name = clean::line(name, MAX_SUBJECT_PART);
        }
        let mut who = self.joined(&names);
        let more = others.len().saturating_sub(MAX_SUBJECT_NAMES);
        if others.len() > MAX_PEOPLE {
            who.push('…');
        } else if more > 0 {
            who = format!("{who} +{more}");
        }
        let title = if booking.event_type.is_empty() {
            self.title()
        } else {
            booking.event_type.clone()
        };
        let mut what = clean::line(&title, MAX_SUBJECT_PART);
        if what.is_empty() {
            what.clone_from(&self.texts.meeting);
        }
        let start = dates_of(booking).first().copied().unwrap_or(booking.start);
        let when = self.day_and_time(&self.dates.short_day(start), &self.dates.time(start));
        let pattern = if who.is_empty() {
            &self.texts.subject_without_who
        } else {
            &self.texts.subject
        };
        let values = [
            ("status", status),
            ("what", &what),
            ("who", &who),
            ("when", &when),
        ];
        clean::line(&fill(pattern, &values), MAX_SUBJECT)
    }

    /// Title of the booking; often it has the name of an attendee.
    fn title(&self) -> String {
        let booking = self.booking;
        let title = if self.sees_no_others() || booking.title.is_empty() {
            &booking.event_type
        } else {
            &booking.title
        };
        let title = clean::line(title, clean::MAX_TITLE);
        if title.is_empty() {
            self.texts.meeting.clone()
        } else {
            title
        }
    }

    /// Facts above the buttons.
    pub(crate) fn facts(&self, kind: Kind) -> Vec<Fact> {
        let (booking, texts) = (self.booking, self.texts);
        let mut facts = vec![fact("what", &texts.what, vec![Line::new(self.title())])];
        let is_over = matches!(kind, Kind::Cancelled | Kind::Declined)
            && !(self.is_host() && self.takes_place_with_others());
        facts.push(Fact {
            is_former: is_over,
            ..self.when()
        });
        if let Some(lines) = self.former_time(kind) {
            facts.push(Fact {
                is_former: true,
                ..fact("former_time", &texts.former_time, lines)
            });
        }
        let location = self.place(is_over).into_iter().collect();
        facts.push(fact("where", &texts.place, location));
        if kind == Kind::LocationChanged
            && let Some(line) = booking.previous_location.as_deref().and_then(place)
        {
            // People must not go to it by mistake.
            let line = Line {
                url: String::new(),
                ..line
            };
            facts.push(Fact {
                is_former: true,
                ..fact("former_location", &texts.former_location, vec![line])
            });
        }
        facts.push(fact("who", &texts.who, self.participants()));
        facts.extend(self.guests(kind));
        let reason = booking.reason.as_deref().unwrap_or_default();
        facts.extend(quoted(
            "reason",
            &texts.reason,
            reason,
            clean::MAX_LONG_TEXT,
        ));
        facts.retain(|fact| !fact.lines.is_empty());
        facts
    }

    /// Location, or words for one that is missing. The link of a meeting that is over leads nowhere, and that of a
    /// request is for later.
    fn place(&self, is_over: bool) -> Option<Line> {
        let Some(line) = place(&self.booking.location) else {
            return self.missing_place(is_over);
        };
        if line.url.is_empty() {
            return Some(line);
        }
        if is_over {
            return None;
        }
        let is_early = !self.booking.is_confirmed && self.role == Role::Attendee;
        let later = || self.video_call(&self.texts.video_link_on_page);
        Some(if is_early { later() } else { line })
    }

    fn video_call(&self, detail: &str) -> Line {
        Line::with_detail(self.texts.video_call.clone(), detail.to_owned())
    }

    /// Words for a location that is missing; none if the reason is not known.
    fn missing_place(&self, is_over: bool) -> Option<Line> {
        let texts = self.texts;
        let line = match self.booking.missing_location? {
            MissingLocation::Unset => Line::new(texts.location_unset.clone()),
            MissingLocation::Withheld => Line::new(texts.location_withheld.clone()),
            MissingLocation::VideoCall => {
                let detail = match self.role {
                    _ if is_over => "",
                    Role::Attendee => &*texts.video_link_on_page,
                    // They have no such page.
                    Role::Guest | Role::Host | Role::FormerHost => &*texts.video_link_missing,
                };
                self.video_call(detail)
            }
        };
        Some(line)
    }

    /// Returns true if notes, answers and guests may be those of people whom the recipient does not see.
    fn may_be_of_hidden_people(&self) -> bool {
        let booking = self.booking;
        let mut people = booking.attendees.iter().chain(&booking.remaining_attendees);
        self.sees_no_others() && people.any(|person| !self.is_recipient(person))
    }

    /// Notes and answers of the person who booked.
    pub(crate) fn details(&self) -> Vec<Fact> {
        let booking = self.booking;
        // They are those of another attendee, or one cannot know of whom.
        if self.may_be_of_hidden_people() {
            return Vec::new();
        }
        let max = if sees_answers(self.role, self.person, booking) {
            MAX_ANSWERS
        } else {
            0
        };
        let answers = booking.answers.iter().take(max);
        quoted(
            "notes",
            &self.texts.notes,
            &booking.notes,
            clean::MAX_LONG_TEXT,
        )
        .into_iter()
        .chain(answers.filter_map(|(label, value)| {
            quoted(
                "answer",
                &clean::line(label, clean::MAX_TITLE),
                value,
                clean::MAX_SHORT_TEXT,
            )
        }))
        .collect()
    }

    fn when(&self) -> Fact {
        let booking = self.booking;
        let starts = dates_of(booking);
        if starts.len() <= 1 {
            let mut lines = self.range(booking.start, booking.end);
            let (zone, offset) = self.dates.zone(booking.start);
            let zone = if offset.is_empty() {
                zone
            } else {
                self.joined(&[zone, offset])
            };
            lines.push(Line::with_detail(String::new(), zone));
            let elsewhere = self.time_elsewhere();
            lines.extend(elsewhere.map(|text| Line::with_detail(String::new(), text)));
            return fact("when", &self.texts.when, lines);
        }
        let length = booking.end.0.saturating_sub(booking.start.0);
        let mut lines: Vec<Line> = starts
            .iter()
            .take(MAX_DATES)
            .map(|start| {
                let end = Instant(start.0.saturating_add(length));
                match self.dates.range(*start, end) {
                    Range::OneDay { day: _, times } => {
                        Line::new(self.day_and_time(&self.dates.short_day(*start), &times))
                    }
                    Range::Days { start, end } => Line::new(self.over_midnight(&start, &end)),
                }
            })
            .collect();
        if starts.len() > MAX_DATES {
            lines.push(Line::new("…".to_owned()));
        }
        // The offset can differ from date to date.
        let first = starts.first().copied().unwrap_or(booking.start);
        lines.push(Line::with_detail(String::new(), self.dates.zone(first).0));
        fact("dates", &self.texts.series_dates, lines)
    }

    /// Time on the clock of the other side, if it is another one: of the first host, or for hosts of the attendee.
    pub(crate) fn time_elsewhere(&self) -> Option<String> {
        let booking = self.booking;
        let other = match self.is_host() {
            false => booking.hosts.first(),
            true if booking.attendees.len() == 1 => booking.attendees.first(),
            true => None,
        }?;
        let start = booking.start;
        let dates = self.dates.with_zone(&other.time_zone);
        if other.time_zone.is_empty() || dates.offset_s(start) == self.dates.offset_s(start) {
            return None;
        }
        let city = dates.city(start)?;
        let time = match dates.short_day(start) == self.dates.short_day(start) {
            true => dates.time(start),
            false => self.day_and_time(&dates.short_day(start), &dates.time(start)),
        };
        let values = [("time", &*time), ("city", &*city)];
        Some(fill(&self.texts.time_elsewhere, &values))
    }

    fn range(&self, start: Instant, end: Instant) -> Vec<Line> {
        match self.dates.range(start, end) {
            Range::OneDay { day, times } => vec![Line::new(day), Line::new(times)],
            Range::Days { start, end } => {
                let [start, end] = [start, end].map(|(day, time)| self.day_and_time(&day, &time));
                vec![Line::new(format!("{start} –")), Line::new(end)]
            }
        }
    }

    fn over_midnight(&self, start: &(String, String), end: &(String, String)) -> String {
        let [start, end] = [start, end].map(|(day, time)| self.day_and_time(day, time));
        format!("{start} – {end}")
    }

    fn day_and_time(&self, day: &str, time: &str) -> String {
        fill(&self.texts.date_and_time, &[("day", day), ("time", time)])
    }

    /// Hosts, then attendees.
    fn participants(&self) -> Vec<Line> {
        let booking = self.booking;
        let hosts = booking.hosts.iter().take(MAX_PEOPLE).map(|host| {
            let name = self.name(host);
            let email = if self.role.sees_host_addresses(self.booking) {
                email_of(host)
            } else {
                String::new()
            };
            if name == self.texts.host {
                return Line::new(name);
            }
            let detail = if name == email { String::new() } else { email };
            Line::with_detail(fill(&self.texts.host_named, &[("name", &name)]), detail)
        });
        let attendees = if self.is_host() && self.takes_place_with_others() {
            &booking.remaining_attendees
        } else {
            &booking.attendees
        };
        let attendees = attendees
            .iter()
            .filter(|person| !self.sees_no_others() || self.is_recipient(person))
            .take(MAX_PEOPLE)
            .map(|person| {
                let name = self.name(person);
                let email = email_of(person);
                let is_shown = self.is_host() && name != email;
                Line::with_detail(name, if is_shown { email } else { String::new() })
            });
        let mut lines: Vec<Line> = hosts
            .chain(attendees)
            .filter(|line| !line.text.is_empty())
            .collect();
        if booking.attendees.len() > MAX_PEOPLE && !self.sees_no_others() {
            lines.push(Line::new("…".to_owned()));
        }
        lines
    }

    fn guests(&self, kind: Kind) -> Vec<Fact> {
        let booking = self.booking;
        if self.may_be_of_hidden_people() {
            return Vec::new();
        }
        let is_new =
            |person: &Person| kind == Kind::GuestsAdded && is_among(person, &booking.new_guests);
        let lines = |new: bool| {
            // All attendees are among the participants; new ones are named here, too.
            let attendees = (booking.attendees.iter())
                .filter(|_| new)
                .map(|person| (person, self.is_host()));
            let guests = booking.guests.iter().map(|person| (person, true));
            let mut lines: Vec<Line> = attendees
                .chain(guests)
                .filter(|(person, _)| is_new(person) == new)
                .take(MAX_PEOPLE + 1)
                .map(|(person, has_email)| {
                    let (name, email) = (self.name(person), email_of(person));
                    let is_shown = has_email && name != email;
                    Line::with_detail(name, if is_shown { email } else { String::new() })
                })
                .filter(|line| !line.text.is_empty())
                .collect();
            if lines.len() > MAX_PEOPLE {
                lines.truncate(MAX_PEOPLE);
                lines.push(Line::new("…".to_owned()));
            }
            lines
        };
        vec![
            fact("new_guests", &self.texts.new_guests, lines(true)),
            fact("guests", &self.texts.guests, lines(false)),
        ]
    }

    /// Name, or the address if there is none. A host whose address is hidden is “Host”.
    fn name(&self, person: &Person) -> String {
        let name = clean::line(&person.name, clean::MAX_NAME);
        if !name.is_empty() {
            return name;
        }
        let is_host = self.booking.hosts.iter().any(|host| host == person);
        if is_host && !self.role.sees_host_addresses(self.booking) {
            return self.texts.host.clone();
        }
        email_of(person)
    }

    fn names(&self, people: &[Person], max: usize) -> Vec<String> {
        let names = people.iter().take(max).map(|person| self.name(person));
        names.filter(|name| !name.is_empty()).collect()
    }

    fn joined(&self, names: &[String]) -> String {
        let mut names = names.iter();
        let first = names.next().cloned().unwrap_or_default();
        names.fold(first, |joined, name| {
            fill(
                &self.texts.two_items,
                &[("first", &joined), ("second", name)],
            )
        })
    }
}

/// Starts of a series; none of a single booking.
pub(crate) fn dates_of(booking: &BookingData) -> &[Instant] {
    let starts = |series: &'_ SeriesData| series.starts.len() > 1;
    match &booking.series {
        Some(series) if starts(series) => &series.starts,
        _ => &[],
    }
}

fn email_of(person: &Person) -> String {
    clean::line(&person.email, clean::MAX_EMAIL)
}

fn place(location: &str) -> Option<Line> {
    let text = match clean::web_url(location) {
        Some(url) => {
            return Some(Line {
                text: url.to_owned(),
                url: url.to_owned(),
                ..Line::default()
            });
        }
        None => clean::line(location, clean::MAX_SHORT_TEXT),
    };
    (!text.is_empty()).then(|| Line::new(text))
}

fn fact(id: &'static str, label: &str, lines: Vec<Line>) -> Fact {
    Fact {
        id,
        label: label.to_owned(),
        lines,
        is_quoted: false,
        is_former: false,
    }
}

fn quoted(id: &'static str, label: &str, text: &str, max: usize) -> Option<Fact> {
    let lines: Vec<Line> = clean::lines(text, max).into_iter().map(Line::new).collect();
    (!lines.is_empty()).then(|| Fact {
        is_quoted: true,
        ..fact(id, label, lines)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::MessageData;
    use crate::samples::Sample;

    #[test]
    fn new_time_of_request_has_to_be_confirmed() {
        let catalogue = Catalogue::new(&[]).unwrap();
        let sample = Sample::full("ja", "Asia/Tokyo");
        let MessageData::Booking(booking) = &sample.booking else {
            panic!("a booking")
        };
        let intro = |is_confirmed: bool, recipient: usize| {
            let booking = BookingData {
                is_confirmed,
                ..(**booking).clone()
            };
            let recipient = &sample.recipients[recipient];
            let links = &sample.links;
            booking_message(
                &catalogue,
                Kind::Rescheduled,
                &booking,
                recipient,
                links,
                &sample.branding,
            )
            .intro
        };
        let moved = "2027/03/08(月) 22:00から2027/03/09(火) 17:30に変わりました。";
        assert_eq!(intro(true, 0), moved);
        assert_eq!(
            intro(false, 0),
            format!("{moved}Grace Hopperが承認または辞退します。")
        );
        assert_eq!(
            intro(false, 2),
            format!("{moved}承認または辞退してください。")
        );
    }

    #[test]
    fn cancelled_seat_does_not_say_that_meeting_is_off() {
        let catalogue = Catalogue::new(&[]).unwrap();
        let mut sample = Sample::full("en", "UTC");
        sample.recipients[0].person.seat_uid = Some("seat".to_owned());
        let MessageData::Booking(booking) = &sample.booking else {
            panic!("a booking")
        };
        let recipient = &sample.recipients[0];
        let message = booking_message(
            &catalogue,
            Kind::Cancelled,
            booking,
            recipient,
            &sample.links,
            &sample.branding,
        );
        assert_eq!(
            (&*message.headline, &*message.intro),
            ("Booking cancelled", "")
        );
    }
}
