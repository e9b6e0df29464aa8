// What a browser makes of the page that a server has rendered.
import { hydrateRoot } from "react-dom/client";
import { Book } from "./recipe.jsx";

const person = { name: "Grace Hopper", email: "grace@example.org" };

window.told = [];
window.differences = [];

hydrateRoot(document.querySelector("#root"), <Book person={person} />, {
  onRecoverableError: (error) => window.differences.push(String(error)),
});
