import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { BOUND_NAMES, BOUNDS, type Bound, WHAT } from "./bounds.ts";

test("the manual shows every bound", () => {
  const manual = readFileSync("docs/operations/way-back.md", "utf8");
  const rows = manual.split("\n").filter((line) => /^\| `[a-z]+_[a-z]+` \| /.test(line));
  const said = ({ percent, least }: Bound) => `${percent} %, ${least}`;
  expect(rows).toEqual(
    BOUND_NAMES.map(
      (name) =>
        `| \`${name}\` | ${WHAT[name]} | ${said(BOUNDS[name].strict)} | ${said(BOUNDS[name].normal)} |`,
    ),
  );
});

test("strict holds whatever normal holds", () => {
  for (const { strict, normal } of Object.values(BOUNDS)) {
    expect(strict.percent).toBeLessThanOrEqual(normal.percent);
    expect(strict.least).toBeLessThanOrEqual(normal.least);
  }
});
