// Diagnostics: finds what keeps an element from working on a page, such as the page's Content Security
// Policy, the service's CORS headers or wrong attributes. Loaded only when `doctor()` is called.

// Above this clock skew, the availability shown is visibly wrong.
const MAX_CLOCK_SKEW_MS = 5 * 60_000;

const TIMEOUT_MS = 10_000;

const API_VERSIONS = { "event-types": "2024-06-14", slots: "2024-09-04" };

/** @type {[name: string, value: string]} */
const CONTENT_TYPE = ["Content-Type", "application/json"];

/** Methods that need a CORS preflight, by bundle. The paths name resources that do not exist, so that the
 * requests change nothing.
 * @type {Record<BundleName, [path: string, methods: string[]]>} */
const METHOD_PROBES = {
  picker: ["/v2/slots/reservations/doctor", ["PATCH", "DELETE"]],
  staff: ["/v2/organizations/0/teams/0/roles/doctor", ["PATCH", "DELETE"]],
};

// File name of every copy of the loader, and a text that each contains.
const LOADER_PATH = /\/embed(-\d[\w.+-]*)?\.js$/;
const LOADER_MARKER = "booking-picker";

class Diagnostics {
  /** @type {Finding[]} */
  findings = [];
  /** @type {SecurityPolicyViolationEvent[]} */
  #violations = [];
  #element;
  #Class;
  #tools;

  /** @param {BookingElementClass} Class @param {CheckedElement | null} element @param {LoaderTools} tools */
  constructor(Class, element, tools) {
    this.#Class = Class;
    this.#element = element;
    this.#tools = tools;
  }

  /** @returns {Promise<Diagnosis>} */
  async run() {
    const onViolation = (/** @type {SecurityPolicyViolationEvent} */ violation) => {
      if (violation.disposition === "enforce") this.#violations.push(violation);
    };
    document.addEventListener("securitypolicyviolation", onViolation);
    try {
      this.#checkPage();
      this.#checkWebAssembly();
      this.#checkSettings();
      // A check that throws is reported and does not stop the others.
      const checks = [this.#checkLoaders(), this.#checkFiles(), this.#checkService(), this.#checkUsage()];
      await Promise.all(checks.map((check) => check.catch((error) => this.#reportFailure(error))));
    } catch (error) {
      this.#reportFailure(error);
    } finally {
      document.removeEventListener("securitypolicyviolation", onViolation);
    }
    const order = ["error", "warning", "info"];
    this.findings.sort((a, b) => order.indexOf(a.level) - order.indexOf(b.level));
    return {
      ok: this.findings.every(({ level }) => level !== "error"),
      version: this.#Class.version,
      findings: this.findings,
    };
  }

  /** @param {string} code @param {Finding["level"]} level @param {string} message @param {string} fix */
  #report(code, level, message, fix) {
    this.findings.push({ code, level, message, fix });
  }

  get #isStaff() {
    return this.#Class.bundle === "staff";
  }

  /** @param {string} name */
  #attribute(name) {
    return this.#element?.getAttribute(name)?.trim() || undefined;
  }

  get #session() {
    const session = this.#element?.session;
    return session && typeof session === "object" ? session : undefined;
  }

  // ---- Page

