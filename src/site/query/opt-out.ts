/** The page for owners who want their record removed: the record, how to prove who they are, and what happens then. */

import {
  type ProofInstructions,
  proofInstructions,
  proofToken,
  provableWebsite,
  REASON_WORDS,
  REMOVAL_EFFECTS,
} from "../../contract/accounts/removals.ts";
import { RemovalReasonCode } from "../../contract/enums.ts";
import { PublicError } from "../../kernel/errors.ts";
import { publicIdIn } from "../../kernel/ids.ts";
import type { ReadContext } from "../../resources/define.ts";
import { argument, defineQueryPage, type PageInput, type PageState } from "./query-page.ts";

/** The published facts that tell an owner which record it is. */
export interface RemovableRecord {
  readonly publicId: string;
  readonly name: string;
  readonly city: string;
  readonly hostname: string | null; // of a website that can be proven
}

export type OptOutAnswer =
  | { readonly kind: "no record" }
  | { readonly kind: "record"; readonly record: RemovableRecord }
  | {
      readonly kind: "request";
      readonly record: RemovableRecord;
      readonly request: string; // id
      readonly instructions: ProofInstructions | undefined; // undefined without a website that can be proven
    };

export const REMOVAL_REASONS = RemovalReasonCode.options.map((reason) => ({
  reason,
  words: REASON_WORDS[reason],
}));
export { REMOVAL_EFFECTS };

export const optOut = defineQueryPage({
  name: "opt-out",
  operation: "opt_out_page",
  path: "/opt-out/",
  parameters: ["record", "request"],
  answer,
  place: (shown: PageState<OptOutAnswer>) => ({ optOut: shown }),
});

const REQUEST = /^rm_[0-9a-z]{16}$/;

function answer({ snapshot }: ReadContext, input: PageInput): OptOutAnswer {
  const asked = argument(input, "record");
  if (asked === undefined) return { kind: "no record" };
  const found = snapshot.record(publicIdIn(asked.trim()) ?? "");
  const city = found && snapshot.city(found.city);
  if (found === undefined || found.mergedInto !== null || city === undefined)
    throw new PublicError(404, "no such Presence Record: copy the URL of its page");
  const website = provableWebsite(found.website);
  const { publicId, name } = found;
  const record = { publicId, name, city: city.name, hostname: website?.hostname ?? null };
  const request = argument(input, "request");
  if (request === undefined || !REQUEST.test(request)) return { kind: "record", record };
  return {
    kind: "request",
    record,
    request,
    instructions: website && proofInstructions(website, proofToken(request)),
  };
}
