// A page made with React: strict, with a property, an event and a reference.
import { StrictMode, createElement, useEffect, useRef, useState } from "react";
import { createRoot } from "react-dom/client";
import { BookingPicker, configure } from "booking-widget/react";

configure({ files: "/embed/" });

window.told = [];
window.booked = [];

function App() {
  const [isShown, setShown] = useState(true);
  const [zone, setZone] = useState("Asia/Tokyo");
  const picker = useRef(null);
  useEffect(() => void Object.assign(window, { picker, setShown, setZone }), []);
  if (!isShown) return createElement("p", null, "Nothing here");
  return createElement(BookingPicker, {
    ref: picker,
    className: "ours",
    username: "ada",
    eventSlug: "intro-call",
    timeZone: zone,
    lockTimeZone: false,
    messages: { nextMonth: "Onwards" },
    draft: "off",
    onBookingCreated: ({ detail }) => window.booked.push(detail.uid),
    onSlotsLoaded: ({ detail }) => window.told.push(detail.count),
  });
}

createRoot(document.querySelector("#root")).render(createElement(StrictMode, null, createElement(App)));
