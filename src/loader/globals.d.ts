// Types of the loader and its scripts, and globals of the scripts that the build appends to a bundle's script
// (see xtask/src/dist/embed.rs). Checked by `tsc --project src/loader`.

/** Downloads of WebAssembly files that the page has begun, by URL. */
declare var bookingDownloads: Record<string, Promise<Response>> | undefined;

/** Responses that the page of the app has requested while the WebAssembly loads (src/app/scripts). */
declare var bookingPrefetched: MountOptions["prefetched"];

/** Resolves when no button of the skeleton in the page of the app is held down. */
declare var bookingReleased: (() => Promise<void>) | undefined;

/** A WebAssembly program with its script: `picker` is for visitors, `staff` for teams. */
type BundleName = "picker" | "staff";

/** Name of an optional script, which the loader imports on demand. */
type ScriptName = "diagnostics" | "error-panel" | "hints" | "popup" | "session";

type Dialect = "svc" | "cal";

type Translations = Record<string, unknown>;

/** Locale of an element. `isDirected`: the page sets a `dir` that applies to it. */
interface ElementLocale {
  language: string;
  tag: string;
  direction: string;
  isDirected?: boolean;
  texts?: Translations;
}

/** The `session` property (docs/embedding.md). */
interface SessionSettings {
  baseUrl?: string;
  clientId?: string;
  token?: string | null;
  refreshToken?: string;
  refreshUrl?: string;
  trustedContext?: boolean;
  getToken?: (request: { reason: string }) => unknown;
  headers?: HeadersInit | ((request: SignedRequest) => unknown);
}

/** Gets the events of a session; an empty name means that rejected requests can be repeated. */
type SessionListener = (name: string, detail: object) => void;

/** The request that a `headers` callback gets. */
interface SignedRequest {
  baseUrl: string;
  method: string;
  path: string;
}

/** Response that arrived while the WebAssembly loaded. A date that the page may not read is null. */
interface PrefetchedResponse {
  status: number;
  date: string | null;
  body: unknown;
}

/** Month that a picker shows first. Days are in milliseconds of UTC midnight. */
interface FirstMonth {
  locale: Intl.Locale;
  today: number;
  /** First day of the week, 1 for Monday. */
  weekStart: number;
  /** End of the months in the title. */
  end: number;
  /** Days of the grid. */
  days: number[];
  /** Title, weekdays and days, by the name of their elements in the skeleton. */
  texts: [tag: string, texts: string[]][];
}

/** Event type and slots by day, as the service sends them. */
interface FirstSlots {
  eventType: Record<string, any>;
  days: Record<string, any[]>;
  timeZone: string;
}

/** Returns language, tag and direction for an element. */
type LocaleOf = (element: HTMLElement) => ElementLocale;

/** What an element needs to be mounted. */
interface MountOptions {
  attributes: Record<string, string>;
  properties: Record<string, any>;
  /** Returns a copy of a page's value without getters, proxies and classes. Throws if it cannot be read. */
  plain: (value: unknown) => unknown;
  session: SessionSettings | null;
  importScript: (name: ScriptName) => Promise<any>;
  locale: ElementLocale;
  prefetched?: (url: string) => PrefetchedResponse | Promise<PrefetchedResponse | undefined> | undefined;
  /** Shows the rendered view. */
  attach: (view: HTMLElement, sheet: CSSStyleSheet) => unknown;
}

/** Handle of a mounted view: an object of the WebAssembly, or a popup. */
interface Mounted {
  changed(name: string, value: string | undefined): void;
  set_property(name: string, value: unknown): void;
  set_session(session: SessionSettings | null): void;
  set_token(token: unknown): void;
  set_locale(locale: ElementLocale): void;
  refresh(): void;
  go_to(day: string): boolean;
  select_slot(start: string): boolean;
  reset(): void;
  is_responsive?(): boolean;
  /** True if attributes or properties are invalid. */
  has_mistakes(): boolean | void;
  unmount(): void;
  free(): void;
}

