import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { PROGRAM_VERSION } from "../../src/contract/versions.ts";
import { Operator } from "../support/operations/operator.ts";
import { observedTown } from "../support/towns/town.ts";

test("an operator learns whether this version goes on with a home, how long it takes and what it needs", async () => {
  using operator = new Operator();
  await observedTown(operator, { seed: 28, observations: 120, records: 8 });
  await operator.ok(["partner", "create", "Maps"]); // makes the state
  const files = readdirSync(operator.folder);
  const check = ["upgrade", "check", "--scratch", operator.folder];
  expect(await operator.ok(check)).toMatch(
    new RegExp(
      `^version ${PROGRAM_VERSION}
ledger: format \\d+ stays; all \\d+ rows of the copy were verified
state: format 3 stays
time: copy [\\d.]+ s, open [\\d.]+ s, verify [\\d.]+ s
space: \\d\\.\\d MiB before, \\d\\.\\d MiB after
$`,
    ),
  );
  expect(readdirSync(operator.folder)).toEqual(files);
});
