//! Event type as clients show it. Responses contain far more keys; reading all of them would be
//! code that every visitor downloads needlessly.

use booking_wire_macros::wire;
use serde_json::Value;

use crate::event_type::form_field::FormField;
use crate::event_type::{Layout, Location, Recurrence, sorted_lengths};
use crate::formats::is_color;
use crate::read::{Fields, RawJson, Read};

/// An event type as shown to visitors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PublicEventType {
    /// Identifier.
    pub id: i64,
    /// Title, shown as the heading of the picker.
    pub title: String,
    /// Slug, unique per owner or team.
    pub slug: String,
    /// Description in plain text, empty if there is none.
    pub description: String,
    /// Default length in minutes.
    pub length: i64,
    /// The lengths to choose from: at least one, ascending, without repeats.
    pub lengths: Vec<i64>,
    /// Locations where it can take place.
    pub locations: Vec<Location>,
    /// Fields of the booking form.
    pub booking_fields: RawJson<Vec<FormField>>,
    /// True if times are shown in the host's zone only.
    pub locks_zone: bool,
    /// That zone, if it is known.
    pub locked_zone: Option<String>,
    /// Initial layout.
    pub layout: Layout,
    /// Layouts to choose from; contains the initial one.
    pub layouts: Vec<Layout>,
    /// Colors in the light and the dark theme, as `#RGB` or `#RRGGBB`: its own, or else the brand
    /// colors of its team or, without a team, of its only host.
    pub colors: Option<(String, String)>,
    /// True if it is omitted from public lists.
    pub hidden: bool,
    /// Names of the hosts of a personal or team event type.
    pub host_names: Vec<String>,
    /// URLs of the hosts' pictures, in the order of their names; empty where there is none.
    pub host_pictures: Vec<String>,
    /// URL of the team's logo or, without a team, of the only host's picture; empty if there is none.
    pub picture: String,
    /// Time zone of the host of a personal event type, if it is known.
    pub host_zone: Option<String>,
    /// Name of the team of a team event type.
    pub team: Option<String>,
    /// Recurrence, if a series is booked.
    pub recurrence: Option<Recurrence>,
    /// Number of seats, if visitors share a slot.
    pub seats: Option<i64>,
    /// Price in minor units of the currency; above 0 a booking needs a payment.
    pub price: i64,
    /// ISO 4217, such as `eur`.
    pub currency: String,
    /// True for instant meetings.
    pub is_instant: bool,
    /// True if it can be booked on the service's booking page only, where the visitor signs in.
    pub requires_booking_page: bool,
    /// True if a code has to verify the visitor's e-mail address.
    pub requires_email_code: bool,
    /// URL of the service's booking page, empty if unknown.
    pub booking_url: String,
    /// Settings of its bookings.
    pub booking_settings: RawJson<BookingSettings>,
}

/// Settings that apply once a slot is chosen or booked. Nothing of a list of event types or slots needs them.
#[wire(read)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BookingSettings {
    /// True if the visitor may not add guests.
    pub disable_guests: bool,
    /// True for round-robin event types: one of the hosts is assigned to each booking.
    #[wire(read = fields.text("schedulingType") == "roundRobin")]
    pub is_round_robin: bool,
    /// URL to which the visitor is redirected after booking.
    pub success_redirect_url: Option<String>,
    /// True if the service sends emails about bookings; none from services that do not say.
    pub sends_email: Option<bool>,
    /// True if the service can correct the e-mail address of a new booking.
    pub allows_email_correction: bool,
}

impl PublicEventType {
    /// Reads the settings of its bookings.
    pub fn booking_settings(&self) -> BookingSettings {
        self.booking_settings.get().unwrap_or_default()
    }
}

