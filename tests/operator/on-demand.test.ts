import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { installDebianPackages } from "../../build-scripts/ensure-browser.ts";
import { PublicSnapshot, SNAPSHOT_PART_BYTES } from "../../src/contract/service/exports.ts";
import { releasePaths } from "../../src/kernel/home.ts";
import { systemRandom } from "../../src/kernel/ids.ts";
import { auditRelease } from "../../src/operations/audit/audit.ts";
import { Findings } from "../../src/proof/audit/findings.ts";
import { Operator } from "../support/operations/operator.ts";
import { replaceFile } from "../support/release/dishonest-operator.ts";
import { currentName, releaseHashes } from "../support/release/whole-release.ts";
import { hasNginx, type RunningNginx, startNginx } from "../support/servers/nginx.ts";
import { type DemoServer, serveHome } from "../support/towns/demo-home.ts";
import { observedTown } from "../support/towns/town.ts";
import { oneOfEach } from "../support/trial.ts";

/** RECORD_DOCUMENTS=on-demand: the same release, with its documents of records made by the server. */

if (!hasNginx()) await installDebianPackages("nginx-light");

const ON_DEMAND = { RECORD_DOCUMENTS: "on-demand" };
/** What a release signs of its files, and so differs with them. */
const LISTS = /^site\/manifest\.(json|note)$/;
const DOCUMENT = /^site\/(api\/v1\/(entity|observations|presence-score|citation)|record|cite)\/./;

const operator = new Operator();
const withFiles = () => releasePaths(join(operator.folder, "with-files"));
const current = () => releasePaths(join(operator.home.releases, "..", currentName(operator.home) ?? ""));
let first = ""; // the name of the release with files
let files: Record<string, string>; // hashes of it
let made: Record<string, string>; // of the one without
let server: DemoServer;

beforeAll(async () => {
  await observedTown(operator, { seed: 5, observations: 800, records: 20 });
  await operator.ok(["build"]);
  first = readlinkSync(operator.home.current);
  cpSync(join(current().site, ".."), join(operator.folder, "with-files"), { recursive: true });
  files = releaseHashes(join(operator.folder, "with-files"));
  await operator.ok(["build"], { env: ON_DEMAND });
  made = releaseHashes(join(current().site, ".."));
  server = await serveHome(operator.home.root, { onLog: () => undefined });
});
afterAll(async () => {
  await server.stop();
  operator[Symbol.dispose]();
});

/** Each request of another client, so that none is refused for the others. */
let clients = 0;
function ask(path: string, headers: Record<string, string> = {}, base = server.url): Promise<Response> {
  clients += 1;
  const client = `10.1.${clients >> 8}.${clients & 255}`;
  return fetch(base + path, {
    redirect: "manual",
    headers: { "accept-encoding": "identity", "x-forwarded-for": client, ...headers },
  });
}

function copyOfHome(): Operator {
  const copy = new Operator({}, operator.folder);
  cpSync(operator.home.root, copy.home.root, { recursive: true, verbatimSymlinks: true });
  return copy;
}

const documents = () =>
  Object.keys(files)
    .filter((path) => DOCUMENT.test(path) && !(path in made))
    .map((path) => path.slice("site/".length));

test("a release on demand is the release with files, without those of single records, and with the snapshot", () => {
  const common = Object.keys(files).filter((path) => !LISTS.test(path) && path in made);
  expect(common.length).toBeGreaterThan(100);
  expect(common).toContain("figures.ndjson"); // what holds a release back follows from it alone, in either mode
  for (const path of common) expect([path, made[path]]).toEqual([path, files[path]]);
  const records = readdirSync(join(withFiles().site, "record")).length;
  const missing = Object.keys(files).filter((path) => !(path in made));
  expect(missing).toHaveLength(7 * records);
  expect(missing.filter((path) => !DOCUMENT.test(path))).toEqual([]);
  const more = Object.keys(made).filter((path) => !(path in files));
  expect(
    more.filter((path) => !/^(records\.json|site\/snapshot\/[0-9a-f]{64}|site\/snapshot\.json)$/.test(path)),
  ).toEqual([]);
});

