import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { factsOf, type Observer } from "../activity/activity.ts";
import type { Clock } from "../kernel/time.ts";
import { matchPath, pathOf, requestKind } from "../site/routes/registry.ts";
import type { AccountEdge } from "./account-edge.ts";
import { answerAccounts } from "./accounts.ts";
import type { PageDeps } from "./answer-page.ts";
import { answerPublic, type Sources } from "./answer-public.ts";
import type { AnswerBasemap } from "./files/basemap.ts";
import { SiteFiles } from "./files/file-cache.ts";
import { sendFile } from "./files/send-file.ts";
import { publicErrorOf, sendError } from "./http/errors.ts";
import { hasExpectation } from "./http/negotiate.ts";
import { hasBody, hostFault } from "./http/request.ts";
import type { Admission } from "./limits/admission.ts";
import { answerMcp, type McpRouteDeps } from "./mcp-route.ts";
import { TimedReads } from "./reads/answer-read.ts";
import { TooSlow } from "./reads/read-pool.ts";
import type { ReleaseSource } from "./reads/release-source.ts";

export interface AppDeps extends PageDeps, AccountEdge {
  readonly admission: Admission;
  readonly observer: Observer;
  readonly clock: Clock; // of reads that depend on the time of the request
  readonly mcp: McpRouteDeps;
  readonly basemap: AnswerBasemap;
}

const CACHE_BYTES = 256 * 1024 * 1024;

export function siteFiles(releases: ReleaseSource): SiteFiles {
  return new SiteFiles(releases, CACHE_BYTES);
}

/** The public surface: files first, then routes from the registry (design 9). */
export function createApp(deps: AppDeps, files = siteFiles(deps.releases)): RequestListener {
  const sources: Sources = { files, timed: new TimedReads(deps.clock) };
  return (request, response) => {
    const startedAt = performance.now();
    if (sendHotFile(files, request, response)) {
      deps.observer.answered(request, response, startedAt);
      return;
    }
    deps.observer.answering(request, response, startedAt);
    answer(deps, sources, request, response).catch((error: unknown) => {
      const failure = publicErrorOf(error, deps.log, randomUUID());
      if (failure instanceof TooSlow) factsOf(request).timedOut = true;
      if (response.headersSent) response.destroy();
      else sendError(request, response, failure);
    });
  };
}

function answer(
  deps: AppDeps,
  sources: Sources,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const match = matchPath(pathOf(request));
  const kind = requestKind(match, request.method);
  if (kind === "mcp") return answerMcp(deps.mcp, request, response);
  if (kind === "basemap") return deps.basemap(request, response);
  if (kind === "account" || kind === "form") return answerAccounts(deps, match, request, response);
  return answerPublic(deps, sources, request, response);
}

/** The fast path of the most frequent request: a GET of exactly the URL of a file in memory, without possible errors. */
function sendHotFile(files: SiteFiles, request: IncomingMessage, response: ServerResponse): boolean {
  const { headers, method, url } = request;
  if (method !== "GET" || url === undefined) return false;
  const file = files.hot(url);
  if (file === undefined || hasBody(request) || hasExpectation(headers)) return false;
  if (hostFault(request) !== undefined) return false;
  sendFile(request, response, file);
  return true;
}
