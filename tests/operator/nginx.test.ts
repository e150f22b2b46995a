import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { installDebianPackages } from "../../build-scripts/ensure-browser.ts";
import { ExportsIndex } from "../../src/contract/service/exports-index.ts";
import { releasePaths } from "../../src/kernel/home.ts";
import { freePort } from "../../src/kernel/port.ts";
import type { RunningServer } from "../../src/server/main.ts";
import { PROJECT } from "../support/operations/presence-process.ts";
import { madeBasemap } from "../support/pages/made-basemap.ts";
import { TestSite } from "../support/release/site.ts";

/** The configuration in deploy/nginx, run by Debian's nginx over a small real release, against what Node itself answers. */

const isThere = () => spawnSync("nginx", ["-v"]).status === 0;
if (!isThere()) await installDebianPackages("nginx-light");

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string; // base64
}

/** As it is written, which `fetch` would not leave it. */
function ask(
  base: string,
  path: string,
  { method = "GET", headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const asked = request(
      { hostname, port, path, method, headers: { host: "example.org", ...headers } },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk) => chunks.push(chunk));
        answer.on("end", () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: Object.fromEntries(
              Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
            ),
            body: Buffer.concat(chunks).toString("base64"),
          }),
        );
      },
    );
    asked.on("error", reject).end();
  });
}

/** Of the connection, or named by each program in its own way. */
const OWN = ["date", "connection", "keep-alive", "server", "etag", "transfer-encoding", "ratelimit"];

function common({ status, headers, body }: Answer) {
  const kept = Object.entries(headers).filter(([name]) => !OWN.includes(name));
  return { status, headers: Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1))), body };
}

const FILES = [
  "/",
  "/index.html",
  "/city/toronto/",
  "/cite/",
  "/search/",
  "/search/index.html",
  "/api/v1/cities",
  "/api/v1/cities.json",
  "/api/v1/status.json",
  "/api/v1/explorer.csv",
  "/exports/explorer.csv",
  "/exports/datapackage.json",
  "/exports/cells.parquet",
  "/exports/city/toronto/records.csv.gz",
  "/exports/SHA256SUMS",
  "/openapi.json",
  "/pulse/rss.xml",
  "/pulse/atom.xml",
  "/pulse/feed.json",
  "/mcp/contract.json",
  "/mcp/server-card",
  "/.well-known/ai-catalog.json",
  "/llms.txt",
  "/robots.txt",
  "/sitemap.xml",
  "/ledger/checkpoint",
  "/ledger/checkpoints/4",
  "/ledger/vkey",
  "/ledger/tile/0/000",
  "/ledger/timestamps/4.tsr",
  "/assets/x.css",
  "/assets/x.woff2",
  "/ledger/keys.json",
];
const STATUS = "/api/v1/status";
const BUILT = "2026-05-02T00:30:00Z";
const LATE = "2026-05-22T00:30:00Z"; // twenty days later
const textOf = (body: string): unknown => JSON.parse(Buffer.from(body, "base64").toString());

const MISSING = ["/nothing/", "/nothing", "/.git/config", "/ledger/tile/0/001", "/city/../../etc/passwd.txt"];
/** No folder of the release has this address: the server finds the aggregates of kept releases. */
const KEPT = ["explorer.csv", "city-coverage.csv", "LICENSE.txt", "cells/toronto.geojson"];
const DYNAMIC = [
  "/exports/release/",
  "/exports/release/00000000-0000-5000-8000-000000000000/explorer.csv",
  "/api/v1/status",
  "/api/v1/status?x=1",
  "/api/v1/search?q=alpha",
  "/api/v1/search",
  "/api/v1/cities?wrong=1",
  "/api/v1/nothing",
  "/api/v1/records/none",
  "/api/nothing.json",
  "/city/toronto/?sort=name",
  "/search/?name=a",
  "/search/?near=x",
  "/city/toronto?x=1",
  "/city/Toronto/",
  "/city/Toronto/?sort=name",
  "/pulse/TORONTO/rss.xml",
  "/city/Nowhere/",
  "/healthz",
  "/readyz",
  "/mcp",
  "/ledger/proof/x",
  "/cite/?quote=It+was+seen.",
  "/cite/demo_alpha.5.17.2026-05-20.v2.00000000/",
  "/cite/demo_alpha.5.17.2026-05-20.v2.00000000",
  "/cite/nothing/",
  "/api/v1/citation/demo_alpha.5.17.2026-05-20.v2.00000000",
];