  #checkPage() {
    if (!isSecureContext) {
      this.#report("insecure-page", "warning", "This page is not served over https: what visitors type can be read on its way.",
        "Serve it over https.");
    }
    const element = this.#element;
    if (!element) return;
    if (!element.isConnected) {
      this.#report("not-connected", "warning", "The element is not in the document.", "Append it.");
    } else if (!element.getClientRects().length && !this.#attribute("placement")) {
      this.#report("not-shown", "info", "The element is not visible. It starts when it is about to become visible.",
        'Show it, or set load="eager".');
    }
    const load = this.#attribute("load");
    if (load === "manual" || load === "interaction" && element.querySelector("a,button,input,[tabindex]")) {
      this.#report("waits", "info", `With load="${load}", it waits.`, "Call start() on it, or leave the attribute out.");
    }
    if (!element.hasChildNodes()) {
      this.#report("no-fallback", "info", "Visitors whose browser does not run WebAssembly cannot book.",
        "Put a link to a page where they can book between the tags.");
    }
  }

  #checkWebAssembly() {
    if (!globalThis.WebAssembly) {
      this.#report("wasm-missing", "error", "This browser has no WebAssembly, as in a lockdown mode.",
        "The element's own content is shown instead: put a link into it.");
      return;
    }
    try {
      // WebKit allows compiling under such a policy and blocks only instantiation.
      new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)));
    } catch {
      this.#report("wasm-blocked", "error", "The page's policy forbids WebAssembly.",
        "Add 'wasm-unsafe-eval' to script-src in its Content-Security-Policy.");
    }
  }

  #checkSettings() {
    const element = this.#element;
    if (!element) return;
    if (this.#isStaff && !this.#session) {
      this.#report("session-missing", "error", "The element has no session.",
        "Set the property session by a script: { baseUrl, getToken }.");
    }
    const hasTarget = ["username", "team-id", "event-type-id", "booking-uid", "seat-uid"].some((name) => this.#attribute(name));
    if (!this.#isStaff && !hasTarget) {
      this.#report("nothing-named", "error", "No event type is set.",
        "Set username and event-slug, or team-id and event-slug.");
    }
    const { token, trustedContext } = this.#session ?? {};
    const isKey = typeof token === "string" && /^(svc|cal|sk)_/.test(token);
    if (isKey || this.#ownHeaders().some((name) => /secret|api-?key/.test(name))) {
      const level = trustedContext === true ? "info" : this.#tools.isLocal() ? "warning" : "error";
      this.#report("secret-exposed", level, "A platform secret or an API key is on this page: everyone who opens it can read it.",
        level === "info" ? "Make sure that only staff can open the page." : "Keep it on your server, and give short-lived access tokens by getToken.");
    }
  }

  /** @param {unknown} error */
  #reportFailure(error) {
    this.#report("unfinished", "warning", `A check failed: ${error}`, "Report this.");
  }

  async #checkUsage() {
    if (!this.#element) return;
    const { findingsOf } = await this.#tools.importScript("hints");
    this.findings.push(...await findingsOf(this.#element, this.#tools, async () => undefined));
  }

  // ---- Requests

  /** Returns the response, or undefined on failure. Never sends credentials.
   * @param {string} url @param {RequestInit} options @returns {Promise<Response | undefined>} */
  async #fetch(url, options = {}) {
    try {
      return await fetch(url, {
        credentials: "omit", redirect: "error", referrerPolicy: "no-referrer",
        signal: AbortSignal.timeout?.(TIMEOUT_MS), ...options,
      });
    } catch {
      return undefined;
    }
  }

  /** Returns true if the page's policy blocked `url`. The violation event fires after the request fails.
   * @param {string} url */
  async #isBlockedByPolicy(url) {
    await new Promise((done) => setTimeout(done, 50));
    const { origin, href } = new URL(url);
    return this.#violations.some(({ blockedURI, effectiveDirective }) =>
      effectiveDirective === "connect-src" && (blockedURI === href || blockedURI === origin || blockedURI.startsWith(`${origin}/`)));
  }

  /** Finds and reports the reason why `url` gave no response. `target` is "files" or "service".
   * @param {string} url @param {"files" | "service"} target @param {RequestInit} options */
  async #reportUnreachable(url, target, options) {
    const { origin } = new URL(url);
    const code = target === "files" ? "files" : "service";
    const name = target === "files" ? `The server of the files at ${origin}` : `The service at ${origin}`;
    if (await this.#isBlockedByPolicy(url)) {
      this.#report(`${code}-forbidden`, "error", `The page's policy forbids requests to ${origin}.`,
        `Add ${origin} to connect-src in its Content-Security-Policy.`);
    } else if (!navigator.onLine) {
      this.#report("offline", "error", "This browser is offline.", "Connect it.");
    } else if (await this.#fetch(url, { ...options, redirect: "follow" })) {
      this.#report("service-redirects", "error", `${name} redirects to another URL, which is not followed.`,
        "Use the final URL.");
    } else if (await this.#fetch(url, { mode: "no-cors", redirect: "follow" })) {
      this.#report(`${code}-cors`, "error", `${name} can be reached and does not allow this page to read its responses.`,
        `Let it answer with Access-Control-Allow-Origin: ${location.origin}.`);
    } else {
      this.#report(`${code}-unreachable`, "error", `${name} cannot be reached.`, "Check the address, and whether it runs.");
    }
  }

  // Reports several loaders. Unrelated scripts can have the same name, so the content is checked too.
  async #checkLoaders() {
    const urls = [...document.scripts].map(({ src }) => src).filter((src) => src && LOADER_PATH.test(new URL(src).pathname));
    if (new Set(urls).size < 2) return;
    const scripts = await Promise.all([...new Set(urls)].map(async (src) => [src, await (await this.#fetch(src, { redirect: "follow" }))?.text()]));
    const loaders = scripts.filter(([, text]) => text?.includes(LOADER_MARKER)).map(([src]) => src);
    if (loaders.length > 1) {
      this.#report("loader-twice", "warning", `Several loaders are on this page, and the first to run wins: ${loaders.join(", ")}.`,
        "Keep one of the script tags.");
    }
  }

  async #checkFiles() {
    const name = this.#Class.bundle;
    for (const path of [`${name}.js`, `${name}_bg.wasm`]) {
      const { url, integrity } = this.#tools.file(path);
      // The same options as the loader's.
      /** @type {RequestInit} */
      const options = { integrity, redirect: "follow" };
      const response = await this.#fetch(url, options);
      if (!response) {
        if (integrity && await this.#fetch(url, { redirect: "follow" })) {
          this.#report("files-changed", "error", `${url} does not belong to this version of the loader.`,
            "Serve all files of one version, unchanged.");
        } else {
          await this.#reportUnreachable(url, "files", options);
        }
        return;
      }
      if (response.redirected) {
        this.#report("files-redirects", "info", `${url} redirects to ${response.url}, which delays the start.`,
          "Serve the files next to the loader, or set the final URL with configure().");
      }
      const type = response.headers.get("Content-Type") ?? "";
      if (!response.ok || type.includes("html")) {
        this.#report("files-missing", "error", `${url} is missing: status ${response.status}${type.includes("html") ? ", a page of HTML" : ""}.`,
          "Serve all files of one version next to the loader.");
        return;
      }
      if (path.endsWith(".wasm") && !type.startsWith("application/wasm")) {
        this.#report("files-type", "warning", `${url} is served as ${type || "nothing"}, which makes it start slower.`,
          "Serve .wasm files as application/wasm.");
      }
    }
  }

  // ---- Service

  #baseUrl() {
    const value = this.#session?.baseUrl || this.#attribute("base-url") || "/";
    try {
      // The element accepts relative URLs only with a leading slash.
      if (/^(https?:\/\/|\/)/i.test(value)) return new URL(value, document.baseURI).href.replace(/\/*(\/v2)?\/*$/, "");
    } catch {
      // Not a URL: reported below.
    }
    // That of an attribute is found with the others.
    if (this.#session?.baseUrl) this.#report("base-url-odd", "error", `"${value}" is not a URL.`, "Write it as https://book.example.");
    return undefined;
  }

  // Path of the element's first request, which succeeds if the attributes are right.
  #eventTypePath() {
    const [id, username, team, slug, orgSlug] = ["event-type-id", "username", "team-id", "event-slug", "org-slug"].map((name) => this.#attribute(name));
    const query = (/** @type {object} */ values) => new URLSearchParams(JSON.parse(JSON.stringify(values)));
    if (this.#isStaff) return "/v2/event-types";
    const isBySlug = this.#attribute("dialect") === "cal" && slug && (username || team);
    if (id && !isBySlug) return `/v2/event-types/${encodeURIComponent(id)}`;
    if (username) return `/v2/event-types?${query({ username, eventSlug: slug, orgSlug })}`;
    if (team) return `/v2/teams/${encodeURIComponent(team)}/event-types?${query({ eventSlug: slug })}`;
    return "/v2/event-types";
  }

  async #checkService() {
    const baseUrl = this.#baseUrl();
    if (!baseUrl) return;
    if (location.protocol === "https:" && baseUrl.startsWith("http:") && !this.#tools.isLocal(new URL(baseUrl).hostname)) {
      this.#report("mixed-content", "error", `Browsers block requests from an https page to ${baseUrl}.`, "Write https in base-url.");
      return;
    }
    const path = this.#eventTypePath();
    const url = baseUrl + path;
    const response = await this.#fetch(url, { cache: "no-store" });
    if (!response) return this.#reportUnreachable(url, "service", { cache: "no-store" });
    this.#checkClock(response, baseUrl);
    const isAllowed = await this.#checkHeaders(url, baseUrl);
    if (isAllowed) await this.#checkMethods(baseUrl);
    // A service with API versions gives a meaningful response only to the right version.
    const needsVersion = this.#attribute("dialect") === "cal" && path.startsWith("/v2/event-types");
    /** @type {Record<string, string>} */
    const headers = needsVersion ? { "cal-api-version": API_VERSIONS["event-types"] } : {};
    const judged = needsVersion && isAllowed ? await this.#fetch(url, { headers, cache: "no-store" }) : response;
    await this.#checkResponse(judged ?? response, baseUrl);
    await this.#checkReadiness(baseUrl);
  }

  /** Reports what our own service says of itself. Other services have no such path.
   * @param {string} baseUrl */
  async #checkReadiness(baseUrl) {
    if (this.#attribute("dialect") === "cal") return;
    const response = await this.#fetch(`${baseUrl}/readyz`, { cache: "no-store" });
    const text = await response?.text().catch(() => "") ?? "";
    const zones = /^time zone data (.+)$/m.exec(text)?.[1];
    if (zones) {
      const isOld = zones.includes("days old");
      this.#report("zone-data", isOld ? "warning" : "info", `The service has time zone data ${zones}.`,
        isOld ? "Renew them on the machine of the service: laws may have changed since." : "Nothing to do.");
    }
    if (/^e-mail is not sent/m.test(text)) {
      this.#report("mail-missing", "warning", "The service sends no e-mail: nobody is told of bookings.",
        "Set the mail server of the service.");
    }
  }

  /** @param {Response} response @param {string} baseUrl */
  async #checkResponse(response, baseUrl) {
    let body;
    try {
      body = await response.json();
    } catch {
      body = undefined;
    }
    if (!body || typeof body !== "object" || !("status" in body || "data" in body || "error" in body || "message" in body)) {
      this.#report("base-url-wrong", "error", `${baseUrl} is not a booking service: status ${response.status}.`,
        "Set base-url to the service itself, without /v2.");
      return;
    }
    if (response.status >= 500 || response.status === 429) {
      this.#report("service-failing", "warning", `The service responds with status ${response.status}.`, "Try again later.");
      return;
    }
    if (this.#isUnknownOperation(response, body)) return;
    const [id, slug] = ["event-type-id", "event-slug"].map((name) => this.#attribute(name));
    // These requests have no credentials: with a session, the element may be allowed more.
    if (this.#isStaff || this.#session || !id && !slug) return;
    const isEmpty = Array.isArray(body.data) && !body.data.length;
    if ([401, 403].includes(response.status)) {
      this.#report("event-type-guarded", "error", `The service does not let visitors read this event type${id ? " by its id" : ""}.`,
        id ? "Name it by username and event-slug, or by team-id and event-slug." : "Check base-url, or give the element a session.");
    } else if (response.status === 404 || isEmpty) {
      this.#report("event-type-not-found", "error", "The event type does not exist or is hidden.",
        "Check event-slug with username or team-id, or event-type-id.");
    } else {
      const eventType = [body.data].flat()[0];
      this.#checkDuration(eventType);
      await this.#checkSlots(eventType?.id, baseUrl);
    }
  }

  /** @param {any} eventType */
  #checkDuration(eventType) {
    const duration = this.#attribute("duration");
    const lengths = [eventType?.lengthInMinutes, eventType?.lengthInMinutesOptions].flat().filter(Number.isInteger);
    if (duration && lengths.length && !lengths.includes(Number(duration))) {
      this.#report("duration-not-offered", "warning", `duration="${duration}" is none of the event type's durations.`,
        `Write one of ${[...new Set(lengths)].join(", ")}, or leave it out.`);
    }
  }

  /** Reports an unknown operation. Services also respond like this to an unsupported API version.
   * @param {Response} response @param {any} body */
  #isUnknownOperation({ status, url }, body) {
    const message = body?.error?.message ?? body?.message;
    if (status !== 404 || !/^Cannot GET /.test(message)) return false;
    const isCal = this.#attribute("dialect") === "cal";
    this.#report("operation-unknown", "error", `The service does not know ${new URL(url).pathname}, or not in the requested version.`,
      isCal ? "Check base-url, and whether the service has version 2 of the interface." : 'Set dialect="cal" for Cal.com and services like it; else check base-url.');
    return true;
  }

  /** Checks that the slots operation exists.
   * @param {any} id @param {string} baseUrl */
  async #checkSlots(id, baseUrl) {
    if (id == null) return;
    /** @type {Record<string, string>} */
    const headers = this.#attribute("dialect") === "cal" ? { "cal-api-version": API_VERSIONS.slots } : {};
    const day = new Date().toISOString().slice(0, 10);
    const query = new URLSearchParams({ eventTypeId: id, start: day, end: day });
    const response = await this.#fetch(`${baseUrl}/v2/slots?${query}`, { headers, cache: "no-store" });
    if (response) this.#isUnknownOperation(response, await response.json().catch(() => undefined));
  }

  /** @param {Response} response @param {string} baseUrl */
  #checkClock(response, baseUrl) {
    const date = Date.parse(response.headers.get("Date") ?? "");
    if (Number.isNaN(date)) {
      if (new URL(baseUrl).origin !== location.origin) {
        this.#report("date-hidden", "info", "The service does not let pages read its Date, which helps visitors whose clocks are wrong.",
          "Let it answer with Access-Control-Expose-Headers: Date.");
      }
      return;
    }
    const skewMs = Date.now() - date;
    if (Math.abs(skewMs) > MAX_CLOCK_SKEW_MS) {
      const minutes = Math.round(Math.abs(skewMs) / 60_000);
      this.#report("clock-off", "warning", `The clock of this device is ${minutes} minutes ${skewMs > 0 ? "ahead" : "behind"}.`,
        "Set it by the network.");
    }
  }

  /** Names of the session's own headers. A callback is not called: it may have side effects.
   * @returns {string[]} */
  #ownHeaders() {
    const headers = this.#session?.headers;
    try {
      return headers && typeof headers === "object" ? [...new Headers(headers).keys()] : [];
    } catch {
      return []; // Invalid header names.
    }
  }

  /** Headers that the element will send, with dummy values for credentials.
   * @returns {[name: string, value: string][]} */
  #plannedHeaders() {
    const prefix = this.#attribute("dialect") === "cal" ? "cal" : "svc";
    /** @type {[name: string, value: string][]} */
    const headers = [["Accept", "application/json"], CONTENT_TYPE];
    if (prefix === "cal") headers.push(["cal-api-version", API_VERSIONS["event-types"]]);
    if (this.#isStaff || this.#session) headers.push(["Authorization", "Bearer doctor"]);
    const ownHeaders = this.#ownHeaders();
    if (this.#session?.clientId) ownHeaders.push(`x-${prefix}-client-id`);
    const names = headers.map(([name]) => name.toLowerCase());
    return [...headers, ...ownHeaders.filter((name) => !names.includes(name)).map((name) => /** @type {[string, string]} */ ([name, "doctor"]))];
  }

  /** Reports the headers that the service's CORS policy rejects; returns true if there are none.
   * @param {string} url @param {string} baseUrl */
  async #checkHeaders(url, baseUrl) {
    if (new URL(baseUrl).origin === location.origin) return true;
    const probe = (/** @type {[string, string][]} */ headers) => this.#fetch(url, { headers: Object.fromEntries(headers), cache: "no-store" });
    const headers = this.#plannedHeaders();
    if (await probe(headers)) return true;
    let isReported = false;
    for (const header of headers) {
      if (await probe([header])) continue;
      isReported = true;
      this.#report("header-forbidden", "error", `The service does not let this page send the header ${header[0]}.`,
        `Add ${header[0]} to its Access-Control-Allow-Headers.`);
    }
    if (!isReported) {
      this.#report("header-forbidden", "error", "The service does not let this page send its headers together.",
        `Let it answer with Access-Control-Allow-Headers: ${headers.map(([name]) => name).join(", ")}.`);
    }
    return false;
  }

  /** Reports the methods that the service's CORS policy rejects. If even a GET of the missing resource
   * gives no readable response, a failure says nothing about methods.
   * @param {string} baseUrl */
  async #checkMethods(baseUrl) {
    if (new URL(baseUrl).origin === location.origin) return;
    const [path, methods] = METHOD_PROBES[this.#Class.bundle];
    const probe = (/** @type {string} */ method) => this.#fetch(baseUrl + path, { method, headers: [CONTENT_TYPE], cache: "no-store" });
    if (!await probe("GET")) return;
    for (const method of methods) {
      if (await probe(method)) continue;
      this.#report("method-forbidden", "error", `The service does not let this page use the method ${method}.`,
        `Add ${method} to its Access-Control-Allow-Methods.`);
    }
  }
}

/** Runs all checks, those of the element only if there is one. Never rejects.
 * @param {BookingElementClass} Class @param {CheckedElement | null | undefined} element @param {LoaderTools} tools
 * @returns {Promise<Diagnosis>} */
export function diagnose(Class, element, tools) {
  return new Diagnostics(Class, element ?? null, tools).run();
}