/** Locale and translations of an element. */
interface LocaleTrackerLike {
  initial(): Promise<ElementLocale> | void;
  observe(onChange?: (locale: ElementLocale) => void): void;
  disconnect(): void;
}

/** What a view needs of the skeleton that it replaces. */
interface SkeletonLike {
  released(): Promise<void>;
  handOver(root: ShadowRoot, signal: AbortSignal): () => Promise<void>;
}

/** Exports of a bundle's script, or of popup.js in its place. */
interface BundleModule {
  default?: (options: { module_or_path: Promise<Response> | ArrayBuffer }) => Promise<unknown>;
  watchTraps?: (elements: ElementMap, onTrap: (touched?: HTMLElement) => void) => void;
  trackInput?: (element: HTMLElement, root: ShadowRoot) => void;
  prefetchChunk?: (chunk: string) => void;
  show: (
    element: HTMLElement, root: ShadowRoot, options: Omit<MountOptions, "attributes" | "attach" | "plain">, signal: AbortSignal,
    skeletonOf: (isReplaced: boolean) => SkeletonLike | undefined,
  ) => Mounted;
  LocaleTracker: new (element: HTMLElement, bundle: BundleName, localeOf: LocaleOf) => LocaleTrackerLike;
}

/** Mounted elements, with the function that ends their view after a trap. */
type ElementMap = Map<BookingElementLike, (checksLeft?: number | false) => void>;

interface Bundle {
  module: Promise<BundleModule>;
  elements: ElementMap;
  /** Resolves when the WebAssembly runs. */
  ready?: Promise<unknown>;
}

/** Attributes that the scripts read as properties. */
interface ReflectedAttributes {
  placement: string | null;
  theme: string | null;
}

/** Base of the element classes. */
interface ElementBase extends HTMLElement, ReflectedAttributes {
  constructor: BookingElementClass & Function;
}

/** Public members of the elements that other scripts use. */
interface BookingElementLike extends HTMLElement, ReflectedAttributes {
  get session(): SessionSettings | null;
  set session(settings: SessionSettings | null | undefined);
  setToken(token: unknown): void;
  property(name: string): unknown;
  preload(): Promise<void>;
  refresh(): void;
  goTo(day: string | Date): boolean;
  selectSlot(start: string | Date): boolean;
  reset(): void;
}

interface BookingElementClass {
  bundle: BundleName;
  version: string;
  observedAttributes: string[];
  doctor(element: HTMLElement): Promise<Diagnosis>;
  preload(): Promise<void>;
}

/** Functions of the loader that diagnostics.js and hints.js use. */
interface LoaderTools {
  file(name: string): { url: string; integrity: string | undefined };
  importScript(name: ScriptName): Promise<any>;
  isLocal(host?: string): boolean;
  localeOf: LocaleOf;
  FOREIGN: RegExp;
}

/** Element that diagnostics.js and hints.js check. */
interface CheckedElement extends HTMLElement {
  constructor: BookingElementClass & Function;
  session?: any;
  [property: string]: any;
}

/** The part of locale.js that hints.js uses. */
interface LocaleTranslations {
  language: string;
  translations(language: string): Promise<Translations | null>;
}

interface Finding {
  code: string;
  level: "error" | "warning" | "info";
  message: string;
  fix: string;
}

/** Result of `doctor()`. */
interface Diagnosis {
  ok: boolean;
  version: string;
  findings: Finding[];
}

// ---- Scope of a bundle's script: generated by wasm-bindgen, and by xtask/bundler/src/loader.js.

/** Exports of the running WebAssembly. */
declare const wasm: WebAssembly.Exports & { __indirect_function_table: WebAssembly.Table };

/** Mounts a view (src/bin). */
declare function mount(element: HTMLElement, options: MountOptions): Mounted & { ready(): void };

/** Wraps a callback to report its trap (traps.js); for xtask/bundler/src/loader.js. */
declare function guard<Args extends unknown[], Result>(callback: (...args: Args) => Result): (...args: Args) => Result;

// ---- Gaps in TypeScript's declarations of the DOM

interface Navigator {
  connection?: { saveData?: boolean };
}
