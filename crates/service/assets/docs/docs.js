// Shows the OpenAPI document. Everything is built from elements and texts: nothing that the
// document says is ever read as markup.

const METHODS = ["get", "post", "put", "patch", "delete"];
const DEEPEST = 4;
const place = (id) => document.getElementById(id);

/** An element with properties and children; texts stay texts. */
function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (key.startsWith("data-") || key.startsWith("aria-")) element.setAttribute(key, value);
    else element[key] = value;
  }
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
}

/** A text in which `code` and **strong** stand out. */
function inline(text) {
  return (text ?? "").split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((piece) => {
    if (piece.startsWith("`")) return make("code", {}, piece.slice(1, -1));
    if (piece.startsWith("**")) return make("strong", {}, piece.slice(2, -2));
    return piece;
  });
}

/** The paragraphs of a text. */
function words(text) {
  return (text ?? "").split(/\n\s*\n/).filter((part) => part.trim()).map((part) => make("p", {}, ...inline(part)));
}

class Reader {
  constructor(api) {
    this.api = api;
  }

  /** What a reference leads to; anything else is itself. */
  follow(value) {
    const reference = value?.$ref;
    if (typeof reference !== "string") return value ?? {};
    const target = reference.replace(/^#\//, "").split("/")
      .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
      .reduce((found, part) => found?.[part], this.api) ?? {};
    // What stands beside a reference is said of this use of it.
    return { ...target, ...Object.fromEntries(Object.entries(value).filter(([key]) => key !== "$ref")) };
  }

  /** The variants of a schema that are not null. */
  variants(schema) {
    return (schema.oneOf ?? schema.anyOf ?? []).filter((variant) => variant.type !== "null");
  }

  /** `array of string`, `integer, 1 to 250`, `one of asc, desc`. */
  kind(given) {
    let schema = this.follow(given);
    const variants = this.variants(schema);
    if (variants.length === 1) schema = { ...this.follow(variants[0]), nullable: true };
    if (variants.length > 1) return variants.map((variant) => this.kind(variant)).join(" or ");
    if (schema.enum) return schema.enum.length === 1 ? `always ${schema.enum[0]}` : `one of ${schema.enum.join(", ")}`;
    const types = [schema.type].flat().filter((type) => type && type !== "null");
    let text = types.join(" or ") || (schema.properties ? "object" : "any value");
    if (text === "array") text = `list of ${this.kind(schema.items)}`;
    if (schema.format && !/^int/.test(schema.format)) text += ` (${schema.format})`;
    const { minimum, maximum } = schema;
    if (minimum !== undefined && maximum < 1e15) text += `, ${minimum} to ${maximum}`;
    else if (minimum !== undefined) text += `, at least ${minimum}`;
    if (schema.maxLength !== undefined) text += `, at most ${schema.maxLength} long`;
    if (schema.nullable || [schema.type].flat().includes("null")) text += " or null";
    return text;
  }

  /** The rows of a schema's properties, with those of objects inside of it below. */
  rows(given, prefix = "", depth = 0) {
    let schema = this.follow(given);
    const variants = this.variants(schema);
    if (variants.length) return variants.flatMap((variant) => this.rows(variant, prefix, depth));
    if ([schema.type].flat().includes("array")) return this.rows(schema.items, `${prefix}[]`, depth);
    if (schema.allOf) {
      return schema.allOf.flatMap((part) => this.rows(part, prefix, depth));
    }
    if (depth >= DEEPEST) return [];
    return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
      const path = `${prefix}${prefix ? "." : ""}${name}`;
      const followed = this.follow(property);
      const row = this.row(path, this.kind(property), followed.description, schema.required?.includes(name));
      return [row, ...this.rows(property, path, depth + 1)];
    });
  }

  row(name, kind, description, needed) {
    return make("div", {},
      make("dt", {}, make("code", {}, name), needed ? make("span", { className: "needed" }, " required") : null),
      make("dd", {}, make("span", { className: "kind" }, kind), ...words(description)));
  }
}

/** A curl line that can be pasted into a shell. */
function curl(server, method, path, operation, reader) {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const query = [];
  let filled = path;
  for (const given of operation.parameters ?? []) {
    const parameter = reader.follow(given);
    const schema = reader.follow(parameter.schema);
    const example = parameter.example ?? schema.examples?.[0] ?? schema.enum?.[0];
    if (parameter.in === "path") {
      filled = filled.replace(`{${parameter.name}}`, example ?? (schema.type === "integer" ? 1 : parameter.name.toUpperCase()));
    } else if (parameter.in === "query" && parameter.required) {
      query.push(`${parameter.name}=${encodeURIComponent(example ?? { start: "2027-03-29", end: "2027-04-02" }[parameter.name] ?? "")}`);
    }
  }
  const lines = [`curl ${method === "GET" ? "" : `-X ${method} `}${quoted(server + filled + (query.length ? `?${query.join("&")}` : ""))}`];
  const security = operation.security ?? [];
  const free = security.some((way) => Object.keys(way).length === 0);
  const secret = security.length === 1 && "clientSecret" in security[0];
  if (secret) lines.push(`-H 'x-svc-secret-key: SECRET'`);
  else if (!free) lines.push(`-H 'Authorization: Bearer svc_KEY'`);
  const body = operation.requestBody?.content?.["application/json"]?.example;
  if (body !== undefined) {
    lines.push(`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`);
  }
  return lines.join(" \\\n  ");
}

