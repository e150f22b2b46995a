import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { codeOfStatus, ERROR_CODES, faultName } from "./errors.ts";

function thrown(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

test("a fault is named by its class and code, and quotes nothing", () => {
  const database = new Database(":memory:");
  database.exec("CREATE TABLE held (secret TEXT UNIQUE) STRICT; INSERT INTO held VALUES ('s3cret')");
  const insert = database.prepare("INSERT INTO held VALUES ('s3cret')");
  expect(faultName(thrown(() => insert.run()))).toBe("SqliteError SQLITE_CONSTRAINT_UNIQUE");
  expect(faultName(thrown(() => JSON.parse("s3cret")))).toBe("SyntaxError");
  expect(faultName("s3cret")).toBe("unknown");
});

test("each status that the service answers with has a code, and no code two statuses", () => {
  expect(new Set(ERROR_CODES.map(({ code }) => code)).size).toBe(ERROR_CODES.length);
  expect([400, 401, 404, 410, 429, 503].map(codeOfStatus)).toEqual([
    ...["invalid_request", "key_invalid", "not_found", "gone", "too_many_requests", "unavailable"],
  ]);
  expect([codeOfStatus(418), codeOfStatus(502)]).toEqual(["invalid_request", "internal_error"]);
});
