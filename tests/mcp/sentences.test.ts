import { afterAll, expect, inject, test } from "vitest";
import { homePaths, releasePaths } from "../../src/kernel/home.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { finishedCalls } from "../../src/mcp/call-notes.ts";
import { callTool } from "../../src/mcp/call-tool.ts";
import { contextAt } from "../../src/resources/release-store.ts";
import { faultOf, sentencesOf, textsIn } from "../support/mcp/tool-sentences.ts";

/** No sentence of any answer, taken alone, claims that a business is absent, or drops how certain the evidence is. */

const context = contextAt(releasePaths(homePaths(inject("demoHome")).current).snapshot);
const { snapshot } = context;
const parts = {
  context: () => context,
  log: silentLog,
  newFailureId: () => "failed",
  finished: finishedCalls(),
};
const records = [...snapshot.publicIds()].flatMap((id) => snapshot.record(id) ?? []);
const cities = snapshot.cities();
const nameParts = [...new Set(records.map(({ name }) => name.slice(0, 5)))];
const COMMON = "ing"; // in more names than an answer lists
const ABSENT = ["Nobody's Closed Bakery", "x"];
const names = [...records.map(({ name }) => name), ...nameParts, ...ABSENT];

afterAll(() => context.close());

/** The structure of an answer, or the text of a refusal. */
function answer(tool: string, given: object): unknown {
  const { structuredContent, content } = callTool(parts, tool, given, () => undefined);
  return structuredContent ?? content;
}

const asked = (city: string | undefined, business_name: string) => [
  answer("get_physical_presence", { business_name, city }),
  answer("check_physical_evidence", { business_name, city }),
  answer("check_business_reality", { name_or_address: business_name, city }),
  answer("compare_presence", { business_names: [business_name, ...ABSENT], city }),
];
const byId = (city: string, public_id: string) =>
  ["get_physical_presence", "check_physical_evidence", "check_business_reality"].map((tool) =>
    answer(tool, { public_id, city }),
  );

function* allAnswers(): Generator<unknown> {
  for (const { name, city, publicId } of records) yield [asked(city, name), byId(city, publicId)];
  for (const part of [...nameParts, COMMON]) yield asked("guelph", part);
  for (const part of [...nameParts, COMMON, ...ABSENT]) yield asked(undefined, part);
  yield answer("city_index", {});
  for (const { slug } of cities) {
    for (const name of ABSENT) yield asked(slug, name);
    yield answer("city_index", { city: slug, limit: 100 });
    yield answer("get_pulse", { city: slug, since: "2025-01-01" });
    yield snapshot.eventsOf(slug, { since: 0, limit: 10_000 }); // an answer holds only the newest
  }
  yield* refusals();
}

function* refusals(): Generator<unknown> {
  const [record] = records;
  for (const city of ["guelph", "napier", "Atlantis"]) yield byId(city, record?.publicId ?? "");
  for (const { publicId } of snapshot.mergedIds()) yield byId("guelph", publicId);
  yield byId("guelph", "demo_nowhere");
  yield [asked("Atlantis", "Copper"), answer("city_index", { city: "guelph", limit: 0 })];
}

test("every sentence of every answer over the demonstration stands by itself", () => {
  const sentences = [...sentencesOf(new Set([...allAnswers()].flatMap((said) => textsIn(said))), names)];
  const faults = sentences.flatMap((sentence) => {
    const fault = faultOf(sentence);
    return fault === undefined ? [] : [`${fault}: ${sentence}`];
  });
  expect(faults).toEqual([]);
  for (const kind of [
    /^Evidence out of date: /,
    /^Our web check found no website: /,
    /^\d+ Presence Records in /,
    /merged into/,
  ])
    expect(
      [...sentences].some((sentence) => kind.test(sentence)),
      `${kind}`,
    ).toBe(true);
});

test.each([
  ["No Presence Record in Guelph has that name.", "claims absence"],
  ['The record "NAME" in Guelph has no accepted physical citation.', "claims absence"],
  ["No web presence found: NAME", "claims absence"],
  ["Not observed lately: storefront of NAME", "claims absence"],
  ["NAME has closed.", "claims absence"],
  ['"NAME" was physically observed in Guelph on 2026-04-28.', "drops the state of the evidence"],
  ['3 accepted physical citations of "NAME" in Guelph.', "drops the state of the evidence"],
  ["No Presence Record in Guelph has that name, which proves nothing about the business.", undefined],
  ['"NAME" was observed in Guelph: seen by 3 independent observers.', undefined],
  ['"NAME" was observed 2 times, all of them not yet corroborated.', undefined],
])("%s %s", (sentence, fault) => {
  expect(faultOf(sentence)).toBe(fault);
});

test("a text is taken apart into its sentences, without the words of names", () => {
  const said = {
    summary: "Joe's Closed Inc. Diner is one. Two!",
    list: [{ note: "It is three" }],
    name: "Not found",
  };
  const sentences = sentencesOf(new Set(textsIn(said)), ["Joe's Closed Inc. Diner"]);
  expect([...sentences]).toEqual(["NAME is one.", "Two!", "It is three"]);
});
