import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readNightlyStatus } from "../../src/kernel/status-files.ts";
import { Operator } from "../support/operations/operator.ts";
import { DAYS, foundTown, ndjson, townObservations } from "../support/towns/town.ts";

/** Files as an operator manages them: what came of each, what is held back, and the ways back. */

const TOWN = { seed: 3, observations: 240, records: 12 };
const CLOCK = ["--clock", DAYS.ingest];
const NEXT = ["--clock", "2026-05-02T00:10:00Z"];

async function town(): Promise<Operator> {
  const operator = new Operator();
  await foundTown(operator);
  return operator;
}

function shown(operator: Operator, ...args: string[]) {
  return operator.ok(["batch", ...args, "--json"]).then((text) => JSON.parse(text));
}

test("a file that brings nothing, too little or is empty is refused, and one that is known is not", async () => {
  using operator = await town();
  const ingest = (name: string, lines: readonly unknown[], ...args: string[]) => [
    ...["ingest", operator.write(name, ndjson(lines)), "--synthetic", ...CLOCK],
    ...args,
  ];
  const good = [...townObservations(TOWN)];
  const bad = good.slice(0, 15).map((line) => ({ ...line, lat: 0, lng: 0 }));
  expect(await operator.refused(ingest("empty.ndjson", []))).toBe(
    "presence: FOLDER/empty.ndjson: the file is empty: it has no line",
  );
  expect(await operator.refused(ingest("bad.ndjson", bad))).toContain(
    "FOLDER/bad.ndjson: nothing came in: all 15 lines were rejected",
  );
  const mixed = [
    ...good.slice(0, 15),
    ...bad.map((line) => ({ ...line, source_ref: `bad ${line.source_ref}` })),
  ];
  expect(await operator.refused(ingest("mixed.ndjson", mixed, "--max-rejected", "0.4"))).toContain(
    "15 of 30 lines were rejected, more than --max-rejected 0.4 allows; what was accepted waits as batch b3",
  );
  await operator.ok(ingest("mixed.ndjson", mixed));
  await operator.ok(ingest("good.ndjson", good));
  await operator.ok(ingest("good.ndjson", good));
  expect(await operator.refused(ingest("x.ndjson", good, "--max-rejected", "2"))).toContain(
    "--max-rejected must be a share from 0 to 1 (got 2)",
  );
  const list = await shown(operator, "list");
  expect(list.map(({ batch, state, read }: Record<string, unknown>) => [batch, state, read])).toEqual([
    ["b6", "empty", 240],
    ["b5", "pending", 240],
    ["b4", "empty", 30],
    ["b3", "pending", 30],
    ["b2", "empty", 15],
    ["b1", "empty", 0],
  ]);
  expect(await operator.ok(["batch", "undo", "b5", ...CLOCK])).toContain("lines deleted");
  expect((await shown(operator, "show", "b5")).state).toBe("undone");
  await operator.ok(ingest("good.ndjson", good)); // the same lines may come again
});

test("a batch outside the bounds waits for the operator, and the night says so", async () => {
  using operator = await town();
  const lines = [...townObservations({ ...TOWN, observations: 400 })];
  const file = operator.write("wild.ndjson", ndjson(lines));
  await operator.ok(["ingest", file, "--synthetic", ...CLOCK]);
  const env = { BRAKE_MAX_NEW_NAMES: "0.5" };
  const { stderr, code } = await operator.run(["nightly", ...NEXT], { env });
  expect(code).toBe(0);
  expect(stderr).toContain(
    `batch b1 (${file}) is held back: 100.0 % of the accepted lines have names that no night before had: the bound is 50.0 %`,
  );
  const seal = readNightlyStatus(operator.home.nightly)?.steps[0]?.facts;
  expect(seal).toMatchObject({ lines_taken_in: 0, batches_held_back: 1 });
  const doctor = await operator.run(["doctor"], { env });
  expect(doctor.stdout).toContain("batch b1 is outside the bounds of what comes in, and waits");
  expect(await shown(operator, "list", "--state", "held_back")).toMatchObject([
    { batch: "b1", held_back: 400 },
  ]);
  expect(await shown(operator, "approve", "b1", "--clock", "2026-05-02T09:00:00Z")).toMatchObject({
    state: "approved",
    dated: "2026-05-02",
  });
  const taken = await operator.ok(["seal", "--json", "--clock", "2026-05-03T00:10:00Z"], { env });
  expect(JSON.parse(taken)).toMatchObject({ lines_taken_in: 400, batches_held_back: 0 });
});

