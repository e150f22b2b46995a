import { CITED_ID, cite, citedIn } from "./cite.ts";
import { city } from "./city.ts";
import { explorer } from "./explorer.ts";
import { alertsForm, reportForm } from "./filled-forms.ts";
import { optOut, owners } from "./opt-out.ts";
import type { PageInput, QueryPage } from "./query-page.ts";
import { record } from "./record.ts";
import { search } from "./search.ts";

/** Every page that takes arguments. */
export const queryPages: readonly QueryPage[] = [cite, city, explorer, optOut, owners, record, search];

/** Pages that only fill in a form with their arguments. */
export const filledForms: readonly QueryPage[] = [alertsForm, reportForm];

/** The page of a citation: older ones than the newest of their record have no file. */
export function citationQuery(pathname: string): { page: QueryPage; input: PageInput } | undefined {
  const id = citedIn(pathname);
  return id === undefined ? undefined : { page: cite, input: { path: {}, query: { [CITED_ID]: id } } };
}
