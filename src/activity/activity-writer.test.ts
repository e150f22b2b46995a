import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { lockedFiles } from "../../tests/support/release/outsider.ts";
import { TestState } from "../../tests/support/state/stores.ts";
import { silentLog } from "../kernel/log.ts";
import { ThreadWriter } from "./activity-writer.ts";

test.runIf(existsSync("/proc/locks"))(
  "a thread that ends leaves the process its locks on the state",
  { timeout: 240_000 },
  async () => {
    await using test = await TestState.open("sqlite");
    const locked = () => lockedFiles(test.home.state, process.pid);
    expect(locked()).toContain("");
    const writer = new ThreadWriter({
      task: { home: test.home.root, internalAddresses: [] },
      log: silentLog,
    });
    expect(await writer.write([])).toBe(true);
    await writer.close();
    expect(locked()).toContain("");
  },
);
