/** The pages for owners: what they can do about a record, and how they have it removed. */

import {
  type ProofInstructions,
  proofInstructions,
  proofToken,
  provableWebsite,
  REASON_WORDS,
  REMOVAL_EFFECTS,
} from "../../contract/accounts/removals.ts";
import { type EntityStatus, RemovalReasonCode } from "../../contract/enums.ts";
import { PublicError } from "../../kernel/errors.ts";
import { publicIdIn } from "../../kernel/ids.ts";
import type { ReadContext } from "../../resources/define.ts";
import { argument, defineQueryPage, type PageInput, type PageState } from "./query-page.ts";

/** The published facts that tell an owner which record it is. */
export interface OwnedRecord {
  readonly publicId: string;
  readonly name: string;
  readonly city: string;
  readonly status: EntityStatus;
  readonly hostname: string | null; // of a website that can be proven
}

export type OptOutAnswer =
  | { readonly kind: "no record" }
  | { readonly kind: "record"; readonly record: OwnedRecord }
  | {
      readonly kind: "request";
      readonly record: OwnedRecord;
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

function answer(context: ReadContext, input: PageInput): OptOutAnswer {
  const found = askedRecord(context, input);
  if (found === undefined) return { kind: "no record" };
  const { website, ...record } = found;
  const request = argument(input, "request");
  if (request === undefined || !REQUEST.test(request)) return { kind: "record", record };
  return {
    kind: "request",
    record,
    request,
    instructions: website && proofInstructions(website, proofToken(request)),
  };
}

/** The record that an owner named; undefined without any. Throws PublicError 404. */
function askedRecord({ snapshot }: ReadContext, input: PageInput) {
  const asked = argument(input, "record");
  if (asked === undefined) return undefined;
  const found = snapshot.record(publicIdIn(asked.trim()) ?? "");
  const city = found && snapshot.city(found.city);
  if (found === undefined || found.mergedInto !== null || city === undefined)
    throw new PublicError(404, "we found no record with that link: copy the link of the record’s page");
  const website = provableWebsite(found.website);
  const { publicId, name, status } = found;
  return { publicId, name, status, city: city.name, hostname: website?.hostname ?? null, website };
}

/** The record that the page is about; undefined for what holds for every record. */
export type OwnersAnswer = OwnedRecord | undefined;

export const owners = defineQueryPage({
  name: "owners",
  operation: "owners_page",
  path: "/owners/",
  parameters: ["record"],
  answer: (context, input): OwnersAnswer => askedRecord(context, input),
  place: (shown: PageState<OwnersAnswer>) => ({ owners: shown }),
});
