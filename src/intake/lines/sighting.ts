import { latLngToCell } from "h3-js";
import { findIndustry } from "../../contract/cities/industry.ts";
import type { SourceType } from "../../contract/enums.ts";
import { BUILT_IN } from "../../contract/fields.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import { DAY_MS } from "../../kernel/time.ts";
import type { PurposeKey } from "../../ledger/keys/keys.ts";
import type { CommittedValues, PrivateValues } from "../../ledger/rows/digests.ts";
import type { HiddenValues } from "../../ledger/sources/stored-observations.ts";
import { packed, unpacked } from "../answering-thread.ts";
import { isMobile, keyedHash } from "../matching/keyed-hash.ts";
import { assetRefKey, NOWHERE } from "../places/anchors.ts";
import { CITY_RESOLUTION, isBeginning, PLACE_RESOLUTION } from "../places/place.ts";
import type { Principals } from "../sources/principals.ts";
import { contactKeys, nonBlank } from "./contact.ts";
import { LineFault } from "./fault.ts";
import { checkedName } from "./name.ts";
import {
  isBareDate,
  OBSERVATION_FIELDS,
  type ObservationInput,
  observedInstant,
  parseObservation,
} from "./observation-input.ts";

/** A line that passed every check which needs the line alone. */
interface ReadLine {
  readonly line: number;
  readonly input: ObservationInput;
  readonly instant: number; // ms
  readonly name: string;
  readonly nameKey: string;
  /** Keyed hashes, in hexadecimal, of what a record may share with another sighting: website first, then telephone. */
  readonly contacts: readonly string[];
  readonly cell: string; // resolution 8
  /** What anchors the asset: its resolution-11 cell; for a mobile one its source's reference, hashed, or nowhere. */
  readonly place: string;
}

/** What accepting a line needs. The input is JSON: nearly no line's is asked for, and strings cost the garbage collector least. */
export interface LineToAccept extends Pick<ReadLine, "line" | "nameKey" | "contacts" | "cell" | "place"> {
  /** Keyed hashes in hexadecimal: of the source's reference (16 bytes), and of all that the line says (8 bytes). */
  readonly key: string;
  readonly content: string;
  /** A date without a time that has begun on a part of the earth only. */
  readonly beginning: string | undefined;
  readonly source: string | undefined; // that the line names
  readonly source_type: SourceType;
  readonly json: string;
}

/** What the row of a line needs. */
export interface Sighting extends ReadLine {
  readonly observerHash: string; // keyed, hexadecimal
  /** What the row keeps private, one disclosure each; or the same, committed already. */
  readonly hidden: PrivateValues;
  readonly committed: CommittedValues | undefined;
}

export type IntakeHashes = ReturnType<typeof intakeHashes>;

/** What the registry says of who sees. */
export interface Registered {
  /** Source -> who operates it: one observer id is one observer in all sources of an operator. */
  readonly operators: ReadonlyMap<string, string>;
  readonly principals: Pick<Principals, "of">;
}

const UNREGISTERED: Registered = {
  operators: new Map(),
  principals: { of: (source, observer) => (source === undefined ? BUILT_IN : observer) },
};

export function intakeHashes(purposeKey: PurposeKey, registered = UNREGISTERED) {
  return {
    ...registered,
    sourceRef: keyedHash(purposeKey("source_ref")),
    observer: keyedHash(purposeKey("observer")),
    observerTag: keyedHash(purposeKey("observer_tag")),
    contact: keyedHash(purposeKey("contact")),
    optOut: keyedHash(purposeKey("opt_out")),
  };
}

const KEY_DIGITS = 32;
const CONTENT_DIGITS = 16;

/** Throws LineFault. `now` in ms decides what is in the future. */
export function readSighting(line: number, value: unknown, hashes: IntakeHashes, now: number): Sighting {
  const read = readLine(line, value, hashes, now);
  const { input, instant } = read;
  const observerHash = observerHashOf(input, hashes);
  const principal = hashes.principals.of(namedSource(input), observerHash);
  const observer = { hash: observerHash, principal };
  return { ...read, observerHash, hidden: hiddenValues(input, observer, instant), committed: undefined };
}

/** Throws LineFault. `now` in ms decides what is in the future. */
export function checkLine(line: number, value: unknown, hashes: IntakeHashes, now: number): LineToAccept {
  const { input, instant, nameKey, contacts, cell, place } = readLine(line, value, hashes, now);
  const source = namedSource(input);
  const { source_type, source_ref, observed_at } = input;
  const { key, content } = lineKeys([source ?? source_type, source_ref], contentText(input), hashes);
  const isNew = instant > now - 2 * DAY_MS && isBareDate(observed_at);
  const beginning = isNew && isBeginning(observed_at, now) ? observed_at : undefined;
  const json = JSON.stringify(input);
  return { line, key, content, beginning, nameKey, contacts, cell, place, source, source_type, json };
}

