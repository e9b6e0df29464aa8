import type { {imports} } from "./index.js";
import type { HTMLAttributes } from "svelte/elements";

type Listeners<Events> = { [Name in keyof Events & string as `on${Name}` | `on:${Name}`]?: (event: Events[Name]) => void };

declare module "svelte/elements" {
  interface SvelteHTMLElements {
    "{tag}": {class}Attributes & Listeners<{class}EventMap> & Omit<HTMLAttributes<{class}Element>, keyof {class}Attributes>;
  }
}
