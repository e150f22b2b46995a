import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { COVERAGE_VERSION, GATE_VERSION, REVISIT_VERSION, SCORE_VERSION } from "../contract/versions.ts";
import { cityCoverage } from "./coverage/coverage.ts";
import { asOfAt, PARAMETERS } from "./numbers.ts";

const page = readFileSync(new URL("../../docs/methodology.md", import.meta.url), "utf8");

function flattened(value: object, prefix = ""): [string, unknown][] {
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === "object" ? flattened(inner, `${prefix}${key}.`) : [[`${prefix}${key}`, inner]],
  );
}

test("the page states every parameter once, with the value of the code, and no other", () => {
  const rows = [...page.matchAll(/^\| `([a-z]+(?:\.\w+)+)` \| ([\d.]+) \|/gm)];
  const stated = rows.map(([, name, value]) => [name, Number(value)]);
  expect(stated.toSorted()).toEqual(flattened(PARAMETERS).toSorted());
});

test("the page states the versions of the code", () => {
  const versions = [
    ...page.matchAll(/^\| (?:ranking gate|score|city coverage|measurement by visits) \| `([^`]+)` \|/gm),
  ];
  expect(versions.map(([, version]) => version)).toEqual([
    GATE_VERSION,
    SCORE_VERSION,
    COVERAGE_VERSION,
    REVISIT_VERSION,
  ]);
});

test("the page explains every coverage metric, and names windows as the code counts them", () => {
  const asOf = asOfAt(0, 0);
  const { metrics } = cityCoverage({
    sightings: [],
    looks: [],
    cells: [],
    denominatorReviewed: false,
    registeredDay: 0,
    asOf,
  });
  for (const name of Object.keys(metrics)) expect(page).toContain(`\`${name}\``);
  const windows = new Set(Object.keys(metrics).flatMap((name) => name.match(/(\d+)d$/)?.[1] ?? []));
  const { citationDays, cellDays, freshCellDays, activeDays } = PARAMETERS.coverage;
  expect([...windows].map(Number).sort()).toEqual([citationDays, cellDays, freshCellDays, activeDays].sort());
});
