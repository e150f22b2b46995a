/**
 * Proof that somebody controls a published website: a token that only the sender of a request was told stands in its DNS or at a
 * well-known address. The answers of strangers' servers are compared and thrown away; nothing of them is shown.
 */

import {
  type ProofPlace,
  type ProofResult,
  type ProvableWebsite,
  proofInstructions,
  provableWebsite,
} from "../contract/accounts/removals.ts";
import { PublicError } from "../kernel/errors.ts";
import { beginningOf, type Fetch, hostProblem } from "../kernel/public-fetch.ts";

/** How the prover reaches the world. */
export interface ProofSources {
  readonly fetch: Fetch; // guarded: connects to public addresses alone
  /** TXT records of a name, each as its strings; throws an error with a code of DNS. */
  resolveTxt(name: string): Promise<string[][]>;
  readonly timeoutMs: number;
}

export interface CheckedPlace {
  readonly place: ProofPlace;
  readonly result: ProofResult;
}

/** Looks for a token in every place of a website. Throws PublicError 503 while too many looks are under way. */
export type WebsiteProver = (website: ProvableWebsite, token: string) => Promise<CheckedPlace[]>;

const MAX_BYTES = 4096;
const MAX_LOOKS = 8;

/** A provable website that the public reaches; undefined for any other. */
export function publicWebsite(website: string | null): ProvableWebsite | undefined {
  const provable = provableWebsite(website);
  return provable !== undefined && hostProblem(provable.hostname) === undefined ? provable : undefined;
}

export function websiteProver(sources: ProofSources): WebsiteProver {
  let looks = 0;
  return async (website, token) => {
    if (looks >= MAX_LOOKS)
      throw new PublicError(503, "too many websites are being checked: try again in a minute");
    looks += 1;
    try {
      return await Promise.all([inDns(sources, website, token), atWellKnown(sources, website, token)]);
    } finally {
      looks -= 1;
    }
  };
}

/** No name and no record are answers, too. */
const NOTHING_THERE = new Set(["ENOTFOUND", "ENODATA", "NXDOMAIN"]);

async function inDns(
  { resolveTxt }: ProofSources,
  website: ProvableWebsite,
  token: string,
): Promise<CheckedPlace> {
  const { name, value } = proofInstructions(website, token).dns;
  try {
    const records = await resolveTxt(name);
    return { place: "dns", result: found(records.some((strings) => strings.join("") === value)) };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    return { place: "dns", result: NOTHING_THERE.has(code) ? "not_found" : "unreachable" };
  }
}

async function atWellKnown(
  { fetch, timeoutMs }: ProofSources,
  website: ProvableWebsite,
  token: string,
): Promise<CheckedPlace> {
  const { url } = proofInstructions(website, token).well_known;
  try {
    const response = await fetch(url, {
      redirect: "manual", // elsewhere is somebody else's
      signal: AbortSignal.timeout(timeoutMs),
      headers: { accept: "text/plain", "user-agent": "PresenceVerification/1.0" },
    });
    const body = (await beginningOf(response, MAX_BYTES)).toString("utf8");
    return { place: "well_known", result: found(response.status === 200 && body.trim() === token) };
  } catch {
    return { place: "well_known", result: "unreachable" };
  }
}

function found(isFound: boolean): ProofResult {
  return isFound ? "found" : "not_found";
}
