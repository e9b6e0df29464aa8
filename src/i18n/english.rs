//! The English catalogue. Placeholders stand in braces.
//!
//! A sentence that counts is written `Seats => one "{count} seat", other "{count} seats"`. The other
//! languages are files beside this one, with the same names and placeholders.

macro_rules! catalogue {
    ($($key:ident => $(one $one:literal, other)? $other:literal,)*
     ; $($staff:ident => $(one $staff_one:literal, other)? $staff_other:literal,)*) => {
        /// A sentence. Constants, so that an artefact holds only those it uses.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Key(&'static Entry);

        #[allow(non_upper_case_globals, reason = "they read as the variants of one enumeration")]
        #[allow(rustdoc::bare_urls, reason = "sentences give examples of addresses")]
        impl Key {
            $(#[doc = $other] pub const $key: Self =
                Self(&Entry::new(stringify!($key), concat!($($one)?), $other));)*
            $(#[doc = $staff_other] pub const $staff: Self =
                Self(&Entry::new(stringify!($staff), concat!($($staff_one)?), $staff_other));)*
        }

        /// The names of all sentences: the visitor's, and those of the staff's screens and the app.
        #[cfg(not(target_arch = "wasm32"))]
        pub fn all() -> [Vec<(&'static str, Key)>; 2] {
            [
                vec![$((stringify!($key), Key::$key),)*],
                vec![$((stringify!($staff), Key::$staff),)*],
            ]
        }
    };
}

/// A sentence in English. One that counts has a form for one and a form for all other numbers.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    id: u32,
    one: &'static str,
    other: &'static str,
}

impl Entry {
    const fn new(name: &str, one: &'static str, other: &'static str) -> Self {
        let id = id_of(name);
        Self { id, one, other }
    }
}

impl Key {
    /// What the sentence is called in the catalogues, as [`id_of`] makes it of its name.
    pub(super) fn id(self) -> u32 {
        self.0.id
    }

    /// The sentence in English, for one if `is_one`.
    pub fn english(self, is_one: bool) -> &'static str {
        match self.0.one {
            "" => self.0.other,
            one if is_one => one,
            _ => self.0.other,
        }
    }

    /// What stands for the sentence's name where it is looked up.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn number(self) -> u32 {
        self.0.id
    }

    /// Whether the sentence has a form for each kind of number.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn counts(self) -> bool {
        !self.0.one.is_empty()
    }
}

/// Four bytes instead of a name: every visitor downloads them. The first letter may be small, as it
/// is in catalogues. (FNV-1a; a test sees to it that no two names meet.)
pub(super) const fn id_of(name: &str) -> u32 {
    let mut id: u32 = 0x811c_9dc5;
    let mut rest = name.as_bytes();
    while let [byte, tail @ ..] = rest {
        // Letters differ from their capitals in this bit.
        id = (id ^ (*byte | 0x20) as u32).wrapping_mul(0x0100_0193);
        rest = tail;
    }
    id
}

