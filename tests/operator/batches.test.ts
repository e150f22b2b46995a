import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readNightlyStatus } from "../../src/kernel/status-files.ts";
import { Operator } from "../support/operations/operator.ts";
import { DAYS, foundTown, ndjson, TOWN_SLUG, townObservations } from "../support/towns/town.ts";

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
    "presence: FOLDER/empty.ndjson: the file is empty",
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

test("a first delivery waits for the operator, and so does what is outside the bounds, and the night says so", async () => {
  using operator = await town();
  const [first, ...lines] = [...townObservations({ ...TOWN, observations: 400 })];
  const source = String(first?.source);
  const nice = lines.filter((line) => line.source === source).slice(0, 30);
  const file = operator.write("nice.ndjson", ndjson(nice));
  const ingested = await operator.run(["ingest", file, ...CLOCK]);
  const reason = `first delivery of ${source} for ${TOWN_SLUG}`;
  expect(ingested.stderr).toContain(
    `b1 waits for your approval: ${reason}: \`presence batch show b1\`, then \`presence batch approve b1\``,
  );
  const waits = [
    [["batch", "list"], `\n  b1 waits for your approval: ${reason}: `],
    [["today"], "first delivery, waits for your approval (`presence batch show BATCH`): b1\n"],
  ] as const;
  for (const [command, said] of waits) expect(await operator.ok([...command])).toContain(said);
  const night = await operator.run(["nightly", ...NEXT]);
  expect([night.code, night.stderr]).toEqual([
    0,
    expect.stringContaining(`batch b1 (${file}) is held back: ${reason}`),
  ]);
  const seal = readNightlyStatus(operator.home.nightly)?.steps.find(({ name }) => name === "seal")?.facts;
  expect(seal).toMatchObject({ lines_taken_in: 0, batches_held_back: 1 });
  const doctor = await operator.run(["doctor"]);
  expect(doctor.stdout).toContain("batch b1 waits for your approval");
  expect(await shown(operator, "list", "--state", "held_back")).toMatchObject([
    { batch: "b1", held_back: 30 },
  ]);
  const preview = await operator.ok(["batch", "show", "b1"]);
  expect(preview).toContain(`${source} for ${TOWN_SLUG}, 2026-05-01: 30 lines, 30 (100 %) with new names, `);
  expect(preview).toContain(String(nice[0]?.name));
  expect(preview).toContain(`why it was held back:\n  ${reason}\n`);
  expect(await shown(operator, "approve", "b1", "--clock", "2026-05-02T09:00:00Z")).toMatchObject({
    state: "approved",
    dated: "2026-05-02",
  });
  const wild = Array.from({ length: 233 }, (_, at) => ({
    ...nice[0],
    source_ref: `wild ${at}`,
    name: `${"ABCDEFGHIJ"[at % 10]}rk ${"qwzxkvjgpf"[Math.floor(at / 10) % 10]}omp ${at > 99 ? "ult" : "ox"}${"ab"[at % 2]}`,
  }));
  await operator.ok([
    "ingest",
    operator.write("wild.ndjson", ndjson(wild)),
    "--clock",
    "2026-05-03T06:00:00Z",
  ]);
  const next = await operator.run(["seal", "--json", "--clock", "2026-05-04T00:10:00Z"]);
  expect(JSON.parse(next.stdout)).toMatchObject({ lines_taken_in: 30, batches_held_back: 1 });
  expect(next.stderr).toContain("is held back: 100.0 % of the lines of ");
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

test("nonsense records leave the public with their batch, endpoints are told, and all its rows are erased in one go", async () => {
  using operator = await town();
  const lines = [...townObservations(TOWN)];
  const nonsense = lines.slice(0, 30).map((line, at) => ({
    ...line,
    name: `Nonsense ${"abcdefghij"[at % 10]}${at}`,
    source_ref: `wrong ${at}`,
    lat: line.lat + 0.01,
  }));
  await operator.ok(["ingest", operator.write("good.ndjson", ndjson(lines)), "--synthetic", ...CLOCK]);
  await operator.ok(["ingest", operator.write("bad.ndjson", ndjson(nonsense)), "--synthetic", ...CLOCK]);
  await operator.ok(["seal", ...NEXT]);
  const build = ["build", "--as-of", "2026-05-02T07:00:00Z"];
  await operator.ok(build);
  const site = `${operator.home.current}/site`;
  const index = () => readFileSync(`${site}/api/v1/city/${TOWN_SLUG}/index.json`, "utf8");
  expect(index()).toContain("Nonsense");

  const again = ["--clock", "2026-05-02T08:00:00Z"];
  const plan = await shown(operator, "undo", "b2", ...again);
  expect(plan).toMatchObject({ rows: 30, records_withdrawn: 30, assets_withdrawn: 30 });
  await operator.ok(["batch", "undo", "b2", "--confirm", plan.confirm, ...again]);
  expect(await shown(operator, "undo", "b2", "--confirm", plan.confirm, ...again)).toMatchObject({ rows: 0 });
  await operator.ok(["seal", ...again]);
  await operator.ok(build);
  expect(index()).not.toContain("Nonsense");
  const withdrawn = JSON.parse(readFileSync(`${site}/api/v1/withdrawals.json`, "utf8"));
  expect(withdrawn.total_count).toBe(90); // records, assets, observations
  for (const check of ["verify", "replay"]) await operator.ok([check, "--release", site]);

  const redact = ["redact", "--batch", "b2", "--reason", "data_error", ...again];
  const erasure = JSON.parse(await operator.ok([...redact, "--json"]));
  expect(erasure).toMatchObject({
    rows_by_kind: { record: 30, naming: 30, asset: 30, observation: 30, review: 60 },
    pending_lines: 0,
  });
  expect(await operator.ok(redact)).toContain(
    "To erase this: presence redact --batch b2 --reason data_error",
  );
  const confirmed = [...redact, "--confirm", erasure.confirm, "--json"];
  const done = JSON.parse(await operator.ok(confirmed));
  expect(JSON.parse(await operator.ok(confirmed))).toMatchObject({ rows_erased: done.rows_erased });
  for (const check of ["verify", "replay"]) await operator.ok([check, "--release", site]);
  const bytes = readFileSync(operator.home.ledger).toString("latin1");
  expect(bytes).not.toContain("Nonsense");
  expect(await operator.refused(redact)).toContain("batch b2 has no row and no line");
});

test("a batch is erased before its seal, too; what names no batch is refused", async () => {
  using operator = await town();
  const lines = [...townObservations({ ...TOWN, observations: 20 })];
  await operator.ok(["ingest", operator.write("a.ndjson", ndjson(lines)), "--synthetic", ...CLOCK]);
  const redact = ["redact", "--batch", "b1", "--reason", "data_error", ...CLOCK];
  const { confirm, ...plan } = JSON.parse(await operator.ok([...redact, "--json"]));
  expect(plan).toMatchObject({ rows: 0, pending_lines: 20 });
  expect(await operator.refused([...redact, "--confirm", "00000000"])).toContain("does not match");
  for (let time = 0; time < 2; time += 1) await operator.ok([...redact, "--confirm", confirm]);
  expect(await shown(operator, "show", "b1")).toMatchObject({ state: "undone", waiting: 0, rows: 0 });
  const reason = ["--reason", "data_error"];
  expect(await operator.refused(["redact", "b1", ...reason])).toContain("for all of it give --batch b1");
  expect(await operator.refused(["redact", "--batch", "x", ...reason])).toContain("--batch must be the name");
  expect(await operator.refused(["redact", "--batch", "b9", ...reason])).toContain("no batch b9");
  expect(await operator.refused(["redact", "4", "--batch", "b1", ...reason])).toContain("give what to erase");
  expect(await operator.refused(["redact", ...reason])).toContain("give what to erase");
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
