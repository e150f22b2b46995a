import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { hashOfFile } from "../../src/build/stages/manifest.ts";
import { homePaths, releasePaths } from "../../src/kernel/home.ts";
import { acquireLock, LockHeld } from "../../src/ledger/database/lock.ts";
import { TestLedger } from "../support/ledger/small-ledger.ts";
import { inodeOf, lockedFiles, outsiders } from "../support/release/outsider.ts";
import { homeBeside, serveHome } from "../support/towns/demo-home.ts";
import { TOWN_SLUG } from "../support/towns/town.ts";
import { isTrial } from "../support/trial.ts";

/**
 * A program with another, older SQLite opens a live database, reads it and closes it again and again, while its owner works: a backup tool, or
 * somebody with Debian's `sqlite3`. Then the owner is killed with -9. What it acknowledged must be there.
 */

const LOOKS = isTrial ? 12 : 4; // of each program
/** Between two works of an owner: a loop without one would take a core for itself. */
const PAUSE = "await new Promise((done) => setTimeout(done, 5));";
const programs = await outsiders();

let folder: string;
let owner: ChildProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "presence-live-"));
});
afterEach(() => {
  owner?.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

/** Every program looks at the database, one after the other, some times; then `meanwhile` may look at what became of its files. */
async function lookedAt(path: string, meanwhile: () => void = () => undefined): Promise<void> {
  for (let look = 0; look < LOOKS; look += 1) {
    for (const program of programs) {
      await program(path);
      meanwhile();
    }
  }
}

/** The owner of a database: a process that runs this program over the sources. `lines` has what it wrote by now. */
async function started(program: string): Promise<{ child: ChildProcess; lines: string[] }> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  owner = child;
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (line) => lines.push(line));
  await Promise.race([once(reader, "line"), once(child, "close")]);
  expect(child.exitCode, "the owner ended before it wrote a line").toBeNull();
  return { child, lines };
}

async function killed(child: ChildProcess): Promise<void> {
  const closed = once(child, "close");
  child.kill("SIGKILL");
  await closed;
}

const source = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);

describe.runIf(programs.length > 0)(
  "looked at by a program with its own SQLite, and killed",
  { timeout: 240_000 },
  () => {
    test("the state of a server has every subscription that it accepted", async () => {
      const home = homeBeside(inject("townHome"));
      const state = homePaths(home).state;
      const server = await serveHome(home);
      const [program] = programs;
      const count = async (table: string) => Number(await program?.(state, `SELECT count(*) FROM ${table}`));
      let accepted = 0;
      const subscribe = async () => {
        const response = await fetch(`${server.url}/api/v1/alerts/subscribe`, {
          method: "POST",
          headers: { "content-type": "application/json", "x-forwarded-for": `203.0.113.${accepted}` },
          body: JSON.stringify({ email: `reader-${accepted}@example.org`, city: TOWN_SLUG }),
        });
        expect(response.status, await response.text()).toBe(201);
        accepted += 1;
      };
      try {
        await subscribe();
        // From now on the thread that counts requests has the state open as well.
        await expect.poll(() => count("usage_counters"), { timeout: 30_000 }).toBeGreaterThan(0);
        const log = inodeOf(`${state}-wal`);
        for (let look = 0; look < LOOKS; look += 1) {
          for (const program of programs) await program(state);
          await subscribe();
          expect(inodeOf(`${state}-wal`)).toBe(log);
        }
        expect(lockedFiles(state, server.pid) ?? [""]).toContain("");
      } finally {
        await server.kill();
      }
      expect(await count("subscription_requests")).toBe(accepted);
      rmSync(home, { recursive: true });
    });

    test("the ledger has every row that its writer appended", async () => {
      using ledger = new TestLedger("2020-01-01T00:00:00Z");
      const options = `{ keysDir: ${JSON.stringify(ledger.keysDir)}, clock: Date.now }`;
      const { child, lines } = await started(`import { writeSync } from "node:fs";
      import { openLedgerReader } from ${source("ledger/reader.ts")};
      import { openLedgerWriter } from ${source("ledger/writer.ts")};
      import { statusRow } from ${source("../tests/support/ledger/small-ledger.ts")};
      const writer = openLedgerWriter(${JSON.stringify(ledger.path)}, ${options});
      for (;;) {
        writer.transaction(() => { for (let row = 0; row < 20; row += 1) writer.append(statusRow(writer.nextId())); });
        writeSync(1, String(writer.nextId() - 1) + "\\n");
        openLedgerReader(${JSON.stringify(ledger.path)}).close(); // a second connection of the same process
        ${PAUSE}
      }`);
      const log = inodeOf(`${ledger.path}-wal`);
      await lookedAt(ledger.path, () => expect(inodeOf(`${ledger.path}-wal`)).toBe(log));
      expect(lockedFiles(ledger.path, child.pid ?? 0) ?? [""]).toContain("");
      await killed(child);
      ledger.time = Date.now();
      using writer = ledger.writer();
      expect(writer.nextId()).toBeGreaterThan(Number(lines.at(-1)));
      writer.seal({ now: true });
      using reader = ledger.reader();
      const size = reader.latestCheckpoint()?.size ?? 0;
      expect([...reader.verifiedRows(size)]).toHaveLength(size);
    });

    test("a lock is held by its holder until that one ends", async () => {
      const path = join(folder, "some.lock");
      const { child } = await started(`import { writeSync } from "node:fs";
      import { acquireLock } from ${source("ledger/database/lock.ts")};
      const lock = acquireLock(${JSON.stringify(path)}, "at work");
      writeSync(1, "held\\n");
      process.once("SIGTERM", () => lock.release());
      setInterval(() => undefined, 1000);`);
      const refused = () => expect(() => acquireLock(path, "at work")).toThrow(LockHeld);
      await lookedAt(path, refused);
      expect(lockedFiles(path, child.pid ?? 0) ?? [""]).toContain("");
      expect(() => acquireLock(path, "at work")).toThrow(`pid ${child.pid}`);
      await killed(child);
      acquireLock(path, "at work").release();
    });

    test("a snapshot answers as before, and stays the file that was published", async () => {
      const path = join(folder, "snapshot.db");
      copyFileSync(releasePaths(homePaths(inject("townHome")).current).snapshot, path);
      const before = await hashOfFile(path);
      const { child, lines } = await started(`import { writeSync } from "node:fs";
      import { openSnapshot } from ${source("snapshot/snapshot.ts")};
      const snapshot = openSnapshot(${JSON.stringify(path)});
      for (;;) {
        writeSync(1, snapshot.cities().map(({ snapshotId }) => snapshotId).join() + "\\n");
        openSnapshot(${JSON.stringify(path)}).close();
        ${PAUSE}
      }`);
      await lookedAt(path);
      await killed(child);
      expect(new Set(lines).size).toBe(1);
      expect(lines[0]).toMatch(/^[0-9a-f-]{36}$/);
      expect(readdirSync(folder)).toEqual(["snapshot.db"]);
      expect(await hashOfFile(path)).toBe(before);
    });
  },
);