test("a batch with rows is undone by one command, which says what it gives away; the release is verified and replayed", async () => {
  using operator = await town();
  const lines = [...townObservations({ ...TOWN, observations: 400 })];
  const parts = [lines.slice(0, 300), lines.slice(300)];
  for (const [at, part] of parts.entries())
    await operator.ok(["ingest", operator.write(`${at}.ndjson`, ndjson(part)), "--synthetic", ...CLOCK]);
  await operator.ok(["seal", ...NEXT]);
  const again = ["--clock", "2026-05-02T06:00:00Z"];
  const preview = await operator.ok(["batch", "undo", "b2", ...again]);
  expect(preview).toContain("This publishes that these");
  expect(preview).toContain("came in one batch: each gets a recount row with the code batch_undone");
  const plan = await shown(operator, "undo", "b2", ...again);
  expect(await operator.refused(["batch", "undo", "b2", "--confirm", "00000000", ...again])).toContain(
    "--confirm 00000000 does not match",
  );
  expect(await shown(operator, "undo", "b2", "--confirm", plan.confirm, ...again)).toMatchObject({
    state: "undone",
    rows: 100,
    rows_that_stop_counting: plan.rows_that_stop_counting,
  });
  await operator.ok(["seal", ...again]);
  await operator.ok(["build", "--as-of", "2026-05-02T07:00:00Z"]);
  const site = `${operator.home.current}/site`;
  await operator.ok(["verify", "--release", site]);
  await operator.ok(["replay", "--release", site]);
});

test("an encoding, a delimiter, and dates that can be read in two ways", async () => {
  using operator = await town();
  const [line] = townObservations(TOWN);
  if (line === undefined) throw new Error("the town has no line");
  const { source_type, source, asset_type, lat, lng } = line;
  const map = operator.write(
    "map.json",
    JSON.stringify({
      columns: { name: "name", seen: "observed_at", id: "source_ref" },
      constants: { source_type, source, asset_type, observer: "o-1", lat: String(lat), lng: String(lng) },
      date_formats: ["DD/MM/YYYY", "MM/DD/YYYY"],
    }),
  );
  const csv = (...dates: string[]) =>
    `id;name;seen\n${dates.map((date, at) => `${at};Café;${date}\n`).join("")}`;
  const file = operator.write("visits.csv", Buffer.from(csv("03/04/2026"), "latin1"));
  const args = ["ingest", file, "--map", map, "--synthetic", "--delimiter", ";", ...CLOCK];
  expect(await operator.refused([...args, "--encoding", "windows-1252"])).toBe(
    'presence: FOLDER/visits.csv: 03/04/2026 is 2026-04-03 as DD/MM/YYYY and 2026-03-04 as MM/DD/YYYY, and no line of the file decides: leave the right one in "date_formats"',
  );
  writeFileSync(file, Buffer.from(csv("03/04/2026", "25/04/2026"), "latin1"));
  expect(await operator.refused(args)).toContain("nothing came in"); // no UTF-8
  expect(readFileSync(`${file}.rejects.ndjson`, "utf8")).toContain("invalid_encoding");
  await operator.ok([...args, "--encoding", "latin1"]);
  expect(await operator.refused([...args, "--encoding", "klingon"])).toContain("--encoding klingon: unknown");
  expect(await operator.refused([...args, "--delimiter", "::"])).toContain(
    "--delimiter must be one character",
  );
  const stdin = ["ingest", "-", "--map", map, "--synthetic", ...CLOCK];
  expect(await operator.refused(stdin)).toContain("standard input is read once");
});
