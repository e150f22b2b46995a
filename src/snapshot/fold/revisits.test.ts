import { latLngToCell } from "h3-js";
import { expect, test } from "vitest";
import { TestTown, TORONTO } from "../../../tests/support/release/town-release.ts";
import { REVISIT_VERSION } from "../../contract/versions.ts";
import type { RevisitPlan, RevisitResult } from "../../ledger/rows/rows.ts";
import { drawRevisit } from "../../method/revisit/measurement.ts";

const CELL = latLngToCell(TORONTO.lat, TORONTO.lng, 8);
const AS_OF = "2026-05-20T12:00:00Z";
const DRAWN = 35;

/** Seals and returns the hash of the newest manifest. */
function seal({ writer }: TestTown): string {
  return writer.seal({ now: true }).seals.at(-1)?.manifest_sha256 ?? "";
}

/** Forty storefronts in one cell, one in another city, and the seal that covers them. */
function signs() {
  const town = new TestTown();
  town.city("toronto");
  town.city("chicago", { lat: 41.88, lng: -87.63 });
  const elsewhere = town.record("elsewhere", { city: "chicago" });
  town.see(elsewhere, town.asset(elsewhere), "a", "2026-04-28T10:00:00Z", { city: "chicago" });
  const assets = Array.from({ length: 40 }, (_, at) => {
    const record = town.record(`r${at}`);
    const asset = town.asset(record);
    town.see(record, asset, "a", "2026-04-28T10:00:00Z");
    return asset;
  });
  return { town, assets, manifest: seal(town) };
}

function drawn(assets: readonly number[], manifest: string): number[] {
  return [...drawRevisit({ assets, cells: [CELL] }, manifest, { assets: DRAWN, cells: 1 }).assets];
}

function plan(town: TestTown, manifest: string, assets: readonly number[], more: Partial<RevisitPlan> = {}) {
  const body: RevisitPlan = {
    step: "plan",
    city: "toronto",
    manifest_sha256: manifest,
    assets: [...assets],
    cells: [CELL],
    methodology_version: REVISIT_VERSION,
    ...more,
  };
  return town.append({ kind: "revisit", body });
}

function found(
  town: TestTown,
  manifest: string,
  assets: readonly number[],
  more: Partial<RevisitResult> = {},
) {
  const body: RevisitResult = {
    step: "result",
    city: "toronto",
    manifest_sha256: manifest,
    assets: assets.map((asset) => ({ asset, found: true })),
    cells: [{ cell: CELL, reached: true, signs: [{ asset_type: "storefront", found: 4, matched: 3 }] }],
    visited_from: "2026-05-02",
    visited_until: "2026-05-03",
    ...more,
  };
  return town.append({ kind: "revisit", body });
}

const accuracyOf = (town: TestTown, asOf = AS_OF) => town.snapshot(asOf).city("toronto")?.accuracy;

test("a city that was never measured", () => {
  const { town } = signs();
  using _ = town;
  town.step("toronto", "pause");
  expect(accuracyOf(town)).toEqual({ plans: 0, plansWithoutResult: 0, measured: null });
});

test("a plan and its result are the measurement, once the visits lie before the release", () => {
  const { town, assets, manifest } = signs();
  using _ = town;
  const drawnAssets = drawn(assets, manifest);
  const planRow = plan(town, manifest, drawnAssets);
  town.at("2026-05-04T12:00:00Z");
  const resultRow = found(town, manifest, drawnAssets);
  expect(accuracyOf(town)).toMatchObject({
    plans: 1,
    plansWithoutResult: 0,
    measured: {
      planRow,
      resultRow,
      manifestSha256: manifest,
      age: { from: "2026-05-02", until: "2026-05-03", days: 18, supportsHigh: false },
      measurement: {
        assetsDrawn: DRAWN,
        assetsVisited: DRAWN,
        precision: { total: { hits: DRAWN, signs: DRAWN, value: 1 } },
        detection: { total: { hits: 3, signs: 4, value: null, unknown: "too_few_signs" } },
      },
    },
  });
});

