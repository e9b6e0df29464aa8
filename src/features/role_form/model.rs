//! What a role allows, and what makes a draft of one a role. No document.

use booking_wire::{NewRole, Permission, TEAM_PERMISSIONS};

use crate::components::TriState;

/// Permissions of one resource, in the order of the interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group<T> {
    /// The part before the last dot.
    pub resource: String,
    /// The whole names.
    pub permissions: Vec<T>,
}

/// All permissions of a team role by resource.
pub fn groups() -> Vec<Group<&'static str>> {
    grouped(TEAM_PERMISSIONS, |name| resource_of(name).to_owned())
}

/// The permissions that a role holds by resource, unknown ones included.
pub fn groups_of(permissions: &[Permission]) -> Vec<Group<Permission>> {
    grouped(permissions.to_vec(), |permission| {
        permission.resource().to_owned()
    })
}

fn grouped<T>(
    permissions: impl IntoIterator<Item = T>,
    resource: impl Fn(&T) -> String,
) -> Vec<Group<T>> {
    let mut groups: Vec<Group<T>> = Vec::new();
    for permission in permissions {
        let resource = resource(&permission);
        match groups.iter_mut().find(|group| group.resource == resource) {
            Some(group) => group.permissions.push(permission),
            None => groups.push(Group {
                resource,
                permissions: vec![permission],
            }),
        }
    }
    groups
}

fn resource_of(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(resource, _)| resource)
}

/// What is ticked, each once, in no order.
pub type Ticked = Vec<&'static str>;

/// How much of `permissions` is ticked.
pub fn state_of(permissions: &[&'static str], ticked: &Ticked) -> TriState {
    let count = permissions
        .iter()
        .filter(|name| ticked.contains(*name))
        .count();
    if count == 0 {
        TriState::None
    } else if count == permissions.len() {
        TriState::All
    } else {
        TriState::Some
    }
}

/// Ticks all of `permissions`, or none of them.
pub fn tick(permissions: &[&'static str], is_ticked: bool, ticked: &mut Ticked) {
    ticked.retain(|name| !permissions.contains(name));
    if is_ticked {
        ticked.extend(permissions);
    }
}

/// What is typed, as plain values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Typed {
    /// As typed.
    pub name: String,
    /// As typed; empty for no colour.
    pub color: String,
    /// As typed.
    pub description: String,
    /// What is ticked.
    pub permissions: Ticked,
}

/// Why a draft is no role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Complaint {
    /// There is no name.
    NameMissing,
    /// Another role has it.
    NameTaken,
    /// Not `#RGB` or `#RRGGBB`.
    Color,
}

impl Typed {
    /// The request, or every complaint at once. `taken` are the names of the roles there are, the
    /// system's included (contract 3.2).
    pub fn parse(&self, taken: &[String]) -> Result<NewRole, Vec<Complaint>> {
        let complaints: Vec<Complaint> = [self.name_complaint(taken), self.color_complaint()]
            .into_iter()
            .flatten()
            .collect();
        if !complaints.is_empty() {
            return Err(complaints);
        }
        let given = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        Ok(NewRole {
            name: self.name.trim().to_owned(),
            color: given(&self.color),
            description: given(&self.description),
            permissions: TEAM_PERMISSIONS
                .into_iter()
                .filter(|name| self.permissions.contains(name))
                .map(|name| Permission(name.to_owned()))
                .collect(),
        })
    }

    /// What is wrong with the name.
    pub fn name_complaint(&self, taken: &[String]) -> Option<Complaint> {
        let name = self.name.trim();
        if name.is_empty() {
            Some(Complaint::NameMissing)
        } else if taken.iter().any(|taken| taken.trim() == name) {
            Some(Complaint::NameTaken)
        } else {
            None
        }
    }

    /// What is wrong with the colour.
    pub fn color_complaint(&self) -> Option<Complaint> {
        let color = self.color.trim();
        (!color.is_empty() && rgb(color).is_none()).then_some(Complaint::Color)
    }
}

/// Red, green and blue of `#RGB` or `#RRGGBB`; `None` for anything else, so that what a service
/// sends is drawn only if it is a colour.
pub fn rgb(color: &str) -> Option<[u8; 3]> {
    let digits = color.trim().strip_prefix('#')?;
    // A sign would pass as a number.
    if !digits.chars().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let number = u32::from_str_radix(digits, 16).ok()?;
    let nibble = |shift: u32| ((number >> shift) & 0xf) as u8 * 17;
    match digits.len() {
        3 => Some([nibble(8), nibble(4), nibble(0)]),
        6 => {
            let [_, red, green, blue] = number.to_be_bytes();
            Some([red, green, blue])
        }
        _ => None,
    }
}

/// Black or white, whichever can be read on `rgb`: the larger contrast after WCAG 2.
pub fn ink([red, green, blue]: [u8; 3]) -> &'static str {
    let linear = |channel: u8| {
        let channel = f64::from(channel) / 255.0;
        // The power curve without `powf`, which is kilobytes: within 2 % where it decides.
        channel * channel * (0.305_306_011 * channel + 0.682_171_111) + 0.012_522_878 * channel
    };
    let luminance = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
    // Both inks have the same contrast at the root of 1.05 times 0.05, less 0.05.
    if luminance > 0.179 { "#000" } else { "#fff" }
}

