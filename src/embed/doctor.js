// Finds out what keeps an element from working on a page: what the page's policy forbids, what the
// service does not allow, what is set wrong. The loader imports this when a developer asks.

// A clock may be off by so much before free times look wrong.
const SKEW_MS = 5 * 60_000;

// How long anything may take.
const PATIENCE_MS = 10_000;

const VERSIONS = { "event-types": "2024-06-14", slots: "2024-09-04" };

// What a visitor's element sends, and what those of staff send as well.
const CONTENT_TYPE = ["Content-Type", "application/json"];

// The methods that browsers ask for leave for, and where each kind of element uses them: with names that
// stand for nothing, so that nothing can come of it.
const METHODS = {
  picker: ["/v2/slots/reservations/doctor", ["PATCH", "DELETE"]],
  staff: ["/v2/organizations/0/teams/0/roles/doctor", ["PATCH", "DELETE"]],
};

// What all copies of the loader are called, and what stands in them.
const LOADER = /\/embed(-\d[\w.+-]*)?\.js$/;
const DEFINED = "booking-picker";

class Examination {
  findings = [];
  #violations = [];
  #element;
  #Class;
  #tools;

  constructor(Class, element, tools) {
    this.#Class = Class;
    this.#element = element;
    this.#tools = tools;
  }

  async run() {
    const hear = (violation) => {
      if (violation.disposition === "enforce") this.#violations.push(violation);
    };
    document.addEventListener("securitypolicyviolation", hear);
    try {
      this.#page();
      this.#webAssembly();
      this.#settings();
      // What fails says so, and the rest goes on.
      const parts = [this.#loaders(), this.#files(), this.#service(), this.#advice()];
      await Promise.all(parts.map((part) => part.catch((error) => this.#unfinished(error))));
    } catch (error) {
      this.#unfinished(error);
    } finally {
      document.removeEventListener("securitypolicyviolation", hear);
    }
    const order = ["error", "warning", "info"];
    this.findings.sort((one, other) => order.indexOf(one.level) - order.indexOf(other.level));
    return {
      ok: this.findings.every(({ level }) => level !== "error"),
      version: this.#Class.version,
      findings: this.findings,
    };
  }

  #find(code, level, message, fix) {
    this.findings.push({ code, level, message, fix });
  }

  get #isStaff() {
    return this.#Class.artefact === "staff";
  }

  #attribute(name) {
    return this.#element?.getAttribute(name)?.trim() || undefined;
  }

  get #session() {
    const session = this.#element?.session;
    return session && typeof session === "object" ? session : undefined;
  }

  // ---- The page itself.