test("a plan that its seal did not draw counts for nothing", () => {
  const { town, assets, manifest } = signs();
  using _ = town;
  const chosen = assets.slice(0, DRAWN);
  expect(chosen).not.toEqual(drawn(assets, manifest));
  plan(town, manifest, chosen);
  found(town, manifest, chosen);
  expect(accuracyOf(town)).toMatchObject({ plans: 1, measured: null });
});

test("only assets and cells of which something counted at the seal are drawn", () => {
  const { town, assets } = signs();
  using _ = town;
  const record = town.record("newcomer's");
  const apart = town.see(record, town.asset(record), "n", "2026-04-28T10:00:00Z", { counts: false });
  const manifest = seal(town);
  const drawnAssets = drawn(assets, manifest);
  plan(town, manifest, drawnAssets);
  town.append({ kind: "recount", body: { counts: true, target: apart } });
  found(town, manifest, drawnAssets);
  expect(accuracyOf(town)?.measured).not.toBeNull();
});

test("neither does a plan of an older seal, or of a hash that no seal has", () => {
  const { town, assets, manifest } = signs();
  using _ = town;
  town.step("toronto", "pause");
  seal(town);
  for (const hash of [manifest, "f".repeat(64)]) {
    plan(town, hash, drawn(assets, hash));
    found(town, hash, drawn(assets, hash));
  }
  expect(accuracyOf(town)).toEqual({ plans: 0, plansWithoutResult: 0, measured: null });
});

test("a plan that was made while another was open does not count: nobody draws until it suits", () => {
  const { town, assets, manifest } = signs();
  using _ = town;
  plan(town, manifest, drawn(assets, manifest));
  town.at("2026-05-02T12:00:00Z");
  const later = seal(town);
  plan(town, later, drawn(assets, later));
  found(town, later, drawn(assets, later));
  expect(accuracyOf(town)).toEqual({ plans: 1, plansWithoutResult: 1, measured: null });
});

test("the first result of a plan counts, and what came after the seal changes no draw", () => {
  const { town, assets, manifest } = signs();
  using _ = town;
  const drawnAssets = drawn(assets, manifest);
  town.review("retire", drawnAssets[0] ?? 0);
  const record = town.record("late");
  town.see(record, town.asset(record), "a", "2026-05-01T10:00:00Z");
  plan(town, manifest, drawnAssets);
  found(town, manifest, drawnAssets, { assets: drawnAssets.map((asset) => ({ asset, found: false })) });
  found(town, manifest, drawnAssets);
  expect(accuracyOf(town)?.measured?.measurement.precision.total).toMatchObject({ hits: 0, signs: DRAWN });
});

test("an erased asset counts no longer, and takes nothing else with it", () => {
  const { town, assets, manifest } = signs();
  using _ = town;
  const drawnAssets = drawn(assets, manifest);
  plan(town, manifest, drawnAssets);
  found(town, manifest, drawnAssets);
  const [gone = 0] = drawnAssets;
  town.redact([gone - 1, gone, gone + 1]); // the record, its asset and the observation
  expect(accuracyOf(town)?.measured?.measurement).toMatchObject({
    assetsDrawn: DRAWN - 1,
    precision: { total: { hits: DRAWN - 1, signs: DRAWN - 1 } },
  });
});

test("what the result does not name was not reached, and visits after the release are not known yet", () => {
  const { town, assets, manifest } = signs();
  using _ = town;
  const drawnAssets = drawn(assets, manifest);
  plan(town, manifest, drawnAssets);
  found(town, manifest, drawnAssets.slice(0, 10), { visited_until: "2026-05-19" });
  expect(accuracyOf(town)?.measured?.measurement).toMatchObject({
    assetsVisited: 10,
    precision: { total: { unknown: "too_few_reached" } },
  });
  town.step("toronto", "pause");
  expect(accuracyOf(town, "2026-05-18T12:00:00Z")?.measured).toBeNull();
});
