// A page rendered on a server, where there is no document.
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { BookingPicker } from "booking-widget/react";

export const html = renderToString(
  createElement(BookingPicker, {
    className: "ours",
    eventSlug: "intro-call",
    dryRun: true,
    lockTimeZone: false,
    session: { token: "a secret" },
    onBookingCreated: () => {},
  }, createElement("a", { href: "/book" }, "Book")),
);