impl Read for PublicEventType {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        let length = fields.get("lengthInMinutes").unwrap_or(30);
        let (mut host_names, mut host_pictures) = (Vec::new(), Vec::new());
        for key in ["users", "hosts"] {
            add_people(fields, key, &mut host_names, &mut host_pictures);
        }
        let (brand, picture) = match fields.object("team") {
            Some(team) => (Some(team), "logoUrl"),
            None => (only_host(fields), "avatarUrl"),
        };
        let (layout, layouts) = layouts(fields.object("bookerLayouts"));
        Some(Self {
            id: fields.get("id")?,
            title: fields.text("title"),
            slug: fields.text("slug"),
            description: fields.text("description"),
            length,
            lengths: sorted_lengths(&fields.list("lengthInMinutesOptions"), length),
            locations: fields.list("locations"),
            booking_fields: fields.get("bookingFields")?,
            locks_zone: fields.flag("lockTimeZoneToggleOnBookingPage"),
            locked_zone: Some(fields.text("lockedTimeZone")).filter(|zone| !zone.is_empty()),
            layout,
            layouts,
            colors: own_colors(fields)
                .or_else(|| colors(brand, "brandColor", "darkBrandColor"))
                .or_else(|| colors(brand, "brandColor", "brandColor")),
            hidden: fields.flag("hidden"),
            host_names,
            host_pictures,
            picture: brand.map_or_else(String::new, |brand| brand.text(picture)),
            host_zone: host_zone(fields),
            team: fields.object("team").map(|team| team.text("name")),
            recurrence: fields
                .get::<Recurrence>("recurrence")
                .filter(|series| series.occurrences > 1 && series.interval > 0),
            seats: seats(fields)?,
            price: fields.integer("price"),
            currency: fields.text("currency"),
            is_instant: fields.flag("isInstantEvent"),
            requires_booking_page: fields.flag("bookingRequiresAuthentication"),
            requires_email_code: fields.flag("requiresBookerEmailVerification"),
            booking_url: fields.text("bookingUrl"),
            booking_settings: RawJson::read(value)?,
        })
    }
}

/// Returns the initial layout and those to choose from, by default all.
fn layouts(value: Option<Fields<'_>>) -> (Layout, Vec<Layout>) {
    let initial: Option<Layout> = value.and_then(|value| value.get("defaultLayout"));
    let enabled: Vec<Layout> = value.map_or_else(Vec::new, |value| value.list("enabledLayouts"));
    let mut layouts = Vec::from([Layout::Month, Layout::Week, Layout::Column]);
    layouts.retain(|layout| {
        enabled.is_empty() || enabled.contains(layout) || initial == Some(*layout)
    });
    let layout = initial.or(layouts.first().copied()).unwrap_or_default();
    (layout, layouts)
}

/// Returns an event type's own colors.
pub(crate) fn own_colors(fields: Fields<'_>) -> Option<(String, String)> {
    colors(fields.object("color"), "lightThemeHex", "darkThemeHex")
}

/// Returns the colors of two keys, if both are valid.
fn colors(value: Option<Fields<'_>>, light: &str, dark: &str) -> Option<(String, String)> {
    let value = value?;
    let color = |key: &str| Some(value.text(key)).filter(|text| is_color(text));
    Some((color(light)?, color(dark)?))
}