  #page() {
    if (!isSecureContext) {
      this.#find("insecure-page", "warning", "This page is not served over https: what visitors type can be read on its way.",
        "Serve it over https.");
    }
    const element = this.#element;
    if (!element) return;
    if (!element.isConnected) {
      this.#find("not-connected", "warning", "The element is not in the document.", "Append it.");
    } else if (!element.getClientRects().length && !this.#attribute("placement")) {
      this.#find("not-shown", "info", "The element is not shown, and starts when it is about to be seen.",
        'Show it, or set load="eager".');
    }
    const load = this.#attribute("load");
    if (load === "manual" || load === "interaction" && element.querySelector("a,button,input,[tabindex]")) {
      this.#find("waits", "info", `With load="${load}", it waits.`, "Call start() on it, or leave the attribute out.");
    }
    if (!element.hasChildNodes()) {
      this.#find("no-fallback", "info", "Visitors whose browser runs no WebAssembly have no other way.",
        "Put a link to a page where they can book between the tags.");
    }
  }

  #webAssembly() {
    if (!globalThis.WebAssembly) {
      this.#find("wasm-missing", "error", "This browser has no WebAssembly, as in a lockdown mode.",
        "The element's own content is shown instead: put a link into it.");
      return;
    }
    try {
      // WebKit only refuses what is to run.
      new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)));
    } catch {
      this.#find("wasm-blocked", "error", "The page's policy forbids WebAssembly.",
        "Add 'wasm-unsafe-eval' to script-src in its Content-Security-Policy.");
    }
  }

  #settings() {
    const element = this.#element;
    if (!element) return;
    if (this.#isStaff && !this.#session) {
      this.#find("session-missing", "error", "Nothing says who is calling.",
        "Set the property session by a script: { baseUrl, getToken }.");
    }
    const isNamed = ["username", "team-id", "event-type-id", "booking-uid", "seat-uid"].some((name) => this.#attribute(name));
    if (!this.#isStaff && !isNamed) {
      this.#find("nothing-named", "error", "Nothing says what can be booked.",
        "Set username and event-slug, or team-id and event-slug.");
    }
    const { token, trustedContext } = this.#session ?? {};
    const isKey = typeof token === "string" && /^(svc|cal|sk)_/.test(token);
    if (isKey || this.#ownHeaders().some((name) => /secret|api-?key/.test(name))) {
      const level = trustedContext === true ? "info" : this.#tools.isLocal() ? "warning" : "error";
      this.#find("secret-exposed", level, "A platform secret or an API key is on this page: whoever opens it can read it.",
        level === "info" ? "See to it that only staff can open the page." : "Keep it on your server, and give short-lived access tokens by getToken.");
    }
  }

  #unfinished(error) {
    this.#find("unfinished", "warning", `The examination could not go on: ${error}`, "Report this.");
  }

  async #advice() {
    if (!this.#element) return;
    const { remarks } = await this.#tools.more("advice");
    this.findings.push(...await remarks(this.#element, this.#tools, async () => undefined));
  }

  // ---- Requests.

  // An answer, or nothing. Nothing that is asked here has credentials.
  async #ask(url, options = {}) {
    try {
      return await fetch(url, {
        credentials: "omit", redirect: "error", referrerPolicy: "no-referrer",
        signal: AbortSignal.timeout?.(PATIENCE_MS), ...options,
      });
    } catch {
      return undefined;
    }
  }

  // Whether the page's policy has stopped a request for this. It is told a moment later.
  async #isForbidden(url) {
    await new Promise((done) => setTimeout(done, 50));
    const { origin, href } = new URL(url);
    return this.#violations.some(({ blockedURI, effectiveDirective }) =>
      effectiveDirective === "connect-src" && (blockedURI === href || blockedURI === origin || blockedURI.startsWith(`${origin}/`)));
  }

  // Why there is no answer from `url`.
  async #explain(url, what, options) {
    const { origin } = new URL(url);
    const code = what === "files" ? "files" : "service";
    const name = what === "files" ? `What serves the files at ${origin}` : `The service at ${origin}`;
    if (await this.#isForbidden(url)) {
      this.#find(`${code}-forbidden`, "error", `The page's policy forbids requests to ${origin}.`,
        `Add ${origin} to connect-src in its Content-Security-Policy.`);
    } else if (!navigator.onLine) {
      this.#find("offline", "error", "This browser is offline.", "Connect it.");
    } else if (await this.#ask(url, { ...options, redirect: "follow" })) {
      this.#find("service-redirects", "error", `${name} leads to another address, which is not followed.`,
        "Name the final address.");
    } else if (await this.#ask(url, { mode: "no-cors", redirect: "follow" })) {
      this.#find(`${code}-cors`, "error", `${name} can be reached and does not allow this page to read its answers.`,
        `Let it answer with Access-Control-Allow-Origin: ${location.origin}.`);
    } else {
      this.#find(`${code}-unreachable`, "error", `${name} cannot be reached.`, "Check the address, and whether it runs.");
    }
  }

  // Scripts of this name that others have made too are told apart by what is in them.
  async #loaders() {
    const named = [...document.scripts].map(({ src }) => src).filter((src) => src && LOADER.test(new URL(src).pathname));
    if (new Set(named).size < 2) return;
    const texts = await Promise.all([...new Set(named)].map(async (src) => [src, await (await this.#ask(src, { redirect: "follow" }))?.text()]));
    const loaders = texts.filter(([, text]) => text?.includes(DEFINED)).map(([src]) => src);
    if (loaders.length > 1) {
      this.#find("loader-twice", "warning", `Several loaders are on this page, and the first to run wins: ${loaders.join(", ")}.`,
        "Keep one of the script tags.");
    }
  }

  async #files() {
    const name = this.#Class.artefact;
    for (const path of [`${name}.js`, `${name}_bg.wasm`]) {
      const { url, integrity } = this.#tools.file(path);
      // As the loader asks.
      const options = { integrity, redirect: "follow" };
      const answer = await this.#ask(url, options);
      if (!answer) {
        if (integrity && await this.#ask(url, { redirect: "follow" })) {
          this.#find("files-changed", "error", `${url} is not the file that this version of the loader was made with.`,
            "Serve all files of one version, unchanged.");
        } else {
          await this.#explain(url, "files", options);
        }
        return;
      }
      if (answer.redirected) {
        this.#find("files-redirects", "info", `${url} leads to ${answer.url}, which takes visitors longer.`,
          "Serve the files beside the loader, or name the final address by configure().");
      }
      const type = answer.headers.get("Content-Type") ?? "";
      if (!answer.ok || type.includes("html")) {
        this.#find("files-missing", "error", `${url} is not there: status ${answer.status}${type.includes("html") ? ", a page of HTML" : ""}.`,
          "Serve all files of one version beside the loader.");
        return;
      }
      if (path.endsWith(".wasm") && !type.startsWith("application/wasm")) {
        this.#find("files-type", "warning", `${url} is served as ${type || "nothing"}, which makes it start slower.`,
          "Serve .wasm files as application/wasm.");
      }
    }
  }

  // ---- The service.

  #base() {
    const given = this.#session?.baseUrl || this.#attribute("base-url") || "/";
    try {
      // Relative ones, as the element reads them, begin with a slash.
      if (/^(https?:\/\/|\/)/i.test(given)) return new URL(given, document.baseURI).href.replace(/\/*(\/v2)?\/*$/, "");
    } catch {
      // No address.
    }
    this.#find("base-url-odd", "error", `"${given}" is no address.`, "Write it as https://book.example.");
    return undefined;
  }

  // What the element asks first, and what stands there if it is right.
  #question() {
    const [id, username, team, slug, orgSlug] = ["event-type-id", "username", "team-id", "event-slug", "org-slug"].map((name) => this.#attribute(name));
    const query = (values) => new URLSearchParams(JSON.parse(JSON.stringify(values)));
    if (this.#isStaff) return "/v2/event-types";
    const isNamed = this.#attribute("dialect") === "cal" && slug && (username || team);
    if (id && !isNamed) return `/v2/event-types/${encodeURIComponent(id)}`;
    if (username) return `/v2/event-types?${query({ username, eventSlug: slug, orgSlug })}`;
    if (team) return `/v2/teams/${encodeURIComponent(team)}/event-types?${query({ eventSlug: slug })}`;
    return "/v2/event-types";
  }

  async #service() {
    const base = this.#base();
    if (!base) return;
    if (location.protocol === "https:" && base.startsWith("http:") && !this.#tools.isLocal(new URL(base).hostname)) {
      this.#find("mixed-content", "error", `Browsers do not let an https page ask ${base}.`, "Write https in base-url.");
      return;
    }
    const path = this.#question();
    const url = base + path;
    const answer = await this.#ask(url, { cache: "no-store" });
    if (!answer) return this.#explain(url, "service", { cache: "no-store" });
    this.#clock(answer, base);
    const isAllowed = await this.#headers(url, base);
    if (isAllowed) await this.#methods(base);
    // Where versions are asked for, only an answer to the right one tells.
    const version = this.#attribute("dialect") === "cal" && path.startsWith("/v2/event-types");
    const headers = version ? { "cal-api-version": VERSIONS["event-types"] } : {};
    const told = version && isAllowed ? await this.#ask(url, { headers, cache: "no-store" }) : answer;
    await this.#judge(told ?? answer, base);
  }

  async #judge(answer, base) {
    let body;
    try {
      body = await answer.json();
    } catch {
      body = undefined;
    }
    if (!body || typeof body !== "object" || !("status" in body || "data" in body || "error" in body || "message" in body)) {
      this.#find("base-url-wrong", "error", `${base} answers, and not as a booking service does: status ${answer.status}.`,
        "Let base-url name the service itself, without /v2.");
      return;
    }
    if (answer.status >= 500 || answer.status === 429) {
      this.#find("service-failing", "warning", `The service answers with status ${answer.status}.`, "Try again later.");
      return;
    }
    if (this.#isUnknown(answer, body)) return;
    const [id, slug] = ["event-type-id", "event-slug"].map((name) => this.#attribute(name));
    // Whoever has a session may be shown more than the doctor, who has none.
    if (this.#isStaff || this.#session || !id && !slug) return;
    const isEmpty = Array.isArray(body.data) && !body.data.length;
    if ([401, 403].includes(answer.status)) {
      this.#find("event-type-guarded", "error", `This service tells visitors nothing of an event type${id ? " by its number" : ""}.`,
        id ? "Name it by username and event-slug, or by team-id and event-slug." : "Check base-url, or give the element a session.");
    } else if (answer.status === 404 || isEmpty) {
      this.#find("event-type-not-found", "error", "The service knows no such event type, or hides it.",
        "Check event-slug with username or team-id, or event-type-id.");
    } else {
      await this.#slots([body.data].flat()[0]?.id, base);
    }
  }

  // Whether the service does not know the operation at all: one that expects another version says so.
  #isUnknown({ status, url }, body) {
    const message = body?.error?.message ?? body?.message;
    if (status !== 404 || !/^Cannot GET /.test(message)) return false;
    const isCal = this.#attribute("dialect") === "cal";
    this.#find("operation-unknown", "error", `The service does not know ${new URL(url).pathname}, or not in the version that is asked for.`,
      isCal ? "Check base-url, and whether the service has version 2 of the interface." : 'Set dialect="cal" for Cal.com and services like it; else check base-url.');
    return true;
  }

  // Whether the free times of an event type that is there can be asked for.
  async #slots(id, base) {
    if (id == null) return;
    const headers = this.#attribute("dialect") === "cal" ? { "cal-api-version": VERSIONS.slots } : {};
    const day = new Date().toISOString().slice(0, 10);
    const query = new URLSearchParams({ eventTypeId: id, start: day, end: day });
    const answer = await this.#ask(`${base}/v2/slots?${query}`, { headers, cache: "no-store" });
    if (answer) this.#isUnknown(answer, await answer.json().catch(() => undefined));
  }

  #clock(answer, base) {
    const date = Date.parse(answer.headers.get("Date") ?? "");
    if (Number.isNaN(date)) {
      if (new URL(base).origin !== location.origin) {
        this.#find("date-hidden", "info", "The service does not let pages read its Date, which helps visitors whose clocks are wrong.",
          "Let it answer with Access-Control-Expose-Headers: Date.");
      }
      return;
    }
    const off = Date.now() - date;
    if (Math.abs(off) > SKEW_MS) {
      const minutes = Math.round(Math.abs(off) / 60_000);
      this.#find("clock-off", "warning", `The clock of this device is ${minutes} minutes ${off > 0 ? "ahead" : "behind"}.`,
        "Set it by the network.");
    }
  }

  // The names of the headers that the page adds. A callback may do something, and is not called.
  #ownHeaders() {
    const given = this.#session?.headers;
    try {
      return given && typeof given === "object" ? [...new Headers(given).keys()] : [];
    } catch {
      return []; // Names that no header can have are left out.
    }
  }

  // The headers that the element is going to send, with values that tell nobody anything.
  #sent() {
    const prefix = this.#attribute("dialect") === "cal" ? "cal" : "svc";
    const headers = [["Accept", "application/json"], CONTENT_TYPE];
    if (prefix === "cal") headers.push(["cal-api-version", VERSIONS["event-types"]]);
    if (this.#isStaff || this.#session) headers.push(["Authorization", "Bearer doctor"]);
    const own = this.#ownHeaders();
    if (this.#session?.clientId) own.push(`x-${prefix}-client-id`);
    const known = headers.map(([name]) => name.toLowerCase());
    return [...headers, ...own.filter((name) => !known.includes(name)).map((name) => [name, "doctor"])];
  }

  // Whether the service lets this page send what the element sends.
  async #headers(url, base) {
    if (new URL(base).origin === location.origin) return true;
    const allowed = (headers) => this.#ask(url, { headers: Object.fromEntries(headers), cache: "no-store" });
    const sent = this.#sent();
    if (await allowed(sent)) return true;
    let isNamed = false;
    for (const header of sent) {
      if (await allowed([header])) continue;
      isNamed = true;
      this.#find("header-forbidden", "error", `The service does not let this page send the header ${header[0]}.`,
        `Add ${header[0]} to its Access-Control-Allow-Headers.`);
    }
    if (!isNamed) {
      this.#find("header-forbidden", "error", "The service does not let this page send its headers together.",
        `Let it answer with Access-Control-Allow-Headers: ${sent.map(([name]) => name).join(", ")}.`);
    }
    return false;
  }

  // Whether it lets this page use the methods that the element uses. Where a request for nothing is not
  // answered to this page, nothing can be found out.
  async #methods(base) {
    if (new URL(base).origin === location.origin) return;
    const [path, methods] = METHODS[this.#Class.artefact];
    const asked = (method) => this.#ask(base + path, { method, headers: [CONTENT_TYPE], cache: "no-store" });
    if (!await asked("GET")) return;
    for (const method of methods) {
      if (await asked(method)) continue;
      this.#find("method-forbidden", "error", `The service does not let this page use the method ${method}.`,
        `Add ${method} to its Access-Control-Allow-Methods.`);
    }
  }
}

// Never throws. `tools` are the loader's.
export function examine(Class, element, tools) {
  return new Examination(Class, element ?? null, tools).run();
}
