/** Requests to remove a record, as their senders see them. */

import { ACCOUNT_OPERATIONS } from "../contract/accounts/account-operations.ts";
import {
  proofInstructions,
  proofToken,
  REMOVAL_EFFECTS,
  REMOVAL_STATUS_WORDS,
  type RemovalReason,
  type RemovalReceipt,
  type RemovalRequest,
  type RemovalView,
} from "../contract/accounts/removals.ts";
import { REMOVAL } from "../contract/limits.ts";
import { SCHEMA } from "../contract/versions.ts";
import { PublicError } from "../kernel/errors.ts";
import { publicIdIn } from "../kernel/ids.ts";
import { isoTime, SECOND_MS } from "../kernel/time.ts";
import { removalUrl } from "../resources/links.ts";
import type { Removal } from "../state/removals.ts";
import {
  type AccountDeps,
  defineAccountOperation,
  defineAccountWrite,
  parseFields,
  type Reply,
} from "./define.ts";
import { type CheckedPlace, publicWebsite } from "./website-proof.ts";

export const createRemoval = defineAccountWrite(
  ACCOUNT_OPERATIONS.createRemoval,
  async (deps, wanted, call) => {
    await call.admit("removals");
    return startRemoval(deps, wanted);
  },
);

export const getRemoval = defineAccountOperation(ACCOUNT_OPERATIONS.getRemoval, async (deps, call) => ({
  status: 200,
  body: removalView(await findRemoval(deps, call.path("removal_id"))),
}));

export const checkRemoval = defineAccountOperation(ACCOUNT_OPERATIONS.checkRemoval, async (deps, call) => {
  await call.admit("removalChecks");
  return { status: 200, body: await checkProof(deps, call.path("removal_id")) };
});

export const requestRemoval = defineAccountOperation(ACCOUNT_OPERATIONS.requestRemoval, async (deps, call) =>
  sendRemoval(deps, call.path("removal_id"), call.body),
);

/** Throws PublicError 404 for a record that the current release does not have, whatever the reason, and 409 for one without a website to prove. */
export async function startRemoval(
  deps: AccountDeps,
  { record: asked, proof }: RemovalRequest,
): Promise<Reply<RemovalReceipt>> {
  const record = deps.snapshot().record(publicIdIn(asked) ?? "");
  if (record === undefined || record.mergedInto !== null)
    throw new PublicError(404, "this Presence Record was not found: copy the URL of its page");
  const website = publicWebsite(record.website);
  if (proof === "website" && website === undefined)
    throw new PublicError(409, "this record has no website of its own to prove: choose proof by code");
  const { removals } = await deps.state.get();
  const { publicId, status } = await removals.start(record.publicId, proof);
  const { baseUrl } = deps.snapshot().release();
  const needsToken = proof === "website" && website !== undefined;
  const body: RemovalReceipt = {
    schema: SCHEMA.removalRequest,
    ok: true,
    removal: { removal_id: publicId, record: record.publicId, proof, status },
    instructions: needsToken ? proofInstructions(website, proofToken(publicId)) : null,
    next: needsToken
      ? `Put the token in one of the two places within ${REMOVAL.provenWithinDays} days, then check it: ${removalUrl(baseUrl, publicId, record.publicId)}.`
      : `Contact the operator, who sends a code to the business by post or tells it by phone: ${baseUrl}/about/#report. Name the id of this request.`,
  };
  return { status: 201, body };
}

/** Looks for the token of a request. Throws PublicError 404, 409 for a request that waits for a code, and 429 for looks that come too fast. */
export async function checkProof(deps: AccountDeps, id: string): Promise<RemovalView> {
  const removal = await findRemoval(deps, id);
  if (removal.status !== "unproven") return removalView(removal);
  if (removal.proof === "code")
    throw new PublicError(
      409,
      "this request waits for a code: the operator enters it when the business names it",
    );
  const { removals } = await deps.state.get();
  const start = await removals.startCheck(id);
  if (start?.outcome === "too_often")
    throw new PublicError(409, "this request was checked too often: start a new one");
  if (start?.outcome === "too_soon")
    throw new PublicError(429, "this request was checked a moment ago: try again later", {
      retry_after_s: Math.max(1, Math.ceil(start.waitMs / SECOND_MS)),
    });
  const checked = await look(deps, removal);
  const place = checked.find(({ result }) => result === "found")?.place;
  if (place !== undefined) await removals.prove(id, place);
  return removalView(await findRemoval(deps, id), checked);
}

/** Puts a proven request before a reviewer. Throws PublicError 400, 404, and 409 for one that is unproven or was sent already. */
export async function sendRemoval(
  deps: AccountDeps,
  id: string,
  fields: unknown,
): Promise<Reply<RemovalView>> {
  const { reason }: RemovalReason = parseFields(ACCOUNT_OPERATIONS.requestRemoval.request, fields);
  const { status } = await findRemoval(deps, id);
  const { removals } = await deps.state.get();
  const sent = await removals.request(id, reason);
  if (sent !== undefined) return { status: 202, body: removalView(sent) };
  throw new PublicError(
    409,
    status === "unproven" ? "the proof is missing: check it first" : "this request has already been sent",
  );
}

/** Throws PublicError 404 for an id that was never given out, or whose time is over. */
async function findRemoval(deps: AccountDeps, id: string): Promise<Removal> {
  const { removals } = await deps.state.get();
  const removal = REMOVAL_ID.test(id) ? await removals.get(id) : undefined;
  if (removal === undefined) throw new PublicError(404, "no request has this id", { reason: "unknown" });
  return removal;
}

function removalView(
  { publicId, proof, status, createdAt, reason }: Removal,
  checked: readonly CheckedPlace[] = [],
): RemovalView {
  return {
    schema: SCHEMA.removalRequest,
    ok: true,
    removal: {
      removal_id: publicId,
      proof,
      status,
      status_note: REMOVAL_STATUS_WORDS[status],
      created_at: isoTime(createdAt),
      reason,
    },
    checked: checked.map(({ place, result }) => ({ place, result })),
    effects: [...REMOVAL_EFFECTS],
  };
}

const REMOVAL_ID = /^rm_[0-9a-z]{16}$/;

/** A record that is gone, or publishes no website any more, looks like a website without the token. */
async function look(deps: AccountDeps, { publicId, record }: Removal): Promise<CheckedPlace[]> {
  const published = record === null ? undefined : deps.snapshot().record(record);
  const website = publicWebsite(published?.website ?? null);
  if (website !== undefined) return deps.proveWebsite(website, proofToken(publicId));
  return [
    { place: "dns", result: "not_found" },
    { place: "well_known", result: "not_found" },
  ];
}
