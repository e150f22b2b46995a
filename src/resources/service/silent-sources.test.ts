import { expect, test } from "vitest";
import type { SourceEntry } from "../../snapshot/rows.ts";
import { silentSources } from "./silent-sources.ts";

const SOURCE: SourceEntry = {
  row: 3,
  id: "city-fleet",
  kind: "fleet_cam",
  vetting: "collective",
  name: null,
  operator: null,
  licence: "contract 1",
  consent: "consent 1",
  assetTypes: ["storefront"],
  state: "active",
  lastIntake: Date.parse("2026-05-01T00:00:00Z"),
};

const said = (changes: Partial<SourceEntry>, asOf = "2026-05-08T01:00:00Z") =>
  silentSources([{ ...SOURCE, ...changes }], Date.parse(asOf));

test("a collective source without an observation for seven days is an incident", () => {
  expect(said({}, "2026-05-07T23:00:00Z")).toEqual([]);
  expect(said({})).toEqual([
    {
      id: "no-intake-city-fleet-2026-05-08",
      title: "No intake from source city-fleet",
      status: "open",
      started_at: "2026-05-08T00:00:00Z",
      resolved_at: null,
      message: "No observation of source city-fleet has been accepted since 2026-05-01.",
    },
  ]);
});

test("nothing is said of individual sources, of suspended ones, and of those that never sent", () => {
  expect(said({ vetting: "individual" })).toEqual([]);
  expect(said({ state: "suspended" })).toEqual([]);
  expect(said({ lastIntake: null })).toEqual([]);
});
