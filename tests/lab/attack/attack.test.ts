/** A few nights of `npm run attack:privacy`, through the real commands and the files of real releases. */

import { expect, test } from "vitest";
import { Operator } from "../../support/operations/operator.ts";
import { isTrial } from "../../support/trial.ts";
import { attackPrivacy } from "./run.ts";
import { attackTable } from "./score.ts";

test("a reader of all public files links nothing that can be hidden", async () => {
  using operator = new Operator();
  const lines = await attackPrivacy(operator, { seed: 1, nights: 3, share: isTrial ? 1 : 0.5 });
  expect(
    lines.filter(({ isMet }) => isMet === false),
    attackTable(lines),
  ).toEqual([]);
});
