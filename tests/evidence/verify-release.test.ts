import { mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { z } from "zod";
import { filesBelow } from "../../src/kernel/files/durable-file.ts";
import { homePaths } from "../../src/kernel/home.ts";
import { seededRandom } from "../../src/kernel/seeded.ts";
import { readSigner, signingKeyPath } from "../../src/ledger/keys/keys.ts";
import { type NoteSigner, signerFromSeed } from "../../src/ledger/keys/note.ts";
import { auditRelease, releaseFolder } from "../../src/operations/audit/audit.ts";
import { Findings } from "../../src/proof/audit/findings.ts";
import { filesAtUrl, filesInFolder } from "../../src/proof/audit/site-files.ts";
import { Operator } from "../support/operations/operator.ts";
import { DishonestOperator, linkTree, replaceFile } from "../support/release/dishonest-operator.ts";
import { type DemoServer, homeBeside, serveHome } from "../support/towns/demo-home.ts";
import { isTrial } from "../support/trial.ts";
import { serveFiles } from "../trial/real/plain-file-server.ts";

/** `presence verify` and `presence proof` as a stranger runs them: over the demonstration's release, and what is tampered with over the town's. */

const Report = z.object({
  subject: z.string(),
  origin: z.string().nullable(),
  tree_size: z.int().nullable(),
  checked: z.record(z.string(), z.int()),
  faults: z.array(z.object({ subject: z.string(), problem: z.string() })),
});
type Report = z.infer<typeof Report>;

const FRAME = ["manifest.json", "manifest.note", "ledger/checkpoint", "ledger/vkey", "ledger/keys.json"];

/** An observation, in a full bundle. */
const ROW = 310;

const demo = homePaths(inject("demoHome"));
const home = homePaths(inject("townHome"));
// On the disk of the releases, so that their files can be linked.
const folder = mkdtempSync(join(home.root, "..", "verify-"));
const operator = new Operator({ PRESENCE_HOME: home.root });
const site = releaseFolder(home.current).site;
const demoSite = releaseFolder(demo.current).site;
const signer: NoteSigner = readSigner(signingKeyPath(home.keys, "demo"));
let copies = 0;
let beside: string; // so that the server writes nothing into the home that all tests share
let server: DemoServer;

beforeAll(async () => {
  beside = homeBeside(home.root);
  server = await serveHome(beside);
});

afterAll(async () => {
  await server.stop();
  operator[Symbol.dispose]();
  for (const own of [folder, beside]) rmSync(own, { recursive: true });
});

/** A release of its own to spoil: the town's. */
function copyOfRelease(of = site): string {
  copies += 1;
  const copy = join(folder, `copy-${copies}`);
  linkTree(join(of, ".."), copy);
  return copy;
}

async function verify(args: readonly string[]): Promise<Report & { code: number | null }> {
  const { code, stdout } = await operator.run(["verify", "--json", ...args]);
  return { code, ...Report.parse(JSON.parse(stdout)) };
}

/** What is wrong with a release, without the cost of another process. */
async function faultsOf(release: string): Promise<Report["faults"]> {
  const findings = new Findings();
  const found = releaseFolder(release);
  await auditRelease(filesInFolder(found.site), found, {}, findings);
  return findings.faults;
}

function subjects(faults: Report["faults"]): string[] {
  return [...new Set(faults.map(({ subject }) => subject))].sort();
}

const newestSize = () => new DishonestOperator(join(site, ".."), signer).manifest.inputs.tree_size;

describe("the demonstration verifies", () => {
  // Over HTTP as README shows it: tests/docs/docs.test.ts.
  test("from its folder, with everything that it has", async () => {
    const { code, faults, checked, tree_size, origin } = await verify(["--release", demo.current]);
    expect({ code, faults, origin }).toEqual({ code: 0, faults: [], origin: "demo.presence.example/ledger" });
    const { inputs, files } = new DishonestOperator(join(demoSite, ".."), signer).manifest;
    expect(tree_size).toBe(inputs.tree_size);
    expect(checked).toMatchObject({
      leaves: inputs.tree_size,
      disclosures: inputs.tree_size,
      files: Object.keys(files).length,
      databases: 1,
      "rows that wait for a seal": 0,
    });
  });
});

describe("the town verifies", () => {
  test("in words that say what was checked and what was not", async () => {
    const { code, stdout, stderr } = await operator.run(["verify", "--release", site]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.replaceAll(/ +[\d,]+ {2}/g, "  N  ").replaceAll(site, "SITE")).toMatchInlineSnapshot(`
      "checked:
        N  signing keys
        N  signed tree heads
        N  leaves
        N  disclosures
        N  seals
        N  redacted rows
        N  rows that wait for a seal
        N  tiles and bundles
        N  files
        N  databases
      SITE: no fault
      "
    `);
  });

  test("from a copy of its site, without the database", async () => {
    const copy = join(folder, "site-alone");
    linkTree(site, copy);
    const { code, faults, checked } = await verify(["--release", copy]);
    expect({ code, faults, databases: checked["databases"] }).toEqual({ code: 0, faults: [] });
  });

  test("from a plain file server, and from the service's own", async () => {
    await using plain = await serveFiles(site);
    const inFolder = await verify([]);
    for (const url of [`${plain.url}/`, server.url]) {
      const { code, faults, checked } = await verify(["--url", url]);
      expect({ code, faults }, url).toEqual({ code: 0, faults: [] });
      const { databases: _, ...rest } = inFolder.checked;
      expect(checked).toEqual(rest);
    }
    const stdout = await operator.ok(["verify", "--url", plain.url]);
    expect(stdout.split("\n").slice(-3).join("\n").replace(plain.url, "URL")).toMatchInlineSnapshot(`
      "Not checked for a URL: unlisted files, the database.
      URL: no fault
      "
    `);
  });

  test("with the key and the checkpoints that somebody kept", async () => {
    const vkey = readFileSync(join(site, "ledger/vkey"), "utf8");
    const sizes = Object.keys(new DishonestOperator(join(site, ".."), signer).manifest.files).flatMap(
      (path) => (path.startsWith("ledger/checkpoints/") ? [path] : []),
    );
    for (const path of [sizes[10] ?? "", "ledger/checkpoint"]) {
      const { code, faults, checked } = await verify(["--vkey", vkey, "--since", join(site, path)]);
      expect({ code, faults }).toEqual({ code: 0, faults: [] });
      expect(checked["signed tree heads"]).toBe(sizes.length + 2);
    }
  });
});

describe("one flipped byte", () => {
  test("in every file at once: each is named", async () => {
    const random = seededRandom(3);
    const release = copyOfRelease(isTrial ? demoSite : site);
    const flipped = filesBelow(release).filter(
      (file) => !FRAME.includes(relative(join(release, "site"), file)),
    );
    for (const file of flipped) replaceFile(file, oneFlipped(readFileSync(file), random));
    const { code, faults } = await verify(["--release", release]);
    const named = new Set(subjects(faults));
    const names = flipped.map((file) => relative(release, file).replace(/^site\//, ""));
    expect(names.length).toBeGreaterThan(isTrial ? 5000 : 200);
    expect(code).toBe(1);
    expect(names.filter((name) => !named.has(name))).toEqual([]);
  });

  test("in the database", async () => {
    const release = copyOfRelease();
    const file = join(release, "snapshot.db");
    replaceFile(file, oneFlipped(readFileSync(file), seededRandom(5)));
    expect(await faultsOf(release)).toEqual([
      { subject: "snapshot.db", problem: "its hash is not the one in the signed list" },
    ]);
  });

  test("on the way from a site", async () => {
    const path = "ledger/tile/entries/003";
    const bytes = oneFlipped(readFileSync(join(site, path)), seededRandom(6));
    await using plain = await serveFiles(site, new Map([[`/${path}`, bytes]]));
    const { code, faults } = await verify(["--url", plain.url]);
    expect(code).toBe(1);
    expect(subjects(faults)).toContain(path);
  });
});

test("files cut short, made longer, removed, added and exchanged are each named", async () => {
  const release = copyOfRelease();
  const file = (path: string) => join(release, "site", path);
  const read = (path: string) => readFileSync(file(path));
  const [a = "", b = ""] = filesBelow(join(release, "site", "record")).filter((name) =>
    name.endsWith(".html"),
  );
  const [one, other] = [a, b].map((name) => relative(join(release, "site"), name));
  const swap = [read(one ?? ""), read(other ?? "")];
  replaceFile(a, swap[1] ?? Buffer.alloc(0));
  replaceFile(b, swap[0] ?? Buffer.alloc(0));
  replaceFile(file("ledger/tile/entries/001"), read("ledger/tile/entries/001").subarray(0, -1));
  replaceFile(file("ledger/tile/0/002"), Buffer.concat([read("ledger/tile/0/002"), Buffer.alloc(1)]));
  const removed = ["ledger/disclosures/003.ndjson", "openapi.json"];
  for (const path of removed) rmSync(file(path));
  const added = ["ledger/tile/9", "extra.html", "record/extra.json"];
  for (const path of added) writeFileSync(file(path), "more");
  const { code, faults } = await verify(["--release", release]);
  expect(code).toBe(1);
  const changed = [one, other, "ledger/tile/entries/001", "ledger/tile/0/002"];
  expect(subjects(faults)).toEqual(expect.arrayContaining([...changed, ...removed, ...added]));
  expect(faults).toContainEqual({
    subject: "extra.html",
    problem: "not in any signed list of this release",
  });
});

describe("an operator who signs anew", () => {
  test("cannot leave a row out in silence", async () => {
    const release = copyOfRelease();
    await new DishonestOperator(release, signer).omit(ROW);
    const { code, faults } = await verify(["--release", release]);
    expect({ code, faults }).toEqual({
      code: 1,
      faults: [
        {
          subject: `row ${ROW}`,
          problem: "silent omission: it is not disclosed, and no later row redacts it",
        },
      ],
    });
  });

  test("cannot change what a row says and keep the history", async () => {
    const release = copyOfRelease();
    await new DishonestOperator(release, signer).rewrite(ROW, (json) => json.replace(/.(?=[^:]*$)/, "$&"));
    expect(await faultsOf(release)).toEqual([]); // the same body: the same release
    await new DishonestOperator(release, signer).rewrite(ROW, otherBody);
    const { code, faults } = await verify(["--release", release]);
    expect(code).toBe(1);
    const named = subjects(faults);
    const later = filesBelow(join(site, "ledger/checkpoints"))
      .map((file) => Number(basename(file)))
      .filter((size) => size >= ROW && size !== newestSize());
    expect(later.length).toBeGreaterThan(20);
    expect(named.filter((subject) => subject.startsWith("ledger/"))).toEqual(
      later.map((size) => `ledger/checkpoints/${size}`).sort(),
    );
    // The row's own seal, too.
    expect(faults.filter(({ subject }) => subject.startsWith("row ")).map(({ problem }) => problem)).toEqual([
      expect.stringMatching(/^seal of \d{4}-\d\d-\d\d: its Merkle root is not that of its range$/),
    ]);
  });

  test("cannot show two histories to whoever kept a checkpoint, or a key", async () => {
    const release = copyOfRelease();
    const kept = join(site, "ledger/checkpoint");
    await new DishonestOperator(release, signer).rewrite(ROW, otherBody);
    const { faults } = await verify(["--release", release, "--since", kept]);
    expect(faults).toContainEqual({
      subject: "the checkpoint that you kept",
      problem: "the published leaves do not lead to its root",
    });
    const stranger = signerFromSeed(signer.name, Buffer.alloc(32, 7));
    expect(await verify(["--vkey", stranger.vkey])).toMatchObject({
      code: 1,
      faults: [{ subject: "ledger/checkpoint", problem: "the key that you gave is not a key of the log" }],
    });
  });

  test("with a key of somebody else is no operator", async () => {
    const release = copyOfRelease();
    const other = signerFromSeed(signer.name, Buffer.alloc(32, 7));
    await new DishonestOperator(release, signer).signAgain([], other);
    expect(await verify(["--release", release])).toMatchObject({
      code: 1,
      tree_size: null,
      faults: [{ subject: "manifest.note", problem: "not signed by a key of this log" }],
    });
  });
});

/** Another last digit, never 0: whichever row a town's random order puts here, its number must stay one. */
function otherBody(json: string): string {
  const changed = json.replace(/\d(?=[^\d]*$)/, (digit) => String((Number(digit) % 9) + 1));
  if (changed === json) throw new Error(`nothing to change in ${json}`);
  return changed;
}

function oneFlipped(bytes: Buffer, random: () => number): Buffer {
  if (bytes.length === 0) return Buffer.of(0);
  const changed = Buffer.from(bytes);
  const at = Math.floor(random() * bytes.length);
  changed[at] = (changed[at] ?? 0) ^ (1 + Math.floor(random() * 255));
  return changed;
}

test("presence proof prints what the service answers, from everywhere", async () => {
  await using plain = await serveFiles(site);
  const sizes = filesBelow(join(site, "ledger/checkpoints")).map((file) => Number(basename(file)));
  const early = sizes.sort((a, b) => a - b).find((size) => size > 300) ?? 0;
  for (const [row, size] of [
    [1, newestSize()],
    [257, early],
  ]) {
    const answer = await fetch(`${server.url}/ledger/proof/${row}?size=${size}`);
    const text = await answer.text();
    expect([answer.status, text.startsWith("c2sp.org/tlog-proof@v1\n")]).toEqual([200, true]);
    for (const from of [[], ["--release", site], ["--url", plain.url]])
      expect(await operator.ok(["proof", String(row), "--size", String(size), ...from])).toBe(text);
  }
  expect(await operator.refused(["proof", "1", "--size", "2", "--url", server.url])).toBe(
    `presence: ${server.url}: no checkpoint of 2 rows is published`,
  );
});

describe("a new release that is published meanwhile", () => {
  const releases = homePaths(join(folder, "meanwhile"));
  let running: DemoServer;

  /** `current` goes over to that release, as a build does it. */
  function publish(name: string): void {
    const pointer = `${releases.current}.next`;
    symlinkSync(join("releases", name), pointer);
    renameSync(pointer, releases.current);
  }

  const noteAt = async (url: string) => (await fetch(`${url}/manifest.note`)).text();

  /** The audit of a site at which the other release appears when so many files were asked for. */
  async function auditWhile(name: string, requests: number) {
    let asked = 0;
    let published: Promise<unknown> = Promise.resolve();
    const appear = async () => {
      const before = await noteAt(running.url);
      publish(name);
      await expect.poll(() => noteAt(running.url), { timeout: 10_000 }).not.toBe(before);
    };
    const get: typeof fetch = async (input, init) => {
      asked += 1;
      if (asked === requests) published = appear();
      await published;
      return fetch(input, init);
    };
    const findings = new Findings();
    const files = filesAtUrl(running.url, { fetch: get });
    const release = await auditRelease(files, undefined, {}, findings);
    return { faults: findings.faults, release };
  }

  beforeAll(async () => {
    for (const name of ["one", "two"]) linkTree(join(site, ".."), join(releases.releases, name));
    const second = join(releases.releases, "two");
    const pages = filesBelow(join(second, "site/record")).filter((file) => file.endsWith(".html"));
    for (const page of pages) replaceFile(page, Buffer.concat([readFileSync(page), Buffer.from("\n")]));
    const paths = pages.map((page) => relative(join(second, "site"), page));
    await new DishonestOperator(second, signer).signAgain(paths, signer, "the second release");
    publish("one");
    running = await serveHome(releases.root);
  });
  afterAll(() => running.stop());

  test("between two files of its frame: the new one is checked, and is whole", async () => {
    // Keys, checkpoint, vkey and manifest are of the first; the note is of the second.
    const { faults, release } = await auditWhile("two", 5);
    expect(faults).toEqual([]);
    expect(release?.manifest.release_id).toBe("the second release");
  });

  test("later: the check says so, and blames no file", async () => {
    await expect(auditWhile("one", 50)).rejects.toThrow(
      "another release was published while this one was checked: run again",
    );
  });

  test("on this machine: the one that was current is checked to its end", async () => {
    publish("one");
    const found = releaseFolder(releases.current);
    publish("two");
    const findings = new Findings();
    const release = await auditRelease(filesInFolder(found.site), found, {}, findings);
    expect(findings.faults).toEqual([]);
    expect(release?.manifest.release_id).not.toBe("the second release");
  });
});
