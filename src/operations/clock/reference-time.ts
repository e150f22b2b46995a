/** The time as others have it: a timestamp of the authority (RFC 3161), or the Date header of an HTTPS answer. */
import { readFileSync } from "node:fs";
import type { Config } from "../../kernel/config/config.ts";
import type { RandomBytes } from "../../kernel/ids.ts";
import type { Fetch } from "../../kernel/public-fetch.ts";
import { requestTimestamp } from "../../timestamp/request-timestamp.ts";
import { timestampQuery } from "../../timestamp/timestamp-query.ts";
import { trustAnchorsFromPem } from "../../timestamp/trust-anchors.ts";
import { verifyTimestamp } from "../../timestamp/verify-timestamp.ts";
import type { ReferenceTime } from "./forward-clock.ts";

interface ReferenceDeps {
  readonly config: Pick<Config, "timestampAuthority" | "timeUrl">;
  readonly random: RandomBytes;
  readonly fetch: Fetch;
}

const TIMEOUT_MS = 5000;
const MESSAGE_BYTES = 32;
/** RFC 9110, 5.6.7: the one form that servers send. Anything else could be read in the machine's own time zone. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Asks the authority, then TIME_URL. Undefined when neither is configured, or neither answers in a usable form. */
export async function referenceTime({
  config,
  random,
  fetch,
}: ReferenceDeps): Promise<ReferenceTime | undefined> {
  const { timestampAuthority: authority, timeUrl } = config;
  const signed = authority && (await answered(authority.url, () => authorityTime(authority, random)));
  if (signed !== undefined || timeUrl === undefined) return signed;
  return answered(timeUrl, () => httpTime(timeUrl, fetch));
}

/** A source that fails in any way says nothing; the rule without a reference holds then. */
async function answered(
  url: string,
  ask: () => Promise<number | undefined>,
): Promise<ReferenceTime | undefined> {
  try {
    const at = await ask();
    return at === undefined || Number.isNaN(at) ? undefined : { at, from: new URL(url).host };
  } catch {
    return undefined;
  }
}

/** Has random bytes timestamped: the answer's time is signed, and cannot be an old one. */
async function authorityTime(
  { url, caFile }: { readonly url: string; readonly caFile: string },
  random: RandomBytes,
): Promise<number> {
  const trustAnchors = trustAnchorsFromPem(readFileSync(caFile, "utf8"));
  const message = random(MESSAGE_BYTES);
  const { body, nonce } = timestampQuery(message, random);
  const response = await requestTimestamp({ url, body, timeoutMs: TIMEOUT_MS });
  return (await verifyTimestamp({ response, message, nonce, trustAnchors })).time;
}

async function httpTime(url: string, fetch: Fetch): Promise<number | undefined> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const answer = await fetch(url, { method: "HEAD", redirect: "manual", signal });
  await answer.body?.cancel();
  const date = answer.headers.get("date") ?? "";
  return HTTP_DATE.test(date) ? Date.parse(date) : undefined;
}

/** For the guard of TIME_URL: only TLS vouches for the Date header. */
export function httpsOnly({ protocol }: URL): string | undefined {
  return protocol === "https:" ? undefined : "must begin with https://";
}
