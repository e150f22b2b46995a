import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { z } from "zod";
import { EntityResponse } from "../../src/contract/records/entity.ts";
import { homePaths, releasePaths } from "../../src/kernel/home.ts";
import { isoTime } from "../../src/kernel/time.ts";
import { contextAt } from "../../src/resources/release-store.ts";
import { questions } from "../../src/site/pages/data.ts";
import { PROJECT } from "../support/operations/presence-process.ts";
import { scriptOutput } from "../support/outside.ts";
import { isTrial } from "../support/trial.ts";

/** The questions of docs/data-questions.md, answered by DuckDB from the files of the demonstration, against what its snapshot says. */

const asked = questions(readFileSync(join(PROJECT, "docs/data-questions.md"), "utf8"));
const { site, snapshot } = releasePaths(homePaths(inject("demoHome")).current);

test("every question has its text and its SQL", () => {
  expect(asked).toHaveLength(5);
  for (const { title, text, sql } of asked) {
    expect(title).toMatch(/\?$/);
    expect(text.length).toBeGreaterThan(30);
    expect(sql).toMatch(/^SELECT [\s\S]*;$/);
  }
});

describe.runIf(isTrial)("DuckDB", () => {
  const SCRIPT = `
    import { DuckDBInstance } from "@duckdb/node-api";
    const [folder, queries] = process.argv.slice(2);
    process.chdir(folder);
    const connection = await (await DuckDBInstance.create()).connect();
    const answers = [];
    for (const sql of JSON.parse(queries)) answers.push((await connection.runAndReadAll(sql)).getRowObjectsJson());
    console.log(JSON.stringify(answers));
  `;
  const read = <T extends z.ZodType>(path: string, shape: T): z.output<T> =>
    shape.parse(JSON.parse(readFileSync(join(site, "api/v1", path), "utf8")));
  const records = readdirSync(join(site, "api/v1/entity"))
    .filter((name) => name.endsWith(".json"))
    .map((name) => read(`entity/${name}`, EntityResponse));
  let answers: Record<string, unknown>[][];

  beforeAll(() => {
    const sql = JSON.stringify(asked.map((each) => each.sql));
    const said = scriptOutput({ "@duckdb/node-api": "1.5.6-r.1" }, SCRIPT, join(site, "exports"), sql);
    answers = z.array(z.array(z.record(z.string(), z.unknown()))).parse(JSON.parse(said));
  });

  test("which cities are dense", () => {
    const cities = read("cities.json", z.array(z.looseObject({ slug: z.string() })));
    const tierOf = (slug: string) =>
      read(`coverage-status/${slug}.json`, z.looseObject({ coverage: z.looseObject({ tier: z.string() }) }))
        .coverage.tier;
    const dense = cities.map(({ slug }) => slug).filter((slug) => tierOf(slug) === "dense");
    expect(answers[0]?.map(({ city }) => city)).toEqual(dense.toSorted());
  });

  test("what is new this month", () => {
    const context = contextAt(snapshot);
    const events = context.snapshot
      .cities()
      .flatMap(({ slug }) => context.snapshot.eventsOf(slug, { since: 0, limit: Number.MAX_SAFE_INTEGER }));
    const month = (ms: number) => isoTime(ms).slice(0, 7);
    const newest = month(Math.max(...events.map(({ detectedAt }) => detectedAt)));
    const names = events
      .filter(({ type, detectedAt }) => type.startsWith("new_") && month(detectedAt) === newest)
      .map(({ recordName }) => recordName);
    context.close();
    expect(names.length).toBeGreaterThan(0);
    expect(answers[1]?.map(({ entity_name }) => entity_name).toSorted()).toEqual(names.toSorted());
  });

  test("what has not been seen for half a year, although somebody looked", () => {
    const days = (answers[2] ?? []).map((row) => [row["name"], Number(row["months_looked_since"])]);
    const assets = records.flatMap(({ entity, assets }) =>
      assets.map((asset) => ({ name: entity.name, ...asset })),
    );
    const newest = assets.reduce(
      (last, { last_observed_on: day }) => (day !== null && day > last ? day : last),
      "",
    );
    const before = new Date(newest);
    before.setUTCMonth(before.getUTCMonth() - 6);
    const unseen = assets
      .filter(({ months_looked_since: months }) => (months ?? 0) > 0)
      .filter(({ last_observed_on: day }) => day !== null && Date.parse(day) < before.getTime())
      .map(({ name, months_looked_since: months }) => [name, months]);
    expect(days.toSorted()).toEqual(unseen.toSorted());
  });

  test("which names are in several cities", () => {
    const byName = Map.groupBy(records, ({ entity }) => entity.name.toLowerCase());
    const several = [...byName].filter(([, same]) => new Set(same.map(({ entity }) => entity.city)).size > 1);
    expect(answers[3]?.map(({ name }) => name).toSorted()).toEqual(several.map(([name]) => name).toSorted());
  });

  test("how sure each record is", () => {
    expect(answers[4]).toHaveLength(records.length);
    const counts = new Map(
      answers[4]?.map((row) => [row["public_id"], Number(row["independent_observer_count"])]),
    );
    for (const { entity } of records)
      expect(counts.get(entity.public_id), entity.name).toBe(entity.independent_observer_count);
  });
});
