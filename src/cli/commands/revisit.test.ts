import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cellToChildren, cellToLatLng, gridDisk, latLngToCell } from "h3-js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { presenceAt } from "../../../tests/support/operations/presence-here.ts";
import { INDUSTRIES } from "../../contract/cities/industry.ts";
import { type Home, homePaths } from "../../kernel/home.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import { cityAccuracy } from "../../resources/cities/coverage.ts";
import { contextAt } from "../../resources/release-store.ts";
import { buildSnapshot } from "../../snapshot/build.ts";
import { ReleaseSettings } from "../../snapshot/release-settings.ts";

const TORONTO = { lat: 43.70643, lng: -79.39864 };
const CELLS = 30;

let home: Home;
let folder: string;
let now = "2026-05-01T12:00:00Z";

async function presence(...args: string[]): Promise<string> {
  return (await presenceAt(home, args, { clock: () => Date.parse(now) })).stdout;
}

interface Sign {
  readonly name: string;
  readonly asset_type: string;
  readonly lat: number;
  readonly lng: number;
}

/** Three listed signs a cell, one of them a chain's; a fourth that is there and not listed. */
function town() {
  const cells = gridDisk(latLngToCell(TORONTO.lat, TORONTO.lng, 8), 3).slice(0, CELLS);
  return cells.flatMap((cell, at) => {
    const places = cellToChildren(cell, 11).filter((_, child) => child % 40 === 20);
    const signs = ["Maple", "Birch", "Cedar", "Unlisted"].map((tree, number): Sign => {
      const [lat, lng] = cellToLatLng(places[number] ?? "");
      const name = `${tree} ${word(at)}`;
      return { name, asset_type: number === 1 ? "billboard" : "storefront", lat, lng };
    });
    return [
      {
        cell,
        listed: signs.slice(0, 3),
        unlisted: signs.slice(3),
        gone: at % 5 === 0 ? signs.slice(0, 1) : [],
      },
    ];
  });
}

/** Digits alone would be a store's number. */
function word(at: number): string {
  return [...String(at).padStart(3, "0")].map((digit) => "abcdefghij"[Number(digit)]).join("");
}

const streets = town();
const there = streets.flatMap(({ listed, unlisted, gone }) =>
  [...listed, ...unlisted].filter((sign) => !gone.includes(sign)),
);

const Task = z.object({
  plan: z.string(),
  task: z.string(),
  kind: z.enum(["place", "cell"]),
  h3_cell: z.string(),
  lat: z.number(),
  lng: z.number(),
  asset_types: z.array(z.string()),
});
type Task = z.infer<typeof Task>;

const ndjson = (values: readonly unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join("");
const write = (name: string, values: readonly unknown[]) => {
  const path = join(folder, name);
  writeFileSync(path, ndjson(values));
  return path;
};
const tasksIn = (path: string): Task[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => Task.parse(JSON.parse(line)));

/** What a careful scout notes: every sign that is there. */
function visit({ plan, task, kind, h3_cell }: Task) {
  const area = new Set(kind === "cell" ? [h3_cell] : gridDisk(h3_cell, 1));
  const found = there.filter(({ lat, lng }) => area.has(latLngToCell(lat, lng, kind === "cell" ? 8 : 11)));
  return { plan, task, h3_cell, visited_on: "2026-05-09", found };
}

let tasks: Task[] = [];
let planned: Record<string, unknown> = {};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "revisit-"));
  home = homePaths(join(folder, "var"));
  await presence("init", "--environment", "demo", "--origin", "example.org/demo");
  await presence("city", "add", "--geoname", "6167865", "--radius-km", "6");
  const lines = streets
    .flatMap(({ listed }) => listed)
    .map((sign, at) => ({
      ...sign,
      source_type: "scout",
      source_ref: `line ${at}`,
      observer: "scout-1",
      observed_at: "2026-04-20",
    }));
  await presence("ingest", write("seen.ndjson", lines));
  await presence("seal", "--now");
  now = "2026-05-02T12:00:00Z";
  const out = join(folder, "tasks.ndjson");
  planned = JSON.parse(
    await presence("revisit", "plan", "toronto", "--assets", "60", "--cells", "20", "--out", out, "--json"),
  );
  tasks = tasksIn(out);
});

