import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { hasHeldRelease, homePaths, releasePaths } from "../../src/kernel/home.ts";
import { NightlyStatus } from "../../src/kernel/status-files.ts";
import { openLedgerReader } from "../../src/ledger/reader.ts";
import { openState } from "../../src/state/open-state.ts";
import { Operator } from "../support/operations/operator.ts";
import { endGroup } from "../support/operations/presence-process.ts";
import { addLostRecords } from "../support/release/lost-records.ts";
import { releaseFaults } from "../support/release/whole-release.ts";
import { ndjson, townObservations } from "../support/towns/town.ts";
import {
  confirmed,
  current,
  FIRST,
  json,
  manifestOf,
  recordIn,
  SECOND,
  traces,
  twoTowns,
} from "../support/towns/two-towns.ts";

/**
 * The way back, rehearsed: a mistake makes a release that is held; erasures go out all the same; the ledger is corrected by the commands
 * that there are, and the next night publishes. The mistake: the published release is said to have had records that the next one lacks, and
 * no row of the ledger says why.
 */

const operator = new Operator();
const NIGHT = ["nightly", "--now", "--json"];

const Listed = z.object({
  hold: z.object({ since: z.string(), note: z.string().nullable() }).nullable(),
  releases: z.array(
    z.object({
      release: z.string(),
      state: z.enum(["published", "held", "older"]),
      directory: z.string(),
      findings: z.array(z.object({ bound: z.string(), city: z.string().nullable(), text: z.string() })),
      problem: z.string().nullable(),
    }),
  ),
});

let hour = 8; // erasures come at nine
let minutes = 0;
/** Each command is a minute later than the one before. */
const clock = () => {
  minutes += 1;
  return ["--clock", new Date(Date.UTC(2026, 4, 2, hour, minutes)).toISOString()];
};

let records = 0; // of the second town

beforeAll(async () => {
  await twoTowns(operator, { observations: 200, records: 30 });
  records = json(current(operator), `api/v1/city/${SECOND}/index.json`).total_count;
  expect(records).toBeGreaterThan(10);
  await (await openState(undefined, homePaths(operator.home.root))).close();
});
afterAll(() => operator[Symbol.dispose]());

const list = async () => Listed.parse(JSON.parse(await operator.ok(["release", "list", "--json"])));
const held = async () => (await list()).releases.find(({ state }) => state === "held");
const city = (step: string) => operator.ok(["city", step, SECOND, ...clock()]);
const LOST = 40;
const loseRecords = () => addLostRecords(operator.home, SECOND, LOST);

async function night(): Promise<{ code: number | null; stderr: string; status: NightlyStatus }> {
  const { code, stdout, stderr } = await operator.run([...NIGHT, ...clock()]);
  return { code, stderr, status: NightlyStatus.parse(JSON.parse(stdout)) };
}

function stepFacts({ steps }: NightlyStatus, step: string) {
  return steps.find(({ name }) => name === step)?.facts;
}

test("a release outside the bounds is built, explained and held", async () => {
  const before = current(operator);
  loseRecords();
  const { code, stderr, status } = await night();
  expect(code, stderr).toBe(3);
  expect(status).toMatchObject({ state: "held", exit_code: 3 });
  expect(stderr).toContain(`: ${LOST} of ${records + LOST} records are gone (bound: 5%)`);
  expect(current(operator)).toBe(before);
  const { releases } = await list();
  expect(releases.map(({ state }) => state)).toEqual(["held", "published"]);
  expect(releases[0]).toMatchObject({ problem: null });
  expect(releases[0]?.findings).toContainEqual(
    expect.objectContaining({ bound: "records_gone", city: SECOND }),
  );
  using reader = openLedgerReader(operator.home.ledger);
  expect(releaseFaults(releases[0]?.directory ?? "", reader.keyRing().current)).toEqual([]);
  const said = await operator.ok(["release", "diff"]);
  expect(said).toContain(`${LOST} gone`);
  expect(said).toContain(`${SECOND}: lost without a reason: records gone ${LOST} of ${records + LOST}`);
  expect(said).toMatch(/r9001 {2}Business 9001 .*\[no row explains it\]/);
  const all = JSON.parse(await operator.ok(["release", "diff", "--json", "--city", SECOND])).records;
  expect(all.filter(({ change }: { change: string }) => change === "gone")).toHaveLength(LOST);
  expect(await operator.refused(["release", "diff", "--city", "atlantis"])).toContain(
    "neither release has it",
  );
  expect((await operator.run(["doctor"])).stdout).toMatch(/MEND {3}held release: .* is held since/);
});

test("the held release is nobody's: no reader, no change file and no pruning sees it", async () => {
  const release = (await held())?.release ?? "";
  const visible = readdirSync(operator.home.releases).filter((name) => !name.startsWith("."));
  expect(visible).toEqual([basename(current(operator))]);
  const files = visible.map((name) => `${operator.home.releases}/${name}`);
  expect(files.flatMap((folder) => traces(folder, [release]))).toEqual([]);
});

test("an erasure goes out at once, and the held release has it too", async () => {
  const before = await held();
  const { publicId, texts } = recordIn(operator, FIRST, 1);
  const { code, stderr } = await operator.run(await confirmed(operator, ["opt-out", publicId]));
  expect(code, stderr).toBe(0);
  expect(stderr).toMatch(/published .*\n(.*\n)*held {7}mended: /);
  expect(traces(operator.home.releases, texts)).toEqual([]);
  const after = await held();
  expect(after).toMatchObject({ problem: null, findings: before?.findings });
  expect(after?.release).not.toBe(before?.release);
  expect(manifestOf(current(operator)).mends).toBeDefined();
});

