import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { configReference } from "../src/kernel/config.ts";

test("the environment reference of the operations manual is the configuration's own", () => {
  const rows = configReference().map(
    ({ name, fallback, meaning }) =>
      `| \`${name}\` | ${fallback === "" ? "" : `\`${fallback}\``} | ${meaning} |`,
  );
  const manual = readFileSync("docs/operations.md", "utf8");
  const [, table = ""] = manual.split("<!-- environment: kept equal to the configuration by a test -->\n");
  expect(table.split("\n").slice(2, 2 + rows.length)).toEqual(rows);
});
