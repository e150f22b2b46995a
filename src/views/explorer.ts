import type { ExplorerRow } from "../contract/cities/explorer.ts";
import { AssetType, ClaimState, FirstObservedWindow, OnlinePresence } from "../contract/enums.ts";
import { LIMITS } from "../contract/limits.ts";
import { ExplorerParams } from "../contract/params.ts";
import { NO_RESULT } from "../contract/records/claim-boundary.ts";
import { html, type SafeHtml } from "../render/html.ts";
import { count, number } from "../render/words/format.ts";
import { ASSET_TYPE_WORDS, CLAIM_CHOICES, ONLINE_CHOICES, WINDOW_CHOICES } from "../render/words/words.ts";
import { explorerCsv } from "../resources/cities/explorer.ts";
import type { ReadContext } from "../resources/define.ts";
import { explorerChart } from "./explorer-chart.ts";
import { explorerTable } from "./explorer-table.ts";
import { checkCity, choicesOf, cityChoices, industryChoices, selectField, textField } from "./fields.ts";
import { type Asked, address, changed, given, pagePath, type View } from "./view.ts";

/** The aggregates of the CSV: its filters, its rows as a table, and a chart of them. */

type Parameter = keyof typeof ExplorerParams.shape;

/** Rows shown while nobody asks for more; a file has all. */
const SHOWN = 100;
const ROW_CHOICES = [25, SHOWN, 250, LIMITS.explorer.max];
const ANCHOR = "#results";

export const explorer: View = {
  name: "explorer",
  operation: "explorer_page",
  path: "/explorer/",
  parameters: ExplorerParams.keyof().options,
  isSlow: true,
  form,
  results,
};

type FieldOf = (
  context: ReadContext,
  field: { view: string; name: string; value: string | undefined },
) => SafeHtml;

/** One field for each parameter of the CSV. */
const FIELDS: Readonly<Record<Parameter, FieldOf>> = {
  city: (context, field) =>
    selectField({ ...field, label: "City", any: "All cities", choices: cityChoices(context) }),
  industry: (_, field) =>
    selectField({
      ...field,
      label: "Industry",
      any: "All industries",
      choices: industryChoices(field.value),
    }),
  asset_type: (_, field) =>
    selectField({
      ...field,
      label: "Kind of asset",
      any: "All kinds",
      choices: choicesOf(AssetType.options, ASSET_TYPE_WORDS),
    }),
  online_presence: (_, field) =>
    selectField({
      ...field,
      label: "Online presence",
      any: "Any",
      choices: choicesOf(OnlinePresence.options, ONLINE_CHOICES),
    }),
  claim_state: (_, field) =>
    selectField({
      ...field,
      label: "Claim",
      any: "Any",
      choices: choicesOf(ClaimState.options, CLAIM_CHOICES),
    }),
  first_observed: (_, field) =>
    selectField({
      ...field,
      label: "First observed",
      any: "At any time",
      choices: choicesOf(FirstObservedWindow.options, WINDOW_CHOICES),
    }),
  min_percentile: (_, field) =>
    textField({
      ...field,
      label: "Percentile at least",
      attributes: html`type="number" min="0" max="100" step="any"`,
    }),
  limit: (_, field) =>
    selectField({
      ...field,
      label: "Rows",
      any: `the first ${SHOWN}`,
      choices: rowChoices(field.value).map((rows) => ({ value: rows, label: `at most ${rows}` })),
    }),
};

/** What was asked for stays chosen. */
function rowChoices(asked: string | undefined): string[] {
  const choices = ROW_CHOICES.map(String);
  const isOther =
    asked !== undefined && ExplorerParams.shape.limit.safeParse(asked).success && !choices.includes(asked);
  return isOther ? [...choices, asked] : choices;
}

function form(context: ReadContext, asked: Asked): SafeHtml {
  const path = pagePath(explorer, asked.path);
  const isFiltered = explorer.parameters.some((name) => given(asked, name) !== undefined);
  const fields = Object.entries(FIELDS).map(([name, field]) =>
    field(context, { view: explorer.name, name, value: given(asked, name) }),
  );
  return html`<form class="form filters" action="${path}${ANCHOR}">
    ${fields}
    <div class="do"><button type="submit" id="explorer-show">Show</button>${isFiltered && html` <a href="${path}">Clear</a>`}</div>
  </form>`;
}

function results(context: ReadContext, asked: Asked): SafeHtml {
  checkCity(context, given(asked, "city"));
  const rows = explorerCsv.read(context, {}, asked.query);
  return html`${heading(rows, asked)}${rows.length === 0 ? nothing() : found(context, rows, asked)}`;
}

function heading(rows: readonly ExplorerRow[], asked: Asked): SafeHtml {
  return html`<h2 id="results" tabindex="-1" data-heading data-summary>${extent(rows.length, asked)}</h2>`;
}

/** The resource gives as many rows as it is asked for and no total. */
function extent(rows: number, asked: Asked): string {
  if (rows === 0) return "Nothing matches";
  const most = Number(given(asked, "limit") ?? LIMITS.explorer.max);
  return rows < most ? count(rows, "row", "rows") : `The first ${count(rows, "row", "rows")}`;
}

function nothing(): SafeHtml {
  return html`<p>${NO_RESULT.meaning} ${NO_RESULT.limitation}</p>
    <p>Take a filter away, or look at <a href="/coverage/">what has been looked at</a>.</p>`;
}

function found(context: ReadContext, rows: readonly ExplorerRow[], asked: Asked): SafeHtml {
  const shown = given(asked, "limit") === undefined ? rows.slice(0, SHOWN) : rows;
  const csv = address(explorerCsv.path, changed(explorer, asked, {}));
  const part =
    shown.length < rows.length &&
    ` The table has the first ${number(shown.length)}, the file all ${number(rows.length)}.`;
  return html`<p>${totals(rows)}${part}</p>
    <p class="do"><a class="button main" href="${csv}" download rel="nofollow">Download these rows as CSV</a>
      <a class="button" href="/exports/explorer.csv" download>All rows as CSV</a></p>
    ${explorerChart(context, rows, asked)}
    ${explorerTable(context, shown)}`;
}

/** Rows share records, which have several kinds of assets; their observations are of one row each. */
function totals(rows: readonly ExplorerRow[]): string {
  const observations = rows.reduce((sum, row) => sum + row.observations, 0);
  const assets = rows.reduce((sum, row) => sum + row.assets, 0);
  return `${count(observations, "observation", "observations")} of ${count(assets, "asset", "assets")}, most observations first.`;
}
