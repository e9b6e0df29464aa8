// Answers in place of the peers' services: an event type of 30 minutes with 14 slots on each weekday from tomorrow on,
// about as many as the demo's /ada/intro-call.

const MINUTE = 60e3;
const DAY = 24 * 60 * MINUTE;
const LENGTH = 30;
const TITLE = "Intro call";
const DESCRIPTION =
  "Half an hour to get to know each other: what you are working on, what has been in your way, and whether we can " +
  "help. No preparation needed.";
const HOST = { name: "Ada Brandt", username: "ada", weekStart: "Monday" };

/** Starts of the slots between two instants, all in milliseconds. */
function slots(start, end) {
  const now = Date.now();
  const firsts = [];
  for (let day = now - (now % DAY) + DAY; day < end; day += DAY) {
    const isWeekend = [0, 6].includes(new Date(day).getUTCDay());
    if (!isWeekend) firsts.push(day + 8 * 60 * MINUTE);
  }
  // At the end of a month, for a peer that requests this month only: today.
  if (!firsts.length) firsts.push(now - (now % (LENGTH * MINUTE)) + 180 * MINUTE);
  const starts = firsts.flatMap((first) => Array.from({ length: 14 }, (_, slot) => first + slot * LENGTH * MINUTE));
  return starts.filter((instant) => start <= instant && instant < end);
}

const calcom = (data) => ({ status: "success", data });

const field = (name, type, required) => ({ name, type, required, defaultLabel: name, editable: "system", sources: [] });

const answers = {
  "/calcom/provider/benchmark": () => calcom({ clientId: "benchmark", organizationId: 0 }),
  "/calcom/timezones": () => calcom([{ city: "London", timezone: "Europe/London", pop: 8567000 }]),
  "/calcom/atoms/event-types/intro-call/public": () => calcom({
    id: 1,
    title: TITLE,
    slug: "intro-call",
    description: DESCRIPTION,
    length: LENGTH,
    locations: [],
    metadata: {},
    bookingFields: [
      field("name", "name", true),
      field("email", "email", true),
      field("notes", "textarea", false),
      field("guests", "multiemail", false),
    ],
    price: 0,
    currency: "usd",
    periodType: "UNLIMITED",
    profile: { ...HOST, image: "data:," },
    subsetOfUsers: [{ ...HOST, avatarUrl: "data:,", profile: {} }],
    entity: { considerUnpublished: false },
    owner: { id: 1 },
  }),
  "/calcom/slots/available": (query) => {
    const days = {};
    for (const instant of slots(Date.parse(query.get("startTime")), Date.parse(query.get("endTime")))) {
      const time = new Date(instant).toISOString();
      (days[time.slice(0, 10)] ??= []).push({ time });
    }
    return calcom({ slots: days });
  },
  "/calcom/slots/reserve": () => calcom("reservation"),
  "/calcom/slots/selected-slot": () => calcom({}),
  "/v3/scheduling/ui-settings": () => ({
    data: {
      configuration_id: "intro-call",
      name: TITLE,
      availability: { duration_minutes: LENGTH },
      event_booking: { title: TITLE, description: DESCRIPTION, booking_type: "booking" },
      organizer: { name: HOST.name, email: "ada@example.com" },
      scheduler: { available_days_in_future: 90, min_booking_notice: 120 },
    },
  }),
  "/v3/scheduling/availability": (query) => ({
    data: {
      order: [],
      time_slots: slots(query.get("start_time") * 1e3, query.get("end_time") * 1e3).map((instant) => ({
        emails: ["ada@example.com"],
        start_time: instant / 1e3,
        end_time: (instant + LENGTH * MINUTE) / 1e3,
      })),
    },
  }),
};

/** Returns the answer to a request, `undefined` if it is unknown. */
export const answer = ({ pathname, searchParams }) => answers[pathname]?.(searchParams);
