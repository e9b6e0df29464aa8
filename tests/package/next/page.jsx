import { Book } from "./recipe.jsx";

export default function Page() {
  return <Book person={{ name: "Grace Hopper", email: "grace@example.org" }} />;
}