/// Returns the only host.
fn only_host(fields: Fields<'_>) -> Option<Fields<'_>> {
    match fields.value("users")?.as_array()?.as_slice() {
        [user] => Fields::of(user),
        _ => None,
    }
}

impl Read for Layout {
    fn read(value: &Value) -> Option<Self> {
        Some(match value.as_str()? {
            "month" => Self::Month,
            "week" => Self::Week,
            "column" => Self::Column,
            _ => return None,
        })
    }
}

/// Returns the seats of a slot, if visitors share it; the outer `None` if they are not a number.
pub fn seats(fields: Fields<'_>) -> Option<Option<i64>> {
    let seats = fields.object("seats");
    let seats = seats.and_then(|seats| seats.get("seatsPerTimeSlot"));
    Some(seats.or(fields.get("seatsPerTimeSlot")?))
}

/// Returns the names in a list of people. Real services send objects; their specification has
/// strings.
pub(crate) fn names(fields: Fields<'_>, key: &str) -> Vec<String> {
    let (mut names, mut pictures) = (Vec::new(), Vec::new());
    add_people(fields, key, &mut names, &mut pictures);
    names
}

/// Adds the names in a list of people, and the URLs of their pictures.
fn add_people(fields: Fields<'_>, key: &str, names: &mut Vec<String>, pictures: &mut Vec<String>) {
    let people = fields.value(key).and_then(Value::as_array);
    for person in people.into_iter().flatten() {
        let (name, picture) = match Fields::of(person) {
            Some(person) => (person.text("name"), person.text("avatarUrl")),
            None => (String::read(person).unwrap_or_default(), String::new()),
        };
        if !name.is_empty() {
            names.push(name);
            pictures.push(picture);
        }
    }
}

/// Returns the time zone of the only host.
fn host_zone(fields: Fields<'_>) -> Option<String> {
    Some(only_host(fields)?.text("timeZone")).filter(|zone| !zone.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn event_type_is_read_with_lengths_hosts_and_team() {
        let event_type = PublicEventType::read(&json!({
            "id": 4, "title": "Call", "lengthInMinutes": 30, "lengthInMinutesOptions": [60, 15, 30],
            "users": [{"name": "Ada"}, "Bo", {"id": 3}],
            "team": {"id": 1, "name": "Sales"},
        }))
        .unwrap();
        assert_eq!(event_type.lengths, [15, 30, 60]);
        assert_eq!(event_type.host_names, ["Ada", "Bo"]);
        assert_eq!(event_type.team.as_deref(), Some("Sales"));
    }

    #[test]
    fn picture_and_brand_colors_are_those_of_the_team_or_the_only_host() {
        let ada = json!({
            "name": "Ada", "avatarUrl": "https://pictures.example/ada.png", "brandColor": "#0f766e",
        });
        let team = json!({
            "id": 1, "name": "Sales", "logoUrl": "https://pictures.example/sales.png",
            "brandColor": "#123", "darkBrandColor": "#abc",
        });
        let (of_ada, of_team) = (
            "https://pictures.example/ada.png",
            "https://pictures.example/sales.png",
        );
        for (value, picture, colors) in [
            (
                json!({"users": [ada]}),
                of_ada,
                Some(("#0f766e", "#0f766e")),
            ),
            (json!({"users": [ada, {"name": "Bo"}]}), "", None),
            (
                json!({"team": team, "hosts": [ada]}),
                of_team,
                Some(("#123", "#abc")),
            ),
            (json!({"team": {"name": "Sales"}, "hosts": [ada]}), "", None),
            (
                json!({"users": [{"name": "Ada", "brandColor": "red"}]}),
                "",
                None,
            ),
            (json!({"users": ["Ada"]}), "", None),
        ] {
            let mut event_type = value.clone();
            event_type["id"] = json!(4);
            let mut with_color = event_type.clone();
            with_color["color"] = json!({"lightThemeHex": "#7c3aed", "darkThemeHex": "#c4b5fd"});
            let with_color = PublicEventType::read(&with_color).unwrap();
            let own = Some(("#7c3aed".to_owned(), "#c4b5fd".to_owned()));
            assert_eq!(with_color.colors, own, "{value}");
            let event_type = PublicEventType::read(&event_type).unwrap();
            assert_eq!(event_type.picture, picture, "{value}");
            let found = event_type.colors.as_ref();
            let found = found.map(|(light, dark)| (light.as_str(), dark.as_str()));
            assert_eq!(found, colors, "{value}");
        }
    }

    #[test]
    fn pictures_of_hosts_are_in_the_order_of_their_names() {
        let event_type = PublicEventType::read(&json!({
            "id": 4,
            "users": [{"name": "Ada", "avatarUrl": null}, "Bo", {"avatarUrl": "https://a.example/x"}],
            "hosts": [{"name": "Cy", "avatarUrl": "https://a.example/cy.png"}],
        }))
        .unwrap();
        assert_eq!(event_type.host_names, ["Ada", "Bo", "Cy"]);
        assert_eq!(
            event_type.host_pictures,
            ["", "", "https://a.example/cy.png"]
        );
    }

    #[test]
    fn zone_of_the_only_host_is_read() {
        let berlin = json!({"name": "Ada", "timeZone": "Europe/Berlin"});
        for (users, zone) in [
            (json!([berlin]), Some("Europe/Berlin")),
            (json!([berlin, {"timeZone": "Asia/Tokyo"}]), None),
            (json!([{"name": "Ada"}]), None),
            (json!(["Ada"]), None),
            (json!([]), None),
        ] {
            let event_type = json!({"id": 4, "users": users});
            let event_type = PublicEventType::read(&event_type).unwrap();
            assert_eq!(event_type.host_zone.as_deref(), zone, "{users}");
        }
    }

    #[test]
    fn layouts_without_named_ones_are_all() {
        use Layout::{Column, Month, Week};
        for (value, first, layouts) in [
            (json!(null), Month, vec![Month, Week, Column]),
            (
                json!({"enabledLayouts": null, "defaultLayout": "week"}),
                Week,
                vec![Month, Week, Column],
            ),
            (
                json!({"enabledLayouts": ["week", "month", "week", "tiles", 3]}),
                Month,
                vec![Month, Week],
            ),
            (
                json!({"enabledLayouts": ["month"], "defaultLayout": "column"}),
                Column,
                vec![Month, Column],
            ),
            (
                json!({"enabledLayouts": ["tiles"]}),
                Month,
                vec![Month, Week, Column],
            ),
            (json!({"enabledLayouts": ["week"]}), Week, vec![Week]),
            (json!("month"), Month, vec![Month, Week, Column]),
        ] {
            let event_type =
                PublicEventType::read(&json!({"id": 4, "bookerLayouts": value})).unwrap();
            assert_eq!(
                (event_type.layout, event_type.layouts),
                (first, layouts),
                "{value}"
            );
        }
    }

    #[test]
    fn disabled_settings_are_absent_and_others_are_read() {
        let event_type = |value: Value| PublicEventType::read(&value).unwrap();
        let bare = event_type(json!({"id": 4}));
        let off = json!({"disabled": true});
        let switched_off = event_type(json!({
            "id": 4, "recurrence": null, "seats": off, "seatsPerTimeSlot": null, "price": null,
            "disableCancelling": {"disabled": false}, "disableRescheduling": null,
            "successRedirectUrl": null, "isInstantEvent": null,
        }));
        assert_eq!(switched_off.booking_settings(), bare.booking_settings());
        assert_eq!(bare.booking_settings(), BookingSettings::default());
        // The settings of bookings are kept as they came.
        let bare = PublicEventType {
            booking_settings: switched_off.booking_settings.clone(),
            ..bare
        };
        assert_eq!(switched_off, bare);
        let full = event_type(json!({
            "id": 4, "recurrence": {"interval": 2, "occurrences": 6, "frequency": "weekly"},
            "seats": {"seatsPerTimeSlot": 8}, "price": 2500, "currency": "eur",
        }));
        assert_eq!(full.recurrence.map(|series| series.occurrences), Some(6));
        assert_eq!((full.seats, full.price), (Some(8), 2500));
    }

    #[test]
    fn colors_are_read_if_both_are_valid() {
        for (color, expected) in [
            (
                json!({"lightThemeHex": "#7c3aed", "darkThemeHex": "#abc"}),
                Some(("#7c3aed".to_owned(), "#abc".to_owned())),
            ),
            (json!({"lightThemeHex": "#7c3aed"}), None),
            (
                json!({"lightThemeHex": "red", "darkThemeHex": "url(x)"}),
                None,
            ),
            (json!(null), None),
            (json!("#7c3aed"), None),
        ] {
            let event_type = PublicEventType::read(&json!({"id": 4, "color": color})).unwrap();
            assert_eq!(event_type.colors, expected);
        }
    }

    #[test]
    fn time_zone_lock_and_redirect_url_are_read() {
        let event_type = PublicEventType::read(&json!({
            "id": 4, "lockTimeZoneToggleOnBookingPage": true, "lockedTimeZone": "Europe/London",
            "successRedirectUrl": "https://example.org/thanks",
        }))
        .unwrap();
        assert!(event_type.locks_zone);
        assert_eq!(event_type.locked_zone.as_deref(), Some("Europe/London"));
        let settings = event_type.booking_settings();
        let target = settings.success_redirect_url.as_deref();
        assert_eq!(target, Some("https://example.org/thanks"));
    }
}
