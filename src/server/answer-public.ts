import type { IncomingMessage, ServerResponse } from "node:http";
import type { StateSource } from "../accounts/state-source.ts";
import { endpointFor } from "../routes/matcher.ts";
import { matchPath } from "../routes/registry.ts";
import { answerMissing, sendCanonical } from "./answer-missing.ts";
import { answerPage, type PageDeps } from "./answer-page.ts";
import { sendFile } from "./files/send-file.ts";
import { findAnswer, type Sources } from "./find-answer.ts";
import { sendPassingJson } from "./http/errors.ts";
import { sendMerged } from "./http/merged-record.ts";
import { refuseOtherMethods, sendPreflight } from "./http/methods.ts";
import { discardBody, hasBody } from "./http/request-body.ts";
import { checkHost, parseTarget } from "./http/request-target.ts";
import { admitDocument, answerRead, published } from "./reads/answer-read.ts";
import type { ReleaseSource } from "./reads/release-source.ts";

export interface PublicDeps extends PageDeps {
  readonly accounts: { readonly state: Pick<StateSource, "fault"> };
}

/** Answers a request for a probe, a file, a read or a page. Throws PublicError. */
export async function answerPublic(
  deps: PublicDeps,
  sources: Sources,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  await checkMessage(request, response);
  if (request.method === "OPTIONS" && request.url === "*") return sendPreflight(response);
  const target = parseTarget(request.url ?? "");
  const { pathname } = target;
  const match = matchPath(pathname);
  const { current: release } = deps.releases;
  if (endpointFor(match, "GET")?.kind === "health")
    return sendProbe(pathname === "/healthz" ? "ok" : readiness(deps), request, response);
  assertServed(deps.releases);
  if (sendMerged(release, target, request, response)) return;
  await admitMade(deps, sources, pathname, request);
  if (await sendCanonical(sources.files, target, request, response)) return;
  const answer = await findAnswer(sources, target, match);
  if (answer === undefined) return answerMissing(sources.files, target, request, response);
  if (request.method === "OPTIONS") return sendPreflight(response);
  refuseOtherMethods(request, response);
  if ("text" in answer) return answerRead(deps, answer, request, response);
  if ("page" in answer) return answerPage(deps, answer, request, response);
  sendFile(request, response, answer);
}

/** A document that has to be made counts as a read. Throws PublicError 429. */
async function admitMade(
  deps: PublicDeps,
  { files }: Sources,
  pathname: string,
  request: IncomingMessage,
): Promise<void> {
  const addresses = [pathname, `${pathname}/`]; // the second one for what only redirects to it
  if (addresses.some((address) => files.mustMake(address))) await admitDocument(deps, request);
}

/** Throws PublicError 503 where not even files are served. */
function assertServed(releases: ReleaseSource): void {
  if (!hasFiles(releases)) published(releases);
}

function hasFiles({ current, filesOnly }: ReleaseSource): boolean {
  return current !== undefined || filesOnly !== undefined;
}

async function checkMessage(request: IncomingMessage, response: ServerResponse): Promise<void> {
  checkHost(request, response);
  if (!hasBody(request)) return;
  try {
    await discardBody(request);
  } catch (error) {
    response.setHeader("Connection", "close"); // the rest of the body would be read as the next request
    throw error;
  }
}

/** A state that is only out of reach leaves the reads, so the service is ready; files that were lost need somebody. */
function readiness({ releases, accounts }: PublicDeps): string {
  if (!hasFiles(releases)) return "no release";
  return accounts.state.fault() === undefined ? "ok" : "state lost";
}

function sendProbe(status: string, request: IncomingMessage, response: ServerResponse): void {
  refuseOtherMethods(request, response);
  sendPassingJson(request, response, status === "ok" ? 200 : 503, { status });
}
