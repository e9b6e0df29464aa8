import type { {imports} } from "./index.js";

type Listeners<Events> = { [Name in keyof Events & string as `on${Capitalize<Camel<Name>>}`]?: (event: Events[Name]) => void };
type Camel<Name extends string> = Name extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Name;
type Component<Attributes, Events> = new () => { $props: Attributes & Listeners<Events> };

declare module "vue" {
  interface GlobalComponents {
    "{tag}": Component<{class}Attributes, {class}EventMap>;
  }
}
