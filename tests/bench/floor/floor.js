// Lower bound for the benchmark: the picker's two requests, month, times and a form, handwritten without a
// library. It has one language, one time zone and one layout, handles no errors and books nothing.

const place = document.querySelector("#floor");
const service = `${place.dataset.service}/v2/`;
const timeZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
const write = (options) => new Intl.DateTimeFormat("en-US", { timeZone, ...options });
const month = write({ month: "long", year: "numeric" });
const whole = write({ weekday: "long", day: "numeric", month: "long" });
const clock = write({ hour: "numeric", minute: "2-digit" });
const weekday = write({ weekday: "short" });

function make(tag, name, ...children) {
  const element = document.createElement(tag);
  element.className = name;
  element.append(...children);
  return element;
}

const summary = make("div", "summary");
const grid = make("div", "grid");
const times = make("ol", "times");
const title = make("h2", "title");
const days = make("div", "days", title, grid);
for (let cell = 0; cell < 42; cell++) grid.append(make("span", "day"));
place.append(summary, days, times);

async function ask(path, query) {
  const answer = await fetch(`${service}${path}?${new URLSearchParams(query)}`);
  return (await answer.json()).data;
}

function fill(start) {
  const form = make("form", "form", make("h2", "title", whole.format(start), ", ", clock.format(start)));
  for (const [type, label] of [["text", "Your name"], ["email", "Email address"]]) {
    const field = make("input", "field");
    Object.assign(field, { type, required: true });
    form.append(make("label", "label", label, field));
  }
  form.append(make("button", "confirm", "Confirm booking"));
  place.replaceChildren(summary, form);
}

function choose(slots) {
  const rows = slots.map(({ start }) => {
    const instant = new Date(start);
    const button = make("button", "time", clock.format(instant));
    button.onclick = () => fill(instant);
    return make("li", "row", button);
  });
  times.replaceChildren(...rows);
}

const { username, slug } = place.dataset;
const [type] = await ask("event-types", { username, eventSlug: slug });
summary.append(make("h1", "name", type.title), make("p", "length", `${type.lengthInMinutes} min`));
const now = new Date();
const end = new Date(now.getTime() + 49 * 864e5);
const free = await ask("slots", {
  eventTypeId: type.id, start: now.toISOString(), end: end.toISOString(), timeZone,
});
const [first] = Object.keys(free);
const shown = new Date(`${first}T12:00:00Z`);
title.textContent = month.format(shown);
const day = new Date(Date.UTC(shown.getUTCFullYear(), shown.getUTCMonth(), 1, 12));
day.setUTCDate(1 - day.getUTCDay());
const cells = [];
for (let cell = 0; cell < 42; cell++) {
  if (cell < 7) cells.push(make("span", "weekday", weekday.format(day)));
  const date = day.toISOString().slice(0, 10);
  const button = make("button", "day", String(day.getUTCDate()));
  button.disabled = !free[date];
  button.onclick = () => choose(free[date]);
  cells.push(button);
  day.setUTCDate(day.getUTCDate() + 1);
}
cells.sort((a, b) => (a.className === "day") - (b.className === "day"));
grid.replaceChildren(...cells);
choose(free[first]);
