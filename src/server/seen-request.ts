import { BlockList, isIP } from "node:net";
import type { RequestRecord } from "../state/usage-row.ts";
import { networkOf } from "./client-address.ts";
import { declaredClient, MAX_USER_AGENT } from "./client-class.ts";
import { isHealthCheck, type RequestSubject, requestSubject } from "./request-subject.ts";

/** One message to the MCP endpoint: its method and tool by names that exist, city and record as they were found. */
export interface SeenMessage {
  readonly method: string;
  readonly tool: string | null;
  readonly city: string | null;
  readonly record: string | null;
  readonly isRefused: boolean; // its arguments or parameters are not what they must be
}

/** What is noted of a request while it is answered: as little as can be, and plain, because it goes to a thread. */
export interface SeenRequest {
  readonly at: number;
  readonly method: string;
  readonly url: string;
  readonly status: number | null; // null: the client was gone before the answer
  readonly latencyMs: number | null;
  readonly userAgent: string;
  readonly address: string; // empty when nobody can tell
  readonly clientId: string | null; // of the partner whose key came with it
  readonly timedOut: boolean;
  readonly message: SeenMessage | null;
}

/** Whether an address is one of our own. */
export type IsInternal = (address: string) => boolean;

/** `networks`: addresses and CIDR blocks, checked by the configuration. */
export function internalNetworks(networks: readonly string[]): IsInternal {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

/** Turns what was noted into what is counted. No address and no user agent that came in is in it, but in the text that is hashed. */
export function requestRecord(seen: SeenRequest, isInternal: IsInternal): RequestRecord {
  const subject = requestSubject(seen.method, seen.url);
  const { clientClass, agent } = declaredClient(seen.userAgent);
  return {
    at: seen.at,
    ...(seen.message === null ? subjectFields(subject) : messageFields(seen.message)),
    clientClass: seen.clientId === null ? clientClass : "authenticated_partner",
    agent,
    status: seen.status,
    latencyMs: seen.latencyMs,
    clientId: seen.clientId,
    client:
      seen.address === "" ? null : `${networkOf(seen.address)} ${seen.userAgent.slice(0, MAX_USER_AGENT)}`,
    internal: isHealthCheck(subject) || isInternal(seen.address),
    timedOut: seen.timedOut || seen.status === 408 || seen.status === 504,
    schemaFailure: seen.message?.isRefused ?? (seen.status === 400 && subject.transport !== "other"),
    rateLimited: seen.status === 429,
  };
}

type SubjectFields = Pick<RequestRecord, "transport" | "operation" | "tool" | "city" | "record">;

function subjectFields({ transport, operation, city, record }: RequestSubject): SubjectFields {
  return { transport, operation, tool: null, city, record };
}

function messageFields({ method, tool, city, record }: SeenMessage): SubjectFields {
  return { transport: "mcp", operation: method, tool, city, record };
}