test("the server answers every document with the bytes and the headers that its file would have", async () => {
  const paths = oneOfEach(documents(), (path) => path.replace(/[^/]*demo_[^/]*/, "").replace(/.*\./, "."));
  expect(paths.length).toBeGreaterThan(4);
  const seen = copyOfHome();
  rmSync(seen.home.current);
  symlinkSync(first, seen.home.current);
  const other = await serveHome(seen.home.root, { onLog: () => undefined });
  try {
    for (const path of paths) {
      for (const headers of [{}, { "accept-encoding": "gzip" }, { range: "bytes=5-50" }]) {
        const [ours, theirs] = await Promise.all([
          ask(`/${path}`, headers),
          ask(`/${path}`, headers, other.url),
        ]);
        expect([path, ours.status, headersOf(ours)]).toEqual([path, theirs.status, headersOf(theirs)]);
        expect(await ours.text()).toBe(await theirs.text());
      }
    }
  } finally {
    await other.stop();
  }
  const [path = ""] = paths;
  const whole = await ask(`/${path}`);
  expect(Buffer.from(await whole.arrayBuffer()).equals(readFileSync(join(withFiles().site, path)))).toBe(
    true,
  );
  const again = await ask(`/${path}`, { "if-none-match": whole.headers.get("etag") ?? "" });
  expect(again.status).toBe(304);
});

function headersOf({ headers }: Response): [string, string][] {
  expect(headers.get("last-modified")).toMatch(/ GMT$/); // what is made now is of its release; a file may be older
  const own = ["date", "keep-alive", "connection", "last-modified"];
  return [...headers].filter(([name]) => !own.includes(name));
}

test("records that the release does not have are missing, and pages have their slash", async () => {
  const [publicId = ""] = readdirSync(join(withFiles().site, "record"));
  expect((await ask("/record/demo_nobody/")).status).toBe(404);
  expect((await ask("/api/v1/entity/demo_nobody")).status).toBe(404);
  const slash = await ask(`/record/${publicId}`);
  expect([slash.status, slash.headers.get("location")]).toEqual([308, `/record/${publicId}/`]);
  expect((await ask(`/api/v1/entity/${publicId}?x=1`)).status).toBe(400);
});

test("a client makes the server work within its allowance, which no cache is told", async () => {
  const client = { "x-forwarded-for": "10.9.9.9" };
  const paths = documents().filter((path) => path.includes("/entity/")); // in no memory yet but the last
  expect((await ask(`/${paths[1]}`, client)).headers.get("ratelimit")).toBeNull();
  const statuses: number[] = [];
  for (let asked = 0; asked < 301; asked += 1)
    statuses.push((await ask(`/api/v1/search?name=x${asked}`, client)).status);
  expect(statuses.at(-1)).toBe(429);
  const refused = await ask(`/${paths[0]}`, client);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, expect.stringMatching(/^\d+$/)]);
  expect((await ask(`/${paths[0]}`)).status).toBe(200);
  expect((await ask(`/${paths[0]}`, client)).status).toBe(200); // it is in memory now
});

const Verified = z.object({ checked: z.record(z.string(), z.int()), faults: z.array(z.unknown()) });

test("a stranger checks the documents against the signed snapshot, over HTTP", async () => {
  const { checked, faults } = Verified.parse(
    JSON.parse(await operator.ok(["verify", "--url", server.url, "--records", "5", "--json"])),
  );
  expect([checked["documents made on demand"], faults]).toEqual([35, []]);
  expect(await operator.ok(["verify"])).toMatch(/\n\s+2 {2}databases\n/);
  expect(await operator.ok(["replay", "--url", server.url])).toMatch(/ 0 values differ/);
  expect(await operator.ok(["replay"])).toMatch(/ 0 values differ/);
});

test("a stranger downloads the snapshot once", async () => {
  const asked: string[] = [];
  const read = async (path: string) => {
    asked.push(path);
    const answer = await ask(`/${path}`);
    return answer.status === 404 ? undefined : Buffer.from(await answer.arrayBuffer());
  };
  const findings = new Findings();
  await auditRelease({ read }, undefined, { made: { sample: 2, random: systemRandom } }, findings);
  expect(findings.faults).toEqual([]);
  const parts = asked.filter((path) => path.startsWith("snapshot/"));
  expect(parts).not.toEqual([]);
  expect(parts).toEqual([...new Set(parts)]);
});

test("a copy by `presence mirror` verifies and replays", async () => {
  const copy = join(operator.folder, "copy");
  await operator.ok(["mirror", server.url, copy]);
  expect(await operator.ok(["verify", "--release", join(copy, "current")])).toMatch(/no fault/);
  expect(await operator.ok(["replay", "--release", join(copy, "current")])).toMatch(/ 0 values differ/);
});

const Named = z.looseObject({ entity: z.looseObject({ name: z.string() }) });

