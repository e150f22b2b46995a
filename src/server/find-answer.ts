import { endpointFor, pathValue } from "../routes/matcher.ts";
import type { PageEndpoint } from "../routes/page-routes.ts";
import { PROOF_PATH, type ServiceMatch } from "../routes/registry.ts";
import { citationQuery } from "../site/query/index.ts";
import { argumentsIn } from "../site/query/query-page.ts";
import type { PageRead } from "./answer-page.ts";
import type { SiteFile } from "./files/file-cache.ts";
import type { SiteFiles } from "./files/site-files.ts";
import { parseQuery, type RequestTarget } from "./http/request-target.ts";
import { type Read, routeRead } from "./reads/answer-read.ts";
import { proofRead, proofRow } from "./reads/proof-read.ts";
import type { TimedReads } from "./reads/timed-reads.ts";

export interface Sources {
  readonly files: SiteFiles;
  readonly timed: TimedReads;
}

/** The answer of an address: its file, unless arguments or the time of the request matter, else a read of its endpoint. */
export async function findAnswer(
  { files, timed }: Sources,
  { pathname, query: text }: RequestTarget,
  match: ServiceMatch,
): Promise<SiteFile | Read | PageRead | undefined> {
  const endpoint = endpointFor(match, "GET");
  if (endpoint?.kind === "proof")
    return proofRead(proofRow(pathValue(PROOF_PATH, match, "row")), parseQuery(text));
  if (endpoint?.kind !== "read") {
    const file = await files.load(pathname);
    if (file === undefined) return citationQuery(pathname); // only the newest citation of a record has a file
    return (endpoint?.kind === "page" ? pageRead(endpoint, match, text) : undefined) ?? file;
  }
  const { route } = endpoint;
  const query = route.ignoresUnknownQuery ? {} : parseQuery(text);
  if (route.dependsOnTime) return timed.read(route, match.values, query);
  const file = Object.keys(query).length > 0 ? undefined : await files.load(pathname);
  return file ?? routeRead(route, match.values, query);
}

/** A page with arguments; undefined without any. */
function pageRead({ page }: PageEndpoint, { values }: ServiceMatch, text: string): PageRead | undefined {
  const query = page && argumentsIn(page, text);
  return page && query && { page, input: { path: values, query } };
}
