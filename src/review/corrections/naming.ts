/** How a reviewer calls a record: by the rules that hold for the names and websites of lines. */
import { contactKeys, parseWebsite } from "../../intake/lines/contact.ts";
import { LineFault } from "../../intake/lines/fault.ts";
import { checkedName } from "../../intake/lines/name.ts";
import { intakeHashes } from "../../intake/lines/sighting.ts";
import { nameHoldReason } from "../../intake/matching/hold-reason.ts";
import { OptOutJudge } from "../../intake/opt-outs/judge.ts";
import { cellOf } from "../../intake/opt-outs/plan-opt-out.ts";
import { NOWHERE } from "../../intake/places/anchors.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import type { Website } from "../../kernel/text/website.ts";
import type { RecordState } from "../../ledger/decisions/ledger-state.ts";
import type { LiveSighting } from "../../ledger/rows/live-rows.ts";
import type { NamingBody } from "../../ledger/rows/rows.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { heldBecause } from "../held-reasons.ts";

export interface GivenNaming {
  readonly name: string;
  /** `NO_WEBSITE` takes it away; without it the record keeps the one that it has. */
  readonly website?: string | undefined;
}

const NO_WEBSITE = "none";

export type Naming = Pick<NamingBody, "name" | "website">;

/** Throws OperatorError for a name or a website that no line about these observations could bring without a reviewer. */
export function checkedNaming(
  ledger: LedgerWriter,
  { body, website: present }: Pick<RecordState, "body" | "website">,
  given: GivenNaming,
  sightings: readonly LiveSighting[],
): Naming {
  const name = asOperator("--name", () => checkedName(given.name));
  const key = nameKey(name);
  const hold = nameHoldReason({ input: { name: given.name }, name, nameKey: key });
  if (hold !== undefined) throw new OperatorError(`--name: ${heldBecause(hold)}`);
  const site =
    given.website === undefined || given.website === NO_WEBSITE ? undefined : readWebsite(given.website);
  assertNotOptedOut(ledger, body.city, { nameKey: key, website: site && given.website }, sightings);
  const website = given.website === undefined ? present : (site?.url ?? null);
  return { name, website };
}

/** Throws OperatorError. */
export function readWebsite(given: string): Website {
  return asOperator("--website", () => parseWebsite(given));
}

function assertNotOptedOut(
  ledger: LedgerWriter,
  city: string,
  { nameKey, website }: { readonly nameKey: string; readonly website: string | undefined },
  sightings: readonly LiveSighting[],
): void {
  const hashes = intakeHashes(ledger.purposeKey);
  const judge = new OptOutJudge(ledger.intake, hashes, ledger.now());
  const contacts = contactKeys({ website }, hashes.contact);
  const isRefused = sightings.some((sighting) => {
    const place = cellOf(sighting) ?? NOWHERE;
    const input = { asset_type: sighting.body.asset_type };
    return judge.judge({ nameKey, contacts, place, input }, city) !== "pass";
  });
  if (isRefused)
    throw new OperatorError("--name: it is, or is near, that of a record that has opted out in this city");
}

function asOperator<T>(option: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof LineFault)) throw error;
    throw new OperatorError(`${option}: ${error.message}`, { cause: error });
  }
}
