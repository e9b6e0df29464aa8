// The booking elements: what they take, do and tell.

/** Where the files of the package are served from, for pages whose bundler takes the script along. */
export function configure(settings: { files: string | URL }): void;

{types}

/** Who is calling, and where the service is. */
export interface BookingSession {
{session}
}

/** What is known of the visitor. */
export interface Prefill {
{prefill}
}

/** What the detail of every event has. */
export interface Signature {
{signature}
}
{events}
{elements}

declare global {
  interface HTMLElementTagNameMap {
    "{tag}": {class}Element;
  }
  // They bubble, so a page may hear them anywhere.
  interface GlobalEventHandlersEventMap {
    "{event}": {eventClass}Event;
  }
  interface CustomElementRegistry {
    get(name: "{tag}"): {class}Constructor | undefined;
  }
}
