import { findIndustry } from "../contract/industry.ts";
import { MAX_NAME_LENGTH } from "../contract/limits.ts";
import type { PurposeKey } from "../ledger/keys.ts";
import { parseWebsite, phoneKey, type Website } from "./contact.ts";
import { LineFault } from "./fault.ts";
import { type KeyedHash, keyedHash } from "./keyed-hash.ts";
import { cleanName, nameKey } from "./name.ts";
import {
  OBSERVATION_FIELDS,
  type ObservationInput,
  observedInstant,
  parseObservation,
} from "./observation-input.ts";

/** A line that passed every check which needs the line alone. */
export interface Sighting {
  readonly line: number;
  readonly input: ObservationInput;
  /** Keyed hashes in hexadecimal: of the source's reference (16 bytes), and of all that the line says (8 bytes). */
  readonly key: string;
  readonly content: string;
  readonly instant: number; // ms
  readonly name: string;
  readonly nameKey: string;
  readonly website: Website | undefined;
  /** Keyed hashes of what a record may share with another sighting: website first, then telephone. */
  readonly contacts: readonly Buffer[];
}

export interface IntakeHashes {
  readonly sourceRef: KeyedHash;
  readonly observer: KeyedHash;
  readonly observerTag: KeyedHash;
  readonly contact: KeyedHash;
  readonly optOut: KeyedHash;
}

export function intakeHashes(purposeKey: PurposeKey): IntakeHashes {
  return {
    sourceRef: keyedHash(purposeKey("source_ref")),
    observer: keyedHash(purposeKey("observer")),
    observerTag: keyedHash(purposeKey("observer_tag")),
    contact: keyedHash(purposeKey("contact")),
    optOut: keyedHash(purposeKey("opt_out")),
  };
}

const KEY_DIGITS = 32;
const CONTENT_DIGITS = 16;
const CONTACT_DIGITS = 32;

/** Throws LineFault. `now` in ms decides what is in the future. */
export function readSighting(line: number, value: unknown, hashes: IntakeHashes, now: number): Sighting {
  const input = parseObservation(value);
  const { source_type, source_ref, observed_at, lng } = input;
  const industry = given(input.industry);
  if (industry !== undefined && findIndustry(industry) === undefined)
    throw new LineFault("unknown_industry_code", "industry", "is not a code of ISIC Revision 5");
  const name = checkedName(input.name);
  const website = given(input.website);
  const phone = given(input.phone);
  const site = website === undefined ? undefined : parseWebsite(website);
  return {
    line,
    input,
    key: hashes.sourceRef(JSON.stringify([source_type, source_ref])).slice(0, KEY_DIGITS),
    content: hashes.sourceRef(contentText(input)).slice(0, CONTENT_DIGITS),
    instant: observedInstant(observed_at, lng, now),
    name,
    nameKey: nameKey(name),
    website: site,
    contacts: contactKeys(site?.matchKey, phone === undefined ? undefined : phoneKey(phone), hashes.contact),
  };
}

/** An optional text, unless it is null or blank. */
export function given(text: string | null | undefined): string | undefined {
  return typeof text === "string" && text.trim() !== "" ? text : undefined;
}

/** Equal for equal observations, in whatever form they came; absent, null and blank members are the same. */
function contentText(input: ObservationInput): string {
  return JSON.stringify(
    OBSERVATION_FIELDS.map((field) => (input[field] === "" ? null : (input[field] ?? null))),
  );
}

function checkedName(raw: string): string {
  const cleaned = cleanName(raw);
  if ("name" in cleaned) return cleaned.name;
  throw new LineFault(
    cleaned.reason,
    "name",
    cleaned.reason === "empty_name"
      ? "has no visible character"
      : `is longer than ${MAX_NAME_LENGTH} characters`,
  );
}

function contactKeys(site: string | undefined, phone: string | undefined, hash: KeyedHash): Buffer[] {
  const texts: string[] = [];
  if (site !== undefined) texts.push(`website ${site}`);
  if (phone !== undefined) texts.push(`phone ${phone}`);
  return texts.map((text) => Buffer.from(hash(text).slice(0, CONTACT_DIGITS), "hex"));
}

/** The key under which a record's opt-out is kept: of its city and name, so that it needs no row. */
export function optOutKey(city: string, nameKeyText: string, hashes: IntakeHashes): Buffer {
  return Buffer.from(hashes.optOut(JSON.stringify([city, nameKeyText])).slice(0, KEY_DIGITS), "hex");
}
