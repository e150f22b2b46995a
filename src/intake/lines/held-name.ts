/** A name that intake holds, as reviewers decide about it: once in a city, for all lines that have it. */
import { sha256Hex } from "../../kernel/hash.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import type { PurposeKey } from "../../ledger/keys/keys.ts";
import { keyedHash } from "../matching/keyed-hash.ts";
import type { HoldReason } from "./name.ts";

export interface HeldName {
  readonly city: string; // slug
  readonly reason: string;
  readonly name: string; // as it came
}

const KEY_DIGITS = 16;

/** Names that one decision is about: generic ones by their keys, the others but for case, because each may hold something else. */
export function heldNameId({ city, reason, name }: HeldName): string {
  const key = reason === ("generic_name" satisfies HoldReason) ? nameKey(name) : "";
  return sha256Hex(JSON.stringify([city, reason, key === "" ? name.trim().toLowerCase() : key])).slice(
    0,
    KEY_DIGITS,
  );
}

/** The key under which a decision is remembered: a keyed hash, which tells nobody the name. */
export function rememberedKey(purposeKey: PurposeKey): (id: string) => string {
  const hash = keyedHash(purposeKey("held_name"));
  return (id) => hash(id).slice(0, 2 * KEY_DIGITS);
}

const REMEMBERED = [
  "generic_name",
  "damaged_name",
  "phone_in_name",
  "email_in_name",
  "plate_in_name",
  "person_in_name",
] as const satisfies readonly HoldReason[];

/** Whether later lines of a name go as the ones that were decided about. Who opted out is asked about each time. */
export function isRemembered(reason: string): boolean {
  return REMEMBERED.some((each) => each === reason);
}

/** All ids under which something may be remembered of a name. */
export function idsOfName(city: string, name: string): string[] {
  return REMEMBERED.map((reason) => heldNameId({ city, reason, name }));
}