/** A block of code with a button that copies it. */
function code(text, what) {
  const button = make("button", { type: "button", className: "copy" }, `Copy ${what}`);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not allowed to copy";
    }
    setTimeout(() => { button.textContent = `Copy ${what}`; }, 2000);
  });
  const block = make("pre", { tabIndex: 0 }, make("code", {}, text));
  block.setAttribute("role", "region");
  block.setAttribute("aria-label", what);
  return [block, button];
}

/** Everything that is said about one operation. Built when it is opened. */
function body(server, entry, reader) {
  const { method, path, operation } = entry;
  const parts = [...words(operation.description)];
  const parameters = (operation.parameters ?? []).map((parameter) => reader.follow(parameter));
  if (parameters.length) {
    parts.push(make("h3", {}, "Parameters"), make("dl", {}, ...parameters.map((parameter) => {
      const kind = `${reader.kind(parameter.schema)}, in the ${parameter.in}`;
      return reader.row(parameter.name, kind, parameter.description, parameter.required);
    })));
  }
  const request = operation.requestBody?.content?.["application/json"];
  if (request) {
    parts.push(make("h3", {}, "Body"), make("dl", {}, ...reader.rows(request.schema)));
    if (request.example !== undefined) parts.push(...code(JSON.stringify(request.example, null, 2), "body"));
  }
  parts.push(make("h3", {}, "Call"), ...code(curl(server, method, path, operation, reader), "call"));
  const failures = [];
  for (const [status, given] of Object.entries(operation.responses ?? {})) {
    const response = reader.follow(given);
    if (!status.startsWith("2")) {
      failures.push(reader.row(status, "", response.description));
      continue;
    }
    const content = response.content?.["application/json"];
    parts.push(make("h3", {}, `Answer ${status}`), ...(content ? [] : words(response.description)));
    if (content?.example !== undefined) parts.push(...code(JSON.stringify(content.example, null, 2), "answer"));
    if (content) {
      const rows = reader.rows(content.schema);
      if (rows.length) parts.push(make("details", {}, make("summary", {}, "All properties"), make("dl", {}, ...rows)));
    }
  }
  if (failures.length) {
    parts.push(make("details", {}, make("summary", {}, "Failures"), make("dl", {}, ...failures)));
  }
  return make("div", { className: "body" }, ...parts);
}

function card(server, entry, reader) {
  const { method, path, operation } = entry;
  const details = make("details", { className: "operation", id: operation.operationId },
    make("summary", {},
      make("span", { className: "method", "data-method": method }, method),
      make("span", { className: "path" }, path),
      make("span", { className: "what" }, ...inline(operation.summary))));
  details.addEventListener("toggle", () => {
    if (!details.open) return;
    if (!details.querySelector(".body")) details.append(body(server, entry, reader));
    history.replaceState(null, "", `#${details.id}`);
  });
  entry.card = details;
  entry.text = [method, path, operation.operationId, operation.summary, operation["x-permission"], operation["x-scope"],
    ...(operation.tags ?? []), ...(operation.parameters ?? []).map((parameter) => parameter.name)].join(" ").toLowerCase();
  return details;
}

/** Opens the operation that the address names. */
function openNamed() {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named?.matches("details.operation")) {
    named.open = true;
    named.scrollIntoView();
  }
}

function show(api) {
  const reader = new Reader(api);
  const server = api.servers?.[0]?.url ?? location.origin;
  document.title = `${api.info.title}: operations`;
  place("title").textContent = api.info.title;
  place("version").textContent = `Version ${api.info.version}.`;
  place("about").append(...words(api.info.description));

  const entries = Object.entries(api.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({ method: method.toUpperCase(), path, operation: item[method] })));
  const groups = (api.tags ?? []).map((tag) => {
    const own = entries.filter((entry) => entry.operation.tags?.[0] === tag.name);
    const id = `tag-${tag.name.toLowerCase().replaceAll(" ", "-")}`;
    const section = make("section", { id }, make("h2", {}, tag.name), ...words(tag.description), ...own.map((entry) => card(server, entry, reader)));
    const link = make("li", {}, make("a", { href: `#${id}` }, `${tag.name} (${own.length})`));
    return { own, section, link };
  });
  place("contents").append(make("ul", {}, ...groups.map((group) => group.link)));
  place("state").remove();
  place("operations").append(...groups.map((group) => group.section));

  const filter = () => {
    const wanted = place("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const group of groups) {
      let some = false;
      for (const entry of group.own) {
        const fits = wanted.every((word) => entry.text.includes(word));
        entry.card.hidden = !fits;
        some ||= fits;
        shown += fits ? 1 : 0;
      }
      group.section.hidden = !some;
      group.link.hidden = !some;
    }
    place("count").textContent = wanted.length ? `${shown} of ${entries.length} operations` : `${entries.length} operations`;
  };
  place("filter").addEventListener("input", filter);
  filter();
  openNamed();
  addEventListener("hashchange", openNamed);
}

addEventListener("keydown", (event) => {
  const field = place("filter");
  if (event.key === "/" && !event.ctrlKey && !event.metaKey && document.activeElement !== field) {
    event.preventDefault();
    field.focus();
  } else if (event.key === "Escape" && document.activeElement === field && field.value) {
    field.value = "";
    field.dispatchEvent(new Event("input"));
  }
});

try {
  const answer = await fetch("/v2/openapi.json");
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  show(await answer.json());
} catch (error) {
  const state = place("state") ?? place("operations").appendChild(make("p", { id: "state" }));
  state.textContent = `The document could not be read (${error.message}). Reload the page to try again.`;
}
