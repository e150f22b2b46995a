import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { TestState } from "../../tests/support/state/stores.ts";
import { silentLog } from "../kernel/log.ts";
import { openState } from "../state/open-state.ts";
import { LazyState } from "./state-source.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("a failure is a 503 for some seconds, is logged once, and then tried again", async () => {
  let tries = 0;
  const faults: string[] = [];
  const open = () => {
    tries += 1;
    return Promise.reject(new Error("db:5432 cannot be opened"));
  };
  const state = new LazyState(open, { ...silentLog, error: (event) => faults.push(event) });
  const refused = { status: 503, message: expect.not.stringContaining("5432") };
  for (let turn = 0; turn < 3; turn += 1) await expect(state.get()).rejects.toMatchObject(refused);
  expect([tries, faults]).toEqual([1, ["state_not_open"]]);
  await vi.advanceTimersByTimeAsync(5000);
  await expect(state.get()).rejects.toMatchObject(refused);
  expect(tries).toBe(2);
  await state.close();
});

test("a state that loses its files is closed, told once, and opened anew where its database must be", async () => {
  await using test = await TestState.open("sqlite");
  const told: string[] = [];
  const note = (event: string) => void told.push(event);
  const opened: boolean[] = [];
  const open = (isAgain: boolean) => {
    opened.push(isAgain);
    return openState(undefined, test.home, { mustExist: isAgain });
  };
  await test.state.close();
  const source = new LazyState(open, { info: note, error: note });
  await source.get();
  rmSync(`${test.home.state}-wal`);
  await vi.advanceTimersByTimeAsync(1000);
  expect(source.fault()).toContain("lost its -wal file");
  for (let turn = 0; turn < 3; turn += 1) await expect(source.get()).rejects.toMatchObject({ status: 503 });
  await vi.advanceTimersByTimeAsync(5000);
  const again = await source.get();
  expect([again.loss(), source.fault(), source.losses()]).toEqual([undefined, undefined, 1]);
  expect([told, opened]).toEqual([
    ["state_lost", "state_open_again"],
    [false, true],
  ]);
  await source.close();
});

test("a damaged database is a fault until it is mended, told once; one out of reach is none", async () => {
  await using test = await TestState.unopened("sqlite");
  mkdirSync(test.home.stateFolder);
  writeFileSync(test.home.state, "no database at all ".repeat(100));
  const told: string[] = [];
  const note = (event: string) => void told.push(event);
  const source = new LazyState(() => openState(undefined, test.home), { info: note, error: note });
  for (let turn = 0; turn < 3; turn += 1) {
    await expect(source.get()).rejects.toMatchObject({ status: 503 });
    await vi.advanceTimersByTimeAsync(5000);
  }
  expect(source.fault()).toContain("is damaged (file is not a database)");
  expect(told).toEqual(["state_not_open"]);
  rmSync(test.home.state);
  await source.get();
  expect([source.fault(), source.losses(), told.at(-1)]).toEqual([undefined, 0, "state_open_again"]);
  await source.close();
});
