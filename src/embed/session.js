// Who is calling: credentials that a page gives as JavaScript values, renewed once when they expire.
// They stay in private fields here: in no attribute, event, text, log or storage, and not in the memory
// of the WebAssembly. Fetched where a page gives a session; visitors need none.

// How long a page may take to give a token or headers.
const PATIENCE_MS = 30_000;

// How long after a request for a token that failed for reasons of its own it is repeated once.
const PAUSE_MS = 500;

// How long after a renewal that failed the next one begins, as long as the page is visible: twice as long
// after each failure, up to the limit.
const BACKOFF_MS = 5_000;
const LONGEST_BACKOFF_MS = 300_000;

// The reason of a session that cannot be renewed at the moment; all other reasons end it.
const UNAVAILABLE = "unavailable";

// The characters of a token. Everything else is an error page or another mistake, which does not mean that
// the person is signed out.
const TOKEN = /^[!#-;=?-z|~]+$/;

// Statuses with which the page's own server, or the service, refuses to renew.
const REFUSALS = [400, 401, 403, 498];

// What a page may say of a session, beside where the service is.
const SETTINGS = [
  "clientId", "getToken", "headers", "refreshToken", "refreshUrl", "token", "trustedContext",
];

const MOST_HEADERS = 32;
const MOST_HEADER_BYTES = 8192;
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
// Those that belong to the browser or to one leg of the way.
const FOREIGN_HEADER = new RegExp(
  "^(accept-charset|accept-encoding|access-control-.+|connection|content-length|cookie2?|date|dnt|expect"
    + "|host|keep-alive|origin|proxy-.+|referer|sec-.+|te|trailer|transfer-encoding|upgrade|via)$",
  "i",
);
const SECRET_NAME = /secret|private|api[-_]?key/i;
const KEY = /^(Bearer )?(svc|cal|sk)_/;

const WARNINGS = {
  "secret-header": "This page sends a platform secret from the browser. Whoever can open the page can "
    + "read it. Give short-lived access tokens instead, or say trustedContext: true where only staff can "
    + "open the page.",
  "api-key": "This page sends an API key from the browser. Whoever can open the page can read it. Give "
    + "short-lived access tokens instead, or say trustedContext: true where only staff can open the page.",
  "refresh-token": "A refresh token is used only where the session says trustedContext: true. On other "
    + "pages, let getToken or refreshUrl ask your own server.",
  "insecure-origin": "The service is not reached by https, so no credentials are sent to it.",
  "bad-refresh-url": "refreshUrl is neither on this page's origin nor reached by https: it is not asked.",
  "bad-header": "A header that the session gives cannot be sent: its name or value is not allowed, or there "
    + `are more than ${MOST_HEADERS} or more than ${MOST_HEADER_BYTES} bytes of them.`,
};

// As the loader has it.
const isLocal = (host) => /^((.+\.)?localhost|127(\.\d+){3}|\[::1])$/.test(host);
const isSafe = ({ protocol, hostname }) => protocol === "https:" || isLocal(hostname);

// When a token of ours expires, in milliseconds (contract 2.2); others do not say.
function expiryOf(token) {
  try {
    return JSON.parse(atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/"))).expiresAt;
  } catch {
    return undefined;
  }
}

// What the page gives, or nothing once that has taken too long.
function inTime(given) {
  let timer;
  const late = new Promise((_, fail) => timer = setTimeout(fail, PATIENCE_MS));
  return Promise.race([given, late]).finally(() => clearTimeout(timer));
}

// Why an answer to the request for a token is none: `empty` says that nobody is signed in.
function troubleWith(token) {
  if (token === undefined || token === null || token === "") return "empty";
  return TOKEN.test(token) && typeof token === "string" ? undefined : "failed";
}

class Credentials {
  #baseUrl;
  #dialect;
  #settings = {};
  #token;
  #expiry;
  #refreshToken;
  // How many tokens there have been: tells a refusal of an old one from one of the newest.
  #number = 0;
  // Whether the page was asked for a first token.
  #wasAsked = false;
  // Whether that failed, so that nobody knows whether there is one.
  #hasFailed = false;
  // The request that the page gave no headers for, because its function failed.
  #headless = null;
  // Why nothing is asked any more, or with `UNAVAILABLE` not until a renewal succeeds.
  #trouble = null;
  // The reason of the renewal that is to be repeated, how often it was, and when it is next.
  #cause = null;
  #tries = 0;
  #timer;
  #renewing = null;
  #endRenewal = null;
  #warned = new Set();
  #listeners = new Set();
  #forget;

  constructor(settings, baseUrl, dialect, forget) {
    for (const key of SETTINGS) this.#settings[key] = settings[key];
    this.#baseUrl = baseUrl;
    this.#dialect = dialect;
    this.#forget = forget;
    this.#refreshToken = settings.refreshToken;
    this.#take(settings.token);
  }

  // Who comes when all is over is told so, too.
  join(hear) {
    if (this.#listeners.has(hear)) return;
    this.#listeners.add(hear);
    if (this.#trouble) this.#tell("auth-required", { reason: this.#trouble }, [hear]);
  }

  get #isPaused() {
    return this.#trouble === UNAVAILABLE;
  }

  get #isDead() {
    return Boolean(this.#trouble) && !this.#isPaused;
  }

  // Who leaves hears nothing more. Once nobody is left, everything is forgotten; an element that starts
  // anew comes back before that.
  leave(hear) {
    this.#listeners.delete(hear);
    setTimeout(() => {
      if (this.#listeners.size) return;
      this.#stopTrying();
      this.#trouble = "ended";
      this.#endRenewal?.(undefined, "ended");
      this.#settings = {};
      this.#token = this.#refreshToken = undefined;
      this.#forget();
    });
  }

  // Goes on with another token; without one, the page is asked for it. Gives what can be awaited: a renewal
  // on its way.
  setToken(token) {
    if (this.#endRenewal) {
      // Faster than the page's own answer. Without a token that one is awaited still.
      if (token) this.#endRenewal(token);
    } else if (this.#isPaused && !token) {
      this.#tries = 0;
      return this.#renew(this.#cause);
    } else {
      this.#number += 1;
      this.#wasAsked = this.#hasFailed = false;
      this.#take(token);
      this.#goOn();
    }
    return this.#renewing;
  }

  // Adds the caller's headers to a request. Gives the number of the token, or the reason why the service
  // would refuse. As long as a session cannot be renewed, each call tries to.
  async sign(headers, method, path) {
    // A token that comes in the same moment counts already.
    await undefined;
    if (this.#isDead) return this.#trouble;
    if (this.#isUnsafe()) return this.#number;
    if (this.#renewing) await this.#renewing;
    else if (this.#isPaused) await this.#renew(this.#cause);
    else if (!this.#token && !this.#wasAsked && this.#canRenew()) await this.#renew("initial");
    else if (Date.now() > this.#expiry && this.#canRenew()) await this.#renew("expired");
    if (this.#trouble) return this.#trouble;
    const number = this.#number;
    await this.#write(headers, this.#given({ baseUrl: this.#baseUrl, method, path }));
    return number;
  }

  // Whether what goes to the service can be read on the way: then nothing secret goes there.
  #isUnsafe() {
    if (isSafe(new URL(this.#baseUrl, document.baseURI))) return false;
    this.#warn("insecure-origin");
    return true;
  }

  // The service has refused the token of that number. Gives whether there is a newer one, or `UNAVAILABLE`.
  async renew(number) {
    if (this.#isDead || this.#isUnsafe()) return false;
    if (this.#renewing) await this.#renewing;
    else if (number === this.#number && !this.#isPaused) {
      if (this.#token && this.#canRenew()) await this.#renew("expired");
      else if (this.#headless) this.#pause("headers");
      else if (this.#token) this.#die("expired");
      else if (this.#hasFailed) this.#pause("initial");
      // Whoever has nothing that could be refused asks as anybody may.
      else if (this.#wasAsked || this.#settings.headers) this.#die(this.#wasAsked ? "initial" : "refused");
      else return false;
    }
    if (this.#isPaused) return UNAVAILABLE;
    return !this.#isDead && Boolean(this.#token ?? this.#settings.headers) && number !== this.#number;
  }

  // The service has refused that token too, which is as new as can be.
  giveUp(number) {
    if (number !== this.#number) return;
    if (this.#headless) this.#pause("headers");
    else this.#die("refused");
  }

  async #write(headers, given) {
    const { clientId } = this.#settings;
    if (clientId) headers.set(`x-${this.#dialect}-client-id`, clientId);
    if (this.#token) headers.set("Authorization", `Bearer ${this.#token}`);
    let [count, bytes, isSecret] = [0, 0, false];
    for (const [name, value] of await given) {
      count += 1;
      bytes += name.length + value.length;
      const isFit = HEADER_NAME.test(name) && !FOREIGN_HEADER.test(name) && !/[\0\r\n]/.test(value);
      try {
        if (!isFit || count > MOST_HEADERS || bytes > MOST_HEADER_BYTES) throw new TypeError(name);
        headers.set(name, value);
        isSecret ||= SECRET_NAME.test(name);
      } catch {
        this.#warn("bad-header");
      }
    }
    if (this.#settings.trustedContext === true || isLocal(location.hostname)) return;
    if (isSecret) this.#warn("secret-header");
    if (KEY.test(headers.get("Authorization"))) this.#warn("api-key");
  }

  // The page's own headers, as pairs of texts.
  async #given(request) {
    try {
      const { headers } = this.#settings;
      const given = await inTime(typeof headers === "function" ? headers(request) : headers) ?? [];
      this.#headless = null;
      const pairs = typeof given[Symbol.iterator] === "function" ? [...given] : Object.entries(given);
      return pairs.filter((pair) => pair.length === 2 && pair.every((text) => typeof text === "string"));
    } catch {
      // Without them the service has the last word.
      this.#headless = request;
      return [];
    }
  }

  #canRenew() {
    const { getToken, refreshUrl } = this.#settings;
    return Boolean(getToken || refreshUrl || this.#refreshToken);
  }

  // The renewal on its way, or a new one: everybody awaits the same. Never rejects.
  #renew(reason) {
    if (this.#renewing) return this.#renewing;
    let settle;
    const renewing = this.#renewing = new Promise((done) => settle = done);
    const isRefresh = reason === "expired";
    const stop = new AbortController();
    const end = this.#endRenewal = (given, trouble) => {
      if (this.#endRenewal !== end) return;
      // Text files end with a line break.
      const token = typeof given === "string" ? given.trim() : given;
      clearTimeout(timer);
      stop.abort();
      this.#renewing = this.#endRenewal = null;
      this.#number += 1;
      // Those who wait for headers go on with the token that there is.
      if (reason !== "headers") {
        trouble ??= troubleWith(token);
        this.#wasAsked = true;
      }
      const hasFailed = Boolean(trouble) && trouble !== "empty";
      this.#hasFailed = hasFailed && reason !== "headers";
      // The old token is kept until it is known that there is no other: `refreshUrl` is sent it.
      if (!trouble) this.#take(token);
      if (isRefresh && !trouble) this.#tell("token-refresh-success");
      if (isRefresh && trouble) this.#tell("token-refresh-error", { reason: trouble });
      const wasPaused = this.#isPaused;
      // A first token that there is none of: the service may answer anybody.
      const isNeeded = isRefresh || wasPaused;
      if (!trouble && wasPaused) this.#goOn();
      else if (hasFailed && isNeeded && trouble !== "ended") this.#pause(reason);
      else if (trouble === "empty" && isNeeded) this.#die(reason);
      settle();
    };
    const timer = setTimeout(() => end(undefined, "timeout"), PATIENCE_MS);
    if (isRefresh) this.#tell("token-refresh-start", { reason });
    this.#ask(reason, stop.signal).then(end, () => end(undefined, "failed"));
    return renewing;
  }

  // Waits for a better moment: each call, a press, the network, the page becoming visible and a timer try
  // the renewal again.
  #pause(cause) {
    this.#cause = cause;
    if (!this.#isPaused) {
      this.#trouble = UNAVAILABLE;
      this.#tell("auth-required", { reason: UNAVAILABLE });
      addEventListener("online", this.#wake);
      document.addEventListener("visibilitychange", this.#wake);
    }
    clearTimeout(this.#timer);
    const delay = Math.min(BACKOFF_MS * 2 ** this.#tries, LONGEST_BACKOFF_MS);
    this.#tries += 1;
    this.#timer = setTimeout(this.#wake, delay, {});
  }

  #wake = ({ type }) => {
    if (document.hidden || this.#renewing) return;
    if (type) this.#tries = 0;
    this.#renew(this.#cause);
  };

  #stopTrying() {
    if (!this.#isPaused) return;
    this.#tries = 0;
    clearTimeout(this.#timer);
    removeEventListener("online", this.#wake);
    document.removeEventListener("visibilitychange", this.#wake);
  }

  #goOn() {
    this.#stopTrying();
    this.#trouble = null;
    // An empty name: those who had to give up ask again.
    this.#tell("");
  }

  // A token from the page, from its server, or from the service itself.
  async #ask(reason, signal) {
    const { getToken, refreshUrl } = this.#settings;
    if (reason === "headers") {
      await this.#settings.headers(this.#headless);
      return this.#token;
    }
    if (getToken) return getToken({ reason });
    const old = this.#token ? { Authorization: `Bearer ${this.#token}` } : {};
    const usual = { method: "POST", signal, cache: "no-store", redirect: "error" };
    if (refreshUrl) {
      const url = new URL(refreshUrl, document.baseURI);
      if (url.origin !== location.origin && !isSafe(url)) return this.#warn("bad-refresh-url");
      // The page's own server may know its people by a cookie; nobody else is sent one.
      const credentials = "same-origin";
      const request = { ...usual, headers: old, credentials, referrerPolicy: "same-origin" };
      return tokenOf(await answerOf(url, request));
    }
    return this.#refresh({ ...usual, credentials: "omit", referrerPolicy: "no-referrer" });
  }

  // By the service's own operation (contract 2.3), which needs the platform's secret.
  async #refresh(usual) {
    if (this.#settings.trustedContext !== true) return this.#warn("refresh-token");
    const path = `/v2/oauth/${encodeURIComponent(this.#settings.clientId)}/refresh`;
    const headers = new Headers({ "Content-Type": "application/json" });
    await this.#write(headers, this.#given({ baseUrl: this.#baseUrl, method: "POST", path }));
    // Written by hand: a page's scripts may listen at `JSON.stringify`.
    const body = `{"refreshToken":"${this.#refreshToken.replace(/["\\]/g, "\\$&")}"}`;
    const fresh = await answerOf(this.#baseUrl + path, { ...usual, headers, body });
    // The old one has ended with this.
    this.#refreshToken = fresh.refreshToken ?? this.#refreshToken;
    return tokenOf(fresh);
  }

  #take(token) {
    this.#token = typeof token === "string" && token ? token : undefined;
    this.#expiry = expiryOf(this.#token);
    // One that has expired when it comes tells that some clock is wrong: then the service's counts.
    if (Date.now() > this.#expiry) this.#expiry = undefined;
  }

  #die(reason) {
    if (this.#isDead) return;
    this.#stopTrying();
    this.#trouble = reason;
    this.#token = undefined;
    this.#tell("auth-required", { reason });
  }

  #warn(code) {
    if (this.#warned.has(code)) return;
    this.#warned.add(code);
    console.warn(`booking: ${WARNINGS[code]}`);
    this.#tell("security-warning", { code });
  }

  // Later, because whoever listens may be in the middle of a call.
  #tell(name, detail, to = [...this.#listeners]) {
    queueMicrotask(() => {
      for (const hear of to) if (this.#listeners.has(hear)) hear(name, { ...detail });
    });
  }
}

// A connection that breaks and a server that stumbles say nothing of the token: they are asked once more.
async function answerOf(url, request) {
  let answer = await fetch(url, request).catch(() => undefined);
  if (!(answer?.status < 500)) {
    await new Promise((done) => setTimeout(done, PAUSE_MS));
    answer = await fetch(url, request);
  }
  if (REFUSALS.includes(answer.status)) return { accessToken: null };
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const body = await answer.json();
  return body.data ?? body;
}

// The token of an answer. One that does not speak of a token is a mistake, and no sign-out.
function tokenOf({ accessToken }) {
  if (accessToken === undefined) throw new Error("no token");
  return accessToken;
}

// By what the page gave, then by dialect and service. Elements that were given the same object share
// credentials, and so a renewal; others share nothing.
const known = new WeakMap();

// The credentials of `settings` for one service. `hear` is called with the name and detail of each event.
export function join(settings, baseUrl, dialect, hear) {
  if (!known.has(settings)) known.set(settings, new Map());
  const services = known.get(settings);
  const service = `${dialect} ${baseUrl}`;
  if (!services.has(service)) {
    const credentials = new Credentials(settings, baseUrl, dialect, () => {
      if (services.get(service) === credentials) services.delete(service);
    });
    services.set(service, credentials);
  }
  const credentials = services.get(service);
  credentials.join(hear);
  return credentials;
}