/// The colour in its long form, safe to draw.
pub fn drawn(color: &str) -> Option<String> {
    let [red, green, blue] = rgb(color)?;
    Some(format!("#{red:02x}{green:02x}{blue:02x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(name: &str, color: &str) -> Typed {
        Typed {
            name: name.into(),
            color: color.into(),
            ..Typed::default()
        }
    }

    #[test]
    fn all_permissions_are_grouped_once() {
        let groups = groups();
        let sizes: Vec<(&str, usize)> = groups
            .iter()
            .map(|group| (group.resource.as_str(), group.permissions.len()))
            .collect();
        assert_eq!(
            sizes,
            [
                ("role", 4),
                ("eventType", 4),
                ("team", 9),
                ("booking", 5),
                ("insights", 1),
                ("workflow", 4),
                ("routingForm", 4),
                ("webhook", 4),
                ("featureOptIn", 2),
            ]
        );
        let count: usize = sizes.iter().map(|(_, size)| size).sum();
        assert_eq!(count, 37);
    }

    #[test]
    fn unknown_permissions_are_kept_and_split_at_the_last_dot() {
        let held = ["organization.attributes.read", "*.*", "team.read", "odd"];
        let permissions = held.map(|name| Permission(name.into()));
        let resources: Vec<String> = groups_of(&permissions)
            .into_iter()
            .map(|group| group.resource)
            .collect();
        assert_eq!(resources, ["organization.attributes", "*", "team", "odd"]);
    }

    #[test]
    fn a_group_box_says_how_much_is_ticked_and_ticks_it() {
        let group = ["webhook.create", "webhook.read"];
        for (ticked, state) in [
            (vec![], TriState::None),
            (vec!["team.read"], TriState::None),
            (vec!["webhook.read"], TriState::Some),
            (
                vec!["webhook.read", "webhook.create", "team.read"],
                TriState::All,
            ),
        ] {
            let mut ticked: Ticked = ticked;
            assert_eq!(state_of(&group, &ticked), state, "{ticked:?}");
            tick(&group, true, &mut ticked);
            assert_eq!(state_of(&group, &ticked), TriState::All);
            let twice = ticked.iter().filter(|name| **name == "webhook.read");
            assert_eq!(twice.count(), 1);
            tick(&group, false, &mut ticked);
            assert_eq!(state_of(&group, &ticked), TriState::None);
            assert!(!ticked.contains(&"webhook.read"));
        }
    }

    #[test]
    fn a_draft_is_a_role_or_every_complaint_at_once() {
        use Complaint::{Color, NameMissing, NameTaken};
        let taken = ["Owner".to_owned(), "Front desk".to_owned()];
        for (name, color, complaints) in [
            ("Reporting", "", vec![]),
            (" Reporting ", "#2563eb", vec![]),
            ("", "", vec![NameMissing]),
            ("  ", "blue", vec![NameMissing, Color]),
            ("Owner", "#12", vec![NameTaken, Color]),
            (" Front desk", "", vec![NameTaken]),
            // The service tells upper from lower case.
            ("owner", "", vec![]),
        ] {
            let found = typed(name, color).parse(&taken).err().unwrap_or_default();
            assert_eq!(found, complaints, "{name:?} {color:?}");
        }
    }

    #[test]
    fn a_role_is_sent_tidy_and_in_the_order_of_the_interface() {
        let mut draft = typed("  Reporting ", " #2563EB ");
        draft.description = "   ".into();
        draft.permissions = vec!["insights.read", "booking.read", "team.read"];
        let role = draft.parse(&[]).unwrap();
        assert_eq!(role.name, "Reporting");
        assert_eq!(role.color.as_deref(), Some("#2563EB"));
        assert_eq!(role.description, None);
        let sent: Vec<&str> = role
            .permissions
            .iter()
            .map(|held| held.0.as_str())
            .collect();
        assert_eq!(sent, ["team.read", "booking.read", "insights.read"]);
    }

    #[test]
    fn only_hex_colours_are_drawn() {
        for (color, drawn_as) in [
            ("#2563EB", Some("#2563eb")),
            ("#2af", Some("#22aaff")),
            (" #2af ", Some("#22aaff")),
            ("2563EB", None),
            ("#2563E", None),
            ("#+12", None),
            ("#12345g", None),
            ("#é1", None),
            ("red;background:url(x)", None),
            ("", None),
        ] {
            assert_eq!(drawn(color).as_deref(), drawn_as, "{color}");
        }
    }

    #[test]
    fn ink_can_be_read_on_its_colour() {
        for (color, expected) in [
            ("#ffffff", "#000"),
            ("#000000", "#fff"),
            ("#2563eb", "#fff"),
            ("#facc15", "#000"),
            ("#6b7280", "#fff"),
            ("#00ff00", "#000"),
        ] {
            assert_eq!(ink(rgb(color).unwrap()), expected, "{color}");
        }
    }
}
