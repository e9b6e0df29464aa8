import type { {imports} } from "./index.js";
import type { HTMLAttributes, Ref } from "react";

/** As React 19 hears them. */
type Listeners<Events> = { [Name in keyof Events & string as `on${Name}`]?: (event: Events[Name]) => void };

type Tag<Attributes, Element> = Attributes & Omit<HTMLAttributes<Element>, keyof Attributes> & {
  ref?: Ref<Element>;
  key?: string | number | null;
  class?: string;
};

interface Tags {
  "{tag}": Tag<{class}Attributes & Listeners<{class}EventMap>, {class}Element>;
}

declare global {
  namespace JSX {
    interface IntrinsicElements extends Tags {}
  }
}

declare module "react" {
  namespace JSX {
    interface IntrinsicElements extends Tags {}
  }
}