describe.runIf(isThere())("nginx", () => {
  const folder = mkdtempSync(join(tmpdir(), "nginx-"));
  let site: TestSite;
  let node: RunningServer;
  let nginx: ChildProcess;
  let base: string;

  beforeAll(async () => {
    site = new TestSite("production");
    fill(releasePaths(site.publish(BUILT)).site);
    const basemap = join(folder, "here.pmtiles");
    writeFileSync(basemap, madeBasemap({ lat: 43.65, lng: -79.38, attribution: "OpenStreetMap" }));
    node = await site.serve({ trustedProxies: 1, basemap }, { clock: () => Date.parse(LATE) });
    const port = await freePort();
    base = `http://127.0.0.1:${port}`;
    symlinkSync(join(PROJECT, "deploy", "nginx"), join(folder, "presence"));
    writeFileSync(join(folder, "nginx.conf"), main(folder, port, node.port, join(site.home.current, "site")));
    nginx = spawn("nginx", ["-c", join(folder, "nginx.conf"), "-p", folder], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    await vi.waitFor(() => ask(base, "/"), { timeout: 10_000 });
    await ask(node.url, "/search/?name=a"); // compiles the pages, which may take longer than nginx waits
  });
  afterAll(async () => {
    const ended = once(nginx, "exit");
    nginx.kill("SIGTERM");
    await ended;
    await node.stop();
    site[Symbol.dispose]();
    rmSync(folder, { recursive: true });
  });

  const both = async (path: string, options = {}) => {
    const [ours, theirs] = await Promise.all([ask(base, path, options), ask(node.url, path, options)]);
    return [common(ours), common(theirs)] as const;
  };

  test.each(FILES)("%s is the file that Node answers with", async (path) => {
    const [ours, theirs] = await both(path);
    expect(theirs.status).toBe(200);
    expect(ours).toEqual(theirs);
    const [head, nodeHead] = await both(path, { method: "HEAD" });
    expect(head).toEqual(nodeHead);
  });

  test.each([
    "/openapi.json",
    "/assets/x.css",
    "/api/v1/entity/demo_alpha",
    "/large/",
    "/pulse/toronto/atom.xml",
    "/large.txt",
  ])("%s is sent as gzip where Node does", async (path) => {
    const [plain] = await both(path);
    const [ours, theirs] = await both(path, { headers: { "accept-encoding": "gzip, br" } });
    // nginx sends parts of the file itself only, and does not know the length before the end.
    const { "accept-ranges": _, "content-length": __, ...headers } = theirs.headers;
    expect(theirs.headers["content-encoding"]).toBe("gzip");
    expect(ours).toMatchObject({ status: 200, headers });
    for (const { body } of [ours, theirs])
      expect(gunzipSync(Buffer.from(body, "base64")).toString("base64")).toBe(plain.body);
  });

  test.each(["gzip", "br", "zstd", "identity"])(
    "an answer of Node passes as it is, in %s",
    async (encoding) => {
      const headers = { "accept-encoding": encoding };
      const [ours, theirs] = await both("/api/v1/search?limit=9", { headers });
      expect(theirs.headers["content-encoding"] ?? "identity").toBe(encoding);
      expect(ours).toEqual(theirs);
    },
  );

  test.each([...DYNAMIC, ...MISSING.slice(0, 4)])("%s is answered as Node does", async (path) => {
    const [ours, theirs] = await both(path);
    expect(theirs.status === 200 || theirs.body !== "" || theirs.status === 308).toBe(true);
    expect(ours).toEqual(theirs);
  });

  test("an aggregate of a kept release is Node's, and nothing of single records is there", async () => {
    const index = await ask(base, "/exports/index.json");
    const { release_id } = ExportsIndex.parse(textOf(index.body));
    for (const [file, status] of [
      ...KEPT.map((file) => [file, 200] as const),
      ["changes.csv", 404],
    ] as const) {
      const [ours, theirs] = await both(`/exports/release/${release_id}/${file}`);
      expect([ours.status, ours], file).toEqual([status, theirs]);
    }
  });

  test("other methods are Node's, and a page's address without its slash leads to it", async () => {
    for (const [path, method] of [
      ["/city/toronto/", "POST"],
      ["/api/v1/cities", "OPTIONS"],
      ["/api/v1/cities", "DELETE"],
      ["/mcp", "OPTIONS"],
    ] as const) {
      const [ours, theirs] = await both(path, { method });
      expect(ours, path).toEqual(theirs);
    }
    const moved = await ask(base, "/city/toronto");
    expect([moved.status, moved.headers["location"]]).toEqual([308, "/city/toronto/"]);
  });

  test.each(["/exports", "/exports/", "/api/v1", "/api/v1/"])(
    "%s leads to the data, as from Node",
    async (path) => {
      for (const { status, headers } of await both(path))
        expect([status, headers["location"]]).toEqual([308, "/data/"]);
    },
  );

  test("the operator's map passes from Node in ranges, and may be kept for minutes", async () => {
    for (const range of ["bytes=0-6", "bytes=-9", "bytes=999999-"]) {
      const [ours, theirs] = await both("/basemap.pmtiles", { headers: { range } });
      expect(ours, range).toEqual(theirs);
    }
    const { status, headers, body } = await ask(base, "/basemap.pmtiles", {
      headers: { range: "bytes=0-6" },
    });
    expect([status, Buffer.from(body, "base64").toString()]).toEqual([206, "PMTiles"]);
    expect(headers["content-range"]).toMatch(/^bytes 0-6\/\d+$/);
    expect(headers["cache-control"]).toMatch(/^public, max-age=\d+/);
    expect(headers["content-type"]).toBe("application/octet-stream");
  });

  test("an unchanged file is a 304 with its headers", async () => {
    const { headers } = await ask(base, "/api/v1/cities");
    const again = await ask(base, "/api/v1/cities", { headers: { "if-none-match": headers["etag"] ?? "" } });
    expect(again).toMatchObject({ status: 304, body: "" });
    expect(again.headers["cache-control"]).toBe(headers["cache-control"]);
  });

  test("a request with credentials gets a file that no shared cache may keep, as from Node", async () => {
    const headers = { authorization: "Bearer none" };
    for (const path of ["/", "/api/v1/cities", "/ledger/checkpoint"]) {
      const [ours, theirs] = await both(path, { headers });
      expect(theirs).toEqual(ours);
      expect(ours.headers["cache-control"]).toMatch(/^private, max-age=/);
    }
  });

  test("the status is that of the time of the request, and may be kept for seconds", async () => {
    const { status, headers, body } = await ask(base, STATUS);
    expect([status, headers["cache-control"], headers["content-type"]]).toEqual([
      200,
      "public, max-age=10",
      "application/json; charset=utf-8",
    ]);
    expect(textOf(body)).toMatchObject({
      current_status: "stale",
      status_as_of: LATE,
      incidents: [{ id: "late-release-2026-05-03" }],
    });
    const again = await ask(base, STATUS, { headers: { "if-none-match": headers["etag"] ?? "" } });
    expect([again.status, again.headers["cache-control"]]).toEqual([304, "public, max-age=10"]);
  });

  test("nothing outside the release is shown", async () => {
    for (const path of ["/../snapshot.db", "/%2e%2e/snapshot.db", "/.away/json", "/.none", "//etc/passwd"])
      expect([400, 404], path).toContain((await ask(base, path)).status);
  });

  test("the log has no token", async () => {
    await ask(base, "/alerts/?token=geheim&x=1");
    const log = readFileSync(join(folder, "access.log"), "utf8");
    expect(log).toContain('"uri":"/alerts/"');
    expect(log).not.toContain("geheim");
    expect(log).not.toContain("?");
  });

  test("the search page alone may ask for the position", async () => {
    for (const [path, policy] of [
      ["/search/", "geolocation=(self)"],
      ["/search/?name=a", "geolocation=(self)"],
      ["/", "geolocation=()"],
      ["/city/toronto/", "geolocation=()"],
    ] as const)
      expect((await ask(base, path)).headers["permissions-policy"], path).toContain(policy);
  });

  test("without Node files go on, and what needs it says so", async () => {
    const before = await Promise.all(FILES.map((path) => ask(base, path)));
    await node.stop();
    const after = await Promise.all(FILES.map((path) => ask(base, path)));
    expect(after.map(common)).toEqual(before.map(common));
    expect(await ask(base, "/nothing/")).toMatchObject({ status: 404 });
    const file = await ask(base, STATUS);
    expect(common(file)).toEqual(common(await ask(base, "/api/v1/status.json")));
    expect(file.headers).toMatchObject({
      "cache-control": "public, max-age=10",
      "content-type": "application/json; charset=utf-8",
    });
    expect(textOf(file.body)).toMatchObject({
      current_status: "operational",
      status_as_of: BUILT,
      valid_until: "2026-05-03T06:00:00Z",
    });
    for (const path of ["/api/v1/search?q=a", "/api/v1/nothing", "/healthz", "/mcp"]) {
      const { status, headers, body } = await ask(base, path);
      expect([status, headers["retry-after"], headers["cache-control"]], path).toEqual([
        503,
        "30",
        "no-store",
      ]);
      expect(JSON.parse(Buffer.from(body, "base64").toString())).toEqual({
        error: expect.stringMatching(/away/),
        code: "unavailable",
      });
      expect(headers["access-control-allow-origin"]).toBe("*");
    }
    expect((await ask(base, "/exports/release/x/explorer.csv")).status).toBe(503);
    expect((await ask(base, "/exports/")).status).toBe(308);
    const page = await ask(base, "/city/toronto/?sort=name");
    expect([page.status, page.headers["content-type"], page.headers["x-frame-options"]]).toEqual([
      503,
      "text/html; charset=utf-8",
      "DENY",
    ]);
    expect((await ask(base, "/alerts/", { method: "POST" })).status).toBe(503);
  });

  test("a patch is never a 304, even within a second, and what it left is one", async () => {
    using patched = new TestSite();
    patched.isLinking = true;
    await patched.publishSigned();
    rmSync(site.home.current);
    symlinkSync(patched.home.current, site.home.current);
    const [changed, left] = ["/api/v1/city/toronto/index", "/city/toronto/"] as const;
    const dateOf = async (path: string) => (await ask(base, path)).headers["last-modified"] ?? "";
    const before = { changed: await dateOf(changed), left: await dateOf(left) };
    patched.addRecord("Delta");
    await patched.publishSigned();
    const since = (date: string) => ({ headers: { "if-modified-since": date } });
    expect((await ask(base, changed, since(before.changed))).status).toBe(200);
    expect((await ask(base, left, since(before.left))).status).toBe(304);
    expect(Date.parse(await dateOf(changed))).toBeGreaterThan(Date.parse(before.changed));
  });
});

/** Files of kinds that the small release lacks. */
function fill(folder: string): void {
  const text = {
    "ledger/checkpoint": "head\n",
    "ledger/checkpoints/4": "head 4\n",
    "ledger/vkey": "key\n",
    "exports/SHA256SUMS": "0\n",
    "assets/x.css": "a{}\n".repeat(1000),
    "ledger/keys.json": "[]\n",
    "large/index.html": "<p>\n".repeat(1000),
    "large.txt": "text\n".repeat(1000),
  };
  const bytes = {
    "ledger/tile/0/000": "\x01\x02",
    "ledger/timestamps/4.tsr": "0",
    "assets/x.woff2": "w",
    "exports/cells.parquet": "PAR1",
    "exports/city/toronto/records.csv.gz": "packed",
  };
  for (const [path, content] of Object.entries({ ...text, ...bytes })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** What Debian's own nginx.conf would be, and the part of example.conf that names places. */
function main(folder: string, port: number, nodePort: number, root: string): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return `daemon off; user root; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
    events { }
    http {
      ${temporary.join(" ")}
      include presence/http.conf;
      include presence/limits.conf;
      access_log ${folder}/access.log presence;
      upstream presence_node { server 127.0.0.1:${nodePort} max_fails=0; keepalive 4; }
      server { listen 127.0.0.1:${port}; server_name example.org; root ${root}; include presence/site.conf; }
    }`;
}
