import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterAll, describe, expect, inject, test } from "vitest";
import { REVIEW_NOTICE } from "../../src/contract/citation/citation.ts";
import { checkPhysicalEvidence, type EvidenceCheck } from "../../src/contract/mcp/evidence-tools.ts";
import { cityIndexTool, publishedTool, TOOLS } from "../../src/contract/mcp/tools.ts";
import { homePaths, releasePaths } from "../../src/kernel/home.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { cityDate } from "../../src/kernel/time.ts";
import { finishedCalls } from "../../src/mcp/call-notes.ts";
import { callTool } from "../../src/mcp/call-tool.ts";
import { citation as citationResource } from "../../src/resources/citations/citation.ts";
import { contextAt } from "../../src/resources/release-store.ts";
import type { RecordRow } from "../../src/snapshot/rows.ts";
import { DEMO_BASE_URL } from "../support/towns/demo-home.ts";

/** What the tools say of every record of the demonstration. */

const release = contextAt(releasePaths(homePaths(inject("demoHome")).current).snapshot);
const { snapshot } = release;
const parts = {
  context: () => release,
  log: silentLog,
  newFailureId: () => "failed",
  finished: finishedCalls(),
};
const records = [...snapshot.publicIds()].flatMap((id) => snapshot.record(id) ?? []);
const namesakes = Map.groupBy(records, ({ city, name }) => `${city} ${name}`);

afterAll(() => release.close());

const ajv = new Ajv2020.default({ strict: false });
addFormats.default(ajv);
const schemas = new Map(TOOLS.map((tool) => [tool.name, ajv.compile(publishedTool(tool).outputSchema)]));

/** The structure of an answer that fits its published schema. */
function call(name: string, given: object): unknown {
  const { structuredContent, isError } = callTool(parts, name, given, () => undefined);
  const fits = schemas.get(name);
  expect([isError, fits?.(structuredContent), fits?.errors], JSON.stringify(given)).toEqual([
    undefined,
    true,
    null,
  ]);
  return structuredContent;
}

const check = ({ name, city }: Pick<RecordRow, "name" | "city">): EvidenceCheck =>
  checkPhysicalEvidence.output.parse(call("check_physical_evidence", { business_name: name, city }));

const isAlone = ({ name, city }: RecordRow) => namesakes.get(`${city} ${name}`)?.length === 1;

const WORDS_OF_STATE = {
  provisional: /not yet (independently )?corroborated/,
  corroborated: /corroborated by|independent observers/,
  verified: /verified in review/,
  rejected: /(?!)/,
};

/** Tokens of an answer for whoever pays for them, about four characters each. The text block, which repeats it, counts once. */
const tokens = (answer: unknown) => JSON.stringify(answer).length / 4;

describe("every default answer fits the context of an agent:", () => {
  const cities = snapshot.cities().map(({ slug }) => slug);
  const named = (city: string) => records.filter((record) => record.city === city).map(({ name }) => name);

  test("one record, by its name", () => {
    for (const { name, city } of records) {
      expect(tokens(call("get_physical_presence", { business_name: name, city }))).toBeLessThan(2000);
      expect(tokens(check({ name, city }))).toBeLessThan(2000);
      expect(tokens(call("check_business_reality", { name_or_address: name, city }))).toBeLessThan(2000);
    }
  });

  test("one name in all cities, and the list of these", () => {
    for (const business_name of ["ing", "The", "Nobody's Bakery", ...records.map(({ name }) => name)])
      for (const tool of ["get_physical_presence", "check_physical_evidence"])
        expect(tokens(call(tool, { business_name }))).toBeLessThan(2000);
    expect(tokens(call("city_index", {}))).toBeLessThan(2400);
  });

  test.each(cities)("lists of %s", (city) => {
    expect(tokens(call("city_index", { city }))).toBeLessThan(2400);
    for (const since of ["2025-01-01", undefined])
      expect(tokens(call("get_pulse", { city, since }))).toBeLessThan(2000);
    const names = [...named(city), ...["ing", "ery", "and", "Old", "oo", "Nobody's Bakery", "x", "The"]];
    for (let at = 0; at + 10 <= names.length; at += 5) {
      const business_names = names.slice(at, at + 10);
      expect(tokens(call("compare_presence", { business_names, city }))).toBeLessThan(2800);
    }
  });

  test("and says in full what it leaves out", () => {
    const [{ city, name } = { city: "", name: "" }] = records;
    const whole = { city, detail: "full" };
    for (const [tool, given] of [
      ["get_physical_presence", { business_name: name }],
      ["compare_presence", { business_names: named(city).slice(0, 10) }],
      ["city_index", {}],
      ["get_pulse", { since: "2025-01-01" }],
    ] as const)
      expect(tokens(call(tool, { ...given, ...whole }))).toBeGreaterThan(
        tokens(call(tool, { ...given, city })) * 1.2,
      );
  });
});

