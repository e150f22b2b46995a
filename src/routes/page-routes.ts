import { views } from "../views/index.ts";
import type { View } from "../views/view.ts";
import type { Endpoint } from "./matcher.ts";

/** A page, or a family of pages, that requests are counted for by a name of its own. */
export interface PageEndpoint extends Endpoint {
  readonly kind: "page";
  readonly operationId: string;
  /** Answers the arguments of the page; a page without a view is a file, whatever the query. */
  readonly view?: View;
}

/** The pages that take arguments, then the files of records, cities and citations. Every other page is counted as `page`. */
export const pageEndpoints: readonly PageEndpoint[] = [
  ...views.map((view) => ({ kind: "page", operationId: view.operation, path: view.path, view }) as const),
  page("record_page", "/record/{public_id}/"),
  page("city_page", "/city/{city}/cells/"),
  page("city_page", "/city/{city}/industry/{code}/"),
  page("citation_page", "/cite/{id}/"),
];

function page(operationId: string, path: Endpoint["path"]): PageEndpoint {
  return { kind: "page", operationId, path };
}