test("one that an erasure has overtaken cannot be approved, and the same command again mends it", async () => {
  const { publicId, texts } = recordIn(operator, FIRST, 1);
  const command = await confirmed(operator, ["opt-out", publicId]);
  const running = operator.start(command);
  running.child.stderr?.on("data", (text: Buffer) => {
    if (String(text).includes("published ")) endGroup(running);
  });
  await running.done;
  const overtaken = await held();
  expect(overtaken?.problem).toMatch(/^row \d+ erased rows after it was built$/);
  expect(await operator.refused(["release", "approve", overtaken?.release ?? ""])).toMatch(
    /cannot be approved: row \d+ erased rows after it was built\. Run `presence nightly` again/,
  );
  await operator.ok(command);
  expect(await held()).toMatchObject({ problem: null });
  expect(traces(operator.home.releases, texts)).toEqual([]);
});

test("once the cause is mended, the next night publishes and nothing is held", async () => {
  hour = 10;
  const { code, stderr } = await night();
  expect(code, stderr).toBe(0);
  expect(await held()).toBeUndefined();
  expect(hasHeldRelease(operator.home.releases)).toBe(false);
  expect(json(current(operator), `api/v1/city/${SECOND}/index.json`).total_count).toBe(records);
  expect(await operator.ok(["verify"])).toContain("no fault");
});

test("what an operator decided holds nothing: a town that is taken out of publication", async () => {
  await city("unpublish");
  const { code, stderr } = await night();
  expect(code, stderr).toBe(0);
  expect(await held()).toBeUndefined();
  await city("publish");
});

test("figures that nobody signed hold the next release", async () => {
  const path = releasePaths(current(operator)).figures;
  const before = readFileSync(path);
  writeFileSync(path, "{}");
  const { code, stderr } = await night();
  expect([code, stderr]).toEqual([3, expect.stringContaining("not the one that figures.note signs")]);
  expect(await operator.refused(["release", "diff"])).toContain("nothing can be compared with it");
  writeFileSync(path, before);
  expect((await night()).code).toBe(0);
});

test("what is meant is approved by its id alone, with the erasures that came meanwhile", async () => {
  await city("pause"); // a row, so that there is something to build
  loseRecords();
  expect((await night()).code).toBe(3);
  const { publicId, texts } = recordIn(operator, FIRST, 1);
  const erasure = await confirmed(operator, ["opt-out", publicId]);
  await operator.ok([...erasure.slice(0, -2), ...clock()]);
  const { release = "" } = (await held()) ?? {};
  expect(await operator.refused(["release", "approve"])).toContain(
    `run \`presence release approve ${release}\``,
  );
  expect(await operator.refused(["release", "approve", "another"])).toContain("is not the held release");
  const approved = JSON.parse(await operator.ok(["release", "approve", release, "--json"]));
  expect(approved).toMatchObject({ published: release, hold_lifted: false, alerts: { events: 0 } });
  expect(manifestOf(current(operator)).release_id).toBe(release);
  expect(JSON.parse(await operator.ok(["release", "approve", release, "--json"]))).toMatchObject({
    published: release,
    alerts: { events: 0 },
  });
  expect(await operator.ok(["verify"])).toContain("no fault");
  expect(JSON.parse(await operator.ok(["replay", "--json"]))).toMatchObject({ differences: [], faults: [] });
  expect(traces(operator.home.releases, texts)).toEqual([]);
});

test("on hold every release waits; its events are queued when it is approved", async () => {
  const sightings = townObservations({ seed: 77, observations: 40, records: 6 });
  const file = operator.write("more.ndjson", ndjson(sightings));
  await operator.ok(["ingest", file, "--synthetic", ...clock()]);
  await operator.ok(["release", "hold", "--note", "audit week"]);
  expect(await operator.ok(["release", "list"])).toMatch(/^on hold since .* \(audit week\)/);
  const { code, stderr, status } = await night();
  expect([code, stderr]).toEqual([3, expect.stringMatching(/is held: /)]);
  expect(stepFacts(status, "alerts")).toMatchObject({ events: 0 });
  const { release = "" } = (await held()) ?? {};
  const approved = JSON.parse(await operator.ok(["release", "approve", release, "--json"]));
  expect(approved).toMatchObject({ published: release, hold_lifted: true });
  expect(approved.alerts.events).toBeGreaterThan(0);
  expect((await list()).hold).toBeNull();
  expect(await held()).toBeUndefined();
  await operator.ok(["release", "hold"]);
  expect(await operator.ok(["release", "approve"])).toMatch(/hold lifted +true/);
  expect(await operator.refused(["release", "approve"])).toContain("nothing is held");
});

test("a spoiled file about held releases stops the build and is named; what is published stays", async () => {
  const before = current(operator);
  operator.write("var/night/release-review.json", '{"hold":null,"held":{"name":"../../etc"}}');
  expect(await operator.refused(["release", "list"])).toMatch(
    /release-review\.json: not readable as .* delete it/,
  );
  expect((await operator.run(["build"])).code).toBe(1);
  expect(current(operator)).toBe(before);
  expect(readFileSync(operator.home.review, "utf8")).toContain("etc");
});
