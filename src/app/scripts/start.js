// Start of the app, part of its page: shows the first slots of an event type while the WebAssembly loads.

import { showError } from "../../loader/error-panel.js";
import { supportedLanguage } from "../../loader/page-locale.js";
import { prefetch } from "../../loader/prefetch.js";
import { Skeleton } from "../../loader/skeleton.js";

/** Returns the attributes of a picker for the event type that a path names, as `Route::parse` in `route.rs`.
 * @param {string} path @returns {Record<string, string> | undefined} */
export function pickerOf(path) {
  let segments;
  try {
    segments = path.split("/").filter(Boolean).map(decodeURIComponent);
  } catch {
    return;
  }
  const [first = "", second = "", third, ...others] = segments;
  if (others.length || !second) return;
  if (first === "team") return third ? { "team-id": second, "event-slug": third } : undefined;
  if (third || first === "booking" || segments.join("/") === "roles/organization") return;
  return first === "event" ? { "event-type-id": second } : { username: first, "event-slug": second };
}

/** Returns the language with which the app starts, as `first_language` in `language/choice.rs`. */
function firstLanguage() {
  const candidates = [new URLSearchParams(location.search).get("lang"), stored("booking-app-language"), ...navigator.languages];
  return candidates.map((tag) => supportedLanguage(tag ?? "")).find(Boolean) ?? "en";
}

/** @param {string} key */
function stored(key) {
  try {
    return sessionStorage.getItem(key);
  } catch {
    // Storage is blocked.
  }
}

/** Shows the skeleton of a picker in place of the placeholder. The app takes its responses by `bookingPrefetched` and
 * announces by `booking-shown` that its view replaces the skeleton.
 * @param {HTMLElement} app @param {Record<string, string>} attributes */
function showPicker(app, attributes) {
  const element = document.createElement("div");
  element.className = "page-start";
  // Without its region: that of dates is the visitor's.
  element.lang = firstLanguage().split("-")[0] ?? "";
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  const root = element.attachShadow({ mode: "open" });
  const { signal } = new AbortController();
  // Another step, or a signed-in user: the app knows what to request.
  const isFirstStep = [...new URLSearchParams(location.search).keys()].every((name) => name === "lang") && !stored("booking-app");
  const requests = isFirstStep ? prefetch(element, signal) : undefined;
  app.replaceChildren(element);
  const skeleton = new Skeleton(element, root, null, true);
  // In a task of its own, as in `embed.js`.
  setTimeout(() => skeleton.showMonth());
  // The picture of the host is above the card.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("p>:first-child{display:none}@container(width<54em){p{height:10em}}");
  root.adoptedStyleSheets.push(sheet);
  globalThis.bookingPrefetched = requests?.take;
  globalThis.bookingReleased = () => skeleton.released();
  requests?.firstSlots.then((slots) => slots && skeleton.showSlots(slots)).catch(console.warn);
  app.addEventListener("booking-shown", () => {
    const handOver = skeleton.handOver(/** @type {ShadowRoot} */ (app.shadowRoot), signal);
    queueMicrotask(() => handOver().catch(console.warn));
    element.remove();
  }, { once: true });
  return skeleton;
}

/** Returns the chunk that a path needs in addition to the first file, as `staff_path` in `route.rs`.
 * @param {string} path */
export const chunkOf = (path) => /^\/+(bookings|connect|roles|sign-in)(\/|$)/.test(path) ? "staff" : "form";

/** Shows that the app cannot be loaded, and a button that loads the page again. Once it is shown, it has its own notice. */
export function showFailure() {
  if (!app || isShown) return;
  const element = document.createElement("div");
  element.className = "page-start";
  element.lang = firstLanguage();
  app.replaceChildren(element);
  showError(element, element.attachShadow({ mode: "open" }), () => location.reload());
}

const app = globalThis.document?.getElementById("app");
const picker = app && pickerOf(location.pathname);
let isShown = false;
app?.addEventListener("booking-shown", () => isShown = true);
// Traps in later tasks of the start.
globalThis.addEventListener?.("error", ({ error }) => error instanceof WebAssembly.RuntimeError && showFailure());
export const skeleton = picker && showPicker(app, picker);
