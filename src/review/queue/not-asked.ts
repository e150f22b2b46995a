/** What waits for nobody, so that a short list is not taken for a small ledger. */
import { isLasting } from "../../intake/sources/principals.ts";
import { type DrawSample, setAsideSample } from "../../intake/sources/tally.ts";
import type { DeskRows } from "../../ledger/rows/desk-rows.ts";
import type { DeskState } from "../desk-state.ts";
import type { ItemFilter } from "./groups.ts";
import type { ReviewQueue } from "./model.ts";

interface Sources {
  readonly state: DeskState;
  readonly rows: DeskRows;
}

/** Counts that are 0 are left out. */
export function notAsked(
  { state, rows }: Sources,
  draw: DrawSample,
  { city, kind }: ItemFilter,
): ReviewQueue["not_asked"] {
  const isOf = (each: string | undefined) => city === undefined || each === city;
  const counts = [
    kind === undefined || kind === "industry" ? unclassified(state, isOf) : [],
    kind === undefined || kind === "set-aside" ? notSampled(rows, draw, isOf) : [],
  ].flat();
  return counts.filter(({ number }) => number > 0);
}

function unclassified(
  state: DeskState,
  isOf: (city: string | undefined) => boolean,
): ReviewQueue["not_asked"] {
  const unknown = [...state.records.values()].filter(
    ({ body, merge, status, industry, isIndustryReviewed }) =>
      merge === undefined &&
      status !== "dissolved" &&
      industry.code === null &&
      !isIndustryReviewed &&
      isOf(body.city),
  );
  return [
    {
      what: "records without an industry",
      number: unknown.length,
      why: "neither lines of observers who count nor their names say one: they stay unclassified and are not ranked; `presence review classify` names one",
    },
  ];
}

function notSampled(
  rows: DeskRows,
  draw: DrawSample,
  isOf: (city: string | undefined) => boolean,
): ReviewQueue["not_asked"] {
  const all = rows.setAside();
  const sample = setAsideSample(all, draw);
  const open = all.filter(
    ({ row, check, review, facts }) =>
      review === null && isLasting(check) && isOf(facts.city) && !sample.has(row),
  );
  return [
    {
      what: "set-aside observations outside the month's random sample",
      number: open.length,
      why: "the sample measures how often checks are wrong; `--set-aside all` lists every one",
    },
  ];
}
