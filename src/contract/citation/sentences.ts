import { z } from "zod";
import type { QuoteFacts } from "./quote-facts.ts";
import { sentenceV2 } from "./sentence-v2.ts";

/**
 * Every version of the words of a citation that has had an address. A version is never changed and never removed: a citation of any age
 * is computed again in its own version.
 */
const SENTENCES = { v2: sentenceV2 } as const satisfies Readonly<
  Record<string, (facts: QuoteFacts) => string>
>;

export const SentenceVersion = z.enum(["v2"]);
export type SentenceVersion = keyof typeof SENTENCES & z.infer<typeof SentenceVersion>;

/** The version in which new citations are written. */
export const CURRENT_SENTENCE: SentenceVersion = "v2";

/** The words of a citation without its address. */
export function sentenceOf(version: SentenceVersion, facts: QuoteFacts): string {
  return SENTENCES[version](facts);
}
