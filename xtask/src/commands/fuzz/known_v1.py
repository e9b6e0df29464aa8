"""Schemathesis hooks for version 1: an API key in the query, and existing ids."""

import random

import schemathesis

import known

KEY = known.DEMO["apiKey"]
OWNER = 5


def ask(method, path, wrapper, body=None):
    """Creates a record and returns its id, or 1 for an error response."""
    mark = "&" if "?" in path else "?"
    made = known.ask(method, f"{path}{mark}apiKey={KEY}", body, key=wrapper)
    return (made or {}).get("id", 1)


BOOKING_IDS = known.found(known.BOOKINGS)
EVENT_TYPES = [
    ask("POST", "/v1/event-types", "event_type",
        {"title": "Spare", "slug": f"spare-one-{number}", "length": 30, "metadata": {}})
    for number in range(4)
]
SCHEDULES = [
    ask("POST", "/v1/schedules", "schedule", {"name": f"One {number}", "timeZone": "UTC"})
    for number in range(4)
]
AVAILABILITIES = [
    ask("POST", "/v1/availabilities", "availability",
        {"scheduleId": schedule, "days": [6],
         "startTime": "1970-01-01T09:00:00.000Z", "endTime": "1970-01-01T12:00:00.000Z"})
    for schedule in SCHEDULES[:2]
]
REFERENCES = [
    ask("POST", "/v1/booking-references", "booking_reference",
        {"type": "zoom", "uid": f"m{number}", "bookingId": booking})
    for number, booking in enumerate(BOOKING_IDS[:4])
]
ATTENDEES = list(range(1, 20))
WEBHOOKS = [
    ask("POST", "/v1/webhooks", "webhook",
        {"subscriberUrl": f"https://example.org/one-{number}", "active": False,
         "eventTriggers": ["BOOKING_CREATED"]})
    for number in range(4)
]
SELECTED = [f"{OWNER}_google_calendar_{number}" for number in range(4)]
for number in range(4):
    ask("POST", "/v1/selected-calendars", "selected_calendar",
        {"integration": "google_calendar", "externalId": str(number)})
# Ids to read and update, and ids to delete.
IDS = {
    "/v1/attendees/{id}": (ATTENDEES[:10], ATTENDEES[10:]),
    "/v1/availabilities/{id}": (AVAILABILITIES[:1], AVAILABILITIES[1:]),
    "/v1/booking-references/{id}": (REFERENCES[:2], REFERENCES[2:]),
    "/v1/event-types/{id}": (EVENT_TYPES[:2], EVENT_TYPES[2:]),
    "/v1/memberships/{id}": ([f"{user}_1" for user in range(1, 6)], ["999_1"]),
    "/v1/schedules/{id}": (SCHEDULES[:2], SCHEDULES[2:]),
    "/v1/selected-calendars/{id}": (SELECTED[:2], SELECTED[2:]),
    "/v1/webhooks/{id}": (WEBHOOKS[:2], WEBHOOKS[2:]),
}


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Removes authentication from the schema: `before_call` adds the key."""
    raw_schema.pop("security", None)
    raw_schema["components"].pop("securitySchemes", None)
    for item in raw_schema["paths"].values():
        for operation in item.values():
            operation.pop("security", None)


@schemathesis.hook
def before_call(context, case, kwargs):
    path, method = case.path, case.method.upper()
    if random.random() < 0.97:
        case.query = {**(case.query or {}), "apiKey": KEY}
    if "recordingId" in path and not known.is_meant_well(case, "path"):
        # Any text is a valid recording id, so the booking id has to be the invalid part.
        case.path_parameters["id"] = "0"
        return
    if random.random() < 0.125:
        return
    names = [name for name in case.path_parameters or {} if name != "recordingId"]
    name = names[0] if names else None
    if name and known.is_meant_well(case, "path"):
        kept, spare = IDS.get(path, ([], []))
        if path.startswith("/v1/bookings/"):
            kept = spare = BOOKING_IDS
        elif name == "teamId":
            kept, spare = [1], known.SPARE_TEAMS[:1]
        elif name == "userId":
            kept, spare = [OWNER], [999]
        choice = spare if method == "DELETE" else kept
        if choice:
            case.path_parameters[name] = random.choice(choice)
    event_type_id, slots = random.choice(list(known.SLOTS.items()))
    if path == "/v1/slots" and known.is_meant_well(case, "query") and case.query:
        case.query.update(startTime=f"{known.START:%Y-%m-%d}T00:00:00Z",
                          endTime=f"{known.END:%Y-%m-%d}T00:00:00Z", eventTypeId=event_type_id)
        for other in ("eventTypeSlug", "usernameList", "duration", "timeZone", "isTeamEvent"):
            if random.random() < 0.7:
                case.query.pop(other, None)
    if isinstance(case.body, dict) and known.is_meant_well(case, "body"):
        if "bookingId" in case.body:
            case.body["bookingId"] = random.choice(BOOKING_IDS or [1])
        if "scheduleId" in case.body:
            case.body["scheduleId"] = SCHEDULES[0]
        if "teamId" in case.body:
            case.body["teamId"] = 1
        if path == "/v1/bookings" and random.random() < 0.7:
            case.body.update(
                eventTypeId=event_type_id, start=random.choice(slots), timeZone="Europe/Rome",
                language="en", metadata={}, responses={
                    "name": "Zoë", "email": "zoe@example.org",
                    "location": {"optionValue": "", "value": ""},
                })
            for other in ("end", "recurringCount", "rescheduleUid", "userId", "status"):
                case.body.pop(other, None)
