// Skeleton: what an element shows until its view starts, in the layout and height of the view, to avoid a layout shift;
// part of the loader. A picker's has the days of the month, and its slots once they arrive.

import { formatTag, localeOf } from "./page-locale.js";
import { DAY_MS } from "./prefetch.js";

// `div` is the card, `p` the summary of a picker, `a` its month with title (`b`), weekdays (`em`) and days, `span` its slots
// with the day (`b`), `u` the rows of other elements, `i` one line, day, slot or row in these, `button` a day with slots or
// a slot. None of them has a role of its own. The skeletons of a started view are in `style/components/skeleton.css`.
// `!important` and `all` keep the page's universal rules away.
const SURFACE = "var(--booking-surface,light-dark(#fff,#17191d))";
const TEXT = "var(--booking-text,light-dark(#1a1c20,#e9ebee))";
const STYLES = `:host{all:initial;display:block;color-scheme:THEME;container-type:inline-size;\
contain-intrinsic-inline-size:min(62em,100vw - 3rem);min-width:0;max-width:100%;\
font-size:var(--booking-font-size,1rem)!important}\
:host([hidden]),:host([hide~=summary]) p{display:none}\
a,p,span,u{display:grid;gap:.5em;margin:0;grid-auto-rows:2.75em}\
div{all:initial;color-scheme:inherit;display:grid;gap:0 2.5em;align-content:start;box-sizing:border-box;height:77.875em;padding:1.25em;overflow:clip;\
font:var(--booking-font-size,1rem)/1.45 var(--booking-font,system-ui,sans-serif);\
background:${SURFACE};border:1px solid #8884;border-radius:var(--booking-radius-card,1em)}\
i,em,b,button{border-radius:var(--booking-radius,.625em);font:inherit;display:grid;place-content:center;color:color-mix(in oklab,${TEXT} 65%,${SURFACE})}\
i:empty{background:color-mix(in oklab,${TEXT} 5%,${SURFACE})}\
p,u,b{grid-column:1/-1}\
p{height:13.75em;grid-auto-rows:minmax(1.25em,auto);align-content:start}p>i{width:60%}\
p>:first-child{height:3em;width:3em;border-radius:50%}p>i:nth-child(2){height:1.875em}\
a{gap:.25em;grid:5.625em 4em 2em repeat(6,3em)/repeat(7,1fr)}\
a:before{content:"";grid-column:1/-1;height:5.875em;border-radius:.75em;background:color-mix(in oklab,${TEXT} 4%,${SURFACE})}\
b{height:2.1875em;font-weight:600;justify-content:start;color:${TEXT}}a>b{height:3.2em;font-size:1.25em}\
p>b{height:auto;font-size:1.5em;line-height:1.25}em{font-size:.75em;font-weight:500}\
span{margin-top:4.9375em;grid-template:auto/repeat(auto-fill,minmax(min(5.6em,100%),1fr));grid-auto-rows:auto;align-content:start}\
span>*{min-height:2.75em}span>b{min-height:0}span>em{grid-column:1/-1;min-height:1.5em;margin-top:.3333em}b+em{margin:0}\
button{margin:0;padding:0;border:0;color:${TEXT};background:color-mix(in oklab,${TEXT} 8%,${SURFACE});font-weight:600;\
font-variant-numeric:tabular-nums;cursor:pointer}\
span>button{border:1px solid var(--booking-line-button,light-dark(#d6d9df,#3a3f47));background:${SURFACE};font-weight:500}\
[aria-current]{background:var(--booking-accent,${TEXT});color:var(--booking-on-accent,${SURFACE})}\
[aria-pressed]{background:color-mix(in oklab,${TEXT} 20%,${SURFACE});cursor:progress}\
@container(width>=22em){div{height:73.875em}}\
@container(width>=36em){div{height:48.25em;grid-template-columns:1fr 12.5em}span{margin-top:6.375em;overflow:auto}}\
@container(width>=54em){div{height:34.25em;grid-template-columns:14em 1fr 14em}p{grid-column:1;height:auto}\
p>:first-child{height:4em;width:4em;margin-bottom:1.9em}:host([height=fill]) div{height:clamp(34.25em,100dvh - 10em,40em)}\
:host([hide~=summary]) div{grid-template-columns:1fr 15.5em}}`;

// Longer than the fade-in of views (`--_quick`).
const FADE_MS = 500;

// Time in which a click is repeated, and in which a button can be held down.
const CLICK_TIMEOUT_MS = 3000;

// Slots shown: those that the view renders at once.
const MAX_SLOTS = 40;

