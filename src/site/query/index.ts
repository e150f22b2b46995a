import type { CityIndexResponse } from "../../contract/cities/city.ts";
import type { ObservationsResponse } from "../../contract/records/observation.ts";
import { type Changes, changes } from "./changes.ts";
import { CITED_ID, type CiteAnswer, cite, citedIn } from "./cite.ts";
import { city } from "./city.ts";
import { type CitiesAnswer, coverage } from "./coverage.ts";
import { type ExplorerAnswer, explorer } from "./explorer.ts";
import { alertsForm, reportForm, reportReceived } from "./filled-forms.ts";
import { type OptOutAnswer, type OwnersAnswer, optOut, owners } from "./opt-out.ts";
import type { PageInput, PageState, QueryPage } from "./query-page.ts";
import { record } from "./record.ts";
import { type SearchAnswer, search } from "./search.ts";

/** What a page that takes arguments was asked and shows; empty while the build renders the page's file. */
export interface QueryLocals {
  readonly alerts?: PageState<object>;
  readonly changes?: PageState<Changes>;
  readonly cite?: PageState<CiteAnswer>;
  readonly city?: PageState<CityIndexResponse>;
  readonly coverage?: PageState<CitiesAnswer>;
  readonly explorer?: PageState<ExplorerAnswer>;
  readonly optOut?: PageState<OptOutAnswer>;
  readonly owners?: PageState<OwnersAnswer>;
  readonly record?: PageState<ObservationsResponse>;
  readonly report?: PageState<object>;
  readonly reportReceived?: PageState<object>;
  readonly search?: PageState<SearchAnswer>;
}

/** Every page that takes arguments. */
export const queryPages: readonly QueryPage[] = [
  changes,
  cite,
  city,
  coverage,
  explorer,
  optOut,
  owners,
  record,
  search,
];

/** Pages that only show their arguments, most of them in a form. */
export const filledForms: readonly QueryPage[] = [alertsForm, reportForm, reportReceived];

/** The page of a citation: older ones than the newest of their record have no file. */
export function citationQuery(pathname: string): { page: QueryPage; input: PageInput } | undefined {
  const id = citedIn(pathname);
  return id === undefined ? undefined : { page: cite, input: { path: {}, query: { [CITED_ID]: id } } };
}
