import type { ExplorerRow } from "../contract/cities/explorer.ts";
import { findIndustry } from "../contract/cities/industry.ts";
import { barChart } from "../pictures/charts/bar-chart.ts";
import { pictureHtml } from "../pictures/picture-html.ts";
import type { SafeHtml } from "../render/html.ts";
import { number } from "../render/words/format.ts";
import { ASSET_TYPE_WORDS } from "../render/words/words.ts";
import type { ReadContext } from "../resources/define.ts";
import { type Asked, given } from "./view.ts";

/** A way to divide the rows of the explorer, and the filter after which it would be of one part only. */
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

const MOST_BARS = 12;

/** The observations of the rows, divided by what was not asked for. */
export function explorerChart(context: ReadContext, rows: readonly ExplorerRow[], asked: Asked): SafeHtml {
  const division = DIVISIONS.find(({ filter }) => given(asked, filter) === undefined) ?? BY_SECTION;
  const parts = [...Map.groupBy(rows, (row) => division.partOf(row, context))]
    .map(([label, group]) => ({ label, value: group.reduce((sum, row) => sum + row.observations, 0) }))
    .sort((a, b) => b.value - a.value || (a.label < b.label ? -1 : 1));
  return pictureHtml(
    barChart({ id: "explorer-chart", title: division.title, unit: "observations", rows: longest(parts) }),
  );
}

/** The longest bars, and one for all others together. */
function longest(parts: readonly { label: string; value: number }[]) {
  if (parts.length <= MOST_BARS) return parts;
  const others = parts.slice(MOST_BARS - 1);
  const value = others.reduce((sum, part) => sum + part.value, 0);
  return [...parts.slice(0, MOST_BARS - 1), { label: `${number(others.length)} others`, value }];
}
