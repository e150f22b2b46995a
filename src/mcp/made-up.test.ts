import { parse } from "csv-parse/sync";
import { afterAll, expect, test } from "vitest";
import { TestTown } from "../../tests/support/release/town-release.ts";
import { digestMail } from "../accounts/delivery/mails.ts";
import { digestItem, eventItem, MailMessage } from "../accounts/delivery/messages.ts";
import type { Environment } from "../contract/enums.ts";
import { DEMONSTRATION_NOTE } from "../contract/records/claim-boundary.ts";
import { cityGeoJson } from "../render/formats/city-geojson.ts";
import { cityCoverageCsv, dataPackage, describedFiles, exportLicence } from "../render/formats/exports.ts";
import { atom, cityFeed, jsonFeed, rss, serviceFeed } from "../render/formats/feeds.ts";
import { cityDataset } from "../render/formats/json-ld.ts";
import { citation, newestCitationId } from "../resources/citations/citation.ts";
import { pulse } from "../resources/cities/pulse.ts";
import { cellTable, cityCoverageTable } from "../resources/cities/tables.ts";
import { entity } from "../resources/records/entity.ts";
import { evidence } from "../resources/records/evidence.ts";
import { observations } from "../resources/records/observations.ts";
import { search } from "../resources/records/search.ts";
import { contextOf } from "../resources/release-store.ts";
import { toolByName } from "./call-tool.ts";

/** That a record is made up reaches every channel that leaves the site: a row of the table for each. */

const NAME = "Invented Bakery";
const MISSPELT = "the bakrey invented";
const public_id = "demo_invented";
const town = new TestTown();
town.city("toronto");
for (const id of [public_id, "demo_twin_1", "demo_twin_2"]) {
  const record = town.record(id === public_id ? NAME : "Twin Invented", {
    public_id: id,
    is_synthetic: true,
  });
  town.see(record, town.asset(record), "observer", "2026-04-28T10:00:00Z", { is_synthetic: true });
}
const snapshot = town.snapshot("2026-05-03T12:00:00Z");
const context = contextOf(snapshot);
afterAll(() => town[Symbol.dispose]());

const path = { city: "toronto" };
const [event] = pulse
  .read(context, path, { since: "2026-01-01" })
  .events.filter((each) => each.entity_name === NAME);
if (event === undefined) throw new Error("no event");
const parts = { scope: "every record in Toronto", city: "toronto", events: [event] };
const digest = MailMessage.parse(JSON.parse(digestItem("sub_1", "r1", parts).payload));
if (digest.message !== "digest") throw new Error("no digest");
const mail = digestMail({ baseUrl: "https://presence.test", service: "Presence" }, digest, {
  manage: "m",
  unsubscribe: "u",
});
const called = (tool: string, args: unknown) => {
  const known = toolByName.get(tool);
  if (known === undefined) throw new Error(`no tool ${tool}`);
  return known.parse(args).run(context);
};

/** What leaves the site and names records, by channel. */
const CHANNELS: Readonly<Record<string, () => unknown>> = {
  event: () => event,
  webhook: () => JSON.parse(eventItem({ publicId: "wh_1" }, event).payload),
  "email, text": () => mail.text,
  "email, HTML": () => mail.html,
  "RSS of a city": () => rss(cityFeed(context, path)),
  "Atom of a city": () => atom(cityFeed(context, path)),
  "JSON Feed of the service": () => jsonFeed(serviceFeed(context)),
  record: () => entity.read(context, { public_id }, {}),
  observations: () => observations.read(context, { public_id }, {}),
  "evidence packet": () => evidence.read(context, { public_id }, {}),
  search: () => search.read(context, {}, { name: NAME }),
  "similar names of a search": () => search.read(context, {}, { name: MISSPELT }),
  "similar names of a tool": () =>
    called("get_physical_presence", { business_name: MISSPELT, city: "toronto" }),
  citation: () => citation.read(context, { id: newestCitationId(snapshot, public_id) ?? "" }, {}),
  check_physical_evidence: () => called("check_physical_evidence", { business_name: NAME, city: "toronto" }),
  get_physical_presence: () => called("get_physical_presence", { business_name: NAME, city: "toronto" }),
  "candidates of a name": () =>
    called("get_physical_presence", { business_name: "Twin Invented", city: "toronto" }),
  compare_presence: () => called("compare_presence", { business_names: [NAME, "Other"], city: "toronto" }),
  city_index: () => called("city_index", { city: "toronto" }),
  get_pulse: () => called("get_pulse", { city: "toronto", since: "2026-01-01" }),
};

/** What leaves the site and counts records. Each row and feature says so where its columns are ours; of explorer.csv the files beside it do. */
const COUNTS: Readonly<Record<string, () => readonly object[]>> = {
  "cells as GeoJSON": () => [
    ...JSON.parse(cityGeoJson(snapshot, "toronto")).features.map(
      ({ properties }: { properties: object }) => properties,
    ),
  ],
  "cells as Parquet": () => cellTable(snapshot),
  "coverage of cities": () => cityCoverageTable(snapshot),
  "coverage of cities as CSV": () => parse(cityCoverageCsv(snapshot), { columns: true }),
};
const RELEASE = snapshot.release();
const BESIDE: Readonly<Record<string, (environment: Environment) => string>> = {
  "data package": (environment) =>
    JSON.stringify(dataPackage({ ...RELEASE, environment, files: describedFiles(snapshot), cities: [] })),
  "description of a city for search engines": (environment) =>
    JSON.stringify(
      cityDataset(
        Object.create(snapshot, { release: { value: () => ({ ...RELEASE, environment }) } }),
        "toronto",
      ),
    ),
  "licence of the exports": (environment) => exportLicence({ ...RELEASE, environment }),
};

/** Objects that name a made-up record, and do not say so; texts where a sentence names it and does not say so. */
function silent(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(silent);
  if (typeof value !== "object" || value === null) return [];
  const { name, entity_name: entityName = name, public_id: id, is_synthetic: isSynthetic } = Object(value);
  const isSilent = typeof entityName === "string" && typeof id === "string" && isSynthetic !== true;
  return [...(isSilent ? [value] : []), ...Object.values(value).flatMap(silent)];
}

test.each(Object.entries(CHANNELS))("%s says that the record is made up", (_channel, read) => {
  const sent = read();
  const text = typeof sent === "string" ? sent : JSON.stringify(sent);
  expect(text).toMatch(/invented/i);
  expect(text).toMatch(/"is_synthetic":true|\(made up\)|Demonstration data, not a real observation/);
  expect(text).not.toContain('"is_synthetic":false');
});

test.each([
  "check_physical_evidence",
  "get_physical_presence",
  "city_index",
  "candidates of a name",
  "similar names of a search",
  "similar names of a tool",
])("%s: each object that names a record says so", (channel) => {
  expect(silent(CHANNELS[channel]?.())).toEqual([]);
});

test.each(Object.entries(COUNTS))("%s: each row says that what it counts is made up", (_file, read) => {
  const rows = read();
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) expect(String(Object(row).is_synthetic)).toBe("true");
});

test.each(Object.entries(BESIDE))("%s: says it for the files whose columns are fixed", (_file, text) => {
  expect(text("demo")).toContain(DEMONSTRATION_NOTE);
  expect(text("production")).not.toContain("made up; only");
});

test("each sentence of an event with the name says so: titles and sentences are quoted alone", () => {
  for (const text of [event.headline, event.summary, mail.text])
    expect(text.replaceAll(`${NAME} (made up)`, "")).not.toContain(NAME);
});
