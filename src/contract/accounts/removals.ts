import { z } from "zod";
import { sha256 } from "../../kernel/hash.ts";
import { base32 } from "../../kernel/ids.ts";
import { readWebsite } from "../../kernel/text/contacts.ts";
import { RemovalReasonCode } from "../enums.ts";
import { Timestamp } from "../fields.ts";
import { MAX_QUERY_TEXT, REMOVALS_KEPT_DAYS } from "../limits.ts";
import { SCHEMA } from "../versions.ts";

/** Requests of owners to remove a record (opt-out): proof, reasons, and what a request leads to. */

/** How an owner proves who they are. */
export const RemovalProof = z.enum(["website", "code"]);
export type RemovalProof = z.infer<typeof RemovalProof>;

/** `unproven`: the proof is missing. `proven`: it was found. `requested`: a reviewer decides. The list is closed. */
export const RemovalStatus = z.enum(["unproven", "proven", "requested", "carried_out", "declined"]);
export type RemovalStatus = z.infer<typeof RemovalStatus>;

export const RemovalOutcome = RemovalStatus.extract(["carried_out", "declined"]);
export type RemovalOutcome = z.infer<typeof RemovalOutcome>;

/** Places where the token of a website's owner may stand. */
export const ProofPlace = z.enum(["dns", "well_known"]);
export type ProofPlace = z.infer<typeof ProofPlace>;

/** Result of looking in one place. What else stands there is never shown. */
export const ProofResult = z.enum(["found", "not_found", "unreachable"]);
export type ProofResult = z.infer<typeof ProofResult>;

export const REASON_WORDS: Readonly<Record<RemovalReasonCode, string>> = {
  privacy_request: "It shows something private.",
  owner_request: "The business does not want to be listed.",
  legal_order: "A court or an authority ordered it.",
  safety: "It puts somebody at risk.",
  data_error: "The record is wrong and cannot be corrected.",
};

export const REMOVAL_STATUS_WORDS: Readonly<Record<RemovalStatus, string>> = {
  unproven: "The proof is missing.",
  proven: "The proof was found. Choose a reason and send the request.",
  requested: "The request awaits a decision by the operator.",
  carried_out: "The record was removed.",
  declined: "The operator declined the request.",
};

/** What happens when a record is removed, shown before somebody asks for it. */
export const REMOVAL_EFFECTS: readonly string[] = [
  "The record, its assets and all its observations are erased for good. Nobody can restore them.",
  "Its page and data disappear, and so do those of records that were merged into it. Citations of it say that they are withdrawn.",
  "Later observations of the business are refused, so the record does not come back.",
  "The ledger keeps row numbers and hashes that identify nobody. The list of withdrawals tells those who hold copies to delete them; copies cannot be recalled.",
  "If somebody else asks whether the record existed, the service does not say.",
];

/** Honeypot field: hidden from people, so only programs fill it in. */
export const REMOVAL_TRAP = "topic";

const record = z
  .string("must be a string")
  .trim()
  .min(1, "must not be blank")
  .max(MAX_QUERY_TEXT, `must be at most ${MAX_QUERY_TEXT} characters long`)
  .describe("Public id of a Presence Record, or URL of its page.");

/** Request body of `POST /api/v1/removals`. */
export const RemovalRequest = z
  .strictObject({
    record,
    proof: z
      .enum(RemovalProof.options, `must be one of ${RemovalProof.options.join(", ")}`)
      .describe(
        "`website`: a token on the record's published website or in its DNS. `code`: a code that the operator sends by post or gives by phone.",
      ),
  })
  .meta({ id: "RemovalRequest", description: "Start of a request to remove a record." });
export type RemovalRequest = z.infer<typeof RemovalRequest>;

/** Request body of `POST /api/v1/removals/{removal_id}/request`. */
export const RemovalReason = z
  .strictObject({
    reason: z
      .enum(RemovalReasonCode.options, `must be one of ${RemovalReasonCode.options.join(", ")}`)
      .describe("Reason for the removal. Never published with the record's name."),
  })
  .meta({ id: "RemovalReason", description: "Reason for a removal." });
export type RemovalReason = z.infer<typeof RemovalReason>;

const removal_id = z
  .string()
  .describe("Returned only to the sender, who needs it for every further step. Keep it secret.");

const ProofInstructions = z.looseObject({
  token: z.string(),
  dns: z.looseObject({ name: z.string(), type: z.literal("TXT"), value: z.string() }),
  well_known: z.looseObject({ url: z.url(), content: z.string() }),
});
export type ProofInstructions = z.infer<typeof ProofInstructions>;

export const RemovalReceipt = z
  .looseObject({
    schema: z.literal(SCHEMA.removalRequest),
    ok: z.boolean(),
    removal: z.looseObject({ removal_id, record: z.string(), proof: RemovalProof, status: RemovalStatus }),
    instructions: ProofInstructions.nullable().describe(
      "Where to put the token; one of the two places is enough. Null for a code.",
    ),
    next: z.string().describe("Next steps."),
  })
  .meta({ id: "RemovalReceipt", description: "Receipt for a started request." });
export type RemovalReceipt = z.infer<typeof RemovalReceipt>;

export const RemovalView = z
  .looseObject({
    schema: z.literal(SCHEMA.removalRequest),
    ok: z.boolean(),
    removal: z.looseObject({
      removal_id,
      proof: RemovalProof,
      status: RemovalStatus,
      status_note: z.string().describe("The status in words."),
      created_at: Timestamp,
      reason: RemovalReasonCode.nullable(),
    }),
    checked: z
      .array(z.looseObject({ place: ProofPlace, result: ProofResult }))
      .describe("Places that this request checked; empty when it checked none."),
    effects: z.array(z.string()).describe("What happens when the record is removed."),
  })
  .meta({
    id: "RemovalView",
    description: `Status of a request for removal, kept for ${REMOVALS_KEPT_DAYS} days after its end.`,
  });
export type RemovalView = z.infer<typeof RemovalView>;

/** What the owner of a website publishes to prove it, and where. */

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
  return port === "" ? { hostname, domain: parts.host } : undefined;
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
