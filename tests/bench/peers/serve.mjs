// Bundles the peers as a site's own build does, and serves the bundles and a mock of the peers' services. Prints its
// address, and ends with its standard input.

import { readFile, readdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { brotliCompressSync, constants } from "node:zlib";
import { build } from "esbuild";
import { answer } from "./mock.mjs";

const TYPES = { js: "text/javascript", css: "text/css" };

const compressed = (content, quality) =>
  brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });

/** Bundles a peer; returns its compressed files by path. */
async function bundled(peer) {
  const folder = `bundles/${peer}`;
  await rm(folder, { recursive: true, force: true });
  await build({
    entryPoints: [`${peer}.js`],
    outdir: folder,
    bundle: true,
    format: "esm",
    splitting: true,
    minify: true,
    target: "es2022",
    define: { "process.env.NODE_ENV": '"production"', "process.env": "{}" },
    logLevel: "error",
  });
  const names = await readdir(folder);
  return Promise.all(names.map(async (name) => [`/${peer}/${name}`, compressed(await readFile(`${folder}/${name}`), 11)]));
}

const peers = await Promise.all(["calcom-atoms", "nylas-web-elements"].map(bundled));
const files = new Map(peers.flat());

const server = createServer((request, response) => {
  const { method, headers } = request;
  response.setHeader("access-control-allow-origin", "*");
  response.setHeader("access-control-allow-methods", "*");
  response.setHeader("access-control-allow-headers", headers["access-control-request-headers"] ?? "*");
  response.setHeader("access-control-max-age", "7200");
  if (method === "OPTIONS") return response.writeHead(204).end();
  const url = new URL(request.url, "http://peers");
  const file = files.get(url.pathname);
  const body = file ?? answer(url);
  if (!body) return response.writeHead(404).end();
  const type = file ? TYPES[url.pathname.split(".").pop()] : "application/json";
  response.writeHead(200, { "content-type": type, "content-encoding": "br" });
  response.end(file ?? compressed(JSON.stringify(body), 5));
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
process.stdin.on("end", () => process.exit()).resume();
