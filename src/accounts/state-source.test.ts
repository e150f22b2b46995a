import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { silentLog } from "../kernel/log.ts";
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
