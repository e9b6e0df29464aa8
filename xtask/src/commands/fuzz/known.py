"""Schemathesis hooks that put existing ids, uids and times into generated requests.

Without them nearly every response is 404. Deliberately invalid values stay, one request in eight
is not changed, and records that other requests need are not deleted.
"""

import datetime
import json
import os
import random
import urllib.error
import urllib.request

import schemathesis

ADDRESS = os.environ["FUZZ_ADDRESS"]
random.seed(os.environ.get("FUZZ_SEED"))
with open(os.environ["FUZZ_DEMO"], encoding="utf-8") as file:
    DEMO = json.load(file)
CLIENT = DEMO["clientId"]
SECRET = {"x-svc-secret-key": DEMO["clientSecret"]}
NOW = datetime.datetime.now(datetime.timezone.utc)


def ask(method, path, body=None, headers=None, key="data"):
    """Returns the value under `key` of the response, or `None` for an error response."""
    request = urllib.request.Request(ADDRESS + path, method=method)
    request.add_header("Authorization", "Bearer " + DEMO["apiKey"])
    for name, value in (headers or {}).items():
        request.add_header(name, value)
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)[key]
    except urllib.error.HTTPError as refusal:
        print(f"not prepared: {method} {path}: {refusal.read().decode()}")
        return None


def found(values, key="id"):
    return [value[key] for value in values or []]


def webhook(path, headers=None):
    """Creates a webhook and returns its id in a list."""
    body = {
        "active": False,
        "subscriberUrl": "https://example.org/known",
        "triggers": ["BOOKING_CREATED"],
    }
    return found([ask("POST", path, body, headers) or {"id": "none"}])


def event_type(path, number, **settings):
    body = {"title": "Spare", "slug": f"spare-{number}", "lengthInMinutes": 30, **settings}
    return found([ask("POST", path, body) or {"id": 1}])[0]


TEAM = "/v2/teams/1"
ORGANIZATION = "/v2/organizations/1"
OWN = [event_type("/v2/event-types", number) for number in range(4)]
OF_TEAM = [
    event_type(
        TEAM + "/event-types",
        number,
        schedulingType="roundRobin",
        assignAllTeamMembers=True,
    )
    for number in range(4)
]
SPARE_TEAMS = [
    found([ask("POST", "/v2/teams", {"name": f"Spare {number}"}) or {"id": 1}])[0]
    for number in range(3)
]
SPARE_USERS = [
    (ask("POST", f"/v2/oauth-clients/{CLIENT}/users",
         {"email": f"spare{number}@example.org", "name": "Spare"}, SECRET)
     or {"user": {"id": 4}})["user"]["id"]
    for number in range(4)
]
BOOKINGS = ask("GET", TEAM + "/bookings?take=250") or []
START = NOW + datetime.timedelta(days=1)
END = NOW + datetime.timedelta(days=15)
SLOTS = {
    event_type_id: [
        slot["start"]
        for slots in (
            ask("GET", f"/v2/slots?eventTypeId={event_type_id}"
                f"&start={START:%Y-%m-%d}&end={END:%Y-%m-%d}") or {}
        ).values()
        for slot in slots
    ]
    for event_type_id in [1, 2, 3, *OWN[:2]]
}
SLOTS = {event_type_id: slots for event_type_id, slots in SLOTS.items() if slots}
RESERVATIONS = [
    (ask("POST", "/v2/slots/reservations",
         {"eventTypeId": event_type_id, "slotStart": slots[-1 - 5 * number]})
     or {"reservationUid": "none"})["reservationUid"]
    for number, (event_type_id, slots) in enumerate(SLOTS.items())
]
ABSENCES = found([
    ask("POST", f"{ORGANIZATION}/users/4/ooo",
        {"start": f"{END:%Y-%m-%d}T00:00:00.000Z", "end": f"{END:%Y-%m-%d}T12:00:00.000Z"})
    or {"id": 1}
])
ROLE = {"name": "Spare", "permissions": ["booking.read"]}
TEAM_ROLES = found(ask("GET", f"{ORGANIZATION}/teams/1/roles"))
ORGANIZATION_ROLES = found(
    [ask("POST", f"{ORGANIZATION}/roles", ROLE) or {"id": "none"}]
)
SCHEDULES = found([
    ask("POST", "/v2/schedules",
        {"name": f"Spare {number}", "timeZone": "Europe/Rome", "isDefault": number == 0})
    or {"id": 1}
    for number in range(4)
])
MEMBERSHIPS = found(ask("GET", TEAM + "/memberships"))
UIDS = found(BOOKINGS, "uid")
WEBHOOKS = {
    "/v2/webhooks": webhook("/v2/webhooks"),
    "/v2/oauth-clients/": webhook(f"/v2/oauth-clients/{CLIENT}/webhooks", SECRET),
    "/v2/organizations/": webhook(ORGANIZATION + "/webhooks"),
    "/v2/event-types/": webhook(f"/v2/event-types/{OWN[0]}/webhooks"),
    "/v2/teams/": webhook(f"{TEAM}/event-types/{OF_TEAM[0]}/webhooks"),
}
# Records to delete, which no other request uses.
DELETED = {
    ("/v2/teams/{teamId}", "teamId"): SPARE_TEAMS,
    ("/v2/event-types/{eventTypeId}", "eventTypeId"): OWN[2:],
    ("/v2/teams/{teamId}/event-types/{eventTypeId}", "eventTypeId"): OF_TEAM[2:],
    ("/v2/oauth-clients/{clientId}/users/{userId}", "userId"): SPARE_USERS[2:],
    ("/v2/teams/{teamId}/memberships/{membershipId}", "membershipId"): [999],
    ("/v2/schedules/{scheduleId}", "scheduleId"): SCHEDULES[2:],
}


