import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { NOW, sighting, testLedger } from "../../../tests/support/ledger/intake-ledger.ts";
import { homePaths } from "../../kernel/home.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import { openLedgerWriter } from "../../ledger/writer.ts";
import { doneBefore, erase, finish } from "./erase.ts";
import { type ErasureRequest, planOptOut } from "./erasure-plan.ts";

const POINTS = [
  "before the commit",
  "before the rebuild",
  "before the log is cut",
  "before the seal",
] as const;
type Point = (typeof POINTS)[number];

/** Opts the record out in a process of its own, which kills itself at the point. */
function killedOptOut(home: string, request: ErasureRequest, point: Point): void {
  const module = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);
  const script = `import { openRawWriter, rawLedger } from ${module("../../../tests/support/ledger/raw-ledger.ts")};
    import { erase } from ${module("./erase.ts")};
    import { planOptOut } from ${module("./erasure-plan.ts")};
    const home = ${JSON.stringify(home)};
    const ledger = openRawWriter(home + "/night/ledger.db", { keysDir: home + "/night/keys", clock: () => ${NOW} });
    const die = () => process.kill(process.pid, "SIGKILL");
    const raw = rawLedger(ledger);
    const { exec, prepare } = raw;
    const point = ${JSON.stringify(point)};
    raw.exec = function (sql) { if (point === "before the rebuild" && sql === "VACUUM") die(); return exec.call(this, sql); };
    raw.prepare = function (sql) {
      if (point === "before the log is cut" && sql.includes("wal_checkpoint")) die();
      if (point === "before the commit" && sql.includes("DELETE FROM opt_out_facts")) die();
      return prepare.call(this, sql);
    };
    if (point === "before the seal") ledger.seal = die;
    erase(ledger, planOptOut(ledger, ${JSON.stringify(request)}));
    ledger.scrub();`;
  const { signal, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
  });
  expect(signal, stderr).toBe("SIGKILL");
}

function countOf(path: string, sql: string): number {
  const database = new Database(path, { readonly: true });
  const count = database.prepare<[], number>(sql).pluck().get();
  database.close();
  return count ?? 0;
}

test.for(POINTS)("kill -9 %s: all or nothing is done, and the same again finishes", async (point) => {
  using it = testLedger();
  await it.ingest([sighting("a", { name: "Quokka Lantern Works" }), sighting("b", { lat: 40.02 })]);
  it.ledger.seal({ now: true });
  const naming = it.rows("naming").find(({ body }) => body["name"] === "Quokka Lantern Works");
  const record = it.rows("record").find(({ id }) => id === naming?.body["record"]);
  const target = String(record?.body["public_id"]);
  const request: ErasureRequest = { kind: "opt_out", target, reason: "legal_order" };
  const { code, rows } = planOptOut(it.ledger, request);
  const before = it.ledger.nextId() - 1;
  it.ledger.close();
  const path = homePaths(it.home).ledger;
  const named = rows.join(", ");

  killedOptOut(it.home, request, point);
  const left = countOf(path, `SELECT count(*) FROM openings WHERE row IN (${named})`);
  const optOuts = countOf(path, "SELECT count(*) FROM rows WHERE kind = 'redaction'");
  expect([left, optOuts]).toEqual(point === "before the commit" ? [rows.length, 0] : [0, 1]);

  {
    using ledger = openLedgerWriter(path, { keysDir: homePaths(it.home).keys, clock: () => NOW });
    const done = doneBefore(ledger, request, code);
    expect(done === undefined).toBe(point === "before the commit");
    if (done === undefined) expect(planOptOut(ledger, request).code).toBe(code);
    const { erasedRows } =
      done === undefined ? erase(ledger, planOptOut(ledger, request)) : finish(ledger, done);
    ledger.scrub();
    expect(erasedRows).toBe(rows.length);
    expect(ledger.nextId() - 1).toBe(before + 2);
    const files = [path, `${path}-wal`].filter((file) => existsSync(file));
    const bytes = Buffer.concat(files.map((file) => readFileSync(file)));
    for (const gone of [target, "Quokka", "quokka"]) expect(bytes.includes(gone), gone).toBe(false);
    expect(bytes.includes("Corner Bakery House")).toBe(true);
  }
  using reader = openLedgerReader(path);
  expect([...reader.verifiedRows(before + 2)].filter(({ body }) => body === undefined)).toHaveLength(
    rows.length,
  );
});
