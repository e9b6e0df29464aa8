// A page's own script, as a bundler takes it along with the package.
import { configure } from "booking-widget";

configure({ files: "/embed/" });
