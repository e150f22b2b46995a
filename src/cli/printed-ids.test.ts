import { expect, test } from "vitest";
import { Operator } from "../../tests/support/operations/operator.ts";

test("a command that takes several ids gets each of them, as printed or bare", async () => {
  using operator = new Operator();
  await operator.ok(["init", "--origin", "test.example/log", "--environment", "demo"]);
  for (const ids of [["b1"], ["b1", "b2"]])
    expect(await operator.refused(["batch", "approve", ...ids])).toContain("no batch b1: see");
});
