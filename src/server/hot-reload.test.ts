import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { TestSite } from "../../tests/support/release/site.ts";
import type { Log } from "../kernel/log.ts";
import { SNAPSHOT_VERSION } from "../snapshot/schema.ts";

const LATER = "2026-05-21T12:00:00Z";
const Page = z.looseObject({
  total_count: z.int(),
  snapshot_id: z.string(),
  next_cursor: z.string().nullable(),
});

const FoundPage = z.looseObject({
  total_count: z.int(),
  count: z.int(),
  release_id: z.string(),
  next_cursor: z.string().nullable(),
});

async function cityPage(url: string, query = ""): Promise<z.infer<typeof Page>> {
  const answer = await fetch(`${url}/api/v1/city/toronto/index${query}`);
  expect(answer.status).toBe(200);
  return Page.parse(await answer.json());
}

/** A release as the next version of the program would make it. */
function asNewerVersion(directory: string): void {
  const database = new Database(join(directory, "snapshot.db"));
  database.pragma(`user_version = ${SNAPSHOT_VERSION + 1}`);
  database.close();
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000; // ends only what hangs
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error("it did not come");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe("a new release", () => {
  test("before the first one everything but the liveness probe is a 503; then it is served without a restart", async () => {
    using site = new TestSite();
    const server = await site.serve();
    const status = async (path: string) => (await fetch(server.url + path)).status;
    expect(await Promise.all(["/healthz", "/readyz", "/", "/api/v1/status"].map(status))).toEqual([
      200, 503, 503, 503,
    ]);
    site.publish();
    await until(async () => (await status("/readyz")) === 200);
    expect(await Promise.all(["/", "/api/v1/status"].map(status))).toEqual([200, 200]);
    await server.stop();
  });

  test("cursors read on in the release of their first page, until it is removed: then 410", async () => {
    using site = new TestSite();
    site.publish();
    const server = await site.serve();
    const first = await cityPage(server.url, "?limit=2");
    expect(first.total_count).toBe(3);
    site.addRecord("Delta");
    const newer = site.publish(LATER);
    await until(async () => (await cityPage(server.url)).total_count === 4);

    const rest = `?limit=2&cursor=${first.next_cursor}`;
    expect(await cityPage(server.url, rest)).toMatchObject({
      total_count: 3,
      snapshot_id: first.snapshot_id,
      next_cursor: null,
    });
    site.removeAllBut(newer); // its snapshot is still open in the server, and must not answer any more
    const gone = await fetch(`${server.url}/api/v1/city/toronto/index${rest}`);
    expect(gone.status).toBe(410);
    expect(await gone.json()).toEqual({
      error: expect.stringContaining("restart without a cursor"),
      code: "cursor_expired",
    });
    await server.stop();
  });

  test("a search goes on in the release of its first page, until that is removed: then 410, in JSON and on the page", async () => {
    using site = new TestSite();
    site.publish();
    const server = await site.serve();
    const ask = (query: string) => fetch(`${server.url}/api/v1/search?limit=2${query}`);
    const page = async (query = "") => FoundPage.parse(await (await ask(query)).json());
    await until(async () => (await ask("")).ok); // its thread starts with the first search
    const first = await page();
    site.addRecord("Delta");
    const newer = site.publish(LATER);
    await until(async () => (await page()).total_count === 4);

    const rest = `&cursor=${first.next_cursor}`;
    for (let round = 0; round < 2; round += 1) {
      expect(await page(rest)).toMatchObject({
        total_count: 3,
        count: 1,
        release_id: first.release_id,
        next_cursor: null,
      });
      expect((await page()).release_id).not.toBe(first.release_id);
    }
    site.removeAllBut(newer); // its snapshot is still open in the thread, and must not answer any more
    const gone = await ask(rest);
    expect([gone.status, await gone.json()]).toEqual([
      410,
      { error: expect.stringContaining("restart without a cursor"), code: "cursor_expired" },
    ]);
    const shown = await fetch(`${server.url}/search/?cursor=${first.next_cursor}`);
    expect([shown.status, await shown.text()]).toEqual([
      410,
      expect.stringContaining('<a href="/search/">Start again from the first page</a>'),
    ]);
    await server.stop();
  });

  test("no request fails while releases come and the one being served is removed at once", async () => {
    using site = new TestSite();
    site.removeAllBut(site.publish());
    const faults: unknown[] = [];
    const log: Log = { info: () => undefined, error: (event, fields) => faults.push([event, fields]) };
    const server = await site.serve({ trustedProxies: 1 }, { log });
    const paths = [
      "/",
      "/api/v1/status",
      "/api/v1/search?name=a",
      "/api/v1/city/toronto/index?limit=1",
      "/api/v1/explorer.csv?city=toronto",
      "/api/v1/entity/demo_alpha",
    ];
    let isOver = false;
    const statuses = new Map<number, number>();
    const answers = () => [...statuses.values()].reduce((sum, count) => sum + count, 0);
    const client = async (path: string, index: number) => {
      for (let turn = 0; !isOver; turn += 1) {
        const headers = { "x-forwarded-for": `10.${index}.${turn >> 8}.${turn & 255}` };
        const { status } = await fetch(server.url + path, { headers });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const clients = paths.map(client);
    for (let day = 21; day < 27; day += 1) {
      site.addRecord(`Day${day}`);
      site.removeAllBut(site.publish(`2026-05-${day}T12:00:00Z`));
      const before = answers();
      await until(() => answers() > before + 20);
    }
    isOver = true;
    await Promise.all(clients);
    await server.stop();
    expect(faults).toEqual([]);
    expect([...statuses.keys()]).toEqual([200]);
    expect(statuses.get(200)).toBeGreaterThan(100);
  });

  test("of another version is refused while one of this version is served", async () => {
    using site = new TestSite();
    site.publish();
    const faults: unknown[] = [];
    const log: Log = { info: () => undefined, error: (event, fields) => faults.push([event, fields]) };
    const server = await site.serve({}, { log });
    site.addRecord("Delta");
    site.publish(LATER, asNewerVersion);
    await until(async () => faults.length > 0);
    expect((await cityPage(server.url, "?limit=2")).total_count).toBe(3);
    expect(faults).toEqual([
      [
        "release_refused",
        { fault: expect.stringContaining("the snapshot was written by a newer version of presence") },
      ],
    ]);
    await server.stop();
  });

  test("of another version is served as files where there is none of this version, until there is one", async () => {
    using site = new TestSite();
    site.publish(undefined, asNewerVersion);
    const faults: string[] = [];
    const log: Log = { info: () => undefined, error: (event) => faults.push(event) };
    const server = await site.serve({}, { log });
    const status = async (path: string) => (await fetch(server.url + path)).status;
    expect(await Promise.all(["/", "/readyz", "/api/v1/cities", "/nowhere/"].map(status))).toEqual([
      200, 200, 200, 404,
    ]);
    const asked = await fetch(`${server.url}/api/v1/search?name=alpha`);
    expect([asked.status, await asked.json()]).toEqual([
      503,
      { error: expect.stringContaining("the service is being upgraded"), code: "unavailable" },
    ]);
    expect(await Promise.all(["/search/?name=alpha", "/api/v1/status"].map(status))).toEqual([503, 503]);
    site.addRecord("Delta");
    site.publish(LATER);
    await until(async () => (await status("/api/v1/search?name=alpha")) === 200);
    expect(await status("/api/v1/status")).toBe(200);
    expect(faults).toEqual(["release_files_only"]);
    await server.stop();
  });

  test("one that cannot be read is refused once in the log, and the one before goes on", async () => {
    using site = new TestSite();
    site.publish();
    const faults: string[] = [];
    const log: Log = { info: () => undefined, error: (event) => faults.push(event) };
    const server = await site.serve({}, { log });
    const broken = join(site.home.releases, "broken");
    mkdirSync(broken);
    writeFileSync(join(broken, "snapshot.db"), "no database");
    symlinkSync(join("releases", "broken"), `${site.home.current}.next`);
    renameSync(`${site.home.current}.next`, site.home.current);
    await until(async () => faults.length > 0);
    expect((await cityPage(server.url, "?limit=2")).total_count).toBe(3);
    expect(faults).toEqual(["release_refused"]);
    rmSync(broken, { recursive: true });
    await server.stop();
  });
});
