import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TestLedger } from "../../../tests/support/ledger/small-ledger.ts";
import { presenceAt } from "../../../tests/support/operations/presence-here.ts";
import {
  type TestRelease,
  type TestReleaseOptions,
  TestReleases,
} from "../../../tests/support/release/audited-release.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { homePaths } from "../../kernel/home.ts";
import { outputTo } from "../../kernel/text/terminal.ts";
import { exampleAnswer } from "../../render/reference/examples.ts";
import { ledgerCheckpoints } from "../../resources/service/ledger.ts";

const LIST = "api/v1/ledger-checkpoints.json";

let ledger: TestLedger;
let releases: TestReleases;
let release: TestRelease;

beforeEach(async () => {
  [ledger, releases] = [new TestLedger(), new TestReleases()];
  ledger.sealAt("2026-05-01T12:00:00Z");
  ledger.sealAt("2026-05-02T12:00:00Z");
  release = await published({});
});

afterEach(() => {
  ledger[Symbol.dispose]();
  releases[Symbol.dispose]();
});

/** A release with the list of seals that every release has. */
function published(options: TestReleaseOptions): Promise<TestRelease> {
  const list = JSON.stringify({ ...exampleAnswer(ledgerCheckpoints), checkpoints: [] });
  const files = { [LIST]: list, ...options.files };
  return releases.release(ledger, { ...options, files });
}

interface Said {
  readonly stdout: string;
  readonly stderr: string;
  readonly failure: string | undefined;
}

/** Runs a command over the release; what it wrote, and the error that it ended with. */
async function presence(args: readonly string[], isTTY = false): Promise<Said> {
  const said = { stdout: "", stderr: "" };
  const into = (stream: keyof typeof said) => outputTo({ isTTY, write: (text) => (said[stream] += text) });
  let time = 0;
  const clock = () => {
    time += 1000;
    return time;
  };
  const home = homePaths(join(releases.folder, "no-home"));
  const changes = { clock, stdout: into("stdout"), stderr: into("stderr") };
  const failure = await presenceAt(home, args, changes).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof OperatorError) return error.message;
      throw error;
    },
  );
  return { ...said, failure };
}

const folder = () => join(release.site, "..");
const verify = (...args: string[]) => presence(["verify", "--release", folder(), ...args]);

describe("verify", () => {
  test("says in plain words what it checked", async () => {
    const { stdout, stderr, failure } = await verify();
    expect({ stderr, failure }).toEqual({ stderr: "", failure: undefined });
    expect(stdout.replaceAll(folder(), "FOLDER")).toMatchInlineSnapshot(`
      "checked:
                 1  signing keys
                 3  signed tree heads
                 8  leaves
                 8  disclosures
                 2  seals
                 0  redacted rows
                 0  rows that wait for a seal
                 4  tiles and bundles
                13  files
                 1  databases
      FOLDER: no fault
      "
    `);
  });

  test("names each fault in a line of its own, in text and in JSON, and fails", async () => {
    writeFileSync(join(release.site, "ledger/redactions.json"), "{}");
    writeFileSync(join(release.site, "extra\u001b[31m\nfile"), "");
    const plain = await verify();
    expect(plain.failure).toBe(`${folder()}: does not verify`);
    const lines = plain.stdout.split("\n");
    expect(lines.slice(0, 3)).toEqual([
      "FAULT  ledger/redactions.json: its hash is not the one in the signed list",
      "FAULT  extra\\u{1b}[31m\\u{a}file: not in any signed list of this release",
      "checked:",
    ]);
    expect(lines.at(-2)).toBe(`${folder()}: 2 faults`);
    const { stdout, failure } = await verify("--json");
    expect(failure).toBe(plain.failure);
    expect(JSON.parse(stdout)).toMatchObject({
      subject: folder(),
      origin: "example.org/demo",
      tree_size: 8,
      faults: [{ subject: "ledger/redactions.json" }, { subject: "extra\u001b[31m\nfile" }],
    });
  });

  test("says that nothing else was checked where the frame is broken", async () => {
    rmSync(join(release.site, "ledger/keys.json"));
    const { stdout, failure } = await verify();
    expect(failure).toMatch(/does not verify$/);
    expect(stdout.replaceAll(folder(), "FOLDER")).toMatchInlineSnapshot(`
      "FAULT  ledger/keys.json: the file is missing
      checked:
      Nothing else was checked: every other check needs valid keys, checkpoint and manifest.
      FOLDER: 1 fault
      "
    `);
    expect(JSON.parse((await verify("--json")).stdout)).toMatchObject({ origin: null, tree_size: null });
  });

  test("draws a bar on a terminal alone, and takes it away, whatever comes", async () => {
    const drawn = await presence(["verify", "--release", folder()], true);
    const erased = "\r\u001b[K";
    const [before, shown, ...after] = drawn.stderr.split(erased);
    expect([before, after.at(-1)]).toEqual(["", ""]);
    expect(shown).toMatch(/^checking {2}\d+$/);
    expect(drawn.stdout).not.toContain("\u001b");
  });

  test.each([
    [["--since", "none"], /^--since none: file not found/],
    [["--tsa-ca", "none"], /^--tsa-ca none: file not found/],
    [["--tsa-ca", import.meta.filename], /^--tsa-ca .*: there is no certificate in PEM form/],
  ])("refuses %j", async (args, message) => {
    expect((await verify(...args)).failure).toMatch(message);
  });

  test("says where there is no release, or no site", async () => {
    const none = join(releases.folder, "none");
    const missing = await presence(["verify", "--release", none]);
    expect(missing.failure).toBe(
      `${none}: not a release: expected a folder with manifest.json or site/manifest.json`,
    );
    const unreachable = await presence(["verify", "--url", "http://127.0.0.1:9"]);
    expect(unreachable).toMatchObject({
      stdout: "",
      failure: expect.stringMatching(/^http:\/\/127\.0\.0\.1:9\/ledger\/keys\.json: could not be fetched: /),
    });
    expect((await presence(["verify", "--url", "example.org"])).failure).toMatch(
      /^--url example\.org: give the/,
    );
  });
});

