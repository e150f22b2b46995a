import { queryPages } from "../site/query/index.ts";
import type { QueryPage } from "../site/query/query-page.ts";
import type { Endpoint } from "./matcher.ts";

/** A page, or a family of pages, that requests are counted for by a name of its own. */
export interface PageEndpoint extends Endpoint {
  readonly kind: "page";
  readonly operationId: string;
  /** Answers the arguments of the page; without it the page is a file, whatever the query. */
  readonly page?: QueryPage;
}

/** The pages that take arguments, then the files of records, cities and citations. Every other page is counted as `page`. */
export const pageEndpoints: readonly PageEndpoint[] = [
  ...queryPages.map(
    (page) => ({ kind: "page", operationId: page.operation, path: page.path, page }) as const,
  ),
  page("record_page", "/record/{public_id}/"),
  page("city_page", "/city/{city}/cells/"),
  page("city_page", "/city/{city}/industry/{code}/"),
  page("citation_page", "/cite/{id}/"),
];

function page(operationId: string, path: Endpoint["path"]): PageEndpoint {
  return { kind: "page", operationId, path };
}