catalogue! {
    // What to book
    OffersTitle => "Book a time",
    OffersText => "Choose what you would like to talk about, then a time that suits you.",
    NoOffersTitle => "Nothing to book yet",
    NoOffersText => "There are no public event types.",
    OwnerNotFoundTitle => "Nobody of this name was found",
    OwnerNotFoundText => "The link may be old, or it names somebody else.",
    BackToOffers => "All event types",
    EventTypeNotFoundTitle => "This cannot be booked here",
    EventTypeNotFoundText => "It may have been renamed, switched off or taken down.",

    // Calendar and times
    PreviousMonth => "Previous month",
    NextMonth => "Next month",
    NothingLater => "Nothing later can be booked.",
    PreviousWeek => "Previous week",
    NextWeek => "Next week",
    EarlierDays => "Earlier days",
    LaterDays => "Later days",
    View => "View",
    ViewMonth => "Month",
    ViewWeek => "Week",
    ViewColumn => "Days",
    DayWithoutTimes => "{day}, no times",
    DayWithTimes => one "{day}, {count} time available", other "{day}, {count} times available",
    TimesOn => "Times on {day}, {zone}",
    NoTimesThisMonth => "No times are free in {month}.",
    NoTimesThisWeek => "No times are free in this week.",
    NoTimesAtAll => "No times are free in the next twelve months.",
    NoTimesAfterText => "There are none in the twelve months after it either.",
    NoTimesAtAllText => "Please ask the organiser, or come back later.",
    LookingAhead => "Looking for the next free time…",
    NextAvailable => "Next available: {day}",
    LookAtNextMonth => "Look at {month}",
    TimeGone => "{time} is no longer free. Please choose another time.",
    YourTime => "{time} your time",
    OfflineTitle => "You are offline",
    OfflineText => "Nothing is lost. This goes on as soon as you are connected again.",
    LoadingTimes => "Looking for free times…",
    TimesLoaded => one "{count} time on {day}", other "{count} times on {day}",
    Seats => one "{count} left", other "{count} left",
    JustTaken => "just taken",
    TimeZone => "Time zone",
    TimeZoneIs => "Time zone: {zone}, {offset}",
    FindZone => "City, country or offset",
    NoZoneFound => "No time zone is called so.",
    ZonesFound => one "{count} time zone", other "{count} time zones",
    Close => "Close",
    TimeFormat => "Time format",
    Hours12 => "12 h",
    Hours24 => "24 h",
    ZoneLocked => "Times are shown in the organiser’s time zone.",
    Length => "Length",
    Minutes => "{count} min",
    Hours => "{count} h",
    Continue => "Continue",
    ContinueWith => "Continue with {time}",

    // Summary
    With => "with {names}",
    NeedsConfirmation => "Needs confirmation",
    PlaceToChoose => "You choose the place",
    PlaceAfterBooking => "Details after booking",
    PlaceCallsYou => "They call you",
    PlacePhone => "Phone call",
    PlaceVideo => "Video call",
    PlaceLink => "Online",
    PlaceAddress => "In person",
    PlaceYours => "At your address",
    PlaceYouSay => "Somewhere else",

    // Form
    YourDetails => "Your details",
    ChangeTime => "Change time",
    YourName => "Your name",
    EmailAddress => "Email address",
    PhoneNumber => "Phone number",
    Notes => "Anything we should know?",
    Guests => "Guests",
    EmailsHint => "Email addresses, separated by commas",
    Place => "Where should it take place?",
    PlaceYourAddress => "Your address",
    PlaceYourNumber => "The number to call",
    PlaceYourWords => "Where or how",
    PleaseChoose => "Please choose",
    Confirm => "Confirm booking",
    Request => "Request booking",
    Booking => "Booking…",
    Required => "Please fill this in.",
    FillIn => "Please fill in “{label}”.",
    ChooseAnswer => "Please choose an answer to “{label}”.",
    TickBox => "Please tick “{label}” to go on.",
    EmailOdd => "“{label}” needs an email address such as ada@example.org.",
    EmailsOdd => "“{text}” in “{label}” is not an email address. Please correct or remove it.",
    EmailsTooMany => "“{label}” holds too many addresses. The most that fit: {most}.",
    PhoneOdd => "“{label}” needs a complete phone number. Choose the country, or start with +.",
    UrlOdd => "“{label}” needs a web address such as https://example.org.",
    NumberOdd => "“{label}” needs a number.",
    NumberTooSmall => "“{label}” needs a number from {least} on.",
    NumberTooLarge => "“{label}” needs a number up to {most}.",
    TextTooShort => "“{label}” is too short. Characters needed at least: {least}.",
    TextTooLong => "“{label}” is too long. Characters that fit: {most}.",
    AnswerRefused => "The service did not accept “{label}”: {message}",
    FormComplete => "Everything is filled in.",
    RequiredMark => "Fields with * are required.",
    MeetingTitle => "What is it about?",
    CountryCode => "Country code",
    CannotChange => "This cannot be changed.",
    ConfirmOff => "Booking is switched off on this page.",
    RemoveItem => "Remove {item}",
    ItemAdded => "{item} was added.",
    ItemRemoved => "{item} was removed.",
    ItemOdd => "not an email address",
    FormErrors => one "{count} field needs your attention.", other "{count} fields need your attention.",
    TimeTakenTitle => "That time has just been taken",
    TimeTakenText => "Your details are kept. Please choose another time.",
    OutcomeUnknownTitle => "We could not reach the service",
    OutcomeFree => "The time is still free, so nothing was booked. Your details are kept: please try again.",
    OutcomeTaken => "We cannot tell whether it was booked: the time is no longer free. Please check with the organiser before you book another time.",
    OutcomeUnknown => "We cannot tell whether it was booked. Your details are kept. Please check with the organiser before you try again.",
    RefusedTitle => "This could not be booked",
    SeriesTakenTitle => "One date of the series is taken",
    SeriesTakenText => "The meeting on {day} at {time} cannot take place, so nothing was booked. Your details are kept: please choose fewer meetings or another time.",
    NotSentTitle => "You are offline",
    NotSentText => "Nothing was sent. Your details are kept: please send them again when you are connected.",
    LookAgain => "Look again",
    NearTimes => "Free times close to it",

    // Hold
    HeldFor => "Held for you: {time}",
    HeldSaid => "This time is held for you while you fill in the form.",
    HeldLastMinute => "This time is held for you for one more minute.",
    HoldOverTitle => "Your time is no longer held",
    HoldOverText => "Your details are kept. Others can take the time until you book it.",
    HoldAgain => "Hold it again",
    ChooseAnother => "Choose another time",

    // What is special
    RepeatsWeekly => one "Repeats weekly, up to {count} time", other "Repeats weekly, up to {count} times",
    RepeatsMonthly => one "Repeats monthly, up to {count} time", other "Repeats monthly, up to {count} times",
    RepeatsYearly => one "Repeats yearly, up to {count} time", other "Repeats yearly, up to {count} times",
    RepeatsEveryWeeks => one "Repeats every {count} week", other "Repeats every {count} weeks",
    RepeatsEveryMonths => one "Repeats every {count} month", other "Repeats every {count} months",
    RepeatsEveryYears => one "Repeats every {count} year", other "Repeats every {count} years",
    SeatsInAll => one "Up to {count} person at a time", other "Up to {count} people at a time",
    SeriesCount => "Number of meetings",
    SeriesDates => "All dates",
    MeetNow => "Meet now",
    OwnPageTitle => "This is booked on a page of its own",
    OwnPageText => "Who you are has to be confirmed there.",
    GoOnAt => "Go on at {host}",

    // Confirmation
    BookedTitle => "You are booked",
    RequestedTitle => "Your request was sent",
    BookedText => "This is booked for {email}.",
    BookedTextPlain => "The booking is confirmed.",
    RequestedText => "{names} will confirm or decline.",
    RequestedTextPlain => "The organiser will confirm or decline.",
    What => "What",
    When => "When",
    Who => "Who",
    Where => "Where",
    BookingReference => "Reference",
    BookingLink => "Link to this booking",
    Yes => "Yes",
    No => "No",
    BookAnother => "Book another time",
    BookAgain => "Book again",
    TriedTitle => "This was a trial",
    TriedText => "Everything worked. Nothing was booked.",
    PaymentTitle => "One step left: payment",
    PaymentText => "The booking counts once it is paid.",
    PayAt => "Pay at {host}",
    WaitingTitle => "Waiting for a host",
    WaitingText => "Somebody is asked to join you right away.",
    UnconfirmedTitle => "This booking waits for confirmation",
    YourBooking => "Your booking",
    MovedTitle => "Your booking was moved",
    MovedText => "The old time is free for others again.",
    CancelledTitle => "This booking is cancelled",
    DeclinedTitle => "This booking was declined",
    PastTitle => "This booking is over",
    ReasonGiven => "Reason: {reason}",
    YourSeat => "Your seat",
    OldTime => "Old time",
    AddToCalendar => "Add to calendar",
    CalendarFile => "Calendar file",
    GoogleCalendar => "Google",
    OutlookCalendar => "Outlook",
    OfficeCalendar => "Office 365",

    // Changing a booking
    Reschedule => "Reschedule",
    MoveTitle => "Move to this time",
    MoveReason => "Why is it moved? (optional)",
    MoveBooking => "Move booking",
    Moving => "Moving…",
    KeepTime => "Keep the old time",
    NoMoving => "This booking cannot be moved.",
    TooLateToMove => "It is too late to move this booking.",
    CancelBooking => "Cancel booking",
    CancelQuestion => "Cancel this booking?",
    CancelSeriesQuestion => "Cancel all meetings of the series?",
    CancelSeries => "Cancel all meetings",
    CancelExtent => "How much to cancel",
    CancelThis => "Only this meeting",
    CancelThisAndLater => "This and all later meetings",
    CancelReason => "Why is it cancelled? (optional)",
    Cancelling => "Cancelling…",
    KeepBooking => "Keep booking",
    NoCancelling => "This booking cannot be cancelled here.",
    NotCancelledTitle => "This could not be cancelled",
    BookingNotFoundTitle => "This booking was not found",
    BookingNotFoundText => "The link may be old or incomplete.",

    // Problems
    UnreachableTitle => "The service cannot be reached",
    UnreachableText => "Please check your connection and try again.",
    ForbiddenTitle => "You may not see this",
    ForbiddenText => "Ask an owner or admin of the team for access.",
    SignInTitle => "Please sign in again",
    SignInText => "The session has ended. Nothing you typed is lost.",
    NotFoundTitle => "This was not found",
    NotFoundText => "The link may be old, or it was taken down.",
    TooManyTitle => "Too many requests",
    TooManyText => "Please wait a minute and try again.",
    UnexpectedTitle => "The service gave an answer we do not understand",
    UnexpectedText => "This is not your fault. Please try again in a moment.",
    UnexpectedReference => "If you report it, give this reference: {id}",
    InvalidTitle => "The service did not accept this",
    TryAgain => "Try again",
    NothingNamedTitle => "Nothing to book yet",
    NothingNamedText => "This page does not say which event type to offer.",
    Loading => "Loading…",
    StillLoading => "This takes longer than usual…",

    // From here on: the staff's screens and the app.
    ;

    // Booking list
    NoSessionTitle => "Not connected",
    NoSessionText => "The page has to give this element a session before it can ask the service.",
    Bookings => "Bookings",
    ReloadList => "Reload bookings",
    NoTeamTitle => "No team yet",
    NoTeamText => "This page does not say which team to show.",
    TeamNotFoundTitle => "This team was not found",
    TeamNotFoundText => "It may have been removed, or the page names the wrong one.",
    Status => "Status",
    Upcoming => "Upcoming",
    Unconfirmed => "Unconfirmed",
    Recurring => "Recurring",
    Past => "Past",
    Cancelled => "Cancelled",
    AllBookings => "All",
    Filters => "Filters",
    ActiveFilters => "Filters that hold",
    ClearFilters => "Clear filters",
    RemoveFilter => "Remove filter",
    AttendeeName => "Attendee’s name",
    AttendeeEmail => "Attendee’s email",
    EventType => "Event type",
    EventTypes => "Event types",
    FirstDay => "From day",
    LastDay => "To day",
    DaysReversed => "This day comes before the first.",
    StatusAnyOf => "Status, any of",
    FiltersAreExact => "Name, email and reference have to be complete. Days are counted in the time zone chosen above.",
    SortBy => "Order",
    SortUsual => "Usual order",
    SortStartAsc => "Start, earliest first",
    SortStartDesc => "Start, latest first",
    SortEndAsc => "End, earliest first",
    SortEndDesc => "End, latest first",
    SortCreatedAsc => "Made, oldest first",
    SortCreatedDesc => "Made, newest first",
    ViewOptions => "View",
    Columns => "Columns",
    GroupSeries => "Meetings of a series under the first",
    WhichDays => "Days",
    AnyDay => "Any day",
    ThisWeek => "This week",
    Next30Days => "Next 30 days",
    BetweenDays => "From day to day",
    SearchEventTypes => "Search event types",
    SelectPage => "Select all on this page",
    SelectBooking => "Select {title}",
    Selection => "Selected bookings",
    SelectNothing => "Select nothing",
    AllSelected => "All that match are selected",
    SelectEverything => "Select all that match",
    RowChanged => "Changed meanwhile",
    RowGone => "Does not match any more",
    NoRightTitle => "You may not see this team’s bookings",
    NoRightText => "Admins and owners of the team may. Ask one of them to make you one.",
    SelectedCount => one "{count} selected", other "{count} selected",
    AllMatchingSelected => one "The {count} that matches is selected", other "All {count} that match are selected",
    SelectAllMatching => one "Select the {count} that matches", other "Select all {count} that match",
    ShowWaiting => one "Show {count} new booking", other "Show {count} new bookings",
    MoreOfSeries => one "{count} more meeting of this series", other "{count} more meetings of this series",
    NoBookingsTitle => "No bookings here",
    NoBookingsText => "They appear here as soon as there are any.",
    NoMatchTitle => "No bookings match",
    NoMatchText => "Fewer filters may show more.",
    OddBookings => one "{count} booking could not be shown: the service sent it in a form we do not understand.",
        other "{count} bookings could not be shown: the service sent them in a form we do not understand.",
    BookedOn => "Made on {day}",
    Today => "Today",
    Tomorrow => "Tomorrow",
    Yesterday => "Yesterday",
    EndsOn => "ends {day}",
    UntitledBooking => "Untitled booking",
    NoHost => "no host",
    Series => "Series",
    AttendeeCount => one "{count} attendee", other "{count} attendees",
    AndMore => one "and {count} more", other "and {count} more",
    MovedAway => "Moved to another time",
    MovedHere => "Moved from another time",
    StatusAccepted => "Accepted",
    StatusPending => "Pending",
    StatusAwaitingHost => "Awaiting host",
    StatusCancelled => "Cancelled",
    StatusRejected => "Declined",
    StatusUnknown => "Unknown",
    NoneShown => "No bookings",
    RangeOf => "{range} of {total}",
    PageOf => "Page {page} of {pages}",
    PageAlone => "Page {page}",
    PerPage => "Per page",
    Pages => "Pages",
    FirstPage => "First page",
    PreviousPage => "Previous page",
    NextPage => "Next page",
    LastPage => "Last page",
    Hosts => "Hosts",
    Attendees => "Attendees",
    DidNotCome => "did not come",
    Description => "Description",
    CancellationReason => "Reason",
    CancelledBy => "Called off by",
    ReschedulingReason => "Reason for the move",
    RescheduledBy => "Moved by",
    ReplacedBy => "Replaced by",
    Replaces => "Replaces",
    Rating => "Rating",
    SeriesReference => "Series",
    MadeAt => "Made",
    ChangedAt => "Changed",

    // Roles
    Roles => "Roles",
    NewRole => "New role",
    NoRolesTitle => "No roles yet",
    NoRolesText => "Make the first one: a name and what it allows.",
    SystemRole => "System role, cannot be changed",
    PermissionCount => one "{count} permission", other "{count} permissions",
    NoPermissions => "This role allows nothing yet.",
    RoleName => "Name",
    RoleColor => "Colour",
    RoleColorHex => "Colour code",
    RoleDescription => "Description",
    RolePreview => "How it looks",
    Permissions => "Permissions",
    ChosenPermissions => one "{count} of {total} chosen", other "{count} of {total} chosen",
    SelectAll => "Select all",
    SelectNone => "Select none",
    CreateRole => "Create role",
    CreatingRole => "Creating…",
    CloseForm => "Cancel",
    RoleNameTaken => "A role of this name exists already.",
    InvalidColor => "Please write a colour as #RGB or #RRGGBB.",
    RoleRefusedTitle => "This role could not be created",
    RoleUnknownTitle => "No answer came",
    RoleUnknownText => "The role may or may not have been created: look at the list before you try again. Nothing you typed is lost.",
    RoleCreated => "The role {name} was created.",
    ColorBlue => "Blue",
    ColorTeal => "Teal",
    ColorGreen => "Green",
    ColorAmber => "Amber",
    ColorRed => "Red",
    ColorPink => "Pink",
    ColorViolet => "Violet",
    ColorGrey => "Grey",
    ResourceRole => "Roles",
    ResourceEventType => "Event types",
    ResourceTeam => "Team",
    ResourceBooking => "Bookings",
    ResourceInsights => "Insights",
    ResourceWorkflow => "Workflows",
    ResourceRoutingForm => "Routing forms",
    ResourceWebhook => "Webhooks",
    ResourceFeatureOptIn => "Early features",
    ActionCreate => "Create",
    ActionRead => "See",
    ActionUpdate => "Change",
    ActionDelete => "Delete",
    ActionInvite => "Invite members",
    ActionRemove => "Remove members",
    ActionListMembers => "List members",
    ActionListMembersPrivate => "List members of a private team",
    ActionChangeMemberRole => "Change members’ roles",
    ActionImpersonate => "Act as a member",
    ActionReadTeamBookings => "See the whole team’s bookings",
    ActionReadRecordings => "See recordings",
    ActionReadTeamAuditLogs => "See the team’s audit log",

    // App
    AppName => "Booking",
    Screens => "Screens",
    Book => "Book",
    Connect => "Connect",
    Connected => "Connected",
    Disconnect => "Disconnect",
    Username => "User name",
    EventTypeSlug => "Event type",
    ShowTimes => "Show times",
    DemoTitle => "Demo account",
    DemoText => "This service runs with demo data. Look around as an admin of its team.",
    UseDemo => "Use the demo account",
    OwnAccountTitle => "Your own account",
    OwnAccountText => "Kept in this page’s memory only, and gone when you close or reload it. Sent to no other address than the service’s.",
    ServiceAddress => "Service address (this site if empty)",
    TokenOrKey => "Access token or API key",
    ClientId => "Client id",
    ClientSecret => "Client secret",
    OrganisationId => "Organisation id",
    TeamId => "Team id",
    CredentialsMissing => "Please give a token or key, or a client id and secret.",
    ConnectFirstTitle => "Connect first",
    ConnectFirstText => "Bookings and roles are for the team. Connect with an account that may see them.",
}
