// What the types let pass, and what they do not.
import type { BookingCreatedEvent, BookingSession } from "booking-widget";
import { BookingPicker } from "booking-widget/react";
import type {} from "booking-widget/jsx";
import type {} from "booking-widget/vue";
import type {} from "booking-widget/svelte";
import type { GlobalComponents } from "vue";
import type { SvelteHTMLElements } from "svelte/elements";
import { createRef } from "react";

const picker = document.createElement("booking-picker");
picker.eventSlug = "intro-call";
picker.duration = 30;
picker.dryRun = true;
picker.view = "week";
picker.prefill = { name: "Grace", email: { value: "grace@example.org", readOnly: true } };
const shown: boolean = picker.goTo(new Date());
picker.addEventListener("booking-created", (event) => {
  const uid: string = event.detail.uid;
  const flow: string = event.detail.flowId;
  // @ts-expect-error There is no such key.
  event.detail.email;
  return [uid, flow];
});
picker.addEventListener("click", () => shown);
document.addEventListener("booking-cancelled", ({ detail }) => detail.uid);
picker.addEventListener("before-submit", (event) => {
  event.respondWith(Promise.resolve({ metadata: { fields: event.detail.fields.length } }));
  // @ts-expect-error That is no answer.
  event.respondWith("yes");
});
const version: string | undefined = customElements.get("booking-picker")?.version;
// @ts-expect-error There is no such view.
picker.view = "year";
// @ts-expect-error A list has no event slug.
document.querySelector("booking-list")!.eventSlug = "intro-call";

const session: BookingSession = {
  baseUrl: "https://book.example",
  getToken: async ({ reason }) => (reason === "expired" ? "new" : "first"),
};
document.querySelector("booking-roles")!.session = session;

const reference = createRef<HTMLElementTagNameMap["booking-picker"]>();
export const page = version && (
  <main>
    <booking-picker event-slug="intro-call" dry-run view="month" onbooking-created={(event) => event.detail.uid}>
      <a href="/book">Book</a>
    </booking-picker>
    <BookingPicker
      ref={reference}
      eventSlug="intro-call"
      dryRun
      onBookingCreated={(event: BookingCreatedEvent) => event.detail.start}
    />
    {/* @ts-expect-error There is no such view. */}
    <booking-picker view="year" />
    {/* @ts-expect-error There is no such view. */}
    <BookingPicker view="year" />
  </main>
);

export const inVue: InstanceType<GlobalComponents["booking-picker"]>["$props"] = {
  "event-slug": "intro-call",
  onBookingCreated: (event) => event.detail.uid,
};
export const inSvelte: SvelteHTMLElements["booking-picker"] = {
  "event-slug": "intro-call",
  "onbooking-created": (event) => event.detail.uid,
};
