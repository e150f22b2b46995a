import { writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AS_OF, TestSite } from "../../../tests/support/release/site.ts";
import { releasePaths } from "../../kernel/home.ts";
import { openSnapshot } from "../../snapshot/snapshot.ts";
import { compareReleases, judgeBuilt } from "./compare.ts";
import type { CityMoves } from "./moves.ts";

/** Real releases: three records of two observations each. */

const BOUNDS = { recordsGone: 5, scoresMoved: 50, ranksMoved: 50, coverageMoved: 30, floor: 2 };
const NEXT = "2026-05-21T12:00:00Z";

let site: TestSite;
let before: string;
beforeEach(async () => {
  site = new TestSite();
  before = await site.publishSigned(AS_OF);
});
afterEach(() => site[Symbol.dispose]());

function toronto(after: string): CityMoves {
  const compared = compareReleases(before, after);
  const [city] = "cities" in compared ? compared.cities : [];
  if (city === undefined) throw new Error("no city was compared");
  return city;
}

test("a night with a new record differs by that record", async () => {
  site.addRecord("Delta");
  const after = await site.publishSigned(NEXT);
  expect(toronto(after)).toMatchObject({
    city: "toronto",
    records: { moved: 0, of: 3 },
    added: 1,
    scores: { moved: 0, of: 3 },
  });
  expect(judgeBuilt(before, after, BOUNDS)).toEqual([]);
});

test("scores are read and compared, unless another version of the methodology made them", async () => {
  const { town } = site;
  const [row] = recordRows("demo_alpha").observations;
  town.review("reject", row ?? 0);
  const after = await site.publishSigned(NEXT);
  expect(toronto(after).scores).toEqual({ moved: 1, of: 3 });
  const document = `${releasePaths(before).site}/api/v1/presence-score/demo_alpha.json`;
  writeFileSync(document, '{"components":{"methodology_version":"pps-2020"}}');
  expect(toronto(after).scores).toEqual({ moved: 0, of: 0 });
});

test("records with erased rows count in nothing, and the others do", async () => {
  const { own, observations } = recordRows("demo_alpha");
  site.town.redact([...observations, own]);
  const after = await site.publishSigned(NEXT);
  expect(toronto(after).records).toEqual({ moved: 0, of: 2 });
});

test("a release of another version of the program is compared by its files", async () => {
  site.town.step("toronto", "unpublish");
  const after = await site.publishSigned(NEXT);
  expect(judgeBuilt(before, after, BOUNDS)[0]?.text).toBe("TORONTO: 3 of 3 records are gone (bound: 5%)");
  const db = new Database(releasePaths(before).snapshot);
  db.pragma("user_version = 99");
  db.close();
  expect(compareReleases(before, after)).toEqual({ gone: { moved: 3, of: 3 } });
  expect(judgeBuilt(before, after, BOUNDS)[0]?.text).toBe("All cities: 3 of 3 records are gone (bound: 5%)");
});

/** Ledger rows of a record: its own, and those of its observations. */
function recordRows(publicId: string): { own: number; observations: number[] } {
  const snapshot = openSnapshot(releasePaths(before).snapshot);
  try {
    const own = snapshot.record(publicId)?.id ?? 0;
    return { own, observations: snapshot.observationRowsOf(own) };
  } finally {
    snapshot.close();
  }
}
