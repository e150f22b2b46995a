import { DOES_NOT_PROVE, PRESENCE_KIND_TEXT } from "../../contract/records/claim-boundary.ts";
import { EXPLORER_COLUMNS, ExplorerRow } from "../../contract/service/exports.ts";
import { attributionText } from "../../render/formats/exports.ts";
import { apiReference } from "../../render/reference/api-reference.ts";
import { connectExamples, isPlainName, quickStart, WRITTEN } from "../../render/reference/quick-start.ts";
import { cityDay, industryText, number, score } from "../../render/words/format.ts";
import { ASSET_TYPE_WORDS, CLAIM_CHOICES } from "../../render/words/words.ts";
import { cityIndex } from "../../resources/cities/city-index.ts";
import type { ReadContext } from "../../resources/define.ts";
import { mcpUrl } from "../../resources/links.ts";
import { methodologyFigures } from "../../resources/service/methodology.ts";
import { searchAiReadiness } from "../../resources/service/search-ai-readiness.ts";
import { perSite, type Site } from "../site.ts";
import { toolAnswer, withAnswers } from "./quick-start-answers.ts";

/** Release-dependent data of the page for agents. */
export function agentsPage({ context, release: { baseUrl } }: Site) {
  const [city] = context.snapshot.cities();
  return {
    mcpAddress: mcpUrl(baseUrl),
    examples: connectExamples(baseUrl, city?.slug),
    answer: city && toolAnswer(context, city.slug),
    kinds: Object.entries(PRESENCE_KIND_TEXT).map(([term, text]) => ({ term, text })),
    doesNotProve: DOES_NOT_PROVE,
  };
}

/** API reference of a release, read once for all its pages. */
export const reference = perSite((site) =>
  apiReference(JSON.parse(site.text("openapi.json")), JSON.parse(site.text("api-examples.json"))),
);

/** An operation with its group. Throws when the release has none of this id. */
export function operationPage(site: Site, id: string) {
  for (const group of reference(site).groups) {
    const operation = group.operations.find((each) => each.id === id);
    if (operation !== undefined) return { group, operation };
  }
  throw new Error(`no operation ${id} in this release`);
}

const WEBHOOKS = "receive-webhooks";

/** Data of the developers page; `quickStartText` is docs/quick-start.md. */
export function developersPage({ context, release: { baseUrl } }: Site, quickStartText: string) {
  const [city] = context.snapshot.cities();
  const values = {
    site: baseUrl,
    city: city?.slug ?? WRITTEN.city,
    name: (city && plainName(context, city.slug)) ?? WRITTEN.name,
  };
  const steps = withAnswers(quickStart(quickStartText, values), context, values);
  return {
    apiAddress: `${baseUrl}/api/v1`,
    mcpAddress: mcpUrl(baseUrl),
    mcpExamples: connectExamples(baseUrl, city?.slug),
    mcpAnswer: city && toolAnswer(context, city.slug),
    steps: steps.filter(({ id }) => id !== WEBHOOKS),
    receivers: steps.find(({ id }) => id === WEBHOOKS),
  };
}

/** Name of the first ranked record that is safe to insert into a program. */
function plainName(context: ReadContext, city: string): string | undefined {
  return cityIndex
    .read(context, { city }, {})
    .rankings.map(({ name }) => name)
    .find(isPlainName);
}

/** URL of the font licenses, served by src/pages/licence/fonts.txt.ts. */
export const FONT_LICENCES = "/licence/fonts.txt";
/** The same of programs, by src/pages/licence/programs.txt.ts. */
export const PROGRAM_LICENCES = "/licence/programs.txt";

/** Attribution line for aggregate figures, as required by CC BY 4.0. */
export function licencePage({ release }: Site) {
  return { attribution: attributionText(release) };
}

/** Results of the methodology in this release. */
export function methodologyPage({ context }: Site) {
  const { summary } = searchAiReadiness.read(context, {}, {});
  return { figures: methodologyFigures(context), ages: summary.freshness_distribution };
}

/** The columns of the explorer's table, in the order of the CSV's. */

interface Column {
  readonly head: string;
  readonly kind: "number" | "nowrap" | "words";
  show(row: ExplorerRow): string;
}

/** None is published of a few records. */
function average(value: number | null): string {
  return value === null ? "too few ranked" : score(value);
}

const HEADS: Readonly<Record<keyof ExplorerRow, Column>> = {
  city: { head: "City", kind: "nowrap", show: ({ city }) => city }, // the table has its name and a link
  industry: { head: "Industry", kind: "words", show: ({ industry }) => industryText(industry) },
  asset_type: { head: "Kind of asset", kind: "nowrap", show: (row) => ASSET_TYPE_WORDS[row.asset_type] },
  claim_state: { head: "Claim", kind: "nowrap", show: ({ claim_state }) => CLAIM_CHOICES[claim_state] },
  entities: { head: "Records", kind: "number", show: ({ entities }) => number(entities) },
  observations: { head: "Observations", kind: "number", show: ({ observations }) => number(observations) },
  observed_cells: { head: "Map areas", kind: "number", show: (row) => number(row.observed_cells) },
  coverage_level: {
    head: "Coverage confidence",
    kind: "nowrap",
    show: ({ coverage_level }) => coverage_level,
  },
  assets: { head: "Assets", kind: "number", show: ({ assets }) => number(assets) },
  avg_pps: { head: "Average PPS (0–100)", kind: "number", show: ({ avg_pps }) => average(avg_pps) },
  avg_percentile: {
    head: "Average percentile (0–100)",
    kind: "number",
    show: (row) => average(row.avg_percentile),
  },
  first_observed: { head: "First seen", kind: "nowrap", show: (row) => cityDay(row.first_observed) },
  last_observed: { head: "Last seen", kind: "nowrap", show: (row) => cityDay(row.last_observed) },
};

export const COLUMNS = EXPLORER_COLUMNS.map((name) => ({ name, ...HEADS[name] }));

/** What each column of table and CSV means: its name here, its name there, and the words of the contract. */
export function columnMeanings(): { head: string; name: string; meaning: string }[] {
  return COLUMNS.map(({ head, name }) => ({
    head,
    name,
    meaning: ExplorerRow.shape[name].description ?? "",
  }));
}
