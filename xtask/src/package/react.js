// The elements as React components, for React 18 and 19: attributes and properties as props, events as
// `onBookingCreated` and the like.

import { createElement, forwardRef, useEffect, useImperativeHandle, useLayoutEffect, useRef } from "react";
import "./index.js";

export { configure } from "./index.js";

// On a server there is no layout.
const useBrowserEffect = typeof document === "undefined" ? useEffect : useLayoutEffect;

function wrap(tag, attributes, properties, events) {
  const Element = forwardRef((props, ref) => {
    const element = useRef(null);
    const set = useRef({});
    const latest = useRef(props);
    const passed = { ref: element };
    for (const [name, value] of Object.entries(props)) {
      // Some are a word as an attribute and more as a property.
      if (properties.includes(name) || name in events) continue;
      else if (name === "className") passed.class = value;
      else if (!(name in attributes)) passed[name] = value;
      else if (value !== false && value != null) passed[attributes[name]] = value === true ? "" : String(value);
    }

    useBrowserEffect(() => {
      latest.current = props;
      for (const name of properties) {
        if (set.current[name] === props[name]) continue;
        set.current[name] = props[name];
        const isWord = name in attributes && typeof props[name] === "string";
        if (name in attributes) element.current.removeAttribute(attributes[name]);
        if (isWord) element.current.setAttribute(attributes[name], props[name]);
        element.current[name] = isWord ? null : props[name] ?? null;
      }
    });

    useBrowserEffect(() => {
      const target = element.current;
      const heard = Object.entries(events).map(([name, event]) => {
        const listener = (news) => {
          // Events of elements within are their own.
          if (news.target === target) latest.current[name]?.(news);
        };
        target.addEventListener(event, listener);
        return () => target.removeEventListener(event, listener);
      });
      return () => heard.forEach((stop) => stop());
    }, []);

    useImperativeHandle(ref, () => element.current, []);
    return createElement(tag, passed);
  });
  Element.displayName = tag;
  return Element;
}
