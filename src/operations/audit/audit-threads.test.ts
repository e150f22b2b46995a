import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestLedger } from "../../../tests/support/ledger/small-ledger.ts";
import { type TestRelease, TestReleases } from "../../../tests/support/release/audited-release.ts";
import { replaceFile } from "../../../tests/support/release/dishonest-operator.ts";
import { Findings } from "../../proof/audit/findings.ts";
import { openRelease } from "../../proof/audit/release-manifest.ts";
import { auditFile, filesInFolder } from "../../proof/audit/site-files.ts";
import { auditTree, startTreeAudit } from "../../proof/audit/tree-audit.ts";
import { listedFiles } from "./audit.ts";
import { auditInThreads, threadsFor } from "./audit-threads.ts";

const ROWS = 5000;
const ledger = new TestLedger();
const releases = new TestReleases();
let release: TestRelease;

beforeAll(async () => {
  {
    using writer = ledger.writer();
    ledger.appendAt(writer, "2026-05-01T12:00:00Z", ROWS / 2);
    ledger.appendAt(writer, "2026-05-02T12:00:00Z", ROWS / 2);
    writer.seal({ now: false });
    writer.erase({ reason: "safety", rows: [2, 700] });
    writer.seal({ now: true });
  }
  release = await releases.release(ledger);
});

afterAll(() => {
  ledger[Symbol.dispose]();
  releases[Symbol.dispose]();
});

async function opened() {
  const files = filesInFolder(release.site);
  const signed = await openRelease(files, {}, new Findings());
  if (signed === undefined) throw new Error("the release does not open");
  return { files, signed };
}

async function foundByThreads(threads: number) {
  const { files, signed } = await opened();
  const [tree, listed] = [new Findings(), new Findings()];
  const audit = await startTreeAudit(files, signed, { files: listed }, tree);
  let done = 0;
  const work = {
    audit,
    rows: signed.head.size,
    listed: listedFiles(signed),
    findings: listed,
    onProgress: (files: number) => {
      done += files;
    },
  };
  await auditInThreads(release.site, work, threads);
  await audit.finish(files);
  return { tree: tree.found(), files: listed.found(), done };
}

async function foundHere() {
  const { files, signed } = await opened();
  const [tree, listed] = [new Findings(), new Findings()];
  await auditTree(files, signed, { files: listed }, tree);
  for (const file of listedFiles(signed)) await auditFile(files, file, listed);
  return { tree: tree.found(), files: listed.found() };
}

/** Of a file of the release: one bit is another one. */
function damage(path: string): void {
  const file = join(release.site, path);
  const bytes = Buffer.from(readFileSync(file));
  const at = Math.floor(bytes.length / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  replaceFile(file, bytes);
}

test("any number of threads finds what this thread finds, in the same order", async () => {
  const sound = await foundByThreads(2);
  expect(sound.tree.faults).toEqual([]);
  expect(sound.tree.counts).toMatchObject({ seals: 2, "redacted rows": 2 });
  expect(sound).toMatchObject(await foundHere());
  const { signed } = await opened();
  expect(sound.files.counts["files"]).toBe(Object.keys(signed.manifest.files).length);

  const damaged = ["ledger/tile/0/003", "ledger/redactions.json", "ledger/tile/entries/018"];
  for (const path of [...damaged, "ledger/disclosures/004.ndjson", "ledger/disclosures/016.ndjson"])
    damage(path);
  rmSync(join(release.site, "ledger/disclosures/011.ndjson"));
  const expected = await foundHere();
  expect(expected.tree.faults.length).toBeGreaterThan(3);
  expect(expected.files.faults.map(({ subject }) => subject)).toEqual(expect.arrayContaining(damaged));
  for (const threads of [0, 1, 2, 4]) expect(await foundByThreads(threads)).toMatchObject(expected);
});

test("a failure of this thread ends the others by themselves, and is thrown then", async () => {
  const { files, signed } = await opened();
  const fail = () => {
    throw new Error("no more");
  };
  for (const threads of [0, 2]) {
    const audit = await startTreeAudit(files, signed, { onRow: fail }, new Findings());
    const work = { audit, rows: ROWS, findings: new Findings() };
    await expect(auditInThreads(release.site, work, threads)).rejects.toThrow("no more");
  }
});

test("little work gets no thread", () => {
  expect(threadsFor({ rows: 1 })).toBe(0);
  expect(threadsFor({ rows: 100, files: 3000 })).toBe(1);
  expect(threadsFor({ rows: 1e9 })).toBeGreaterThanOrEqual(1);
});