describe("proof", () => {
  const proof = (...args: string[]) => presence(["proof", "--release", folder(), ...args]);

  test("prints the proof of a row in any signed tree", async () => {
    const newest = await proof("2");
    expect(newest.stdout).toMatch(
      /^c2sp\.org\/tlog-proof@v1\nindex 1\n([^\n]{44}\n){3}\nexample\.org\/demo\n8\n/,
    );
    expect((await proof("2", "--size", "8")).stdout).toBe(newest.stdout);
    const early = await proof("2", "--size", "4");
    expect(early.stdout).toMatch(
      /^c2sp\.org\/tlog-proof@v1\nindex 1\n([^\n]{44}\n){2}\nexample\.org\/demo\n4\n/,
    );
    const json = JSON.parse((await proof("2", "--size", "4", "--json")).stdout);
    expect(json).toEqual({
      index: 1,
      path: [expect.stringMatching(/^[0-9a-f]{64}$/), expect.stringMatching(/^[0-9a-f]{64}$/)],
      checkpoint: readFileSync(join(release.site, "ledger/checkpoints/4"), "utf8"),
    });
  });

  test.each([
    [["9"], /: the tree has the rows 1 to 8$/],
    [["5", "--size", "4"], /: the tree has the rows 1 to 4$/],
    [["1", "--size", "5"], /: no checkpoint of 5 rows is published$/],
    [["0"], /<row>/],
    [["1.5"], /<row>/],
    [["x"], /<row>/],
    [["1", "--size", "-1"], /--size/],
  ])("refuses %j", async (args, message) => {
    const { stdout, failure } = await proof(...args);
    expect(stdout).toBe("");
    expect(failure).toMatch(message);
  });

  test("is not printed when it would prove nothing", async () => {
    const tile = join(release.site, "ledger/tile/0/000.p/8");
    const bytes = readFileSync(tile);
    bytes[33] = (bytes[33] ?? 0) ^ 1;
    writeFileSync(tile, bytes);
    expect((await proof("2")).failure).toMatch(
      /: the published tiles do not lead from row 2 to the root of 8 rows$/,
    );
    writeFileSync(tile, bytes.subarray(0, -1));
    expect((await proof("2")).failure).toMatch(/: tile\/0\/000\.p\/8: the tile is too short$/);
    rmSync(tile);
    expect((await proof("2")).failure).toMatch(/: tile\/0\/000\.p\/8: the tile is missing$/);
  });
});
