import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { faultName } from "./errors.ts";

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
