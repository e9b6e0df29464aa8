// Tests of the start of the app.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { importSource, root } from "./support.mjs";
import { readFile } from "node:fs/promises";

const text = await readFile(`${root}/src/app/scripts/start.js`, "utf8");
const { chunkOf, pickerOf } = await importSource(text.replaceAll('"../../loader/', `"${pathToFileURL(root)}/src/loader/`));

// The cases of `Route::parse` in src/app/route.rs.
test("start: path of an event type is that of a picker", () => {
  for (const [path, attributes] of [
    ["/ada/intro-call", { username: "ada", "event-slug": "intro-call" }],
    ["/ada/intro-call/", { username: "ada", "event-slug": "intro-call" }],
    ["/a%20b/c", { username: "a b", "event-slug": "c" }],
    ["/team/1/design-review", { "team-id": "1", "event-slug": "design-review" }],
    ["/event/41", { "event-type-id": "41" }],
    ["/", undefined], ["/ada", undefined], ["/team/1", undefined], ["/bookings", undefined], ["/booking/x", undefined],
    ["/booking/x/seat", undefined], ["/roles/organization", undefined], ["/one/two/three", undefined],
    ["/one/two/three/four", undefined], ["/%ff/x", undefined],
  ]) assert.deepEqual(pickerOf(path), attributes, path);
});

test("start: screens of the team need their chunk", () => {
  for (const path of ["/bookings", "/sign-in", "/connect", "/roles/organization"]) assert.equal(chunkOf(path), "staff", path);
  for (const path of ["/", "/ada", "/ada/intro-call", "/booking/x", "/rolesx", "/ada/roles"]) assert.equal(chunkOf(path), "form", path);
});