/** The link of a citation leads to its words, and to the notice of a review where there is one. */
function expectResolved(text: string, url: string): void {
  const { citation, newest, status } = citationResource.read(
    release,
    { id: new URL(url).pathname.split("/")[2] ?? "" },
    {},
  );
  expect(["current", "disputed"]).toContain(status);
  expect(newest?.quote).toBe(text);
  expect((status === "disputed" ? `${REVIEW_NOTICE} ` : "") + citation?.quote).toBe(text);
  expect(citation?.quote).toMatch(/^Demonstration data, not a real observation: /);
}

describe("every record, asked for by its name", () => {
  test("is found, unless another has the same one", () => {
    for (const record of records) {
      const { verdict, entity, candidates } = check(record);
      const found = candidates?.map(({ public_id }) => public_id) ?? [entity?.public_id];
      expect(found).toContain(record.publicId);
      expect(verdict === "ambiguous_name").toBe(!isAlone(record));
    }
    expect(records.filter((record) => !isAlone(record)).length).toBeGreaterThan(0);
  });

  test("with others of the same name is counted and not quoted, and found by its id", () => {
    for (const record of records.filter((one) => !isAlone(one))) {
      const { citation, candidates } = check(record);
      expect(citation).toMatch(
        /^\d+ Presence Records in \w+ have the name ".*, and this sentence quotes none of them\. /,
      );
      expect(citation.startsWith(`${candidates?.length} `)).toBe(true);
    }
    for (const { publicId: public_id, city } of records) {
      const found = checkPhysicalEvidence.output.parse(call("check_physical_evidence", { public_id, city }));
      expect(found.entity).toMatchObject({ public_id, matched_by: "public_id" });
      call("get_physical_presence", { public_id, city });
      call("check_business_reality", { public_id, city });
    }
  });

  test("says how certain its evidence is", () => {
    let said = 0;
    for (const record of records.filter(isAlone)) {
      const { summary, cited_observation: row, citation_count } = check(record);
      if (row === undefined) continue;
      said += 1;
      expect(summary).toMatch(WORDS_OF_STATE[row.verif_state]);
      expect(summary.includes("seen once")).toBe(citation_count === 1);
    }
    expect(said).toBeGreaterThan(records.length / 2);
  });

  test("is cited by its newest accepted row, in a sentence with all that is needed to check it", () => {
    let cited = 0;
    for (const record of records.filter(isAlone)) {
      const { citation, citation_url, cited_observation: row, entity } = check(record);
      if (row === undefined || entity === undefined) continue;
      cited += 1;
      const { lng = 0 } = snapshot.city(record.city) ?? {};
      const date = cityDate(Date.parse(row.observed_at), lng);
      for (const part of [entity.name, entity.city, date, `ledger row ${row.id},`])
        expect(citation).toContain(part);
      expect(citation).toContain(`(${row.presence_kind.replace("_", " ")})`);
      expect(citation_url).toMatch(`${DEMO_BASE_URL}/cite/${record.publicId}.${row.id}.`);
      expect(citation.endsWith(`rows. ${citation_url}`)).toBe(true);
      expect(citation).toMatch(/corroborated|verified in review/);
      expectResolved(citation, citation_url ?? "");
      const rows = snapshot.observationsOf(record.id, { limit: 20 });
      const accepted = rows.filter(({ state }) => state !== "rejected").map(({ observedAt }) => observedAt);
      expect(Date.parse(row.observed_at)).toBe(Math.max(...accepted));
      expect(rows.find(({ id }) => id === row.id)?.ledgerHash).toBe(row.ledger_hash);
    }
    expect(cited).toBeGreaterThan(records.length / 2);
  });

  test("fits the schemas of the other tools", () => {
    for (const { name, city } of records) {
      call("get_physical_presence", { business_name: name, city });
      call("check_business_reality", { name_or_address: name, city });
      call("compare_presence", { business_names: [name, name.slice(0, 5)], city });
    }
  });
});

test.each(snapshot.cities())(
  "$slug: the pages of the index hold every record once, as many as they say",
  ({ slug, name }) => {
    call("get_pulse", { city: name, since: "2026-01-01" });
    const page = (cursor?: string) =>
      cityIndexTool.output.parse(
        call("city_index", { city: name, limit: 30, ...(cursor === undefined ? {} : { cursor }) }),
      );
    const pages = [page()];
    for (let last = pages[0]; last?.has_more === true; last = pages.at(-1))
      pages.push(page(last.next_cursor));
    const ids = pages.flatMap(({ rankings }) => rankings.map(({ public_id }) => public_id));
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(pages.map(({ total_count }) => total_count))).toEqual(new Set([ids.length]));
    expect(ids.length).toBe(snapshot.cityIndexCount(slug, {}));
  },
);
