/** The aggregates of the CSV: its filters, its rows as a table, and a chart of them. */

import { z } from "zod";
import { findIndustry } from "../../contract/cities/industry.ts";
import { LIMITS } from "../../contract/limits.ts";
import { ExplorerParams } from "../../contract/params.ts";
import { ExplorerRow } from "../../contract/service/exports.ts";
import { PublicError } from "../../kernel/errors.ts";
import { count, number } from "../../render/words/format.ts";
import { ASSET_TYPE_WORDS } from "../../render/words/words.ts";
import { explorerCsv } from "../../resources/cities/tables.ts";
import type { ReadContext } from "../../resources/define.ts";
import { argument, defineQueryPage, type PageInput, type PageState } from "./query-page.ts";

/** Default number of rows on the page, where each is a card on a phone; the file has all. */
export const SHOWN_ROWS = 25;

export const ExplorerAnswer = z.object({
  total: z.int(), // rows of the file
  rows: z.array(ExplorerRow), // those that the table shows
  extent: z.string(),
  totals: z.string(),
  chart: z.object({
    title: z.string(),
    bars: z.array(z.object({ label: z.string(), value: z.number() })),
  }),
});
export type ExplorerAnswer = z.infer<typeof ExplorerAnswer>;

export const explorer = defineQueryPage({
  name: "explorer",
  operation: "explorer_page",
  path: "/explorer/",
  parameters: ExplorerParams.keyof().options,
  wire: ExplorerAnswer,
  answer,
  place: (shown: PageState<ExplorerAnswer>) => ({ explorer: shown }),
});

function answer(context: ReadContext, input: PageInput): ExplorerAnswer {
  checkCity(context, argument(input, "city"));
  const rows = explorerCsv.read(context, {}, input.query);
  return {
    total: rows.length,
    rows: argument(input, "limit") === undefined ? rows.slice(0, SHOWN_ROWS) : rows,
    extent: extent(rows.length, input),
    totals: totals(rows),
    chart: chart(context, rows, input),
  };
}

/** Throws PublicError 404 for a city that no page is about. */
function checkCity({ snapshot }: ReadContext, slug: string | undefined): void {
  if (slug !== undefined && snapshot.city(slug) === undefined)
    throw new PublicError(404, "no city of that name is published; choose one of the list");
}

/** The resource gives as many rows as it is asked for and no total. */
function extent(rows: number, input: PageInput): string {
  if (rows === 0) return "Nothing matches";
  const most = Number(argument(input, "limit") ?? LIMITS.explorer.max);
  return rows < most ? count(rows, "row", "rows") : `The first ${count(rows, "row", "rows")}`;
}

/** Rows share records, which have several kinds of assets; their observations are of one row each. */
function totals(rows: readonly ExplorerRow[]): string {
  const observations = rows.reduce((sum, row) => sum + row.observations, 0);
  const assets = rows.reduce((sum, row) => sum + row.assets, 0);
  return `${count(observations, "observation", "observations")} of ${count(assets, "asset", "assets")}, most observations first.`;
}

/** A way to divide the rows, and the filter after which it would be of one part only. */
interface Division {
  readonly filter: string;
  readonly title: string;
  partOf(row: ExplorerRow, context: ReadContext): string;
}

const BY_SECTION: Omit<Division, "filter"> = {
  title: "What was seen, by section of industry",
  partOf: ({ industry }) =>
    (industry === null ? undefined : findIndustry(industry)?.sectionTitle) ?? "not classified",
};

const DIVISIONS: readonly Division[] = [
  {
    filter: "asset_type",
    title: "What was seen, by kind of asset",
    partOf: ({ asset_type }) => ASSET_TYPE_WORDS[asset_type],
  },
  {
    filter: "city",
    title: "What was seen, by city",
    partOf: ({ city }, { snapshot }) => snapshot.city(city)?.name ?? city,
  },
];

/** The observations of the rows, divided by what was not asked for. */
function chart(
  context: ReadContext,
  rows: readonly ExplorerRow[],
  input: PageInput,
): ExplorerAnswer["chart"] {
  const { title, partOf } =
    DIVISIONS.find(({ filter }) => argument(input, filter) === undefined) ?? BY_SECTION;
  const parts = [...Map.groupBy(rows, (row) => partOf(row, context))]
    .map(([label, group]) => ({ label, value: group.reduce((sum, row) => sum + row.observations, 0) }))
    .sort((a, b) => b.value - a.value || (a.label < b.label ? -1 : 1));
  return { title, bars: longest(parts) };
}

const MAX_BARS = 12;

/** The longest bars, and one for all others together. */
function longest(parts: { label: string; value: number }[]) {
  if (parts.length <= MAX_BARS) return parts;
  const others = parts.slice(MAX_BARS - 1);
  const value = others.reduce((sum, part) => sum + part.value, 0);
  return [...parts.slice(0, MAX_BARS - 1), { label: `${number(others.length)} others`, value }];
}
