// Prefetch, part of the picker's script: sends the first requests while the WebAssembly loads.

const DAY_MS = 864e5;
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

/** Requests the event type and its slots of the next weeks; aborted with `signal`. Returns a function
 * that takes a URL and returns its prefetched response, if there is one.
 * @param {HTMLElement & {session?: unknown}} element @param {AbortSignal} signal
 * @returns {MountOptions["prefetched"]} */
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
  const request = (/** @type {string} */ path, /** @type {any} */ version) => ignoreRejection(fetch(apiUrl + path, {
    headers: {
      Accept: "application/json",
      ...isCal && version && { "cal-api-version": version },
    },
    cache: "no-store", credentials: "omit", redirect: "error", referrerPolicy: "no-referrer",
    signal: AbortSignal.any?.([signal, AbortSignal.timeout(20000)]) ?? AbortSignal.timeout?.(20000),
  }));
  const types = "event-types";
  // Cal.com does not let visitors read an event type by its id.
  const isById = id && !(isCal && slug && (username || team));
  const path = isById ? `${types}/${id}`
    : username ? `${types}?${new URLSearchParams({ username, eventSlug: slug, ...orgSlug && { orgSlug } })}`
    : `teams/${team}/${types}?${new URLSearchParams({ eventSlug: slug })}`;
  const typeRequest = request(path, (isById || username) && "2024-06-14");
  const timeZone = validTimeZone(attribute("time-zone") || undefined) ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const startedAt = Date.now();
  // Covers the grid of any current month, with a margin for a wrong clock.
  const start = new Date(startedAt - 4 * DAY_MS).toISOString();
  let end = "";
  const slotsRequest = attribute("start-date") ? undefined : ignoreRejection(typeRequest.then((response) => response.clone().json()).then(({ data }) => {
    const eventType = [data].flat()[0];
    // Not beyond the last day of a booking window, in any time zone.
    const lastMs = Math.min(startedAt + 49 * DAY_MS, Date.parse(eventType.bookingWindow?.value?.[1]) + 1.5 * DAY_MS || Infinity);
    if (eventType.lengthInMinutesOptions?.length || lastMs < startedAt) return;
    end = new Date(lastMs).toISOString();
    const eventTypeId = eventType.id;
    const query = new URLSearchParams({ eventTypeId, start, end, timeZone });
    return { eventTypeId, response: request(`slots?${query}`, "2024-09-04") };
  }));
  // Filters the prefetched slots by the range that is requested.
  const slotsWithin = async (/** @type {URLSearchParams} */ params) => {
    const { eventTypeId, response: pendingResponse } = await slotsRequest ?? {};
    const [from, to] = ["start", "end"].map((name) => params.get(name) ?? "");
    const isPart = params.get("eventTypeId") == eventTypeId && params.get("timeZone") === timeZone
      && from >= start && to <= end && [...params].length === 4;
    const response = isPart ? await pendingResponse : undefined;
    if (response?.ok) return new Response(JSON.stringify(slotsBetween(await response.json(), from, to)), response);
  };
  /** @type {Record<string, boolean>} */
  const taken = {};
  const takeOnce = (/** @type {string} */ key, /** @type {() => Promise<Response | undefined>} */ getResponse) => {
    // A repeated request wants fresh data.
    if (taken[key] || Date.now() - startedAt > MAX_AGE_MS) return;
    taken[key] = true;
    return getResponse().catch(() => undefined);
  };
  return (url) => {
    if (url === apiUrl + path) return takeOnce("type", () => typeRequest);
    const [endpoint, query] = url.split("?");
    if (endpoint === `${apiUrl}slots`) return takeOnce("slots", () => slotsWithin(new URLSearchParams(query)));
  };
}