/** Elements without text, by tag and number.
 * @type {(tag: string, count: number) => [tag: string, texts: string[]]} */
const blank = (tag, count) => [tag, Array(count).fill("")];

/** Creates an element with a text.
 * @param {string} tag @param {string} text @returns {any} */
const textElement = (tag, text) => Object.assign(document.createElement(tag), { textContent: text });

/** Appends an element with children.
 * @param {Element} parent @param {string} tag @param {[tag: string, texts: string[]][]} children */
function addPart(parent, tag, children) {
  const part = parent.appendChild(document.createElement(tag));
  for (const [tag, texts] of children) {
    for (const text of texts) part.append(textElement(tag, text));
  }
  return part;
}

/** Returns the first and the last month in the title, the end of the last one, and the days of the grid, of a picker that
 * begins with `day`, in weeks that begin with the given weekday (1 for Monday). As `MonthGrid::of` in `src/time/civil.rs`.
 * @param {number} day @param {number} weekStart */
function gridFrom(day, weekStart) {
  const date = new Date(day);
  const month = (/** @type {number} */ index) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + index);
  // Late in the month, its grid begins with the current week.
  const late = +(month(1) - day <= 14 * DAY_MS);
  const begin = late ? day : month(0);
  const gridStart = begin - (new Date(begin).getUTCDay() - weekStart + 7) % 7 * DAY_MS;
  const days = [...Array(42).keys()].map((index) => gridStart + index * DAY_MS);
  return { first: month(0), last: month(late), end: month(late + 1), days };
}

/** Returns the month that a picker shows first, or undefined if it is not known before the start.
 * @param {HTMLElement} element @returns {FirstMonth | undefined} */
