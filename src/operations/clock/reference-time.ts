/** The time as others have it: a timestamp of the authority (RFC 3161), or the Date header of an HTTPS answer. */
import type { Config } from "../../kernel/config/config.ts";
import type { RandomBytes } from "../../kernel/ids.ts";
import { type Fetch, guardedFetch } from "../../kernel/public-fetch.ts";
import type { ReferenceTime } from "./forward-clock.ts";

interface ReferenceDeps {
  readonly config: Pick<Config, "timestampAuthority" | "timeUrl">;
  readonly random: RandomBytes;
  readonly fetch: Fetch;
}

const TIMEOUT_MS = 5000;
/** RFC 9110, 5.6.7: the one form that servers send. Anything else could be read in the machine's own time zone. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Asks the authority, then TIME_URL. Undefined when neither is configured, or neither answers in a usable form. */
export async function referenceTime({
  config,
  random,
  fetch,
}: ReferenceDeps): Promise<ReferenceTime | undefined> {
  const { timestampAuthority: authority, timeUrl } = config;
  const signed = authority && (await answered(authority.url, () => signedTime(authority, random)));
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

/** The modules of timestamps are loaded for those who have an authority. */
async function signedTime(
  authority: NonNullable<Config["timestampAuthority"]>,
  random: RandomBytes,
): Promise<number> {
  const { authorityTime } = await import("./authority-time.ts");
  return authorityTime(authority, { random, timeoutMs: TIMEOUT_MS });
}

async function httpTime(url: string, fetch: Fetch): Promise<number | undefined> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const answer = await fetch(url, { method: "HEAD", redirect: "manual", signal });
  await answer.body?.cancel();
  const date = answer.headers.get("date") ?? "";
  return HTTP_DATE.test(date) ? Date.parse(date) : undefined;
}

/** Asks TIME_URL. The guard is made with the first request: the commands of a service without TIME_URL never load it. */
export const fetchSecurely: Fetch = (url, init) => guardedFetch(httpsOnly)(url, init);

/** Only TLS vouches for the Date header. */
function httpsOnly({ protocol }: URL): string | undefined {
  return protocol === "https:" ? undefined : "must begin with https://";
}
