import { expect, test } from "vitest";
import { AS_OF, day, fakeCity, fakeRecord, release } from "../../../tests/support/release/fake-rows.ts";
import { fakeContext } from "../../../tests/support/release/fake-snapshot.ts";
import { TestTown } from "../../../tests/support/release/town-release.ts";
import { sentenceOf } from "../../contract/citation/sentences.ts";
import { MCP_LIMITS, READS_PER_MINUTE } from "../../contract/limits.ts";
import { isoTime } from "../../kernel/time.ts";
import type { ReadContext } from "../define.ts";
import { contextOf } from "../release-store.ts";
import { SURFACES } from "../surfaces.ts";
import { searchAiReadiness } from "./search-ai-readiness.ts";

const read = (context: ReadContext) => searchAiReadiness.read(context, {}, {});
const total = (shares: readonly { readonly entities: number }[]) =>
  shares.reduce((sum, { entities }) => sum + entities, 0);

const context = fakeContext({
  cities: [fakeCity(1, "Alpha"), fakeCity(2, "Beta"), fakeCity(3, "Gamma")],
  records: [
    fakeRecord(1, { isSynthetic: false, lastObserved: day(30) }),
    fakeRecord(2, { lastObserved: day(31) - 1 }),
    fakeRecord(3, { city: "beta", lastObserved: day(366) }),
    fakeRecord(4, {
      city: "beta",
      isSynthetic: false,
      lastObserved: null,
      observationCount: 0,
      assetCount: 0,
    }),
    fakeRecord(5, { isSynthetic: false, mergedInto: "demo_1", lastObserved: day(0) }),
  ],
});

test("counts what is listed, and what of it is synthetic", () => {
  const { summary } = read(context);
  expect(summary).toMatchObject({
    metrics_available: true,
    metrics_status: "computed_from_release",
    public_entities: 4,
    public_observations: 9,
    public_assets: 3,
    synthetic_entities: 2,
    cities_with_production_evidence: 1,
    latest_public_observation_at: isoTime(day(30)),
    coverage_is_city_specific: true,
  });
  expect(summary.city_distribution).toEqual([
    {
      slug: "alpha",
      name: "Alpha",
      entities: 2,
      synthetic_entities: 1,
      observations: 6,
      assets: 2,
      coverage: { tier: "building", level: "medium" },
    },
    expect.objectContaining({ slug: "beta", entities: 2, synthetic_entities: 1, observations: 3, assets: 1 }),
    expect.objectContaining({ slug: "gamma", entities: 0, synthetic_entities: 0, observations: 0 }),
  ]);
});

test("classes of age include their bounds, and every record is in one", () => {
  expect(read(context).summary.freshness_distribution).toEqual([
    { min_age_days: 0, max_age_days: 30, entities: 1 },
    { min_age_days: 31, max_age_days: 90, entities: 1 },
    { min_age_days: 91, max_age_days: 180, entities: 0 },
    { min_age_days: 181, max_age_days: 365, entities: 0 },
    { min_age_days: 366, max_age_days: null, entities: 1 },
    { min_age_days: null, max_age_days: null, entities: 1 },
  ]);
});

test("a release without records says that it has no figures", () => {
  const { summary } = read(fakeContext({ records: [] }));
  expect(summary).toMatchObject({
    metrics_available: false,
    metrics_status: "no_published_records",
    public_entities: 0,
    public_observations: 0,
    cities_with_production_evidence: 0,
    latest_public_observation_at: null,
  });
  expect(total(summary.city_distribution)).toBe(0);
  expect(total(summary.freshness_distribution)).toBe(0);
});

test("names every surface with its address, and its own", () => {
  const { surfaces, canonical_url, machine_json_url } = read(context);
  expect(surfaces.map(({ name }) => name)).toEqual(SURFACES.map(({ id }) => id));
  for (const { url } of surfaces) expect(url).toMatch(/^https:\/\/presence\.test\/\S+$/);
  expect(surfaces.map(({ url }) => url)).toContain(canonical_url);
  expect(machine_json_url).toBe(`https://presence.test${searchAiReadiness.path}`);
});

