import fc from "fast-check";
import { expect, test } from "vitest";
import { subject } from "../../../tests/support/servers/web.ts";
import { DAY_MS } from "../../kernel/time.ts";
import {
  type Finding,
  type OnlineProvider,
  type OnlineResult,
  type OnlineRunDeps,
  ProviderUnavailable,
  planChecks,
  runOnlineChecks,
  type Signal,
  verdictOf,
} from "./run-checks.ts";

const NOW = Date.UTC(2026, 4, 10);
const looked = (days: number, verdict: "detected" | "none" | "unknown") => ({
  checkedAt: NOW - days * DAY_MS,
  verdict,
});
const found = (signal: Signal): Finding => ({ signal, outcome: "found", types: ["website"], matches: 1 });
const absent = (signal: Signal): Finding => ({ signal, outcome: "absent", note: "" });
const failed = (signal: Signal): Finding => ({ signal, outcome: "failed", note: "" });

test("never looked for first, then longest ago, what is not due not at all, and no more than the budget", () => {
  const subjects = [
    subject({ record: 1, lastCheck: looked(31, "none") }),
    subject({ record: 2 }),
    subject({ record: 3, lastCheck: looked(29.99, "detected") }),
    subject({ record: 4, lastCheck: looked(90, "detected") }),
    subject({ record: 5, lastCheck: looked(3, "unknown") }),
    subject({ record: 6, lastCheck: looked(2.9, "unknown") }),
    subject({ record: 7, lastCheck: looked(30, "none") }),
    subject({ record: 8, lastCheck: { checkedAt: NOW + DAY_MS, verdict: "none" } }), // the clock was set back
  ];
  const planned = (budget: number) => planChecks(subjects, NOW, budget).map(({ record }) => record);
  expect(planned(100)).toEqual([2, 4, 1, 7, 5]);
  expect(planned(2)).toEqual([2, 4]);
  expect(planned(0)).toEqual([]);
});

test("no record has two definite checks within 30 days, whatever the nights bring", () => {
  const outcome = fc.constantFrom("detected" as const, "none" as const, "unknown" as const);
  fc.assert(
    fc.property(
      fc.array(outcome, { minLength: 40, maxLength: 80 }),
      fc.integer({ min: 0, max: 3 }),
      (outcomes, budget) => {
        let state = [1, 2, 3].map((record) => subject({ record }));
        const definite: [record: number, night: number][] = [];
        outcomes.forEach((verdict, night) => {
          for (const { record } of planChecks(state, NOW + night * DAY_MS, budget)) {
            if (verdict !== "unknown") definite.push([record, night]);
            const lastCheck = { checkedAt: NOW + night * DAY_MS, verdict };
            state = state.map((one) => (one.record === record ? { ...one, lastCheck } : one));
          }
        });
        for (const [record, night] of definite)
          expect(definite.some(([r, n]) => r === record && n > night && n < night + 30)).toBe(false);
      },
    ),
  );
});

test("detected by one signal, none only by a search that found nothing, else unknown", () => {
  expect(verdictOf([failed("website"), found("name_search")])).toEqual({
    verdict: "detected",
    signalTypes: ["website"],
    matchCount: 1,
  });
  expect(verdictOf([absent("website"), absent("name_search"), absent("phone_lookup")]).verdict).toBe("none");
  expect(verdictOf([absent("website")]).verdict).toBe("unknown");
  expect(verdictOf([failed("website"), absent("name_search")]).verdict).toBe("unknown");
  expect(verdictOf([absent("name_search"), failed("phone_lookup")]).verdict).toBe("unknown");
  expect(verdictOf([]).verdict).toBe("unknown");
});

function provider(name: string, signals: readonly Signal[], check: OnlineProvider["check"]): OnlineProvider {
  return { name, signals, check };
}

async function run(changes: Partial<OnlineRunDeps> & Pick<OnlineRunDeps, "subjects" | "providers">) {
  const results: OnlineResult[] = [];
  const summary = await runOnlineChecks({
    budget: 1000,
    clock: () => NOW,
    record: (batch) => {
      results.push(...batch);
    },
    ...changes,
  });
  return { summary, results };
}

test("each subject is asked about what it has, and the result says who was asked", async () => {
  const website = provider("website", ["website"], async (_, signal) => found(signal));
  const search = provider("search", ["name_search"], async (_, signal) => absent(signal));
  const { summary, results } = await run({
    subjects: [subject({ record: 1, website: "https://a.example" }), subject({ record: 2 })],
    providers: [website, search],
  });
  expect(summary).toEqual({ planned: 2, detected: 1, none: 1, unknown: 0, left: 0, unavailable: [] });
  expect(results.sort((a, b) => a.record - b.record)).toEqual([
    {
      record: 1,
      checkedAt: NOW,
      provider: "website search",
      verdict: "detected",
      signalTypes: ["website"],
      matchCount: 1,
    },
    { record: 2, checkedAt: NOW, provider: "search", verdict: "none", signalTypes: [], matchCount: 0 },
  ]);
});

test("without a search nobody is planned who has no website", async () => {
  const website = provider("website", ["website"], async (_, signal) => failed(signal));
  const { summary } = await run({
    subjects: [subject({ record: 1, website: "https://a.example" }), subject({ record: 2 })],
    providers: [website],
  });
  expect(summary).toMatchObject({ planned: 1, unknown: 1 });
});

test("a provider that gives out is asked no more, and uses up nobody's check", async () => {
  let asked = 0;
  const search = provider("search", ["name_search"], async (_, signal) => {
    asked += 1;
    if (asked > 3) throw new ProviderUnavailable("the search API answered 429");
    return absent(signal);
  });
  const website = provider("website", ["website"], async (_, signal) => found(signal));
  const subjects = Array.from({ length: 40 }, (_, n) =>
    subject({ record: n + 1, ...(n === 39 && { website: "https://a.example" }) }),
  );
  const { summary, results } = await run({ subjects, providers: [website, search] });
  expect(summary).toEqual({
    planned: 40,
    detected: 1, // by its website, which needs no search
    none: 3,
    unknown: 0,
    left: 36,
    unavailable: ["the search API answered 429"],
  });
  expect(results).toHaveLength(4);
  expect(asked).toBeLessThan(10);
});

test("results are handed over as they come, and a store that fails ends the run with its error", async () => {
  const search = provider("search", ["name_search"], async (_, signal) => absent(signal));
  const subjects = Array.from({ length: 60 }, (_, n) => subject({ record: n + 1 }));
  const sizes: number[] = [];
  await run({ subjects, providers: [search], record: (batch) => void sizes.push(batch.length) });
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(60);
  expect(sizes.length).toBeGreaterThan(1);
  const full = () => {
    throw new Error("disk full");
  };
  await expect(run({ subjects, providers: [search], record: full })).rejects.toThrow("disk full");
});

test("a defect of a provider is an error and no verdict", async () => {
  const broken = provider("broken", ["name_search"], async () => {
    throw new TypeError("defect");
  });
  await expect(run({ subjects: [subject()], providers: [broken] })).rejects.toThrow("defect");
});
