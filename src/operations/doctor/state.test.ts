import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestPatient } from "../../../tests/support/operations/patient.ts";
import { openState } from "../../state/open-state.ts";
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
    expect((await service.problems(stateFile)).join()).toMatch(/^HOME\/state\/state\.db is damaged: /);
  }
  mkdirSync(service.home.stateFolder, { recursive: true });
  writeFileSync(service.home.state, "no database at all ".repeat(100));
  expect(await service.problems(stateFile)).toEqual([
    "HOME/state/state.db is damaged: file is not a database",
  ]);
  expect(await service.problems(stateOpens)).toEqual([expect.stringMatching(/the database is damaged/)]);
});

test("a state in PostgreSQL has no file to check", async () => {
  mkdirSync(service.home.stateFolder, { recursive: true });
  writeFileSync(service.home.state, "left from before, and no database ".repeat(100));
  service.env["STATE_URL"] = "postgres://nobody@127.0.0.1:1/none";
  expect(await service.problems(stateFile)).toEqual([]);
});

test.each([
  ["the ledger", () => service.home.ledger],
  ["nothing", () => "nowhere.db"],
])(
  "a link to %s in the place of the state is found, and nothing is written through it",
  async (_name, target) => {
    const before = readFileSync(service.home.ledger);
    mkdirSync(dirname(service.home.state), { recursive: true });
    symlinkSync(target(), service.home.state);
    expect(await service.problems(stateFile)).toEqual([
      expect.stringMatching(/^HOME\/.*state\.db: it is a symbolic link/),
    ]);
    await expect(openState(undefined, service.home)).rejects.toThrow(/a symbolic link/);
    expect(readFileSync(service.home.ledger)).toEqual(before);
  },
);

test("another store under the name of the state is found, and stays as it is", async () => {
  mkdirSync(dirname(service.home.state), { recursive: true });
  copyFileSync(service.home.ledger, service.home.state);
  const before = readFileSync(service.home.state);
  expect(await service.problems(stateFile)).toEqual([expect.stringMatching(/it is not a state database/)]);
  await expect(openState(undefined, service.home)).rejects.toThrow(/it is not a state database/);
  expect(readFileSync(service.home.state)).toEqual(before);
});