def known(path, name):
    """Returns existing values of a path parameter."""
    if name == "eventTypeId":
        if path.startswith("/v2/teams/"):
            return OF_TEAM[:1] if "webhooks" in path else OF_TEAM[:2]
        return OWN[:1] if "webhooks" in path else OWN[:2]
    if name == "userId":
        if path.startswith("/v2/oauth-clients/"):
            return SPARE_USERS[:2]
        return [4] if "ooo" in path else [1, 2, 3]
    if name == "roleId":
        return TEAM_ROLES if "teamId" in path else ORGANIZATION_ROLES
    if name == "webhookId":
        return next((ids for start, ids in WEBHOOKS.items() if path.startswith(start)), [])
    return {
        "orgId": [1],
        "teamId": [1],
        "clientId": [CLIENT],
        "bookingUid": UIDS,
        "membershipId": MEMBERSHIPS,
        "scheduleId": SCHEDULES[:2],
        "oooId": ABSENCES,
        "reservationUid": RESERVATIONS,
        "permission": ["booking.read", "role.read"],
    }.get(name, [])


def is_meant_well(case, location):
    """Returns true unless this part of the request is deliberately invalid."""
    for place, component in case.meta.components.items():
        if place.value == location:
            return component.mode.is_positive
    return True


@schemathesis.hook
def before_call(context, case, kwargs):
    path, method = case.path, case.method.upper()
    if path.startswith(("/v2/oauth-clients/", "/v2/oauth/")) and random.random() < 0.9:
        case.headers = {**(case.headers or {}), **SECRET}
    spared = method == "DELETE"
    for name in list(case.path_parameters or {}):
        deleted = DELETED.get((path, name)) if spared else None
        if deleted:
            if str(case.path_parameters[name]).isdigit():
                case.path_parameters[name] = random.choice(deleted)
        elif known(path, name) and is_meant_well(case, "path") and random.random() < 0.875:
            case.path_parameters[name] = random.choice(known(path, name))
    if random.random() < 0.125:
        return
    event_type_id, slots = random.choice(list(SLOTS.items()))
    if path == "/v2/slots" and is_meant_well(case, "query") and case.query:
        if {"start", "end"} <= case.query.keys():
            case.query.update(start=f"{START:%Y-%m-%d}", end=f"{END:%Y-%m-%d}")
        if "eventTypeId" in case.query:
            case.query["eventTypeId"] = event_type_id
            if random.random() < 0.7:
                for other in ("eventTypeSlug", "username", "usernames", "teamSlug",
                              "organizationSlug", "duration", "bookingUidToReschedule"):
                    case.query.pop(other, None)
    if isinstance(case.body, dict) and is_meant_well(case, "body"):
        for name in ("start", "slotStart"):
            if name in case.body and "/ooo" not in path:
                case.body[name] = random.choice(slots)
        if "eventTypeId" in case.body:
            case.body["eventTypeId"] = event_type_id
