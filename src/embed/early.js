// Becomes part of the script of the picker, which arrives long before its program does.

const DAY_MS = 864e5;
// After this, an answer is too old to be taken.
const FRESH_MS = 3e4;

// Who is told that something failed is whoever waits for it, if anybody does.
function quiet(promise) {
  promise.catch(() => {});
  return promise;
}

// What the view is going to ask first, asked while it is on its way: the event type, and its times of
// the next weeks. Gives a function from an address to its answer, if there is one. What is not answered when
// `ended` is aborted interests nobody any more.
export function askEarly(element, ended) {
  const get = (name) => element.getAttribute(name)?.trim();
  // What cannot be used counts as absent, as it does for the program.
  const number = (name) => /^[1-9]\d*$/.test(get(name)) && get(name);
  const zone = (timeZone) => {
    try {
      return new Intl.DateTimeFormat("en", { timeZone }) && timeZone;
    } catch {}
  };
  const [username, slug, orgSlug] = ["username", "event-slug", "org-slug"].map(get);
  const [team, id] = ["team-id", "event-type-id"].map(number);
  // Other views ask other questions, or with credentials.
  if (element.session || get("booking-uid") || get("seat-uid") || !(id || slug && (username || team))) return;
  const address = get("base-url");
  const service = `${/^(https?:\/)?\//i.test(address) ? address.replace(/\/*(\/v2)?\/*$/, "") : ""}/v2/`;
  if (!URL.canParse?.(service, document.baseURI)) return;
  const base = new URL(service, document.baseURI).href;
  const ask = (path, version) => quiet(fetch(base + path, {
    headers: {
      Accept: "application/json",
      ...isCal && version && { "cal-api-version": version },
    },
    cache: "no-store", credentials: "omit", redirect: "error", referrerPolicy: "no-referrer",
    signal: AbortSignal.any?.([ended, AbortSignal.timeout(20000)]) ?? AbortSignal.timeout?.(20000),
  }));
  const types = "event-types";
  const isCal = get("dialect") === "cal";
  // As the program: services of that dialect tell visitors nothing of a number.
  const isById = id && !(isCal && slug && (username || team));
  const path = isById ? `${types}/${id}`
    : username ? `${types}?${new URLSearchParams({ username, eventSlug: slug, ...orgSlug && { orgSlug } })}`
    : `teams/${team}/${types}?${new URLSearchParams({ eventSlug: slug })}`;
  const type = ask(path, (isById || username) && "2024-06-14");
  const timeZone = zone(get("time-zone") || undefined) ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const now = Date.now();
  // The whole of any month's grid that begins now, with room for a clock that is wrong.
  const start = new Date(now - 4 * DAY_MS).toISOString();
  let end;
  const slots = get("start-date") || quiet(type.then((answer) => answer.clone().json()).then(({ data }) => {
    const found = [data].flat()[0];
    // Of a window from one day to another, nothing after its last day, wherever that ends last.
    const last = Math.min(now + 49 * DAY_MS, Date.parse(found.bookingWindow?.value?.[1]) + 1.5 * DAY_MS || Infinity);
    if (found.lengthInMinutesOptions?.length || last < now) return;
    end = new Date(last).toISOString();
    const eventTypeId = found.id;
    const query = new URLSearchParams({ eventTypeId, start, end, timeZone });
    return { eventTypeId, answer: ask(`slots?${query}`, "2024-09-04") };
  }));
  // Those of the days that were asked for, out of those that came.
  const some = async (asked) => {
    const { eventTypeId, answer } = await slots ?? {};
    const [from, to] = ["start", "end"].map((name) => asked.get(name));
    const isPart = asked.get("eventTypeId") == eventTypeId && asked.get("timeZone") === timeZone
      && from >= start && to <= end && [...asked].length === 4;
    if (!isPart) return;
    const all = await answer;
    if (!all.ok) return;
    const body = await all.json();
    for (const [day, times] of Object.entries(body.data)) {
      body.data[day] = times.filter((time) => {
        const instant = Date.parse(time.start ?? time);
        return instant >= Date.parse(from) && instant <= Date.parse(to);
      });
      if (!body.data[day].length) delete body.data[day];
    }
    return new Response(JSON.stringify(body), all);
  };
  const told = {};
  const once = (what, answer) => {
    // The second time the question is meant anew.
    if (told[what] || Date.now() - now > FRESH_MS) return;
    told[what] = true;
    return answer().catch(() => {});
  };
  return (address) => {
    if (address === base + path) return once("type", () => type);
    const [asked, query] = address.split("?");
    if (asked === `${base}slots`) return once("slots", () => some(new URLSearchParams(query)));
  };
}
