import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, expect, test } from "vitest";
import { fakeInputs } from "../../../tests/support/release/fake-inputs.ts";
import { TestTown } from "../../../tests/support/release/town-release.ts";
import { BuildEffects } from "../../build/effects.ts";
import { publishSnapshot } from "../../build/stages/public-snapshot.ts";
import { PUBLIC_SNAPSHOT } from "../../contract/service/exports.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { Findings } from "../../proof/audit/findings.ts";
import { ReleaseManifest } from "../../proof/audit/release-manifest.ts";
import { filesInFolder } from "../../proof/audit/site-files.ts";
import { openSnapshot } from "../../snapshot/snapshot.ts";
import { assembleSnapshot } from "./public-snapshot.ts";

/** The public snapshot of a release, as its publisher has it and as one who lies has it. */

const town = new TestTown();
town.city("toronto");
const alpha = town.record("Alpha");
town.see(alpha, town.asset(alpha), "observer", "2026-05-01T10:00:00Z");
const { path: honest } = town.build(town.seal(), "2026-05-02T12:00:00Z");
const row = openSnapshot(honest).release();

afterAll(() => town[Symbol.dispose]());

let sites = 0;

/** A site with the parts of a snapshot, as `change` leaves its description, and the manifest that signs all of it. */
async function published(
  snapshot: string,
  change: (text: string) => string = (text) => text,
): Promise<Parameters<typeof assembleSnapshot>> {
  const site = join(town.ledger.folder, `site-${sites++}`);
  const effects = new BuildEffects(site, undefined);
  publishSnapshot(row, snapshot, effects, () => undefined);
  const described = change(readFileSync(join(site, PUBLIC_SNAPSHOT), "utf8"));
  const files = filesInFolder(site);
  const manifest = ReleaseManifest.parse({
    files: { ...Object.fromEntries(effects.hashes), [PUBLIC_SNAPSHOT]: sha256Hex(described) },
    inputs: fakeInputs(row.origin, row.treeSize, {
      as_of: "2026-05-02T12:00:00Z",
      base_url: row.baseUrl,
      last_sealed_row: row.lastSealedRow,
      reference_sha256: row.referenceHash,
      source_revision: row.sourceRevision,
    }),
    release_id: row.releaseId,
    snapshot_sha256: sha256Hex(readFileSync(snapshot)),
  });
  const changed = {
    read: async (path: string) => (path === PUBLIC_SNAPSHOT ? Buffer.from(described) : files.read(path)),
  };
  return [changed, { manifest }, new Findings()];
}

/** Why it is refused. */
async function refusal(task: Parameters<typeof assembleSnapshot>): Promise<string> {
  using assembled = await assembleSnapshot(...task);
  expect(assembled).toBeUndefined();
  return task[2].faults.map(({ subject, problem }) => `${subject}: ${problem}`).join("; ");
}

function changedCopy(change: (db: Database.Database) => void): string {
  const path = join(town.ledger.folder, `changed-${sites}.db`);
  copyFileSync(honest, path);
  const db = new Database(path);
  change(db);
  db.close();
  return path;
}

test("the parts of a snapshot make it again, for as long as somebody reads it", async () => {
  const task = await published(honest);
  let path = "";
  {
    using assembled = await assembleSnapshot(...task);
    expect(task[2].faults).toEqual([]);
    path = assembled?.path ?? "";
    expect(readFileSync(path).equals(readFileSync(honest))).toBe(true);
    expect([...(assembled?.context.snapshot.publicIds() ?? [])]).toEqual(["demo_alpha"]);
  }
  expect(existsSync(path)).toBe(false);
});

test("a release with files has none", async () => {
  const [files, { manifest }, findings] = await published(honest);
  const { [PUBLIC_SNAPSHOT]: _, ...rest } = manifest.files;
  expect(await assembleSnapshot(files, { manifest: { ...manifest, files: rest } }, findings)).toBeUndefined();
  expect(findings.faults).toEqual([]);
});

test.each([
  ["of another release", (text: string) => text.replace(row.releaseId, "another"), "another release"],
  [
    "with a part from elsewhere",
    (text: string) => text.replaceAll(/snapshot\/[0-9a-f]{64}/g, "../snapshot.db"),
    "not a part in the signed list",
  ],
  [
    "with a part that is too large",
    (text: string) => text.replace(/"bytes":\d+\}\]/, '"bytes":1e12}]'),
    "too large",
  ],
  ["without parts", (text: string) => text.replace(/"parts":\[.*\]/, '"parts":[]'), "parts"],
  ["that is no JSON", () => "{", "JSON"],
])("a description %s is refused", async (_, change, reason) => {
  expect(await refusal(await published(honest, change))).toMatch(new RegExp(`^snapshot\\.json: .*${reason}`));
});

test("a part that a server changed is refused", async () => {
  const [files, release, findings] = await published(honest);
  const lying = {
    read: async (path: string) => {
      const bytes = await files.read(path);
      return path === PUBLIC_SNAPSHOT || bytes === undefined
        ? bytes
        : Buffer.from(bytes.map((byte) => byte ^ 1));
    },
  };
  expect(await refusal([lying, release, findings])).toMatch(/its hash is not the one in the signed list/);
});

test("a database with other tables is refused before it is read: a view could keep a reader busy for ever", async () => {
  const path = changedCopy((db) => {
    db.exec("ALTER TABLE records RENAME TO hidden");
    db.exec(
      "CREATE VIEW records AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS position FROM n",
    );
  });
  expect(await refusal(await published(path))).toMatch(/it has other tables than this program makes/);
  const trigger = changedCopy((db) => db.exec("CREATE TABLE more (a)"));
  expect(await refusal(await published(trigger))).toMatch(/it has other tables/);
});

test("a snapshot of another version names the program that can read it", async () => {
  const path = changedCopy((db) => db.pragma("user_version = 99"));
  const error = await assembleSnapshot(...(await published(path))).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(OperatorError);
  expect(String(error)).toMatch(/version \S+ of the program \(.*\) made the documents/);
});
