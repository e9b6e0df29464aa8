// The recipe rendered on a server, as Next does with a file that begins with "use client".
import { renderToString } from "react-dom/server";
import { Book } from "./recipe.jsx";

const person = { name: "Grace Hopper", email: "grace@example.org" };

export const html = renderToString(<Book person={person} />);
