// Credentials of a session: signs requests and renews expired tokens. Secrets stay in private fields here,
// out of attributes, events, logs, storage and the WebAssembly's memory. Loaded only with a session.

// For the page's callbacks and token requests.
const TIMEOUT_MS = 30_000;

// Delay before the one retry of a token request that failed without being rejected.
const RETRY_DELAY_MS = 500;

// Exponential backoff between failed renewals, while the page is visible.
const BACKOFF_MS = 5_000;
// Longest delay between failed renewals.
const MAX_BACKOFF_MS = 300_000;

// Stop reason of a session that is paused: renewal failed temporarily. All other reasons end it.
const UNAVAILABLE = "unavailable";

// A response with other characters is an error page or the like, and does not mean that the user is signed
// out.
const TOKEN_PATTERN = /^[!#-;=?-z|~]+$/;

// HTTP statuses that reject a renewal.
const REJECTED_STATUSES = [400, 401, 403, 498];

// Keys of the `session` property, except `baseUrl`.
const SETTINGS = [
  "clientId", "getToken", "headers", "refreshToken", "refreshUrl", "token", "trustedContext",
];

// Number of headers that the page may add.
const MAX_HEADERS = 32;
// Bytes of these headers together.
const MAX_HEADER_BYTES = 8192;
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
// Headers that the browser controls, and hop-by-hop headers.
const FORBIDDEN_HEADER = new RegExp(
  "^(accept-charset|accept-encoding|access-control-.+|connection|content-length|cookie2?|date|dnt|expect"
    + "|host|keep-alive|origin|proxy-.+|referer|sec-.+|te|trailer|transfer-encoding|upgrade|via)$",
  "i",
);
const SECRET_HEADER = /secret|private|api[-_]?key/i;
const API_KEY = /^(Bearer )?(svc|cal|sk)_/;

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
    + `are more than ${MAX_HEADERS} or more than ${MAX_HEADER_BYTES} bytes of them.`,
};

/** The same as in the loader.
 * @param {string} host */
const isLocal = (host) => /^((.+\.)?localhost|127(\.\d+){3}|\[::1])$/.test(host);
/** @param {URL} url */
const isSafe = ({ protocol, hostname }) => protocol === "https:" || isLocal(hostname);

/** Expiry in epoch milliseconds of the service's own tokens; unknown for others.
 * @param {string | undefined} token @returns {any} */
function expiryOf(token) {
  try {
    return JSON.parse(atob(/** @type {string} */ (token).split(".")[1].replaceAll("-", "+").replaceAll("_", "/"))).expiresAt;
  } catch {
    return undefined;
  }
}

/** @template Value @param {Value | Promise<Value>} promise @returns {Promise<Value>} */
function withTimeout(promise) {
  /** @type {number | undefined} */
  let timer;
  /** @type {Promise<never>} */
  const timeout = new Promise((_, reject) => timer = setTimeout(reject, TIMEOUT_MS));
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}

/** Returns undefined for a valid token; "empty" means that the user is signed out.
 * @param {unknown} token @returns {"empty" | "failed" | undefined} */
function tokenError(token) {
  if (token === undefined || token === null || token === "") return "empty";
  return typeof token === "string" && TOKEN_PATTERN.test(token) ? undefined : "failed";
}

class Credentials {
  #baseUrl;
  #dialect;
  /** @type {Partial<SessionSettings>} */
  #settings = {};
  /** @type {string | undefined} */
  #token;
  /** Epoch milliseconds.
   * @type {number | undefined} */
  #expiry;
  /** @type {string | undefined} */
  #refreshToken;
  // Incremented with each token, to ignore the rejection of an older one.
  #version = 0;
  // True after the initial token was requested from the page.
  #wasRequested = false;
  // True if that request failed, so that it is unknown if the user is signed in.
  #hasRequestFailed = false;
  /** Request whose `headers` callback failed, until one succeeds.
   * @type {SignedRequest | null} */
  #failedHeadersRequest = null;
  /** Set while no requests are sent; with `UNAVAILABLE` until a renewal succeeds.
   * @type {string | null} */
  #stopReason = null;
  // State of the retry: reason of the failed renewal, attempts so far, and timer.
  #renewalReason = "";
  #attempts = 0;
  /** @type {number | undefined} */
  #retryTimer;
  /** @type {Promise<void> | null} */
  #renewal = null;
  /** @type {((token: unknown, error?: string) => void) | null} */
  #endRenewal = null;
  /** @type {Set<string>} */
  #warned = new Set();
  /** @type {Set<SessionListener>} */
  #listeners = new Set();
  #onUnused;

