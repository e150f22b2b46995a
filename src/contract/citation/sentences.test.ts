import { describe, expect, test } from "vitest";
import { citationCheck } from "./citation.ts";
import { type QuoteFacts, SentenceVersion, sentenceOf } from "./sentences.ts";

const once: QuoteFacts = {
  name: "Example Bakery",
  city: "Exampleville",
  isSynthetic: false,
  accepted: 1,
  states: { provisional: 1, corroborated: 0, verified: 0 },
  observers: 1,
  counted: 1,
  firstDate: "2026-04-28",
  lastDate: "2026-04-28",
  newest: { row: 4, kind: "location_presence", date: "2026-04-28", state: "provisional" },
  treeSize: 120,
  asOfDate: "2026-05-20",
};

const often: QuoteFacts = {
  ...once,
  accepted: 9,
  states: { provisional: 2, corroborated: 6, verified: 1 },
  observers: 4,
  counted: 9,
  firstDate: "2026-03-22",
  newest: { row: 88, kind: "mobile_presence", date: "2026-04-28", state: "corroborated" },
};

const none: QuoteFacts = {
  ...once,
  accepted: 0,
  states: { provisional: 0, corroborated: 0, verified: 0 },
  observers: 0,
  counted: 0,
  firstDate: null,
  lastDate: null,
  newest: null,
};

/** Published citations are computed again from these versions: a change here makes old addresses lead nowhere. */
describe("version 1, word by word", () => {
  test.each<[string, Partial<QuoteFacts>]>([
    [
      "between 2026-03-22 and 2026-04-28 (local solar dates) by 4 independent observers; of these observations 1 is verified in review, 6 are corroborated by another observer, 2 are not yet corroborated. The newest",
      {},
    ],
    [
      "(local solar dates), of which 7 count as independent evidence, by 4 independent observers; of all observations 1 is verified in review, 6 are corroborated by another observer, 2 are not yet independently corroborated. The newest",
      { counted: 7 },
    ],
    [
      "(local solar dates), of which 1 counts as independent evidence, by one observer; all observations are not yet independently corroborated. The newest",
      { counted: 1, observers: 1, states: { provisional: 9, corroborated: 0, verified: 0 } },
    ],
    [
      "(local solar dates), of which none counts as independent evidence; all observations are not yet independently corroborated. The newest",
      { counted: 0, observers: 0, states: { provisional: 9, corroborated: 0, verified: 0 } },
    ],
    [
      "once, on 2026-04-28 (local solar date), by an observer not counted as independent (location presence), and this observation is not yet independently corroborated. Physical",
      { ...once, counted: 0, observers: 0 },
    ],
    [
      "once, on 2026-04-28 (local solar date), by one observer (location presence), and this observation is not yet corroborated. Physical",
      once,
    ],
  ])("%s", (words, facts) => {
    expect(sentenceOf("v1", { ...often, ...facts })).toContain(words);
  });

  test("its code has not changed since it was first published", () => {
    const all = [
      once,
      often,
      none,
      { ...often, isSynthetic: true, counted: 3 },
      { ...often, counted: 0, observers: 0 },
    ];
    expect(all.map((facts) => citationCheck(sentenceOf("v1", facts)))).toMatchInlineSnapshot(`
      [
        "2b15vv87",
        "d90pb99e",
        "ntnsyhc6",
        "jy8dsj4v",
        "70w54esz",
      ]
    `);
  });
});

test("no observer is called independent where none of the observations counts", () => {
  for (const accepted of [1, 9]) {
    const words = sentenceOf("v1", { ...often, accepted, counted: 0, observers: 0 });
    expect(words).not.toMatch(/independent observers|\b0\b/);
  }
});

describe.each(SentenceVersion.options)("how certain the evidence is, in %s", (version) => {
  const words = (facts: Partial<QuoteFacts>) => sentenceOf(version, { ...often, ...facts });

  test.each([
    ["all of them not yet corroborated. ", { provisional: 9, corroborated: 0, verified: 0 }],
    ["all of them corroborated by another observer.", { provisional: 0, corroborated: 9, verified: 0 }],
    ["all of them verified in review.", { provisional: 0, corroborated: 0, verified: 9 }],
    [
      "of these observations 8 are corroborated by another observer, 1 is not yet corroborated.",
      { provisional: 1, corroborated: 8, verified: 0 },
    ],
  ])("%s", (state, states) => {
    expect(words({ states })).toMatch(new RegExp(`[,;] ${state}`));
  });

  test("one observer is never called independent observers, however often they came", () => {
    expect(words({ observers: 1 })).toContain(
      "9 times between 2026-03-22 and 2026-04-28 (local solar dates) by one observer",
    );
    expect(words({ observers: 1 })).not.toContain("independent");
  });

  test("several observations of one day name it once", () => {
    expect(words({ firstDate: "2026-04-28" })).toContain("9 times on 2026-04-28 (local solar date) by");
  });

  test("a single observation that a review verified is called that", () => {
    const newest = { row: 4, kind: "brand_mention", date: "2026-04-28", state: "verified" } as const;
    expect(sentenceOf(version, { ...once, newest })).toContain(
      "by one observer (brand mention), and this observation is verified in review.",
    );
  });
});

const SURE =
  /not yet (independently )?corroborated|corroborated yet|corroborated by another observer|verified in review/;

test("every sentence that says something was observed says how certain it is, taken alone", () => {
  const cases = [once, often, { ...often, isSynthetic: true }, { ...often, counted: 0, observers: 0 }];
  for (const facts of cases) {
    const sentences = sentenceOf("v1", facts).split(/(?<=\.) /);
    const claims = sentences.filter((sentence) => /observed|newest/.test(sentence));
    expect(claims.length).toBeGreaterThan(0);
    for (const claim of claims) expect(claim).toMatch(SURE);
  }
});

test("no sentence claims absence", () => {
  const sentences = sentenceOf("v1", none).split(/(?<=\.) /);
  for (const sentence of sentences.filter((each) => /^No /.test(each)))
    expect(sentence).toContain("proves nothing about it");
});

test("an invented observation is called one in the sentence itself", () => {
  expect(sentenceOf("v1", { ...once, isSynthetic: true })).toMatch(
    /^Demonstration data, not a real observation: "Example Bakery" was /,
  );
});

/** Likewise. */
describe("version 2, word by word", () => {
  const months = { from: "2026-03", to: "2026-05" };
  test.each<[string, QuoteFacts]>([
    [
      'In the months 2026-03 to 2026-05, "Example Bakery" was physically observed in Exampleville 9 times between 2026-03-22 and 2026-04-28 (local solar dates) by 4 independent observers; of these observations 1 is verified in review, 6 are corroborated by another observer, 2 are not yet corroborated. The newest observation of these months (mobile presence), of 2026-04-28 (local solar date), is corroborated by another observer. Physical Presence Evidence Service, data as of 2026-05-20, ledger row 88, signed tree of 120 rows.',
      { ...often, period: months },
    ],
    [
      'Demonstration data, not a real observation: In the month 2026-04, "Example Bakery" was physically observed in Exampleville once, on 2026-04-28 (local solar date), by one observer (location presence), and this observation is not yet corroborated. Physical Presence Evidence Service, data as of 2026-05-20, ledger row 4, signed tree of 120 rows.',
      { ...once, isSynthetic: true, period: { from: "2026-04", to: "2026-04" } },
    ],
  ])("%s", (sentence, facts) => {
    expect(sentenceOf("v2", facts)).toBe(sentence);
  });
});