test("limits, freshness and citations are those of the service", () => {
  const answer = read(context);
  expect(answer.access_policy).toMatchObject({
    key_required: false,
    rate_limits: {
      reads_per_minute: READS_PER_MINUTE,
      mcp_messages_per_minute: MCP_LIMITS.requestsPerMinute,
      mcp_burst: MCP_LIMITS.burst,
    },
  });
  expect(answer.usage_visibility).toMatchObject({
    available: false,
    reason: expect.stringContaining("/api/v1/machine-activity"),
  });
  const measured = { ...release, activityHash: "0".repeat(64) };
  expect(read(fakeContext({ release: measured })).usage_visibility.available).toBe(true);
  expect(answer.freshness).toMatchObject({ data_as_of: isoTime(AS_OF), current_status: "operational" });
  expect(read(fakeContext({ release: { ...release, lastSealAt: null } })).freshness).toMatchObject({
    current_status: "stale",
    latest_seal_at: null,
  });
  const [observed] = answer.recommended_citations;
  const newest = { row: 12, kind: "location_presence", date: "2026-06-01", state: "provisional" } as const;
  const real = sentenceOf("v1", {
    name: "Joe's",
    city: "Alpha",
    isSynthetic: false,
    accepted: 1,
    states: { provisional: 1, corroborated: 0, verified: 0 },
    observers: 1,
    counted: 1,
    firstDate: "2026-06-01",
    lastDate: "2026-06-01",
    newest,
    treeSize: release.treeSize,
    asOfDate: "2026-06-30",
  });
  const values = { name: "Joe's", city: "Alpha", date: "2026-06-01", row: "12", citation_url: "URL" };
  const filled = Object.entries(values).reduce(
    (text, [name, value]) => text.replaceAll(`{${name}}`, value),
    observed?.template ?? "",
  );
  expect(filled).toBe(`${real} URL`);
});

test("over a real release the distributions add up to the totals", () => {
  using town = new TestTown();
  town.city("toronto");
  town.city("chicago", { lat: 41.88, lng: -87.63 });
  town.city("girona", { lat: 41.98, lng: 2.82 });
  const seen = (name: string, city: string, is_synthetic: boolean, times: readonly string[]) => {
    const record = town.record(name, { city, is_synthetic });
    for (const time of times) town.see(record, town.asset(record), "o", time, { city });
    return record;
  };
  const stays = seen("Stays", "toronto", false, ["2026-04-28T10:00:00Z", "2026-01-05T10:00:00Z"]);
  seen("Old", "toronto", true, ["2025-03-01T10:00:00Z"]);
  seen("Other", "chicago", true, ["2026-02-20T10:00:00Z", "2026-02-21T10:00:00Z", "2026-02-22T10:00:00Z"]);
  town.review("merge", seen("Goes", "toronto", false, ["2026-04-30T10:00:00Z"]), { into: stays });
  town.record("Unseen");
  const snapshot = town.snapshot("2026-05-01T13:00:00Z");
  const { summary } = read(contextOf(snapshot));
  expect(summary).toMatchObject({
    metrics_available: true,
    public_entities: 3,
    public_observations: 7,
    public_assets: 7,
    synthetic_entities: 2,
    cities_with_production_evidence: 1,
    latest_public_observation_at: "2026-04-30T05:00:00Z",
    latest_public_observation_on: "2026-04-30",
  });
  expect(total(summary.city_distribution)).toBe(summary.public_entities);
  expect(total(summary.freshness_distribution)).toBe(summary.public_entities);
  expect(summary.freshness_distribution.map(({ entities }) => entities)).toEqual([1, 1, 0, 0, 1, 0]);
  expect(summary.city_distribution.map(({ observations }) => observations)).toEqual(
    snapshot.cities().map(({ observationCount }) => observationCount),
  );
  expect(summary.city_distribution.map(({ entities }) => entities)).toEqual(
    snapshot.cities().map(({ recordCount }) => recordCount),
  );
});
