// Prefetch: sends the first requests of a picker while the WebAssembly loads; part of the loader.

export const DAY_MS = 864e5;
// Age at which a prefetched response is no longer used.
const MAX_AGE_MS = 3e4;

/** Avoids unhandled rejections: the response may never be used. Callers that await it still get the error.
 * @template Value @param {Promise<Value>} promise */
function ignoreRejection(promise) {
  promise.catch(() => {});
  return promise;
}

/** Returns a valid time zone, or undefined.
 * @param {string | undefined} timeZone */
function validTimeZone(timeZone) {
  try {
    return new Intl.DateTimeFormat("en", { timeZone }) && timeZone;
  } catch {}
}

/** Returns the body of a slots response with the slots from `from` to `to` only.
 * @param {{data: Record<string, any[]>}} body @param {string} from @param {string} to */
function slotsBetween(body, from, to) {
  for (const [day, slots] of Object.entries(body.data)) {
    body.data[day] = slots.filter((slot) => {
      const instant = Date.parse(slot.start ?? slot);
      return instant >= Date.parse(from) && instant <= Date.parse(to);
    });
    if (!body.data[day].length) delete body.data[day];
  }
  return body;
}

/** A request whose response, once it has arrived, is returned without waiting: the first rendering then has all data.
 * @template Value */
class Prefetch {
  #promise;
  /** @type {{value: Value} | undefined} */
  #arrived;
  #isTaken = false;
  #expiresAt = Date.now() + MAX_AGE_MS;

  /** @param {Promise<Value>} promise */
  constructor(promise) {
    this.#promise = ignoreRejection(promise.then((value) => {
      this.#arrived = { value };
      return value;
    }));
  }

  get promise() {
    return this.#promise;
  }

  /** Returns what `pick` makes of the response, or a promise of it; once, as a repeated request wants fresh data.
   * @template Result @param {(value: Value) => Result} pick
   * @returns {Result | Promise<Result | undefined> | undefined} */
  take(pick) {
    if (this.#isTaken || Date.now() > this.#expiresAt) return;
    this.#isTaken = true;
    return this.#arrived ? pick(this.#arrived.value) : this.#promise.then(pick).catch(() => undefined);
  }
}

/** Requests the event type and its slots of the next weeks; aborted with `signal`. `take` returns the prefetched
 * response of a URL, if there is one. `firstSlots` resolves to the content of both, or to undefined if one fails.
 * @param {HTMLElement & {session?: unknown}} element @param {AbortSignal} signal
 * @returns {{take: MountOptions["prefetched"], firstSlots: Promise<FirstSlots | undefined>} | undefined} */
export function prefetch(element, signal) {
  const attribute = (/** @type {string} */ name) => element.getAttribute(name)?.trim() ?? "";
  // Invalid values count as absent, as in the WebAssembly.
  const positiveInteger = (/** @type {string} */ name) => /^[1-9]\d*$/.test(attribute(name)) && attribute(name);
  const [username, slug, orgSlug, baseUrl] = ["username", "event-slug", "org-slug", "base-url"].map(attribute);
  const [team, id] = ["team-id", "event-type-id"].map(positiveInteger);
  // These views send other requests first, or need credentials.
  if (element.session || attribute("booking-uid") || attribute("seat-uid") || !(id || slug && (username || team))) return;
  const apiRoot = `${/^(https?:\/)?\//i.test(baseUrl) ? baseUrl.replace(/\/*(\/v2)?\/*$/, "") : ""}/v2/`;
  if (!URL.canParse?.(apiRoot, document.baseURI)) return;
  const apiUrl = new URL(apiRoot, document.baseURI).href;
  const isCal = attribute("dialect") === "cal";
  /** Resolves to a response with a JSON body; others are left to the WebAssembly, which requests again.
   * @param {string} path @param {string | false | undefined} version @returns {Promise<PrefetchedResponse | undefined>} */
  const request = async (path, version) => {
    const response = await fetch(apiUrl + path, {
      headers: {
        Accept: "application/json",
        ...isCal && version && { "cal-api-version": version },
      },
      cache: "no-store", credentials: "omit", redirect: "error", referrerPolicy: "no-referrer",
      signal: AbortSignal.any?.([signal, AbortSignal.timeout(20000)]) ?? AbortSignal.timeout?.(20000),
    });
    const { status, headers } = response;
    return response.ok || status === 404 ? { status, date: headers.get("Date"), body: await response.json() } : undefined;
  };
  const types = "event-types";
  // Cal.com does not let visitors read an event type by its id.
  const isById = id && !(isCal && slug && (username || team));
  const path = isById ? `${types}/${id}`
    : username ? `${types}?${new URLSearchParams({ username, eventSlug: slug, ...orgSlug && { orgSlug } })}`
    : `teams/${team}/${types}?${new URLSearchParams({ eventSlug: slug })}`;
  const eventType = new Prefetch(request(path, (isById || username) && "2024-06-14"));
  const timeZone = validTimeZone(attribute("time-zone") || undefined) ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
  // Covers the grid of any current month, with a margin for a wrong clock.
  const [start, end] = [-4, 49].map((days) => new Date(Date.now() + days * DAY_MS).toISOString());
  const requestSlots = (/** @type {Record<string, string>} */ key) =>
    request(`slots?${new URLSearchParams({ ...key, start, end, timeZone })}`, "2024-09-04");
  /** The event type, once known.
   * @type {Record<string, any>} */
  let known = {};
  const typeArrived = ignoreRejection(eventType.promise.then((response) => {
    return known = [/** @type {any} */ (response?.body)?.data].flat()[0] ?? {};
  }));
  const slots = attribute("start-date") ? undefined : new Prefetch(
    isById ? requestSlots({ eventTypeId: id || "" })
      : username ? requestSlots({ eventTypeSlug: slug, username, ...orgSlug && { organizationSlug: orgSlug } })
      // The slots of a team are requested by the id of the event type.
      : typeArrived.then(({ id }) => id ? requestSlots({ eventTypeId: `${id}` }) : undefined),
  );
  /** Filters the prefetched slots, which are those of the event type's own length, by the range that is requested.
   * @param {URLSearchParams} params */
  const takeSlots = (params) => {
    const [from, to] = ["start", "end"].map((name) => params.get(name) ?? "");
    const isSame = params.get("eventTypeId") === `${known.id}` && params.get("timeZone") === timeZone
      && [null, `${known.lengthInMinutes}`].includes(params.get("duration")) && !params.has("bookingUidToReschedule");
    if (!isSame || from < start || to > end) return;
    return slots?.take((response) => response?.status === 200
      ? { ...response, body: slotsBetween(/** @type {any} */ (response.body), from, to) } : undefined);
  };
  const take = (/** @type {string} */ url) => {
    if (url === apiUrl + path) return eventType.take((response) => response);
    const [endpoint, query] = url.split("?");
    if (endpoint === `${apiUrl}slots`) return takeSlots(new URLSearchParams(query));
  };
  const firstSlots = Promise.all([typeArrived, slots?.promise]).then(([eventType, response]) => {
    const days = /** @type {any} */ (response?.status === 200 && response.body)?.data;
    return eventType.id && days ? { eventType, days: { ...days }, timeZone } : undefined;
  }).catch(() => undefined);
  return { take, firstSlots };
}
