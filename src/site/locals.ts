/** What a page is rendered with, as `Astro.locals`. */

import type { CityIndexResponse } from "../contract/cities/city.ts";
import type { CiteAnswer } from "./query/cite.ts";
import type { ExplorerAnswer } from "./query/explorer.ts";
import type { OptOutAnswer } from "./query/opt-out.ts";
import type { PageState } from "./query/query-page.ts";
import type { SearchAnswer } from "./query/search.ts";
import type { Site } from "./site.ts";
import { UsedFiles } from "./used-files.ts";

/** What a page that takes arguments was asked and shows; empty while the build renders the page's file. */
export interface QueryLocals {
  readonly cite?: PageState<CiteAnswer>;
  readonly city?: PageState<CityIndexResponse>;
  readonly explorer?: PageState<ExplorerAnswer>;
  readonly optOut?: PageState<OptOutAnswer>;
  readonly search?: PageState<SearchAnswer>;
}

export interface PageLocals extends QueryLocals {
  readonly site: Site; // one release, from the beginning of the page to its end
  readonly files: UsedFiles;
  /** Takes what the page throws: Astro says that a page failed, and not why. */
  readonly fail: (fault: unknown) => void;
}

export function pageLocals(site: Site, query: QueryLocals, fail: PageLocals["fail"]): PageLocals {
  return { ...query, site, files: new UsedFiles(site), fail };
}
