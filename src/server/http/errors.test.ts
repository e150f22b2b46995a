import { expect, test } from "vitest";
import { OperatorError, PublicError } from "../../kernel/errors.ts";
import type { Log } from "../../kernel/log.ts";
import { publicErrorOf } from "./errors.ts";

test("only the text of a public error leaves the process; of the rest the log has the cause, and the caller its id", () => {
  const logged: unknown[] = [];
  const log: Log = { info: () => undefined, error: (event, fields) => logged.push([event, fields]) };
  const known = new PublicError(404, "not found");
  expect(publicErrorOf(known, log, "r1")).toBe(known);
  expect(logged).toEqual([]);
  for (const secret of [new Error("SECRET"), new OperatorError("SECRET"), "SECRET"]) {
    const shown = publicErrorOf(secret, log, "r2");
    expect(shown).toMatchObject({ status: 500, message: "internal error", details: { request_id: "r2" } });
  }
  expect(logged).toHaveLength(3);
  expect(logged[0]).toEqual([
    "request_failed",
    { request_id: "r2", fault: expect.stringContaining("SECRET") },
  ]);
});