/** Keyed hashes in hexadecimal: of the source's reference (16 bytes), and of all that a line says (8 bytes). */
export function lineKeys(reference: readonly string[], content: string, { sourceRef }: IntakeHashes) {
  return {
    key: sourceRef(JSON.stringify(reference)).slice(0, KEY_DIGITS),
    content: sourceRef(content).slice(0, CONTENT_DIGITS),
  };
}

function readLine(line: number, value: unknown, hashes: IntakeHashes, now: number): ReadLine {
  const input = parseObservation(value);
  const { observed_at, lat, lng } = input;
  const industry = nonBlank(input.industry);
  if (industry !== undefined && findIndustry(industry) === undefined)
    throw new LineFault("unknown_industry_code", "industry", "is not an ISIC Rev. 5 code");
  const name = checkedName(input.name);
  const contacts = contactKeys(input, hashes.contact);
  const instant = observedInstant(observed_at, lng, now);
  return {
    line,
    input,
    instant,
    name,
    nameKey: nameKey(name),
    contacts,
    cell: latLngToCell(lat, lng, CITY_RESOLUTION),
    place: anchorPlace(input, hashes),
  };
}

/** The registered source of a line; undefined where it belongs to the built-in source of its type. */
export function namedSource({ source }: Pick<ObservationInput, "source">): string | undefined {
  return nonBlank(source);
}

/** An observer of a registered source is one of the source's operator; others are told apart by their source type. */
export function observerHashOf(
  input: Pick<ObservationInput, "source" | "source_type" | "observer">,
  hashes: IntakeHashes,
): string {
  const source = namedSource(input);
  if (source === undefined) return unregisteredObserver(input.source_type, input.observer, hashes);
  return operatorsObserver(hashes.operators.get(source) ?? source, input.observer, hashes);
}

/** The keyed hash of an observer of an operator. */
export function operatorsObserver(
  operator: string,
  observer: string,
  hashes: Pick<IntakeHashes, "observer">,
): string {
  return hashes.observer(JSON.stringify(["operator", operator, observer]));
}

/** The keyed hash of an observer whose lines name no source. */
export function unregisteredObserver(
  sourceType: SourceType,
  observer: string,
  hashes: Pick<IntakeHashes, "observer">,
): string {
  return hashes.observer(JSON.stringify([sourceType, observer]));
}

/** Equal for equal observations, whatever their form; absent, null and blank members are the same. */
function contentText(input: ObservationInput): string {
  const members = OBSERVATION_FIELDS.map((field) => [field, input[field] ?? ""] as const);
  return JSON.stringify(members.filter(([, value]) => typeof value !== "string" || value.trim() !== ""));
}

function hiddenValues(
  input: ObservationInput,
  observer: HiddenValues["observer"],
  instant: number,
): PrivateValues {
  const media = nonBlank(input.media_sha256)?.toLowerCase();
  const look = nonBlank(input.media_phash)?.toLowerCase();
  const source = namedSource(input);
  return {
    observer: { ...observer },
    exact: {
      lat: input.lat,
      lng: input.lng,
      observed_at: new Date(instant).toISOString(),
      ...(isBareDate(input.observed_at) && { bare_date: true }),
      ...(media !== undefined && { media_sha256: media }),
      ...(look !== undefined && { media_phash: look }),
    },
    source_ref: source === undefined ? input.source_ref : { source, ref: input.source_ref },
    seen: seenValues(input),
  };
}

/** What the line said of the business, as it came. */
function seenValues({ name, website, phone, address, industry }: ObservationInput): PrivateValues {
  const said = Object.entries({ website, phone, address, industry });
  return { name, ...Object.fromEntries(said.filter(([, value]) => nonBlank(value) !== undefined)) };
}

/** What anchors an asset: see `ReadLine.place`. */
export function anchorPlace(
  { asset_type, asset_ref, lat, lng }: Pick<ObservationInput, "asset_type" | "asset_ref" | "lat" | "lng">,
  { sourceRef }: Pick<IntakeHashes, "sourceRef">,
): string {
  if (!isMobile(asset_type)) return latLngToCell(lat, lng, PLACE_RESOLUTION);
  const ref = nonBlank(asset_ref);
  return ref === undefined ? NOWHERE : assetRefKey(ref, sourceRef);
}

/** Lines as texts for another thread (see `packed`). */
export function packLinesToAccept(lines: readonly LineToAccept[]): string[] {
  return packed(lines.map(({ json, ...facts }) => [facts, json] as const));
}

/** The lines that `packLinesToAccept` packed. */
export function* unpackLinesToAccept(pieces: Iterable<string>): Generator<LineToAccept> {
  for (const [facts, json] of unpacked<Omit<LineToAccept, "json">>(pieces)) yield { ...facts, json };
}
