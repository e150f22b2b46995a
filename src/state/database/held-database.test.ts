import { execFileSync } from "node:child_process";
import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { TestState } from "../../../tests/support/state/stores.ts";
import { openState, type State } from "../open-state.ts";
import { isHeld, renewGeneration, StateLost } from "./database-file.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] }));
afterEach(() => vi.useRealTimers());

const write = (state: State, key: string) =>
  state.outbox.enqueue([{ key, kind: "mail", target: "sub_1", payload: "{}" }]);
const keys = async (state: State) => (await state.outbox.list()).map(({ key }) => key).sort();

async function copyOf(path: string): Promise<string> {
  const database = new Database(path, { readonly: true });
  await database.backup(`${path}.copy`);
  database.close();
  return `${path}.copy`;
}

/** By another process, so that this one keeps its locks. */
function fill(path: string, from: number, bytes: number): void {
  const program = `const fs = require("fs"); const file = fs.openSync(process.argv[1], "r+");
    fs.writeSync(file, Buffer.alloc(${bytes}, 255), 0, ${bytes}, ${from});`;
  execFileSync(process.execPath, ["-e", program, path]);
}

/** As another process finds the files: no connection of this one is left. */
async function keysAfter(test: TestState): Promise<string[]> {
  await using state = await test.another();
  return await keys(state);
}

describe("a connection whose files were changed", () => {
  test("saves what only a removed log had, refuses the write that found it out, and every later one", async () => {
    await using test = await TestState.open("sqlite");
    const { state, home } = test;
    await write(state, "before");
    rmSync(`${home.state}-wal`);
    await expect(write(state, "while")).rejects.toThrow(/state\.db lost its -wal file/);
    await expect(write(state, "after")).rejects.toThrow(StateLost);
    await expect(keys(state)).rejects.toThrow(StateLost);
    expect(state.loss()).toBeInstanceOf(StateLost);
    await state.close();
    expect(await keysAfter(test)).toEqual(["before"]);
  });

  test("notices at the end of a transaction, and without any request", async () => {
    await using test = await TestState.open("sqlite");
    await using idle = await test.another();
    const { state, home } = test;
    const moved = state.transaction(async ({ outbox }) => {
      await outbox.enqueue([{ key: "one", kind: "mail", target: "sub_1", payload: "{}" }]);
      rmSync(`${home.state}-wal`);
    });
    await expect(moved).rejects.toThrow(StateLost);
    expect(idle.loss()).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1000);
    expect(idle.loss()).toBeInstanceOf(StateLost);
  });

  test("saves it on a stop, too", async () => {
    await using test = await TestState.open("sqlite");
    await write(test.state, "before");
    rmSync(`${test.home.state}-wal`);
    await test.state.close();
    expect(await keysAfter(test)).toEqual(["before"]);
  });

  test("leaves a database that took its place alone", async () => {
    await using test = await TestState.open("sqlite");
    const { home, state } = test;
    await write(state, "old");
    const copy = await copyOf(home.state);
    await write(state, "later");
    for (const ending of ["", "-wal", "-shm"])
      renameSync(`${home.state}${ending}`, `${home.state}.old${ending}`);
    renameSync(copy, home.state);
    await expect(write(state, "lost")).rejects.toThrow(/was replaced by another file/);
    expect(await keysAfter(test)).toEqual(["old"]);
    const kept = new Database(`${home.state}.old`);
    expect(kept.prepare("SELECT key FROM outbox ORDER BY id").pluck().all()).toEqual(["old", "later"]);
    kept.close();
  });

  test("notices a restored copy with the same inode, and does not write its log over it", async () => {
    await using test = await TestState.open("sqlite");
    const { home, state } = test;
    await write(state, "old");
    const copy = await copyOf(home.state);
    renewGeneration(copy);
    await write(state, "later");
    const { ino } = statSync(home.state);
    execFileSync("cp", [copy, home.state]);
    expect(statSync(home.state).ino).toBe(ino);
    await expect(write(state, "lost")).rejects.toThrow(/was overwritten with another copy/);
    expect(await keysAfter(test)).toEqual(["old"]);
  });

  test("notices something else in the place of its head", async () => {
    await using test = await TestState.open("sqlite");
    fill(test.home.state, 0, 100);
    await expect(write(test.state, "two")).rejects.toThrow(/was overwritten with something else/);
  });

  test("takes SQLite's word for damage, and the file grows no more", async () => {
    await using test = await TestState.open("sqlite");
    const { state, home } = test;
    await using worker = await test.another();
    for (let n = 0; n < 200; n += 1) await write(state, `item ${n}`);
    await state.cutLog();
    const { size } = statSync(home.state);
    fill(home.state, 4096, size - 4096);
    await expect(worker.outbox.claim(10, 1000)).rejects.toThrow(/is damaged \(.*malformed/);
    for (let n = 0; n < 20; n += 1) await expect(write(worker, `more ${n}`)).rejects.toThrow(StateLost);
    expect(statSync(home.state).size).toBe(size);
    await expect(test.another()).rejects.toThrow(/is damaged/);
  });

  test("is not opened beside somebody who holds a log that was removed", async () => {
    await using test = await TestState.open("sqlite");
    rmSync(`${test.home.state}-wal`);
    await expect(test.another()).rejects.toThrow(/its -wal file was removed while another process/);
    await expect(write(test.state, "x")).rejects.toThrow(StateLost);
    expect(await keysAfter(test)).toEqual([]);
  });
});

test("what changed lies in the database itself after half a minute, while both go on", async () => {
  await using test = await TestState.open("sqlite");
  await using other = await test.another();
  for (let n = 0; n < 20; n += 1) await write(n % 2 === 0 ? test.state : other, `item ${n}`);
  const log = `${test.home.state}-wal`;
  expect(statSync(log).size).toBeGreaterThan(0);
  await vi.advanceTimersByTimeAsync(32_000);
  expect(statSync(log).size).toBe(0);
  expect(statSync(test.home.state).size).toBeGreaterThan(4096);
  await write(other, "later");
  expect(await keys(test.state)).toHaveLength(21);
  expect([test.state.loss(), other.loss()]).toEqual([undefined, undefined]);
});

test("a database is held while a connection is open, and a database that is gone is not made", async () => {
  await using test = await TestState.open("sqlite");
  const { state, home } = test;
  expect(isHeld(home.state)).toBe(true);
  await write(state, "still works");
  await state.close();
  expect(isHeld(home.state)).toBe(false);
  rmSync(home.state);
  await expect(openState(undefined, home, { mustExist: true })).rejects.toThrow(
    /state\.db: the database is gone/,
  );
  expect(existsSync(home.state)).toBe(false);
});
