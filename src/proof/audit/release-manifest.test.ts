/** The signed frame of a release of a small ledger whose key changed once. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestLedger } from "../../../tests/support/ledger/small-ledger.ts";
import { auditOf, type TestRelease, TestReleases } from "../../../tests/support/release/audited-release.ts";
import { ForgedLog } from "../../../tests/support/release/forged-logs.ts";
import { NO_DELIVERY } from "../../contract/accounts/delivery.ts";
import { SeededNumbers } from "../../kernel/seeded.ts";
import type { NoteSigner } from "../../ledger/keys/note.ts";
import { formatTreeHead } from "../tlog/note.ts";
import { ReleaseManifest } from "./release-manifest.ts";

const FRAME = ["ledger/keys.json", "ledger/vkey", "ledger/checkpoint", "manifest.json", "manifest.note"];

let ledger: TestLedger;
let releases: TestReleases;
let release: TestRelease;
let firstKey: NoteSigner;

beforeAll(async () => {
  [ledger, releases] = [new TestLedger(), new TestReleases()];
  firstKey = ledger.signingKey();
  ledger.sealAt("2026-05-01T12:00:00Z");
  ledger.rotateKey();
  ledger.sealAt("2026-05-02T12:00:00Z");
  release = await releases.release(ledger);
});

afterAll(() => {
  ledger[Symbol.dispose]();
  releases[Symbol.dispose]();
});

function bytesOf(path: string): Buffer {
  return readFileSync(join(release.site, path));
}

async function subjectsWith(path: string, bytes: Buffer | null): Promise<string[]> {
  const { faults } = await auditOf(release, { replaced: new Map([[path, bytes]]), frameAlone: true });
  return faults.map(({ subject }) => subject);
}

test("it verifies, with each of the log's keys that leads to it", async () => {
  for (const vkey of [undefined, firstKey.vkey, ledger.signingKey().vkey, `${firstKey.vkey}\n`]) {
    const { faults, counts } = await auditOf(release, vkey === undefined ? {} : { vkey });
    expect(faults).toEqual([]);
    expect(counts).toMatchObject({ "signing keys": 2, leaves: 8, seals: 2, "signed tree heads": 3 });
  }
});

describe.each(FRAME)("%s", (path) => {
  test("with any one byte changed is named", async () => {
    const bytes = bytesOf(path);
    for (let at = 0; at < bytes.length; at += 1) {
      const mask = [1, 0x20, 0x80][at % 3] ?? 1;
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ mask;
      const named = await subjectsWith(path, changed);
      // A changed note may be blamed on what it signs.
      expect(named.join(" "), `byte ${at} ^ ${mask}`).toContain(path.replace(/note$/, ""));
    }
  });

  test.each([
    ["missing", () => null],
    ["empty", () => Buffer.alloc(0)],
    ["a byte short", (bytes: Buffer) => bytes.subarray(0, -1)],
    ["a byte longer", (bytes: Buffer) => Buffer.concat([bytes, Buffer.from("\n")])],
    ["a byte longer in front", (bytes: Buffer) => Buffer.concat([Buffer.from(" "), bytes])],
    ["twice", (bytes: Buffer) => Buffer.concat([bytes, bytes])],
    ["no text", () => Buffer.of(0xff, 0xfe, 0)],
  ])("%s is named", async (_, change) => {
    expect(await subjectsWith(path, change(bytesOf(path)))).toContain(path);
  });
});

test("files of another release of the same log do not pass", async () => {
  ledger.sealAt("2026-05-03T12:00:00Z");
  const later = await releases.release(ledger);
  const from = (path: string) => new Map([[path, readFileSync(join(later.site, path))]]);
  for (const [path, named] of [
    ["ledger/checkpoint", "manifest.json"],
    ["manifest.json", "manifest.json"],
    ["manifest.note", "manifest.json"],
  ] as const) {
    const { faults } = await auditOf(release, { replaced: from(path) });
    expect(
      faults.map(({ subject }) => subject),
      path,
    ).toContain(named);
  }
});

describe("a key known from elsewhere", () => {
  test("vouches for no tree that an earlier key signed", async () => {
    const early = await releases.release(ledger, { treeSize: 4 });
    expect((await auditOf(early, { vkey: firstKey.vkey })).faults).toEqual([]);
    expect((await auditOf(early, { vkey: ledger.signingKey().vkey })).faults).toEqual([
      {
        subject: "ledger/checkpoint",
        problem: "the key that you gave does not vouch for it: an earlier key of the log signed it",
      },
    ]);
  });

  test("is not to be had by whatever list of keys a liar publishes", async () => {
    using log = new ForgedLog();
    const numbers = new SeededNumbers("lists of keys");
    const random = Array.from({ length: 20 }, () => log.random(numbers));
    for (const forgery of [...log.forgeries(), ...random]) {
      const { faults } = await auditOf(await log.publish(forgery), { vkey: forgery.known, frameAlone: true });
      expect(faults.length, `${forgery.name}: ${JSON.stringify(forgery.keys)}`).toBeGreaterThan(0);
    }
    const [lie] = log.forgeries();
    expect((await auditOf(await log.publish(lie ?? { keys: [] }))).faults).toEqual([]); // to a reader without a key
  });
});

test("a tree of more rows than the list has files for is looked for no further", async () => {
  const head = { origin: firstKey.name, size: 1e15, root: Buffer.alloc(32) };
  const huge = Buffer.from(ledger.signingKey().sign(formatTreeHead(head)));
  expect((await auditOf(release, { replaced: new Map([["ledger/checkpoint", huge]]) })).faults).toEqual([
    { subject: "manifest.json", problem: "lists fewer files than a tree of 1000000000000000 rows needs" },
  ]);
});

test("a manifest by an earlier key than that of its tree is refused", async () => {
  const signed = await releases.release(ledger, { sign: (text) => firstKey.sign(text) });
  const { faults } = await auditOf(signed);
  expect(faults).toEqual([{ subject: "manifest.note", problem: "not signed by a key of this log" }]);
});

test.each([
  "../secret",
  "a/../../b",
  "/etc/passwd",
  "//example.org/x",
  "a//b",
  "./a",
  "a/.",
  "a\\b",
  "a\nb",
  "",
  "a/",
])("a list that names %j is refused", (path) => {
  const inputs = {
    activity_sha256: null,
    as_of: "2026-05-01T00:00:00Z",
    base_url: "",
    compared_release: null,
    delivery: NO_DELIVERY,
    demand_sha256: null,
    environment: "demo",
    incidents_sha256: null,
    last_sealed_row: 1,
    operator_name: null,
    operator_texts_sha256: null,
    origin: "x",
    pending_lines: 0,
    reference_sha256: "",
    reports_sha256: null,
    security_contact: null,
    source_revision: "",
    tree_size: 1,
  };
  const manifest = { inputs, release_id: "r", snapshot_sha256: "", files: { [path]: "0".repeat(64) } };
  expect(ReleaseManifest.safeParse(manifest).success).toBe(false);
  const fine = { ...manifest, files: { "a/.well-known/b..c/é": "0".repeat(64) } };
  expect(ReleaseManifest.safeParse(fine).success).toBe(true);
});
