import { z } from "zod";
import type { QuoteFacts } from "./quote-facts.ts";
import { sentenceV2 } from "./sentence-v2.ts";

/**
 * Every published version of the citation wording. Versions never change and are never removed, because the service
 * recomputes each citation in its own version.
 */
const SENTENCES = { v2: sentenceV2 } as const satisfies Readonly<
  Record<string, (facts: QuoteFacts) => string>
>;

export const SentenceVersion = z.enum(["v2"]);
export type SentenceVersion = keyof typeof SENTENCES & z.infer<typeof SentenceVersion>;

/** Version used for new citations. */
export const CURRENT_SENTENCE: SentenceVersion = "v2";

/** Returns the citation without its URL. */
export function sentenceOf(version: SentenceVersion, facts: QuoteFacts): string {
  return SENTENCES[version](facts);
}