export function firstMonth(element) {
  const attribute = (/** @type {string} */ name) => element.getAttribute(name) || undefined;
  const isMonth = ["event-slug", "event-type-id"].some(attribute) && !["start-date", "booking-uid", "seat-uid"].some(attribute)
    && (attribute("view") ?? "month") === "month";
  if (!isMonth) return;
  try {
    const locale = /** @type {any} */ (new Intl.Locale(formatTag(localeOf(element))));
    const format = (/** @type {Intl.DateTimeFormatOptions} */ options) => new Intl.DateTimeFormat(locale, { timeZone: "UTC", ...options });
    // The Swedish format is ISO 8601.
    const today = Date.parse(new Intl.DateTimeFormat("sv", { timeZone: attribute("time-zone") }).format(new Date()));
    const names = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    const weekStart = names.indexOf(attribute("week-start") ?? "") + 1 || (locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay || 1;
    const { first, last, end, days } = gridFrom(today, weekStart);
    return {
      locale, today, weekStart, end, days,
      texts: [
        ["b", [last > first ? format({ month: "short", year: "numeric" }).formatRange(first, last) : format({ month: "long", year: "numeric" }).format(first)]],
        ["em", days.slice(0, 7).map(format({ weekday: "short" }).format)],
        ["i", days.map((day) => day < first ? "\xa0" : `${new Date(day).getUTCDate()}`)],
      ],
    };
  } catch {
    // An invalid time zone, or an old browser.
  }
}

/** A skeleton in a shadow root. */
export class Skeleton {
  #card = document.createElement("div");
  #element;
  #root;
  #isPicker;
  /** @type {FirstMonth | undefined} */
  #month;
  #isHeld = false;
  // True if it shows slots.
  hasSlots = false;

  /** @param {HTMLElement} element @param {ShadowRoot} root @param {string | null} theme @param {boolean} isPicker */
  constructor(element, root, theme, isPicker) {
    this.#element = element;
    this.#root = root;
    this.#isPicker = isPicker;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLES.replace("THEME", ["light", "dark", "inherit"].includes(theme ?? "") ? `${theme}` : "light dark"));
    root.adoptedStyleSheets = [sheet];
    const card = this.#card;
    /** @type {any} */ (card).part = "skeleton";
    // The page's own direction is inherited.
    const { language, direction, isDirected } = localeOf(element);
    if (direction === "rtl" && !isDirected) card.dir = direction;
    card.lang = language;
    this.#render();
    root.replaceChildren(card);
  }

  #render() {
    const card = this.#card;
    this.hasSlots = false;
    card.onclick = null;
    card.setAttribute("aria-hidden", "true");
    card.replaceChildren();
    if (this.#isPicker) {
      addPart(card, "p", [blank("i", 4)]);
      addPart(card, "a", this.#month?.texts ?? [blank("b", 1), blank("em", 7), blank("i", 42)]);
      addPart(card, "span", [blank("b", 1), blank("i", 13)]);
    } else addPart(card, "u", [blank("i", 22)]);
  }

  /** Shows the days of a picker's month. Apart from the rest, as it takes longer. */
  showMonth() {
    this.#month = this.#isPicker ? firstMonth(this.#element) : undefined;
    if (this.#month) this.#render();
  }

  hideSlots() {
    if (this.hasSlots) this.#render();
  }

  /** Shows the first day with slots, unless the view would show them in another way.
   * @param {FirstSlots} slots */
  showSlots({ eventType, days: sent, timeZone }) {
    const month = this.#month;
    const card = this.#card;
    if (!month || !card.isConnected || !isPlain(this.#element, eventType, month)) return;
    const days = startsByDay(sent, timeZone);
    const slotsOf = (/** @type {number} */ day) => days[new Date(day).toISOString().slice(0, 10)] ?? [];
    const hasSlots = (/** @type {number} */ day) => day >= month.today && slotsOf(day).length > 0;
    const selected = month.days.find((day) => day < month.end && hasSlots(day));
    if (!selected) return;
    const format = timeFormat(month.locale, timeZone, this.#element.getAttribute("hour-cycle") ?? "");
    const hourFormat = new Intl.DateTimeFormat("en", { timeZone, hour: "numeric", hourCycle: "h23" });
    // As `DayPart` in `slot_picker/model.rs`; the view folds the night.
    const parts = /** @type {string[][]} */ ([[], [], [], []]);
    for (const start of slotsOf(selected).sort((a, b) => a - b)) {
      const hour = +hourFormat.format(start);
      parts[hour < 7 || hour > 21 ? 3 : hour < 12 ? 0 : hour < 17 ? 1 : 2]?.push(format.format(start));
    }
    const night = parts.pop() ?? [];
    let room = MAX_SLOTS;
    const lists = (parts.flat().length ? parts : [night]).flatMap((all) => {
      const times = all.slice(0, room);
      room -= times.length;
      return times.length ? [times] : [];
    });
    const times = lists.flat();
    // When clocks go back, the view shows offsets too.
    if (new Set(times).size < times.length) return;
    const date = new Intl.DateTimeFormat(month.locale, { timeZone: "UTC", weekday: "short", month: "long", day: "numeric" });
    card.lastElementChild?.remove();
    const list = addPart(card, "span", [
      ["b", [date.format(selected)]],
      ...lists.flatMap((times) => /** @type {[string, string[]][]} */ ([["em", [""]], ["button", times]])),
    ]);
    for (const button of list.querySelectorAll("button")) /** @type {any} */ (button).part = "slot";
    card.querySelector("p>:nth-child(2)")?.replaceWith(textElement("b", eventType.title ?? ""));
    const cells = daysIn(card);
    month.days.forEach((day, index) => {
      if (!hasSlots(day)) return;
      const button = textElement("button", `${new Date(day).getUTCDate()}`);
      button.part = "day";
      if (day === selected) button.setAttribute("aria-current", "true");
      cells[index]?.replaceWith(button);
    });
    this.hasSlots = true;
    card.removeAttribute("aria-hidden");
    card.setAttribute("aria-busy", "true");
    // A click that is not over yet would be lost.
    card.onpointerdown = () => {
      this.#isHeld = true;
      for (const type of ["pointerup", "pointercancel"]) document.addEventListener(type, () => this.#isHeld = false, { once: true });
    };
    card.onclick = ({ target }) => {
      const button = /** @type {Element} */ (target);
      if (button.localName !== "button") return;
      card.querySelector("[aria-pressed]")?.removeAttribute("aria-pressed");
      button.setAttribute("aria-pressed", "true");
    };
  }

  /** Resolves when no button is held down any more. */
  async released() {
    const end = Date.now() + CLICK_TIMEOUT_MS;
    while (this.#isHeld && Date.now() < end) await nextFrame();
  }

  /** Returns a function that repeats click, focus and scroll position in the view that has replaced the skeleton, in `root`.
   * @param {ShadowRoot} root @param {AbortSignal} signal @returns {() => Promise<void>} */
  handOver(root, signal) {
    const card = this.#card;
    const focused = this.#root.activeElement;
    const scrolled = card.lastElementChild?.scrollTop;
    return async () => {
      const view = /** @type {HTMLElement | null} */ (root.firstElementChild);
      if (!this.hasSlots || !view) return;
      // What was visible before does not fade in.
      view.style.setProperty("--_quick", "0ms");
      setTimeout(() => view.style.removeProperty("--_quick"), FADE_MS);
      const list = root.querySelector(".times");
      if (list && scrolled) list.scrollTop = scrolled;
      if (focused) sameButton(root, card, focused)?.focus({ preventScroll: true });
      const pressed = card.querySelector("[aria-pressed]");
      if (!pressed) return;
      // What the visitor does in the view counts.
      let isActive = true;
      for (const type of ["pointerdown", "keydown"]) root.addEventListener(type, () => isActive = false, { once: true });
      const end = Date.now() + CLICK_TIMEOUT_MS;
      while (isActive && !signal.aborted && Date.now() < end) {
        const button = sameButton(root, card, pressed);
        if (button) return button.click();
        await nextFrame();
      }
    };
  }
}

/** Returns the starts of slots by their day in the time zone, as the view has them: services may send other days.
 * @param {Record<string, any[]>} days @param {string} timeZone @returns {Record<string, number[]>} */
function startsByDay(days, timeZone) {
  const { format } = new Intl.DateTimeFormat("sv", { timeZone });
  /** @type {Record<string, number[]>} */
  const found = {};
  for (const slots of Object.values(days)) {
    const starts = slots.map((slot) => Date.parse(slot.start ?? slot)).filter(Boolean);
    const [first, last] = [Math.min(...starts), Math.max(...starts)].map((start) => starts.length && format(start));
    // Formatting each takes long.
    for (const start of starts) (found[first === last ? first : format(start)] ??= []).push(start);
  }
  return found;
}

const nextFrame = () => new Promise(requestAnimationFrame);

/** True if a picker shows that month and one day's slots without notes.
 * @param {HTMLElement} element @param {FirstSlots["eventType"]} eventType @param {FirstMonth} month */
function isPlain(element, eventType, month) {
  const layout = element.getAttribute("view") || eventType.bookerLayouts?.defaultLayout;
  // The view begins with the first day that can be booked, as `BookableDates::date_range`.
  const range = [eventType.bookingWindow].flat()[0];
  const [start] = range?.type === "range" && !range.disabled && range.value || [];
  const noticeDays = Math.min(Math.floor((eventType.minimumBookingNotice ?? 0) / 1440), 3660);
  const bookable = gridFrom(month.today + noticeDays * DAY_MS, month.weekStart);
  return [undefined, "month"].includes(layout)
    // Of two grids, the first day determines the last month.
    && bookable.days[0] === month.days[0]
    && !(Date.parse(start) - DAY_MS > month.today)
    && !["duration", "lock-time-zone"].some((name) => element.hasAttribute(name))
    // Settings that add notes to the slots, or show other things in their place.
    && !eventType.seats?.seatsPerTimeSlot
    && ![
      "lockTimeZoneToggleOnBookingPage", "bookingRequiresAuthentication", "seatsPerTimeSlot",
    ].some((name) => eventType[name])
    // The visitor may have been in the form before a reload.
    && !history.state?.bookingSteps;
}

/** @param {Intl.Locale} locale @param {string} timeZone @param {string} hourCycle */
function timeFormat(locale, timeZone, hourCycle) {
  const isKnown = /^(h?12|h23|h?24)$/.test(hourCycle);
  const isHour12 = isKnown ? hourCycle.endsWith("12") : new Intl.DateTimeFormat(locale, { hour: "numeric" }).resolvedOptions().hour12;
  return new Intl.DateTimeFormat(locale, {
    timeZone, hour: isHour12 ? "numeric" : "2-digit", minute: "2-digit", hourCycle: isHour12 ? "h12" : "h23",
  });
}

/** Days of the month in a skeleton.
 * @param {Element} card */
const daysIn = (card) => [...card.querySelectorAll("a>:not(b,em)")];

/** Returns the button of a view for a day or slot of the skeleton, unless they show different days.
 * @param {ShadowRoot} root @param {Element} card @param {Element} button @returns {HTMLElement | null | undefined} */
function sameButton(root, card, button) {
  const isDay = button.matches("a>*");
  const title = isDay ? [".picker-title", "a>b"] : [".times-title", "span>b"];
  const [inView, inSkeleton] = [root, card].map((node, index) => node.querySelector(/** @type {string} */ (title[index])));
  if (inView?.textContent !== inSkeleton?.textContent) return;
  const day = root.querySelectorAll(".calendar-grid td")[daysIn(card).indexOf(button)];
  const time = [...root.querySelectorAll(".time-text")].find((time) => time.textContent === button.textContent);
  const found = isDay ? day?.querySelector("button") : time?.parentElement;
  return !isDay || found?.textContent === button.textContent ? found : undefined;
}
