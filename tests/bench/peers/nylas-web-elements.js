// Scheduling element of Nylas.

import { defineCustomElement } from "@nylas/web-elements/dist/components/nylas-scheduling.js";

defineCustomElement();