afterAll(() => rmSync(folder, { recursive: true }));

const take = async (values: readonly unknown[], ...args: string[]) =>
  JSON.parse(await presence("revisit", "take", write("found.ndjson", values), "--json", ...args));

test("the tasks are a drawn plan, mixed, without a name or a row of anything", () => {
  expect(planned).toMatchObject({
    city: "toronto",
    assets: 60,
    cells: 20,
    tasks: 80,
    visit_until: "2026-06-30",
  });
  expect(tasks.filter(({ kind }) => kind === "place")).toHaveLength(60);
  expect(tasks.map(({ task }) => task)).toEqual(tasks.map(({ task }) => task).sort());
  const text = readFileSync(join(folder, "tasks.ndjson"), "utf8");
  expect(text).not.toMatch(/Maple|Birch|Cedar|asset"|public_id/);
  using reader = openLedgerReader(home.ledger);
  const [plan] = reader.live.revisits();
  if (plan?.body.step !== "plan") throw new Error("no plan");
  for (const row of plan.body.assets) expect(text).not.toContain(`:${row},`);
});

test("a second plan is refused while the first is open: nobody draws until it suits", async () => {
  await expect(presence("revisit", "plan", "toronto", "--out", join(folder, "x"))).rejects.toThrow(
    /this seal has already drawn a plan/,
  );
  now = "2026-05-03T12:00:00Z";
  await presence("city", "pause", "toronto");
  await presence("seal", "--now");
  await expect(presence("revisit", "plan", "toronto", "--out", join(folder, "x"))).rejects.toThrow(
    /waits for its result until 2026-06-30/,
  );
  await expect(presence("revisit", "plan", "atlantis")).rejects.toThrow(/has no such city/);
});

const oneVisit = () => {
  now = "2026-05-10T12:00:00Z";
  const [first] = tasks;
  const cell = tasks.find((task) => task.kind === "cell" && task !== first);
  if (first === undefined || cell === undefined) throw new Error("no task");
  return { first: visit(first), cell: visit(cell) };
};

test.each<[string, (visits: ReturnType<typeof oneVisit>) => readonly unknown[], RegExp]>([
  ["nothing", () => [], /the file has no visit/],
  ["what is not JSON", () => [1, 2].map(() => undefined), /line 1: it is not JSON/],
  ["a list for a visit", () => [[]], /line 1: /],
  ["a plan of nowhere", ({ first }) => [{ ...first, plan: "toronto-0000" }], /its plan is no plan/],
  ["two plans", ({ first, cell }) => [first, { ...cell, plan: "x" }], /line 2: it is of another plan/],
  ["an unknown task", ({ first }) => [{ ...first, task: "0123456789ab" }], /its task is no task of the plan/],
  ["a task twice", ({ first }) => [first, first], /line 2: .*already answered by line 1/],
  ["another cell", ({ first }) => [{ ...first, h3_cell: "882b9bc001fffff" }], /its h3_cell is not/],
  [
    "a visit before the plan",
    ({ first }) => [{ ...first, visited_on: "2026-04-30" }],
    /visited_on must be from/,
  ],
  [
    "a visit after its time",
    ({ first }) => [{ ...first, visited_on: "2026-07-01" }],
    /visited_on must be from/,
  ],
  ["a visit tomorrow", ({ first }) => [{ ...first, visited_on: "2026-05-11" }], /in the future/],
  ["a time of day", ({ first }) => [{ ...first, visited_on: "2026-05-09T10:00:00Z" }], /visited_on: /],
  ["found and not reached", ({ first }) => [{ ...first, unreachable: true }], /give either found/],
  ["neither", ({ first: { found, ...rest } }) => [rest], /give either found/],
  [
    "a sign elsewhere",
    ({ cell }) => [{ ...cell, found: [{ ...there[0], lat: 44.5 }] }],
    /sign 1: its position is not at the place/,
  ],
  [
    "a vehicle",
    ({ cell }) => [{ ...cell, found: cell.found.map((sign) => ({ ...sign, asset_type: "vehicle_wrap" })) }],
    /sign 1: asset_type must be one of/,
  ],
  [
    "a name without a letter",
    ({ cell }) => [{ ...cell, found: cell.found.map((sign) => ({ ...sign, name: "\u200b" })) }],
    /sign 1: name has no visible character/,
  ],
  ["a hostile member", ({ first }) => [{ ...first, plan: { length: { toString: null } } }], /line 1: plan/],
])("%s is refused by name, and nothing is written", async (_, lines, message) => {
  await expect(take(lines(oneVisit()))).rejects.toThrow(message);
  using reader = openLedgerReader(home.ledger);
  expect(reader.live.revisits()).toHaveLength(1);
});

test("what scouts found is matched, shown, taken once, and published with its intervals", async () => {
  now = "2026-05-10T12:00:00Z";
  const visits = tasks.map(visit);
  const [unreached, ...others] = visits;
  const { found: _, ...bare } = unreached ?? { found: [] };
  const noted = [
    { ...bare, unreachable: true },
    // Noted twice, and a sign that names nobody: neither counts.
    ...others.map((each) => ({
      ...each,
      found: [
        ...each.found,
        ...each.found.slice(0, 1),
        ...each.found.slice(0, 1).map((sign) => ({ ...sign, name: "OPEN" })),
      ],
    })),
  ];
  const shown = await take(noted);
  const { confirm, ...facts } = shown;
  expect(facts).toMatchObject({ tasks: 80, tasks_answered: 80, visited_from: "2026-05-09" });
  expect(facts.signs_left_out).toBeGreaterThan(0);
  await expect(take(noted, "--confirm", "00000000")).rejects.toThrow(
    "the ledger or the request has changed since",
  );
  const { row, ...taken } = await take(noted, "--confirm", confirm);
  expect(taken).toEqual(facts);
  await expect(take(noted)).rejects.toThrow(`already has a result, in row ${row}`);

  await presence("seal", "--now");
  const { measurement, ...answer } = published("2026-05-11T12:00:00Z");
  expect(answer).toMatchObject({ plans: 1, plans_without_result: 0 });
  expect(measurement).toMatchObject({ result_row: row, age_days: 2, supports_high: true });
  // The truth of the drawn ones, counted from the town alone.
  const cells = new Set(
    visits.map(({ h3_cell }) => h3_cell).filter((cell, at) => at > 0 && isCellTask(at) && cell),
  );
  const searched = streets.filter(({ cell }) => cells.has(cell));
  const listed = searched.flatMap(({ listed, gone }) => listed.filter((sign) => !gone.includes(sign)));
  expect(measurement?.detection_rate.total).toMatchObject({
    hits: listed.length,
    signs: listed.length + searched.length,
  });
  expect(measurement?.precision.total.signs).toBe(tasks[0]?.kind === "place" ? 59 : 60);
  const { low = 1, high = 0 } = measurement?.precision.total.confidence_interval ?? {};
  const truth =
    1 - streets.flatMap(({ gone }) => gone).length / streets.flatMap(({ listed }) => listed).length;
  expect(low).toBeLessThan(truth);
  expect(high).toBeGreaterThan(truth);
});

const isCellTask = (at: number) => tasks[at]?.kind === "cell";

/** The published accuracy of a release of the ledger. */
function published(asOf: string) {
  using reader = openLedgerReader(home.ledger);
  const out = join(folder, `snapshot-${asOf.slice(0, 10)}.db`);
  buildSnapshot({
    ledgerPath: home.ledger,
    out,
    treeSize: reader.latestCheckpoint()?.size ?? 0,
    asOf: Date.parse(asOf),
    settings: ReleaseSettings.parse({ baseUrl: "https://example.org", sourceRevision: "test" }),
    reference: { gazetteer: [], industries: INDUSTRIES },
  });
  const context = contextAt(out);
  try {
    return cityAccuracy.read(context, { city: "toronto" }, {});
  } finally {
    context.close();
  }
}
