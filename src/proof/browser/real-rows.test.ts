/** The lists of a real release: whatever reviews, merges and later decisions did to an observation, the page follows it. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { filesOf, TestReleases } from "../../../tests/support/release/audited-release.ts";
import { TestTown, TORONTO } from "../../../tests/support/release/town-release.ts";
import { cityDayStart, isoTime } from "../../kernel/time.ts";
import { observations } from "../../resources/records/observations.ts";
import { contextOf } from "../../resources/release-store.ts";
import { openSnapshot } from "../../snapshot/snapshot.ts";
import { checkRow } from "./check-row.ts";
import { verdictOf } from "./outcome.ts";
import { SiteReader } from "./site-reader.ts";

const town = new TestTown();
const releases = new TestReleases();
const files = new Map<string, Buffer>();
const rows: Record<string, number> = {};

beforeAll(() => {
  town.city("toronto");
  const [goes, stays, last] = [town.record("Goes"), town.record("Stays"), town.record("Last")];
  const assets = [goes, stays, last].map((record) => town.asset(record));
  const see = (record: number, tag: string, body = {}) => {
    const day = isoTime(cityDayStart(Date.parse("2026-04-20T12:00:00Z"), TORONTO.lng));
    return town.see(record, assets[[goes, stays, last].indexOf(record)] ?? 0, tag, day, body);
  };
  rows["as it was"] = see(last, "v");
  rows["verified"] = see(last, "v");
  rows["verified, then rejected"] = see(last, "v");
  rows["set aside"] = see(last, "w", { counts: false });
  rows["set aside, then counted"] = see(last, "w", { counts: false });
  rows["merged twice, with another tag"] = see(goes, "x");
  rows["merged twice"] = see(goes, "z");
  rows["merged once"] = see(stays, "y");
  rows["moved and merged"] = see(last, "q");
  rows["moved away and back"] = see(last, "p");
  town.move(rows["moved and merged"], stays, assets[1] ?? 0, "y");
  town.move(rows["moved away and back"], goes, assets[0] ?? 0, "x");
  town.move(rows["moved away and back"], last, assets[2] ?? 0, "p");
  town.review("verify", rows["verified"]);
  town.review("verify", rows["verified, then rejected"]);
  town.review("reject", rows["verified, then rejected"]);
  town.append({ kind: "recount", body: { target: rows["set aside, then counted"], counts: true } });
  town.review("merge", goes, { into: stays, tags: { x: "y" } });
  town.review("merge", stays, { into: last, tags: { y: "v" } });
  const size = town.seal();
  const { site } = releases.publish(town.ledger, { treeSize: size });
  for (const [path, bytes] of filesOf(site)) files.set(`/${path}`, bytes);
  const snapshot = openSnapshot(town.build(size, "2026-05-20T12:00:00Z").path);
  const list = observations.read(contextOf(snapshot), { public_id: "demo_last" }, {});
  files.set("/api/v1/observations/demo_last", Buffer.from(JSON.stringify(list)));
  snapshot.close();
});

afterAll(() => {
  town[Symbol.dispose]();
  releases[Symbol.dispose]();
});

test.each([
  ["as it was", 0],
  ["verified", 1],
  ["verified, then rejected", 2],
  ["set aside", 0],
  ["set aside, then counted", 1],
  ["merged twice, with another tag", 2],
  ["merged twice", 2],
  ["merged once", 1],
  ["moved and merged", 2],
  ["moved away and back", 2],
])("%s: %i rows", async (name, changes) => {
  const question = { row: rows[name] ?? 0, record: "demo_last", knownKey: "" };
  const reports = [];
  const reader = new SiteReader((address) => {
    const body = files.get(address);
    return Promise.resolve(new Response(body && new Uint8Array(body), { status: body ? 200 : 404 }));
  });
  for await (const report of checkRow(question, { reader, subtle: crypto.subtle })) reports.push(report);
  const { state, says } = verdictOf(question, reports);
  expect(state, JSON.stringify(reports.at(-1))).toBe("passed");
  expect(says).toContain(
    "An observation of 2026-04-20 (location_presence, storefront) of the record demo_last.",
  );
  const named = /Changed by the rows ([\d, ]+)\./.exec(says)?.[1]?.split(", ") ?? [];
  expect(named, says).toHaveLength(changes);
});
