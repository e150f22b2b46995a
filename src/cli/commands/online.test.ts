import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { NOW, sighting, testLedger, vouchFor } from "../../../tests/support/ledger/intake-ledger.ts";
import { openRawWriter, rawLedger } from "../../../tests/support/ledger/raw-ledger.ts";
import { presenceAt } from "../../../tests/support/operations/presence-here.ts";
import { contextFor } from "../../../tests/support/towns/demo-view.ts";
import type { Config } from "../../kernel/config/config.ts";
import { homePaths } from "../../kernel/home.ts";
import { DAY_MS } from "../../kernel/time.ts";
import { acquireLock } from "../../ledger/database/lock.ts";
import { openLedgerReader } from "../../ledger/reader.ts";

/** A ledger with three records whose names are known to the search and one that is not, and the command over it. */
async function world() {
  const it = testLedger();
  const names = ["Amber Clockworks", "Basalt Tailoring", "Cobalt Upholstery", "Dormouse Engravers"];
  // A telephone is looked up that two observers named, whose rows count.
  vouchFor(it, "first", "second");
  for (const observer of ["first", "second"])
    await it.ingest(
      names.map((name, n) =>
        sighting(`${observer} ${n}`, {
          ...{ name, observer, phone: `+1 555 010 22${n}0`, lat: 40.001 + n / 200 },
        }),
      ),
    );
  const namings = it.rows("naming").map(({ body }) => body);
  const records = it.rows("record").map(({ id }) => id);
  it.ledger.close();
  const answers = join(it.home, "answers.json");
  writeFileSync(
    answers,
    JSON.stringify({
      '"Amber Clockworks" Avalon': [
        { title: "Amber Clockworks", url: "https://amberclockworks.example.com/", description: "in Avalon" },
      ],
      '"+1 555 010 2210"': [{ title: "x", url: "https://www.yelp.com/x", description: "(555) 010-2210" }],
    }),
  );
  const home = homePaths(it.home);
  return {
    home,
    records,
    named: (name: string) => namings.find((naming) => naming["name"] === name)?.["record"],
    async presence(at: number, changes: Partial<Config["online"]>, ...args: string[]) {
      const online = { checksPerNight: 0, search: { kind: "file", path: answers }, phones: false } as const;
      const config = { ...contextFor(home).config, online: { ...online, ...changes } };
      const typed = ["online", "run", ...args, "--json"];
      return JSON.parse((await presenceAt(home, typed, { config, clock: () => at })).stdout);
    },
    checks() {
      using reader = openLedgerReader(home.ledger);
      return [...reader.onlineChecks(Number.MAX_SAFE_INTEGER)];
    },
    [Symbol.dispose]: () => rmSync(it.home, { recursive: true }),
  };
}

test("checks are written beside the rows, once in 30 days, and a dry run writes nothing", async () => {
  using it = await world();
  const head = () => {
    using reader = openLedgerReader(it.home.ledger);
    return reader.head();
  };
  const before = head();
  const planned = { planned: 4, never_checked: 4, records: it.records };
  expect(await it.presence(NOW, {}, "--budget", "9", "--dry-run")).toEqual(planned);
  expect(it.checks()).toEqual([]);
  const counts = { detected: 1, none: 3, unknown: 0, left_for_later: 0, unavailable: [] };
  expect(await it.presence(NOW, { checksPerNight: 9 })).toEqual({ planned: 4, ...counts });
  const checks = it.checks().sort((a, b) => a.record - b.record);
  expect(checks.map(({ record }) => record)).toEqual(it.records);
  expect(checks.find(({ verdict }) => verdict === "detected")).toMatchObject({
    record: it.named("Amber Clockworks"),
    signalTypes: ["website"],
    matchCount: 1,
    provider: "file",
  });
  expect((await it.presence(NOW + 29 * DAY_MS, { checksPerNight: 9 })).planned).toBe(0);
  expect((await it.presence(NOW + 30 * DAY_MS, {}, "--budget", "3")).planned).toBe(3);
  expect(head()).toEqual(before);
});

test("numbers are looked up where the operator says so", async () => {
  using it = await world();
  expect(await it.presence(NOW, { phones: true }, "--budget", "9")).toMatchObject({ detected: 2, none: 2 });
  expect(it.checks().find(({ record }) => record === it.named("Basalt Tailoring"))).toMatchObject({
    verdict: "detected",
    signalTypes: ["directory_listing"],
  });
});

test("merged, dissolved and erased records, and those of an unpublished city, are not looked for", async () => {
  using it = await world();
  const [first = 0, second = 0, third = 0, fourth = 0] = it.records;
  const write = (work: (ledger: ReturnType<typeof openRawWriter>) => void) => {
    const options = { keysDir: it.home.keys, clock: () => NOW };
    using ledger = openRawWriter(it.home.ledger, options);
    ledger.transaction(() => work(ledger));
  };
  const review = { industry: null, reason: "x", reviewer: "desk", tags: {} } as const;
  const merge = (target: number, into: number) =>
    ({ kind: "review", body: { ...review, decision: "merge", target, into } }) as const;
  write((ledger) => {
    ledger.append(merge(first, second));
    ledger.append(merge(second, first)); // the later decision: the first stays
    ledger.append({ kind: "status", body: { record: third, status: "dissolved" } });
    rawLedger(ledger).prepare("DELETE FROM openings WHERE row = ?").run(fourth);
  });
  const planned = async () => (await it.presence(NOW, {}, "--budget", "9", "--dry-run")).records;
  expect(await planned()).toEqual([first]);
  write((ledger) => {
    ledger.append({ kind: "city", body: { city: "avalon", step: "unpublish", details: null } });
  });
  expect(await planned()).toEqual([]);
});

test("a writer that is at work is waited for", async () => {
  using it = await world();
  const lock = acquireLock(`${it.home.ledger}.lock`, "taking a file in");
  setTimeout(() => lock.release(), 300);
  expect(await it.presence(NOW, {}, "--budget", "9")).toMatchObject({ detected: 1, none: 3 });
  expect(it.checks()).toHaveLength(4);
});

test("a budget is needed, and a file of answers must be one", async () => {
  using it = await world();
  await expect(it.presence(NOW, {})).rejects.toThrow("set ONLINE_CHECKS_PER_NIGHT, or give --budget");
  await expect(it.presence(NOW, {}, "--budget", "0")).rejects.toThrow(
    "--budget must be a whole number from 1 (got 0)",
  );
  const search = { kind: "file", path: "no-such.json" } as const;
  await expect(it.presence(NOW, { search }, "--budget", "1")).rejects.toThrow("file not found");
});
