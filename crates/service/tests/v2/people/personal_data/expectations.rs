//! Expected visibility: the callers that see each canary.

use std::collections::BTreeSet;

/// Callers. Names in [`super::fixture::PEOPLE`] use their API keys, in both versions.
pub const CALLERS: [&str; 20] = [
    "nobody",
    "uid",
    "seat",
    "attendee",
    "stranger",
    "stranger+uid",
    "colleague",
    "invited",
    "member",
    "member+uid",
    "host",
    "scoped",
    "admin",
    "owner",
    "org-admin",
    "org-owner",
    "client",
    "other-client",
    "managed",
    "operator",
];

/// Every canary with all callers that see it in some response. `runners` are administrators of the
/// team, its organization or the service; `with-uid` are callers that know uids of bookings;
/// `scoped` is a key of the host that may only read bookings.
const EXPECTED: &str = "
host.email              with-uid seat attendee member host scoped runners
host.name               everybody
host.bio                member member+uid host runners
host.avatar             all-but-scoped
host.zone               with-uid seat attendee host scoped runners
host.metadata           host operator
host.schedule           member member+uid host runners
host.hours              member member+uid host runners
host.absence            host org-admin org-owner operator
host.webhook            host operator
host.webhook-url        host operator
host.webhook-template   host operator
host.webhook-secret     host
host.webhook-payload
host.app                operator
host.app-key
host.destination        host operator
host.selected           host operator
host.verified           host
host.api-key
member.email            member member+uid host runners
member.name             member member+uid host runners
member.bio              member member+uid host runners
member.metadata         member member+uid operator
invited.email           invited org-admin org-owner operator
invited.name            invited member member+uid host runners
invited.bio             invited org-admin org-owner operator
invited.metadata        invited operator
colleague.email         colleague org-admin org-owner operator
colleague.name          with-uid colleague runners
colleague.bio           colleague org-admin org-owner operator
attendee.bio            attendee operator
team.verified           member member+uid host runners
private.email           org-admin org-owner operator
private.name            all-but-scoped
private.bio             org-admin org-owner operator
private.metadata        operator
private.schedule        org-admin org-owner operator
private.absence         org-admin org-owner operator
loner.email             operator
loner.name              operator
loner.bio               operator
loner.avatar            operator
loner.metadata          operator
loner.schedule          operator
loner.event-type        operator
loner.visitor           operator
loner.uid               operator
desk.email              all-but-scoped
desk.place              all-but-scoped
desk.bio                operator
desk.metadata           operator
leaver.email
leaver.name
leaver.bio
shy.email               colleague org-admin org-owner operator
shy.name                all-but-scoped
shy.bio                 org-admin org-owner operator
shy.zone                with-uid colleague org-admin org-owner operator
shy.metadata            operator
shy.uid                 org-admin org-owner operator
managed.email           client managed operator
managed.name            all-but-scoped
managed.bio             client managed operator
managed.metadata        client operator
managed.visitor         managed operator
managed.uid             managed operator
managed.access-token
managed.refresh-token
other-managed.email     other-client operator
other-managed.name      other-client operator
other-managed.bio       other-client operator
other-managed.metadata  other-client operator
open.place              host runners
open.calendar           host runners
open.hidden-field       host runners
open.webhook            runners
open.webhook-url        runners
open.webhook-secret     runners
hidden.title            host member member+uid runners
own.webhook             host operator
own.webhook-url         host operator
house.webhook           org-admin org-owner operator
house.webhook-url       org-admin org-owner operator
house.webhook-secret    org-admin org-owner operator
platform.webhook        client
platform.webhook-url    client
platform.webhook-secret client
platform.client-secret
plain.uid               attendee host scoped runners
plain.notes             with-uid attendee host scoped runners
plain.place             with-uid attendee host scoped runners
plain.answer            with-uid attendee host scoped runners
plain.guest             with-uid attendee host scoped runners
plain.metadata          with-uid attendee host scoped runners
plain.attendee.name     with-uid attendee host scoped runners
plain.attendee.email    with-uid attendee host scoped runners
plain.attendee.phone    with-uid attendee host scoped runners
plain.attendee.zone     with-uid attendee host scoped runners
plain.payment           host runners
plain.reference         host scoped runners
plain.meeting-password  host runners
plain.meeting-url       host runners
ended.uid               host scoped runners
ended.reason            with-uid host scoped runners
ended.by                with-uid host scoped runners
moved.uid               host scoped runners
moved.reason            with-uid host scoped runners
moved.by                with-uid host scoped runners
pending.uid             host scoped runners
held.uid                host scoped runners
guarded.uid             host scoped runners
guarded.name            host scoped runners
guarded.email           host scoped runners
class.uid               seat host scoped runners
class.place             seat host scoped runners
class.reason            seat host scoped runners
seat1.uid               host scoped runners
seat1.name              seat host scoped runners
seat1.email             seat host scoped runners
seat1.phone             seat host scoped runners
seat1.zone              seat host scoped runners
seat1.answer            seat host scoped runners
seat1.metadata          seat host scoped runners
seat2.uid               host scoped runners
seat2.name              host scoped runners
seat2.email             host scoped runners
seat2.phone             host scoped runners
seat2.zone              host scoped runners
seat2.answer            host scoped runners
seat2.metadata          host scoped runners
open-class.uid          seat host scoped runners
seat3.uid               host scoped runners
seat3.name              seat host scoped runners
seat3.email             seat host scoped runners
seat4.uid               host scoped runners
seat4.name              seat host scoped runners
seat4.email             host scoped runners
seat4.answer            host scoped runners
closed.uid              org-admin org-owner operator
closed.visitor          org-admin org-owner operator
group.uid               colleague org-admin org-owner operator
group.visitor           with-uid colleague org-admin org-owner operator
reservation.uid
";

/// Names of the canaries.
pub fn names() -> Vec<&'static str> {
    let lines = EXPECTED.trim().lines();
    lines
        .map(|line| line.split_whitespace().next().unwrap())
        .collect()
}

/// Expected pairs of canary and caller.
pub fn expected() -> BTreeSet<(&'static str, &'static str)> {
    let mut expected = BTreeSet::new();
    let others = CALLERS.into_iter().filter(|caller| *caller != "scoped");
    let all_but_scoped: Vec<&str> = others.collect();
    for line in EXPECTED.trim().lines() {
        let mut words = line.split_whitespace();
        let name = words.next().unwrap();
        for word in words {
            let callers: &[&str] = match word {
                "everybody" => &CALLERS,
                "all-but-scoped" => &all_but_scoped,
                "runners" => &["admin", "owner", "org-admin", "org-owner", "operator"],
                "with-uid" => &["uid", "stranger+uid", "member+uid"],
                caller => {
                    let caller = CALLERS.iter().position(|known| *known == caller);
                    let caller = caller.unwrap_or_else(|| panic!("{word} is no caller"));
                    &CALLERS[caller..=caller]
                }
            };
            expected.extend(callers.iter().map(|caller| (name, *caller)));
        }
    }
    expected
}
