/** Why intake held a line, in words, and the kind of item that it is at the review desk. */
import type { HoldReason } from "../intake/matching/hold-reason.ts";

export type HeldKind = "generic-name" | "damaged-name" | "private-name" | "opt-out";

const REASONS: Readonly<Record<HoldReason, readonly [kind: HeldKind, why: string]>> = {
  generic_name: ["generic-name", "the name is generic"],
  damaged_name: ["damaged-name", "the name was damaged on its way, and would be published as it is"],
  phone_in_name: ["private-name", "the name holds a telephone number, and would be published with it"],
  email_in_name: ["private-name", "the name holds an email address, and would be published with it"],
  plate_in_name: ["private-name", "the name holds a number plate, and would be published with it"],
  person_in_name: ["private-name", "the name addresses a person, and would be published as it is"],
  near_opt_out: ["opt-out", "the name is near that of a record that opted out at the same place"],
};

export function heldKind(reason: string): HeldKind {
  return known(reason)[0];
}

export function heldBecause(reason: string): string {
  return known(reason)[1];
}

function known(reason: string): readonly [kind: HeldKind, why: string] {
  if (isHoldReason(reason)) return REASONS[reason];
  throw new Error(`no reason to hold a line: ${reason}`);
}

function isHoldReason(reason: string): reason is HoldReason {
  return Object.hasOwn(REASONS, reason);
}
