import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, inject, test } from "vitest";
import { DEMO_BASE_URL } from "./support/demo-home.ts";
import { SHARED_CACHES } from "./support/shared-caches.ts";
import { TOWN_SLUG } from "./support/town.ts";

/** `npm start`: what a newcomer runs first, and runs again. */

const PROJECT = dirname(import.meta.dirname);
const home = join(mkdtempSync(join(tmpdir(), "start-")), "var");
cpSync(inject("townHome"), home, { recursive: true, verbatimSymlinks: true });
afterAll(() => rmSync(dirname(home), { recursive: true }));

async function startOnce(baseUrl: string): Promise<{ release: string; page: number }> {
  const child = spawn(process.execPath, ["build-scripts/cli.ts", "start"], {
    cwd: PROJECT,
    env: {
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
      PRESENCE_HOME: home,
      PORT: "0",
      BASE_URL: baseUrl,
      SOURCE_REVISION: "test",
      ...SHARED_CACHES,
    },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [line] = await once(child.stdout, "data");
  const [, url = ""] = / on (http:\S+)/.exec(String(line)) ?? [];
  const { status } = await fetch(`${url}/city/${TOWN_SLUG}/`);
  const release = readlinkSync(join(home, "current"));
  child.kill("SIGTERM");
  await once(child, "exit");
  return { release, page: status };
}

test("serves the release that is there, and builds another only for another address", async () => {
  const before = readlinkSync(join(home, "current"));
  expect(await startOnce(DEMO_BASE_URL)).toEqual({ release: before, page: 200 });
  const moved = await startOnce("https://moved.test");
  expect(moved.page).toBe(200);
  expect(moved.release).not.toBe(before);
  expect((await startOnce("https://moved.test")).release).toBe(moved.release);
});
