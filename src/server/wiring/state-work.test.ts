import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { TestSite } from "../../../tests/support/release/site.ts";
import { TestState } from "../../../tests/support/state/stores.ts";
import { LazyState } from "../../accounts/state-source.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { silentLog } from "../../kernel/log.ts";
import { ReleaseStore } from "../../resources/release-store.ts";
import { StateWork } from "./state-work.ts";

async function until(condition: () => boolean): Promise<void> {
  for (let n = 0; n < 2000 && !condition(); n += 1) await sleep(10);
  expect(condition()).toBe(true);
}

test("a delivery that cannot start is logged, holds up nothing, and is tried with the next release", async () => {
  using site = new TestSite();
  site.publish();
  await using test = await TestState.open("sqlite");
  const store = new ReleaseStore(site.home);
  store.refresh();
  const releases = {
    get current() {
      return store.current;
    },
    filesOnly: undefined,
    refresh: () => store.refresh(),
  };
  const faults: unknown[] = [];
  let starts = 0;
  let stopped = 0;
  const deliver = () => {
    starts += 1;
    if (starts === 1) throw new OperatorError("DKIM_KEY_FILE /x: no private key can be read there");
    return {
      ended: new Promise<undefined>(() => undefined),
      async stop() {
        stopped += 1;
      },
    };
  };
  const log = { ...silentLog, error: (event: string) => void faults.push(event) };
  const state = new LazyState(() => Promise.resolve(test.state), silentLog);
  const work = new StateWork({ state, releases, deliver, log });
  await until(() => starts === 1);
  site.addRecord("Delta");
  site.publish("2026-05-21T12:00:00Z");
  releases.refresh();
  work.releaseChanged();
  await until(() => starts === 2);
  work.releaseChanged();
  await work.stop();
  expect([faults, starts, stopped]).toEqual([["delivery_not_started"], 2, 1]);
  store.close();
});
