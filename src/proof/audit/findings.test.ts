import { expect, test } from "vitest";
import { z } from "zod";
import { OperatorError } from "../../kernel/errors.ts";
import { Findings } from "./findings.ts";

test("a check's own error is a fault of its subject, in one line", async () => {
  const findings = new Findings();
  expect(await findings.attempt("a", () => 7)).toBe(7);
  expect(await findings.attempt("b", () => Promise.reject(new Error("is wrong")))).toBeUndefined();
  const schema = z.object({ size: z.int(), name: z.string() });
  await findings.attempt("c", () => schema.parse({ size: 1.5 }));
  expect(findings.faults.map(({ subject }) => subject)).toEqual(["b", "c"]);
  expect(findings.faults[0]?.problem).toBe("is wrong");
  expect(findings.faults[1]?.problem).toMatch(/^[^\n]*size[^\n]*name[^\n]*$/);
});

test("a check that could not be made is no fault of what was to be checked", async () => {
  const findings = new Findings();
  const check = () => Promise.reject(new OperatorError("the site does not answer"));
  await expect(findings.attempt("a", check)).rejects.toThrow("the site does not answer");
  expect(findings.faults).toEqual([]);
});

test("counts add up, in one order whatever was named first, unknown kinds last", () => {
  const findings = new Findings();
  findings.checked("rows", 0);
  findings.checked("files");
  findings.take({ faults: [{ subject: "x", problem: "y" }], counts: { files: 4, seals: 2 } });
  findings.checked("rows", 3);
  expect(Object.entries(findings.counts())).toEqual([
    ["seals", 2],
    ["files", 5],
    ["rows", 3],
  ]);
  expect(findings.faults).toEqual([{ subject: "x", problem: "y" }]);
});
