import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, inject, test } from "vitest";
import { z } from "zod";
import { type Home, homePaths } from "../../src/kernel/home.ts";
import { readSigner, signingKeyPath } from "../../src/ledger/keys/keys.ts";
import { Operator } from "../support/operations/operator.ts";
import { DishonestOperator, linkTree, replaceFile } from "../support/release/dishonest-operator.ts";
import { serveFiles } from "../trial/real/plain-file-server.ts";

const Report = z.object({
  documents: z.int(),
  numbers: z.int(),
  topics: z.record(z.string(), z.object({ values: z.int(), differ: z.int() })),
  not_replayable: z.record(z.string(), z.int()),
  differences: z.array(
    z.object({ file: z.string(), value: z.string(), published: z.unknown(), replayed: z.unknown() }),
  ),
  faults: z.array(z.object({ subject: z.string(), problem: z.string() })),
});

const demo = homePaths(inject("demoHome"));
const town = homePaths(inject("townHome"));
const release = realpathSync(demo.current);

async function replay(args: readonly string[]) {
  using operator = new Operator();
  const { code, stdout } = await operator.run(["replay", "--json", ...args]);
  return { code, ...Report.parse(JSON.parse(stdout)) };
}

/** A copy of a home's release whose operator signs whatever he likes. */
function dishonestCopy({ current, keys }: Home) {
  const folder = mkdtempSync(join(tmpdir(), "replay-"));
  const copy = join(folder, basename(realpathSync(current)));
  linkTree(realpathSync(current), copy);
  const operator = new DishonestOperator(copy, readSigner(signingKeyPath(keys, "demo")));
  return {
    copy,
    operator,
    async publish(path: string, change: (text: string) => string) {
      const before = readFileSync(join(operator.site, path), "utf8");
      const after = change(before);
      expect(after, path).not.toBe(before);
      replaceFile(join(operator.site, path), Buffer.from(after));
      await operator.signAgain([path]);
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

test("every number of the demonstration follows from its public files", async () => {
  const report = await replay(["--release", release]);
  expect(report).toMatchObject({ code: 0, differences: [], faults: [] });
  expect(report.documents).toBeGreaterThan(1500);
  expect(report.numbers).toBeGreaterThan(100_000);
  const compared = Object.entries(report.topics).filter(([, { values }]) => values > 500);
  expect(compared.map(([topic]) => topic).sort()).toEqual([
    "addresses",
    "aggregates",
    "assets and their states",
    "cohort scores and percentiles",
    "coverage",
    "events",
    "gates",
    "histories",
    "observations",
    "other values",
    "ranks",
    "raw scores and their parts",
    "seals",
    "verification states and weights",
    "what counts as independent",
  ]);
  // Six cities: nothing but what is counted from their private scouts is left out, and what follows from an earlier release, too.
  expect(Object.keys(report.not_replayable).sort()).toEqual([
    "api/v1/machine-activity.json",
    "demand",
    "dense_gate",
    "exports/changes.csv",
    "exports/changes.json",
    "exports/city-coverage.parquet",
    "exports/index.json",
    "independent_scout_observers_180d",
    "next_cursor",
    "snapshot_id",
    "tier_since",
  ]);
});

test("threads that read a folder find what is found over HTTP from any static file server, in the same order", async () => {
  await using server = await serveFiles(join(realpathSync(town.current), "site"));
  const [inFolder, report] = [
    await replay(["--release", realpathSync(town.current)]),
    await replay(["--url", server.url]),
  ];
  expect(report).toMatchObject({ code: 0, differences: [], faults: [] });
  expect(inFolder).toEqual(report);
  expect(Object.keys(inFolder.topics)).toEqual(Object.keys(report.topics));
});

test("whatever a dishonest operator publishes and signs, the replay names it", async () => {
  using copy = dishonestCopy(demo);
  const index = z
    .object({ rankings: z.array(z.object({ public_id: z.string(), rank: z.int().nullable() })) })
    .parse(JSON.parse(readFileSync(join(release, "site/api/v1/city/guelph/index.json"), "utf8")));
  const id = index.rankings.find(({ rank }) => rank === 1)?.public_id ?? "";
  const changes: readonly [path: string, from: RegExp, to: string, value: RegExp][] = [
    ["api/v1/city/guelph/index.json", /"rank":1,/, '"rank":2,', /^rankings\.0\.rank$/],
    [
      `api/v1/presence-score/${id}.json`,
      /"cohort_percentile":[\d.]+/,
      '"cohort_percentile":1',
      /^cohort_percentile$/,
    ],
    [
      `api/v1/observations/${id}.json`,
      /"verif_state":"[a-z]+"/,
      '"verif_state":"rejected"',
      /^observations\.\d+\.verif_state$/,
    ],
    [
      `api/v1/entity/${id}.json`,
      /"required":3,"met":true/,
      '"required":3,"met":false',
      /ranking_gate\.independent_observers\.met$/,
    ],
    [
      `api/v1/entity/${id}/evidence.json`,
      /"total_public":\d+/,
      '"total_public":9999',
      /^observations\.total_public$/,
    ],
    [
      "api/v1/coverage-status/guelph.json",
      /"physical_citations_180d":\d+/,
      '"physical_citations_180d":1',
      /metrics\.physical_citations_180d$/,
    ],
    [
      "exports/cells/guelph.geojson",
      /"observations_90d":\d+/,
      '"observations_90d":999',
      /^features\.\d+\.properties\.observations_90d$/,
    ],
    ["pulse/napier/rss.xml", /<item>/, "<item><!-- -->", /^line \d+$/],
    ["exports/explorer.csv", /\n[a-z]+,/, "\nelsewhere,", /^line \d+$/],
  ];
  for (const [path, from, to] of changes) await copy.publish(path, (text) => text.replace(from, to));
  const { code, differences, faults } = await replay(["--release", copy.copy]);
  expect(code).toBe(1);
  // Two of the changed files are in the list of hashes beside them.
  expect(faults.map(({ subject }) => subject)).toEqual(["exports/SHA256SUMS"]);
  for (const [path, , , value] of changes) {
    const found = differences.filter(({ file }) => file === path);
    expect(found.length, path).toBeGreaterThan(0);
    expect(found[0]?.value, path).toMatch(value);
  }
  expect(new Set(differences.map(({ file }) => file)).size).toBe(changes.length);
});

test("a record that no row knows, and one whose files are missing, are named", async () => {
  using copy = dishonestCopy(town);
  const { operator } = copy;
  const path = "api/v1/entity/demo_invented.json";
  replaceFile(join(operator.site, path), Buffer.from("{}\n"));
  await operator.signAgain([path]);
  const [gone = ""] = Object.keys(operator.manifest.files).filter((file) => file.endsWith("/evidence.json"));
  rmSync(join(operator.site, gone));
  const { code, faults } = await replay(["--release", copy.copy]);
  expect(code).toBe(1);
  expect(faults.map(({ subject }) => subject).sort()).toEqual([gone, path].sort());
});

test("evidence that does not verify is not replayed at all", async () => {
  using copy = dishonestCopy(town);
  await copy.operator.omit(100);
  const { code, documents, faults } = await replay(["--release", copy.copy]);
  expect({ code, documents }).toEqual({ code: 1, documents: 0 });
  expect(faults).toEqual([{ subject: "row 100", problem: expect.stringContaining("silent omission") }]);
});
