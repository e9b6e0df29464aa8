import type { {imports} } from "./index.js";
import type { ForwardRefExoticComponent, HTMLAttributes, RefAttributes } from "react";

export * from "./index.js";

type Props<Own, Element> = Own & Omit<HTMLAttributes<Element>, keyof Own> & RefAttributes<Element>;
