import { z } from "zod";
import type { QuoteFacts } from "./quote-facts.ts";
import { sentenceV2 } from "./sentence-v2.ts";
import { sentenceV3 } from "./sentence-v3.ts";

/**
 * Every published version of the citation wording. Versions never change and are never removed, because the service
 * recomputes each citation in its own version.
 */
const SENTENCES = { v2: sentenceV2, v3: sentenceV3 } as const satisfies Readonly<
  Record<string, (facts: QuoteFacts) => string>
>;

export const SentenceVersion = z.enum(["v2", "v3"]);
export type SentenceVersion = keyof typeof SENTENCES & z.infer<typeof SentenceVersion>;

/** Version used for new citations. */
export const CURRENT_SENTENCE: SentenceVersion = "v3";

/**
 * How observers and corroboration were counted when citations of a version were published: every observation, with the tags of the
 * rows; or those that count as independent evidence, by principals.
 */
export type Counting = "every_row" | "independent";

export const COUNTING: Readonly<Record<SentenceVersion, Counting>> = { v2: "every_row", v3: "independent" };

/** Returns the citation without its URL. */
export function sentenceOf(version: SentenceVersion, facts: QuoteFacts): string {
  return SENTENCES[version](facts);
}
