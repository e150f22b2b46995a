import type { IncomingMessage } from "node:http";
import type { SeenMessage } from "./seen-request.ts";

/** What whoever answers a request knows of it, beside its head and the status of its answer. */
export interface RequestFacts {
  clientId: string | null; // of the partner whose key came with it
  timedOut: boolean; // it was given up because it took too long
  foundNothing: boolean; // it is a search, and the answer has no record
  readonly messages: SeenMessage[]; // of MCP
}

const noted = new WeakMap<IncomingMessage, RequestFacts>();

/** The facts of a request, to be added to until its answer is over. Most requests need none, so they are made when they are asked for. */
export function factsOf(request: IncomingMessage): RequestFacts {
  const known = noted.get(request);
  if (known !== undefined) return known;
  const facts: RequestFacts = { clientId: null, timedOut: false, foundNothing: false, messages: [] };
  noted.set(request, facts);
  return facts;
}

const NONE: RequestFacts = { clientId: null, timedOut: false, foundNothing: false, messages: [] };

/** The facts of a request that is over. */
export function notedFacts(request: IncomingMessage): Readonly<RequestFacts> {
  return noted.get(request) ?? NONE;
}
