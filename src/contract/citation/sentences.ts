import { z } from "zod";
import type { QuoteFacts } from "./quote-facts.ts";
import { sentenceV1 } from "./sentence-v1.ts";

/**
 * Every published version of the citation wording. Versions never change and are never removed, because the service
 * recomputes each citation in its own version.
 */
const SENTENCES = { v1: sentenceV1 } as const satisfies Readonly<
  Record<string, (facts: QuoteFacts) => string>
>;

export const SentenceVersion = z.enum(["v1"]);
export type SentenceVersion = keyof typeof SENTENCES & z.infer<typeof SentenceVersion>;

/** Version used for new citations. */
export const CURRENT_SENTENCE: SentenceVersion = "v1";

/** Returns the citation without its URL. */
export function sentenceOf(version: SentenceVersion, facts: QuoteFacts): string {
  return SENTENCES[version](facts);
}
