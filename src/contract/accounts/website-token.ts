/** What the owner of a website publishes to prove it, and where. */

import { sha256 } from "../../kernel/hash.ts";
import { base32 } from "../../kernel/ids.ts";
import { hostProblem } from "../../kernel/public-fetch.ts";
import { readWebsite } from "../../kernel/text/website.ts";
import type { ProofInstructions } from "./removals.ts";

/** A website of one owner: the names of its host, as published and without `www.`. */
export interface ProvableWebsite {
  readonly hostname: string;
  readonly domain: string;
}

const DNS_LABEL = "_presence-verification";
const DNS_PREFIX = "presence-verification=";
const WELL_KNOWN = "/.well-known/presence-verification.txt";
const TOKEN_BYTES = 20; // 32 characters

/** Undefined for an address whose host belongs to many businesses, such as a social network: its owner is not theirs. */
export function provableWebsite(website: string | null): ProvableWebsite | undefined {
  const parts = website === null ? undefined : readWebsite(website);
  if (parts === undefined || parts.lookUpKey !== parts.host) return undefined;
  const { hostname, port } = new URL(parts.url);
  return port === "" && hostProblem(hostname) === undefined ? { hostname, domain: parts.host } : undefined;
}

/** The token of a request follows from its id, which stays secret: whoever reads the token cannot act on the request. */
export function proofToken(removalId: string): string {
  return base32(sha256(`presence-verification ${removalId}`).subarray(0, TOKEN_BYTES));
}

export function proofInstructions({ hostname, domain }: ProvableWebsite, token: string): ProofInstructions {
  return {
    token,
    dns: { name: `${DNS_LABEL}.${domain}`, type: "TXT", value: `${DNS_PREFIX}${token}` },
    well_known: { url: `https://${hostname}${WELL_KNOWN}`, content: token },
  };
}
