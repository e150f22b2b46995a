import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { rawLedger } from "../../../tests/support/ledger/raw-ledger.ts";
import { TestTown } from "../../../tests/support/release/town-release.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { seededBytes } from "../../kernel/seeded.ts";
import { commit } from "../../ledger/rows/digests.ts";
import { type BuildInput, buildSnapshot } from "../../snapshot/build.ts";
import { mendingOf } from "../../snapshot/mend/mending.ts";
import { openSnapshot } from "../../snapshot/snapshot.ts";
import { buildInThreads, proversFor } from "./fold-threads.ts";

const AS_OF = "2026-05-20T12:00:00Z";
const THREADS = [1, 2, 4];

/** Two cities with decisions of every kind that a fold keeps; a seal in the middle and one at the end. */
function town() {
  const town = new TestTown();
  town.city("toronto");
  town.city("chicago", { lat: 41.88, lng: -87.63 });
  const seen = ["Alpha", "Beta", "Gamma", "Zoë 店"].flatMap((name) => records(town, name));
  town.review("reject", seen[0] ?? 0);
  town.review("verify", seen[5] ?? 0);
  town.append({ kind: "recount", body: { target: seen[7] ?? 0, counts: false } });
  town.seal();
  town.at("2026-05-03T12:00:00Z");
  const late = records(town, "Late");
  town.redact([late[1] ?? 0]);
  return { town, late, size: town.seal() };
}

/** A record in each city; returns the rows of its observations. */
function records(town: TestTown, name: string): number[] {
  return ["toronto", "chicago"].flatMap((city) => {
    const record = town.record(`${name}-${city}`, { city });
    const asset = town.asset(record);
    const see = (observer: string) => town.see(record, asset, observer, "2026-04-28T10:00:00Z", { city });
    return ["a", "b", "c"].map(see);
  });
}

/** A range of seven rows splits records, seals and redactions. */
async function inThreads(input: BuildInput, threads: number): Promise<Buffer> {
  await buildInThreads(input, { threads, rowsAtOnce: 7 });
  return readFileSync(input.out);
}

describe("a snapshot has the same bytes with any number of threads", () => {
  test.each(THREADS)("%i", async (threads) => {
    const it = town();
    using own = it.town;
    const alone = readFileSync(own.build(it.size, AS_OF).path);
    expect((await inThreads(own.input(it.size, AS_OF), threads)).equals(alone)).toBe(true);
  });

  test.each(THREADS)("%i, for a patch release", async (threads) => {
    const it = town();
    using own = it.town;
    const mended = openSnapshot(own.build(it.size, AS_OF).path);
    const mends = mendingOf(mended);
    mended.close();
    records(own, "Tomorrow");
    own.redact([it.late[0] ?? 0]);
    const size = own.seal();
    const alone = readFileSync(own.build(size, AS_OF, { mends }).path);
    expect((await inThreads(own.input(size, AS_OF, { mends }), threads)).equals(alone)).toBe(true);
  });
});

describe("a changed ledger is refused with the same words", () => {
  const forged = commit(20, "status", '{"record":99,"status":"verified"}', undefined, seededBytes("forger"));
  const digests = `x'${forged.digests.toString("hex")}'`;

  test.each([
    ["body", "UPDATE openings SET body = body || ' ' WHERE row = 13", /^row 13: its body or salt/],
    ["leaf hash", "UPDATE rows SET leaf_hash = zeroblob(32) WHERE id = 20", /^row 20: its leaf hash/],
    ["row that is missing", "DELETE FROM rows WHERE id = 15", /^row 15: it is missing/],
    ["first row of a range that is missing", "DELETE FROM rows WHERE id = 22", /^row 22: it is missing/],
    ["opening", "DELETE FROM openings WHERE row = 4", /^row 4: silent omission/],
    [
      "time",
      "UPDATE rows SET accepted_at = accepted_at - 1 WHERE id = 29",
      /^row 29: it was accepted before/,
    ],
    [
      "time, in a row that is changed otherwise too",
      "UPDATE rows SET accepted_at = accepted_at - 1, leaf_hash = zeroblob(32) WHERE id = 29",
      /^row 29: it was accepted before/,
    ],
    [
      "first of two rows",
      "UPDATE rows SET leaf_hash = zeroblob(32) WHERE id IN (12, 30)",
      /^row 12: its leaf hash/,
    ],
    [
      "digests and leaf hash",
      `UPDATE rows SET kind = 'status', digests = ${digests}, leaf_hash = x'${forged.leafHash.toString("hex")}' WHERE id = 20;
       UPDATE openings SET body = '{"record":99,"status":"verified"}', salts = x'${forged.salts.toString("hex")}', private = NULL WHERE row = 20`,
      /^row 1 to \d+: one of them is not the row that was signed/,
    ],
    [
      "observer of a scout, and a body after it",
      `UPDATE openings SET private = replace(private, 'SECRET-a', 'SECRET-x') WHERE private IS NOT NULL;
       UPDATE openings SET body = body || ' ' WHERE row = 40`,
      /^row 40: its body or salt/,
    ],
    [
      "observer of a scout",
      "UPDATE openings SET private = replace(private, 'SECRET-a', 'SECRET-x') WHERE private IS NOT NULL",
      /^row \d+: its private observer does not fit its digests/,
    ],
  ])("%s", async (_, sql, message) => {
    const it = town();
    using own = it.town;
    rawLedger(own.writer).exec(sql);
    const alone = failureOf(() => buildSnapshot(own.input(it.size, AS_OF)));
    expect(alone).toMatch(message);
    const input = own.input(it.size, AS_OF);
    const failed = buildInThreads(input, { threads: 3, rowsAtOnce: 7 });
    await expect(failed).rejects.toThrow(OperatorError);
    await expect(failed).rejects.toThrow(alone);
    expect(existsSync(input.out)).toBe(false);
  });

  test("a size that no checkpoint has", async () => {
    const it = town();
    using own = it.town;
    const failed = buildInThreads(own.input(it.size - 1, AS_OF), { threads: 2 });
    await expect(failed).rejects.toThrow(`there is no signed checkpoint of ${it.size - 1} rows`);
  });
});

test("a small ledger starts no thread", () => {
  expect([0, 1000, 49_999].map(proversFor)).toEqual([0, 0, 0]);
  expect(proversFor(50_000)).toBe(1);
});

function failureOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return "";
}
