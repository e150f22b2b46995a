import { closeSync, existsSync, openSync, statSync, writeFileSync, writeSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openState } from "../../state/open-state.ts";
import { TestPatient } from "../../testing/operations/patient.ts";
import { stateFile, stateOpens } from "./state.ts";

let service: TestPatient;
beforeEach(() => {
  service = new TestPatient();
});
afterEach(() => service[Symbol.dispose]());

test("garbage within the state is found, also where it still opens", async () => {
  expect(await service.problems(stateFile)).toEqual([]);
  expect(existsSync(service.home.state)).toBe(false);
  await (await openState(undefined, service.home)).close();
  expect(await service.problems(stateFile)).toEqual([]);
  const { size } = statSync(service.home.state);
  const file = openSync(service.home.state, "r+");
  writeSync(file, Buffer.alloc(4096, 255), 0, 4096, size - 8192);
  closeSync(file);
  for (const isFull of [false, true]) {
    service.isFull = isFull;
    expect((await service.problems(stateFile)).join()).toMatch(/^HOME\/state\.db is damaged: /);
  }
  writeFileSync(service.home.state, "no database at all ".repeat(100));
  expect(await service.problems(stateFile)).toEqual(["HOME/state.db is damaged: file is not a database"]);
  expect(await service.problems(stateOpens)).toEqual([expect.stringMatching(/the database is damaged/)]);
});

test("a state in PostgreSQL has no file to check", async () => {
  writeFileSync(service.home.state, "left from before, and no database ".repeat(100));
  service.env["STATE_URL"] = "postgres://nobody@127.0.0.1:1/none";
  expect(await service.problems(stateFile)).toEqual([]);
});