  /** @param {SessionSettings} settings @param {string} baseUrl @param {Dialect} dialect @param {() => void} onUnused */
  constructor(settings, baseUrl, dialect, onUnused) {
    for (const key of SETTINGS) /** @type {any} */ (this.#settings)[key] = /** @type {any} */ (settings)[key];
    this.#baseUrl = baseUrl;
    this.#dialect = dialect;
    this.#onUnused = onUnused;
    this.#refreshToken = settings.refreshToken;
    this.#storeToken(settings.token);
  }

  /** Adds a listener, which also gets the current stop reason.
   * @param {SessionListener} listener */
  join(listener) {
    if (this.#listeners.has(listener)) return;
    this.#listeners.add(listener);
    if (this.#stopReason) this.#emit("auth-required", { reason: this.#stopReason }, [listener]);
  }

  get #isPaused() {
    return this.#stopReason === UNAVAILABLE;
  }

  get #hasEnded() {
    return Boolean(this.#stopReason) && !this.#isPaused;
  }

  /** Removes a listener. Clears all secrets after the last one, in a later task: an element that
   * restarts joins again first.
   * @param {SessionListener} listener */
  leave(listener) {
    this.#listeners.delete(listener);
    setTimeout(() => {
      if (this.#listeners.size) return;
      this.#cancelRetries();
      this.#stopReason = "ended";
      this.#endRenewal?.(undefined, "ended");
      this.#settings = {};
      this.#token = this.#refreshToken = undefined;
      this.#onUnused();
    });
  }

  /** Replaces the token; without one, requests it from the page. Returns the pending renewal, if any.
   * @param {unknown} token @returns {Promise<void> | null} */
  setToken(token) {
    if (this.#endRenewal) {
      // The new token completes the pending renewal.
      if (token) this.#endRenewal(token);
    } else if (this.#isPaused && !token) {
      this.#attempts = 0;
      return this.#startRenewal(this.#renewalReason);
    } else {
      this.#version += 1;
      this.#wasRequested = this.#hasRequestFailed = false;
      this.#storeToken(token);
      this.#resume();
    }
    return this.#renewal;
  }

  /** Adds the credentials to `headers`. Resolves to the token's version, or to the stop reason. While the
   * session is paused, each call retries the renewal.
   * @param {Headers} headers @param {string} method @param {string} path @returns {Promise<number | string | null>} */
  async sign(headers, method, path) {
    // Lets a `setToken()` in the same task apply first.
    await undefined;
    if (this.#hasEnded) return this.#stopReason;
    if (this.#isUnsafe()) return this.#version;
    if (this.#renewal) await this.#renewal;
    else if (this.#isPaused) await this.#startRenewal(this.#renewalReason);
    else if (!this.#token && !this.#wasRequested && this.#canRenew()) await this.#startRenewal("initial");
    else if (Date.now() > /** @type {number} */ (this.#expiry) && this.#canRenew()) await this.#startRenewal("expired");
    if (this.#stopReason) return this.#stopReason;
    const version = this.#version;
    await this.#setHeaders(headers, this.#sessionHeaders({ baseUrl: this.#baseUrl, method, path }));
    return version;
  }

  // Returns true without https: then no credentials are sent.
  #isUnsafe() {
    if (isSafe(new URL(this.#baseUrl, document.baseURI))) return false;
    this.#warn("insecure-origin");
    return true;
  }

  /** Called when the service rejects a token. Resolves to true if there is a newer one, or to `UNAVAILABLE`.
   * @param {number} version @returns {Promise<boolean | string>} */
  async renew(version) {
    if (this.#hasEnded || this.#isUnsafe()) return false;
    if (this.#renewal) await this.#renewal;
    else if (version === this.#version && !this.#isPaused) {
      if (this.#token && this.#canRenew()) await this.#startRenewal("expired");
      else if (this.#failedHeadersRequest) this.#pause("headers");
      else if (this.#token) this.#end("expired");
      else if (this.#hasRequestFailed) this.#pause("initial");
      // Without credentials, the request was anonymous: the session stays usable for public operations.
      else if (this.#wasRequested || this.#settings.headers) this.#end(this.#wasRequested ? "initial" : "refused");
      else return false;
    }
    if (this.#isPaused) return UNAVAILABLE;
    return !this.#hasEnded && Boolean(this.#token ?? this.#settings.headers) && version !== this.#version;
  }

  /** Called when the service rejects the renewed token too.
   * @param {number} version */
  giveUp(version) {
    if (version !== this.#version) return;
    if (this.#failedHeadersRequest) this.#pause("headers");
    else this.#end("refused");
  }

  /** @param {Headers} headers @param {Promise<[name: string, value: string][]>} sessionHeaders */
  async #setHeaders(headers, sessionHeaders) {
    const { clientId } = this.#settings;
    if (clientId) headers.set(`x-${this.#dialect}-client-id`, clientId);
    if (this.#token) headers.set("Authorization", `Bearer ${this.#token}`);
    let [count, bytes, isSecret] = [0, 0, false];
    for (const [name, value] of await sessionHeaders) {
      count += 1;
      bytes += name.length + value.length;
      const isAllowed = HEADER_NAME.test(name) && !FORBIDDEN_HEADER.test(name) && !/[\0\r\n]/.test(value);
      try {
        if (!isAllowed || count > MAX_HEADERS || bytes > MAX_HEADER_BYTES) throw new TypeError(name);
        headers.set(name, value);
        isSecret ||= SECRET_HEADER.test(name);
      } catch {
        this.#warn("bad-header");
      }
    }
    if (this.#settings.trustedContext === true || isLocal(location.hostname)) return;
    if (isSecret) this.#warn("secret-header");
    if (API_KEY.test(headers.get("Authorization") ?? "")) this.#warn("api-key");
  }

  /** The session's own headers as pairs of strings.
   * @param {SignedRequest} request @returns {Promise<[name: string, value: string][]>} */
  async #sessionHeaders(request) {
    try {
      const { headers } = this.#settings;
      /** @type {any} */
      const entries = await withTimeout(typeof headers === "function" ? headers(request) : headers) ?? [];
      this.#failedHeadersRequest = null;
      const pairs = typeof entries[Symbol.iterator] === "function" ? [...entries] : Object.entries(entries);
      return pairs.filter((pair) => pair.length === 2 && pair.every((/** @type {unknown} */ text) => typeof text === "string"));
    } catch {
      // The request is sent without them; the service decides.
      this.#failedHeadersRequest = request;
      return [];
    }
  }

  #canRenew() {
    const { getToken, refreshUrl } = this.#settings;
    return Boolean(getToken || refreshUrl || this.#refreshToken);
  }

  /** Returns the pending renewal or starts one; callers share it. Never rejects.
   * @param {string} reason @returns {Promise<void>} */
  #startRenewal(reason) {
    if (this.#renewal) return this.#renewal;
    /** @type {() => void} */
    let resolve = () => {};
    /** @type {Promise<void>} */
    const renewal = this.#renewal = new Promise((done) => resolve = done);
    const isRefresh = reason === "expired";
    const controller = new AbortController();
    const end = this.#endRenewal = (/** @type {unknown} */ value, /** @type {string=} */ error) => {
      if (this.#endRenewal !== end) return;
      // Token files often end with a line break.
      const token = typeof value === "string" ? value.trim() : value;
      clearTimeout(timer);
      controller.abort();
      this.#renewal = this.#endRenewal = null;
      this.#version += 1;
      // A renewal of headers keeps the current token.
      if (reason !== "headers") {
        error ??= tokenError(token);
        this.#wasRequested = true;
      }
      const isFailure = Boolean(error) && error !== "empty";
      this.#hasRequestFailed = isFailure && reason !== "headers";
      // The old token is kept until it is replaced: `refreshUrl` requires it.
      if (!error) this.#storeToken(token);
      if (isRefresh && !error) this.#emit("token-refresh-success");
      if (isRefresh && error) this.#emit("token-refresh-error", { reason: error });
      const wasPaused = this.#isPaused;
      // Without an initial token, requests are anonymous.
      const isRequired = isRefresh || wasPaused;
      if (!error && wasPaused) this.#resume();
      else if (isFailure && isRequired && error !== "ended") this.#pause(reason);
      else if (error === "empty" && isRequired) this.#end(reason);
      resolve();
    };
    const timer = setTimeout(() => end(undefined, "timeout"), TIMEOUT_MS);
    if (isRefresh) this.#emit("token-refresh-start", { reason });
    this.#requestToken(reason, controller.signal).then((token) => end(token, undefined), () => end(undefined, "failed"));
    return renewal;
  }

  /** Pauses the session. A request, the retry button, `online`, `visibilitychange` or a timer retries.
   * @param {string} reason */
  #pause(reason) {
    this.#renewalReason = reason;
    if (!this.#isPaused) {
      this.#stopReason = UNAVAILABLE;
      this.#emit("auth-required", { reason: UNAVAILABLE });
      addEventListener("online", this.#retry);
      document.addEventListener("visibilitychange", this.#retry);
    }
    clearTimeout(this.#retryTimer);
    const delay = Math.min(BACKOFF_MS * 2 ** this.#attempts, MAX_BACKOFF_MS);
    this.#attempts += 1;
    this.#retryTimer = setTimeout(this.#retry, delay, {});
  }

  #retry = (/** @type {{type?: string}} */ { type }) => {
    if (document.hidden || this.#renewal) return;
    if (type) this.#attempts = 0;
    this.#startRenewal(this.#renewalReason);
  };

  #cancelRetries() {
    if (!this.#isPaused) return;
    this.#attempts = 0;
    clearTimeout(this.#retryTimer);
    removeEventListener("online", this.#retry);
    document.removeEventListener("visibilitychange", this.#retry);
  }

  #resume() {
    this.#cancelRetries();
    this.#stopReason = null;
    // An empty name tells the WebAssembly to repeat rejected requests.
    this.#emit("");
  }

  /** Requests a token from the page's callback, its server or the service.
   * @param {string} reason @param {AbortSignal} signal @returns {Promise<unknown>} */
  async #requestToken(reason, signal) {
    const { getToken, refreshUrl } = this.#settings;
    if (reason === "headers") {
      await /** @type {any} */ (this.#settings.headers)(this.#failedHeadersRequest);
      return this.#token;
    }
    if (getToken) return getToken({ reason });
    /** @type {Record<string, string>} */
    const tokenHeader = this.#token ? { Authorization: `Bearer ${this.#token}` } : {};
    /** @type {RequestInit} */
    const defaults = { method: "POST", signal, cache: "no-store", redirect: "error" };
    if (refreshUrl) {
      const url = new URL(refreshUrl, document.baseURI);
      if (url.origin !== location.origin && !isSafe(url)) return this.#warn("bad-refresh-url");
      // Cookies may identify the user to the page's own server; other origins get none.
      const credentials = "same-origin";
      /** @type {RequestInit} */
      const request = { ...defaults, headers: tokenHeader, credentials, referrerPolicy: "same-origin" };
      return tokenOf(await fetchJson(url, request));
    }
    return this.#requestRefresh({ ...defaults, credentials: "omit", referrerPolicy: "no-referrer" });
  }

  /** The service's refresh operation, which requires the platform's secret.
   * @param {RequestInit} defaults @returns {Promise<unknown>} */
  async #requestRefresh(defaults) {
    if (this.#settings.trustedContext !== true) return this.#warn("refresh-token");
    const path = `/v2/oauth/${encodeURIComponent(/** @type {string} */ (this.#settings.clientId))}/refresh`;
    const headers = new Headers({ "Content-Type": "application/json" });
    await this.#setHeaders(headers, this.#sessionHeaders({ baseUrl: this.#baseUrl, method: "POST", path }));
    // Not `JSON.stringify`: the page's scripts may have replaced it, and would see the secret.
    const body = `{"refreshToken":"${/** @type {string} */ (this.#refreshToken).replace(/["\\]/g, "\\$&")}"}`;
    const tokens = await fetchJson(this.#baseUrl + path, { ...defaults, headers, body });
    // The service invalidates the old refresh token.
    this.#refreshToken = tokens.refreshToken ?? this.#refreshToken;
    return tokenOf(tokens);
  }

  /** @param {unknown} token */
  #storeToken(token) {
    this.#token = typeof token === "string" && token ? token : undefined;
    this.#expiry = expiryOf(this.#token);
    // Already expired on arrival: a clock is wrong, so that the service decides.
    if (Date.now() > /** @type {number} */ (this.#expiry)) this.#expiry = undefined;
  }

  /** @param {string} reason */
  #end(reason) {
    if (this.#hasEnded) return;
    this.#cancelRetries();
    this.#stopReason = reason;
    this.#token = undefined;
    this.#emit("auth-required", { reason });
  }

  /** @param {keyof typeof WARNINGS} code @returns {undefined} */
  #warn(code) {
    if (this.#warned.has(code)) return;
    this.#warned.add(code);
    console.warn(`booking: ${WARNINGS[code]}`);
    this.#emit("security-warning", { code });
  }

  /** Asynchronous, because a listener may be in the middle of a call of this object.
   * @param {string} name @param {object=} detail @param {SessionListener[]} recipients */
  #emit(name, detail, recipients = [...this.#listeners]) {
    queueMicrotask(() => {
      for (const listener of recipients) if (this.#listeners.has(listener)) listener(name, { ...detail });
    });
  }
}

/** Retries once after a network error or a 5xx, which say nothing about the token.
 * @param {string | URL} url @param {RequestInit} request @returns {Promise<any>} */
async function fetchJson(url, request) {
  let response = await fetch(url, request).catch(() => undefined);
  if (!response || response.status >= 500) {
    await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
    response = await fetch(url, request);
  }
  if (REJECTED_STATUSES.includes(response.status)) return { accessToken: null };
  if (!response.ok) throw new Error(`status ${response.status}`);
  const body = await response.json();
  return body.data ?? body;
}

/** A response without the key is an error, not a sign-out.
 * @param {{accessToken?: unknown}} tokens */
function tokenOf({ accessToken }) {
  if (accessToken === undefined) throw new Error("no token");
  return accessToken;
}

/** By the page's session object, then by dialect and base URL: elements with the same object share renewals.
 * @type {WeakMap<SessionSettings, Map<string, Credentials>>} */
const credentialsBySettings = new WeakMap();

/** Returns the credentials of a session for one service. `listener` gets the events.
 * @param {SessionSettings} settings @param {string} baseUrl @param {Dialect} dialect
 * @param {SessionListener} listener @returns {Credentials} */
export function join(settings, baseUrl, dialect, listener) {
  const byService = credentialsBySettings.get(settings) ?? new Map();
  credentialsBySettings.set(settings, byService);
  const serviceKey = `${dialect} ${baseUrl}`;
  if (!byService.has(serviceKey)) {
    const credentials = new Credentials(settings, baseUrl, dialect, () => {
      if (byService.get(serviceKey) === credentials) byService.delete(serviceKey);
    });
    byService.set(serviceKey, credentials);
  }
  const credentials = byService.get(serviceKey);
  credentials.join(listener);
  return credentials;
}