test("what the server changes is found", async () => {
  const liar = copyOfHome();
  const [publicId = ""] = readdirSync(join(withFiles().site, "record"));
  const { name } = Named.parse(await (await ask(`/api/v1/entity/${publicId}`)).json()).entity;
  const { snapshot } = releasePaths(join(liar.home.releases, "..", currentName(liar.home) ?? ""));
  const bytes = readFileSync(snapshot);
  const other = `${name.slice(0, -1)}#`; // the file keeps its length
  for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + 1)) bytes.write(other, at);
  replaceFile(snapshot, bytes);
  const lying = await serveHome(liar.home.root, { onLog: () => undefined });
  try {
    const { code, stdout } = await liar.run(["verify", "--url", lying.url, "--records", "all"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/FAULT .*: the server answers something else than the signed snapshot gives\n/);
  } finally {
    await lying.stop();
  }
});

test("nights and patch releases go on, in this mode and back", async () => {
  const [publicId = "", other = ""] = readdirSync(join(withFiles().site, "record"));
  const before = new Set(Object.keys(made));
  const preview = z.object({ confirm: z.string() });
  const command = ["opt-out", publicId, "--reason", "owner_request", "--json"];
  const { confirm } = preview.parse(JSON.parse(await operator.ok(command)));
  await operator.ok([...command, "--confirm", confirm]);
  await vi.waitFor(async () => expect((await ask(`/record/${publicId}/`)).status).toBe(404), {
    timeout: 20_000,
  });
  expect((await ask(`/api/v1/entity/${publicId}`)).status).toBe(404);
  expect((await ask(`/api/v1/entity/${other}`)).status).toBe(200);
  const { site, figures } = current();
  expect(existsSync(join(site, "snapshot.json"))).toBe(true);
  expect(readFileSync(figures, "utf8")).not.toContain(publicId);
  const hashes = releaseHashes(join(site, ".."));
  expect(Object.keys(hashes).filter((path) => DOCUMENT.test(path) && !before.has(path))).toEqual([]);
  const purge = readdirSync(operator.home.purge).map((name) =>
    readFileSync(join(operator.home.purge, name), "utf8"),
  );
  expect(purge.join()).toContain("/record/");
  expect(await operator.ok(["verify"])).toMatch(/no fault/);
  expect(await operator.ok(["replay"])).toMatch(/ 0 values differ/);

  await operator.ok(["build"]);
  expect(existsSync(join(current().site, "snapshot.json"))).toBe(false);
  const changes = JSON.parse(readFileSync(join(current().site, "exports/changes.json"), "utf8"));
  expect(changes).toMatchObject({ changed: expect.any(Number) });
  expect(existsSync(join(current().site, "record", other, "index.html"))).toBe(true);
});

describe.runIf(hasNginx())("behind nginx", () => {
  let nginx: RunningNginx;

  beforeAll(async () => {
    await operator.ok(["build"], { env: ON_DEMAND });
    const folder = join(operator.folder, "nginx");
    mkdirSync(folder);
    nginx = await startNginx(folder, Number(new URL(server.url).port), join(operator.home.current, "site"));
    await vi.waitFor(() => fetch(nginx.url), { timeout: 10_000 });
  });
  afterAll(() => nginx.stop());

  const asked = (path: string) => ask(path, { host: "example.org" }, nginx.url);

  test("documents come from Node, and from nobody while it is away", async () => {
    const publicId = readdirSync(join(withFiles().site, "record")).at(-1) ?? "";
    const paths = [`/api/v1/entity/${publicId}`, `/api/v1/entity/${publicId}.json`, `/record/${publicId}/`];
    for (const path of paths) expect([path, (await asked(path)).status]).toEqual([path, 200]);
    expect((await asked(`/record/${publicId}`)).status).toBe(308);
    await server.stop();
    try {
      for (const path of [...paths, `/record/${publicId}`])
        expect([path, (await asked(path)).status]).toEqual([path, 503]);
      expect((await asked("/api/v1/cities")).status).toBe(200);
    } finally {
      server = await serveHome(operator.home.root, { onLog: () => undefined });
    }
  });
});

test("the snapshot is published in parts that no reader has to fear", () => {
  const { site } = current();
  const described = PublicSnapshot.parse(JSON.parse(readFileSync(join(site, "snapshot.json"), "utf8")));
  expect(described.parts.every(({ bytes }) => bytes <= SNAPSHOT_PART_BYTES)).toBe(true);
  const whole = Buffer.concat(described.parts.map(({ path }) => readFileSync(join(site, path))));
  expect(whole.equals(readFileSync(current().snapshot))).toBe(true);
  rmSync(join(operator.folder, "copy"), { recursive: true, force: true });
});
