import { BlockList, isIP } from "node:net";
import type { MessageNote } from "../mcp/call-notes.ts";
import type { ReadContext } from "../resources/define.ts";
import type { PlaceSearch, RequestRecord } from "../state/usage/usage-counters.ts";
import { declaredClient, MAX_USER_AGENT, networkOf } from "./client-class.ts";
import { isHealthCheck, type RequestSubject, requestSubject } from "./request-subject.ts";

/** The facts noted while a request is answered: few, and plain data, because they go to a thread. */
export interface SeenRequest {
  readonly at: number; // of the last one
  readonly times: number; // how many equal requests of one UTC day these are
  readonly method: string;
  readonly url: string;
  readonly status: number | null; // null: the client was gone before the answer
  readonly latencyMs: number | null; // of a partner's request
  readonly userAgent: string;
  readonly address: string; // empty when unknown
  readonly clientId: string | null; // of the partner whose key came with it
  readonly timedOut: boolean;
  readonly foundNothing: boolean; // the answer to a search has no record
  readonly message: MessageNote | null;
}

/** Whether an address belongs to the operator's own networks. */
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

/** Reference data for classifying requests. */
export interface Known {
  readonly isInternal: IsInternal;
  readonly places: Places;
}

/**
 * Turns what was noted into what is counted, for the server's own requests and those of a front server's log alike. No address and no user agent
 * that came in is in it, but in the text that is hashed; of what was searched for only the city is, when it is one of the service or the catalogue.
 */
export function requestRecord(seen: SeenRequest, { isInternal, places }: Known): RequestRecord {
  const subject = requestSubject(seen.method, seen.url);
  const { clientClass, agent } = declaredClient(seen.userAgent);
  const fields = seen.message === null ? subjectFields(seen, subject) : messageFields(seen.message);
  const isCrawler = clientClass === "search_crawler" || clientClass === "ai_crawler";
  return {
    at: seen.at,
    times: seen.times,
    ...fields,
    city: coveredCity(places, fields.city),
    // Crawlers follow links and show no interest of a person; a tool call does.
    search: isCrawler && seen.message === null ? null : placeSearch(places, seen, subject),
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

/** A record that was not answered is any text. */
function subjectFields(
  { status }: SeenRequest,
  { transport, operation, city, record }: RequestSubject,
): SubjectFields {
  return { transport, operation, tool: null, city, record: isAnswer(status) ? record : null };
}

function isAnswer(status: number | null): boolean {
  return status === 200 || status === 304;
}

function coveredCity(places: Places, text: string | null): string | null {
  const place = text === null ? undefined : places(text);
  return place?.kind === "covered" ? place.slug : null;
}

/** An answer that the service does not cover a city is one, too. */
function placeSearch(places: Places, seen: SeenRequest, subject: RequestSubject): PlaceSearch | null {
  const { city, foundNothing } = searchOf(seen, subject);
  const place = city === null ? undefined : places(city);
  if (place === undefined) return null;
  if (place.kind === "covered")
    return isAnswer(seen.status) ? { kind: place.kind, place: place.slug, foundNothing } : null;
  if (!isAnswer(seen.status)) return null;
  return { kind: place.kind, place: String(place.geonameId), foundNothing: true };
}

function searchOf({ message, foundNothing }: SeenRequest, { isSearch, city }: RequestSubject) {
  if (message !== null) return message.search ?? { city: null, foundNothing };
  return { city: isSearch ? city : null, foundNothing };
}

function messageFields({ method, tool, city, record }: MessageNote): SubjectFields {
  return { transport: "mcp", operation: method, tool, city, record };
}

type PlaceQueries = Pick<ReadContext["snapshot"], "placeNamed">;

/** Resolves a text to a city; undefined for every other text, which is then dropped. */
export type Places = PlaceQueries["placeNamed"];

/** The places of the current release at each call; none before the first release. */
export function placesOf(snapshot: () => PlaceQueries | undefined): Places {
  return (text) => snapshot()?.placeNamed(text);
}
