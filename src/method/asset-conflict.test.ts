import { expect, test } from "vitest";
import { AS_OF, TODAY } from "../../tests/support/method/facts.ts";
import { type AssetReports, assetConflict } from "./asset-conflict.ts";

function conflict(
  ages: readonly number[],
  { months = 0, retired }: { months?: number; retired?: number } = {},
) {
  const reports: AssetReports = {
    assetType: "storefront",
    lastDays: ages.map((age) => TODAY - age),
    retiredOn: retired === undefined ? undefined : TODAY - retired,
    lookedMonthsAfter: () => months,
  };
  return assetConflict(reports, AS_OF);
}

test("one who reports alone what others no longer see is doubted once their area was looked at in three months", () => {
  expect(conflict([10, 200], { months: 3 })).toBe("reported_by_one");
  expect(conflict([10, 200, 400], { months: 3 })).toBe("reported_by_one");
});

test.for([
  ["nobody looked often enough", [10, 200], 2],
  ["two still report it", [10, 20, 200], 9],
  ["another saw it 179 days ago", [10, 179], 9],
  ["nobody else ever saw it", [10], 9],
  ["nobody reports it any more: age retires it", [200, 300], 9],
] as const)("nobody is asked where %s", ([, ages, months]) => {
  expect(conflict(ages, { months })).toBeUndefined();
});

test("what was seen after a reviewer retired it is asked about again", () => {
  expect(conflict([4, 50], { retired: 5 })).toBe("seen_since_retired");
  expect(conflict([5, 50], { retired: 5 })).toBeUndefined();
});

test("the months are those since the others last saw it", () => {
  const asked: number[] = [];
  const lookedMonthsAfter = (day: number) => asked.push(TODAY - day);
  assetConflict(
    {
      assetType: "storefront",
      lastDays: [10, 200, 300].map((age) => TODAY - age),
      retiredOn: undefined,
      lookedMonthsAfter,
    },
    AS_OF,
  );
  expect(asked).toEqual([200]);
});
