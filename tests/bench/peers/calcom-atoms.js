// Booker of Cal.com, as its users embed it.

import { Booker, CalProvider, useAtomsContext } from "@calcom/atoms";
import "@calcom/atoms/globals.min.css";
import { createElement } from "react";
import { createRoot } from "react-dom/client";

// Rendered earlier, it would send its first request to the page's own origin.
const BookerOnceReady = (props) => useAtomsContext().isInit && createElement(Booker, props);

const options = { apiUrl: new URL("/calcom", import.meta.url).href };
const booker = createElement(BookerOnceReady, { username: "ada", eventSlug: "intro-call" });
createRoot(document.querySelector("#calcom"))
  .render(createElement(CalProvider, { clientId: "benchmark", options }, booker));
