import type { IncomingMessage } from "node:http";
import type { MessageNote } from "../mcp/call-notes.ts";

/** Facts that handlers note about a request, for the usage counts. */
export interface RequestFacts {
  clientId: string | null; // of the partner whose key came with it
  timedOut: boolean; // it was given up because it took too long
  foundNothing: boolean; // it is a search, and the answer has no record
  readonly messages: MessageNote[]; // of MCP
}

const noted = new WeakMap<IncomingMessage, RequestFacts>();

/** The facts of a request, created on first use; handlers add to them until the answer is complete. */
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
