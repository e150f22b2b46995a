import { AssetType, type SourceType, type Vetting } from "../../contract/enums.ts";
import { BUILT_IN, MAX_SOURCE_ID, SourceId } from "../../contract/fields.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import { DAY_MS, utcDayStart } from "../../kernel/time.ts";
import type { LastIntake } from "../../ledger/matching/batches.ts";
import type { SourceBody } from "../../ledger/rows/rows.ts";
import type { KnownObserver, Source } from "../../ledger/sources/source-store.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { intakeHashes, operatorsObserver } from "../lines/sighting.ts";
import { reteachPrincipal } from "../matching/reteach.ts";
import { brandSubject, collectivePrincipal, Principals, recordSubject } from "./principals.ts";

/** What the operator says of sources, observers and principals. Each function is one transaction of the writer. */

export interface NewSource {
  readonly id: string;
  readonly kind: SourceType;
  readonly vetting: Vetting;
  readonly operator: string;
  readonly name: string | null;
  /** Whether name and operator are published. */
  readonly isNamed: boolean;
  readonly licence: string;
  readonly consent: string;
  readonly assetTypes: readonly AssetType[];
  /** Whether the operator keeps what its observers are called. */
  readonly keepsNames?: boolean;
}

/** Registers a source. Throws OperatorError for an id that is malformed, reserved or taken. */
export function addSource(ledger: LedgerWriter, source: NewSource): Source {
  const { id, kind, vetting, operator, isNamed, name, licence, consent } = source;
  if (!SourceId.safeParse(id).success)
    throw new OperatorError(
      `source id must be lower-case words with hyphens, at most ${MAX_SOURCE_ID} characters (got ${id})`,
    );
  if (id === BUILT_IN) throw new OperatorError(`source id ${id} is reserved: choose another`);
  if (ledger.sources.sources().some((known) => known.id === id))
    throw new OperatorError(`source ${id} is already registered: see \`presence source show ${id}\``);
  const types = AssetType.options.filter((type) => source.assetTypes.includes(type));
  const details = {
    asset_types: types,
    consent,
    kind,
    licence,
    name: isNamed ? name : null,
    operator: isNamed ? operator : null,
    vetting,
  };
  return ledger.transaction(() => {
    const row = appendStep(ledger, { source: id, step: "add", details }, { operator, name });
    const { keepsNames = false } = source;
    const added: Source = {
      id,
      row,
      operator,
      kind,
      vetting,
      assetTypes: types,
      state: "active",
      keepsNames,
    };
    ledger.sources.addSource(added);
    return added;
  });
}

/**
 * Whether the names of a source's observers are kept from now on. Returns how many are forgotten where not: `LedgerWriter.scrub` follows.
 * Throws OperatorError for an unknown or withdrawn source.
 */
export function setKeepsNames(ledger: LedgerWriter, id: string, keepsNames: boolean): number {
  const { state } = knownSource(ledger.sources.sources(), id);
  if (state === "withdrawn") throw new OperatorError(`source ${id} was withdrawn permanently`);
  return ledger.transaction(() => {
    ledger.sources.setKeepsNames(id, keepsNames);
    return keepsNames ? 0 : ledger.sources.forgetNames(id);
  });
}

const STATES = { suspend: "suspended", resume: "active", withdraw: "withdrawn" } as const;

/** Suspends, resumes or withdraws a source. Throws OperatorError for an unknown or withdrawn one. */
export function stepSource(ledger: LedgerWriter, id: string, step: keyof typeof STATES): number {
  const { state } = knownSource(ledger.sources.sources(), id);
  if (state === "withdrawn") throw new OperatorError(`source ${id} was withdrawn permanently`);
  if (state === STATES[step]) throw new OperatorError(`source ${id} is already ${state}`);
  return ledger.transaction(() => setState(ledger, id, step));
}

/** Within a transaction: ends a source for good, unless that is done. */
export function withdraw(ledger: LedgerWriter, id: string): void {
  if (knownSource(ledger.sources.sources(), id).state !== "withdrawn") setState(ledger, id, "withdraw");
}

function setState(ledger: LedgerWriter, id: string, step: keyof typeof STATES): number {
  ledger.sources.setState(id, STATES[step]);
  return appendStep(ledger, { source: id, step, details: null });
}

function appendStep(
  ledger: LedgerWriter,
  body: SourceBody,
  hidden?: { readonly operator: string; readonly name: string | null },
): number {
  return ledger.append({ kind: "source", body, ...(hidden !== undefined && { private: hidden }) }).id;
}

export function knownSource(sources: readonly Source[], id: string): Source {
  const source = sources.find((known) => known.id === id);
  if (source !== undefined) return source;
  throw new OperatorError(`source ${id} is not registered: see \`presence source list\``);
}

/** An observer as the operator names it: an id in a source. */
export interface ObserverName {
  readonly source: string;
  readonly observer: string;
}

/** The keyed hash of an observer of an individual source. Throws OperatorError for a collective one. */
function individualHash(ledger: LedgerWriter, name: ObserverName): string {
  if (knownSource(ledger.sources.sources(), name.source).vetting === "collective")
    throw new OperatorError(
      `source ${name.source} is collective: its observers are one principal and cannot be told apart`,
    );
  return hashOf(ledger, name);
}

/** The keyed hash of an observer. */
export function hashOf(ledger: LedgerWriter, { source, observer }: ObserverName): string {
  return operatorsObserver(
    knownSource(ledger.sources.sources(), source).operator,
    observer,
    intakeHashes(ledger.purposeKey),
  );
}

export interface Enrolment {
  /** Enrols it under a principal with this name, for example a company with several cameras. */
  readonly principal?: string | undefined;
  readonly isVouched: boolean;
}

/**
 * Says who controls an observer, and whether the operator vouches for it. Throws OperatorError for an observer that is one principal
 * with others: they share tags, so they cannot be told apart again.
 */
export function enrol(
  ledger: LedgerWriter,
  name: ObserverName,
  { principal: named, isVouched }: Enrolment,
): KnownObserver {
  return change(ledger, name, (known) => {
    const principal = named === undefined ? known.principal : namedPrincipal(ledger, named);
    if (principal !== known.principal) assertAlone(ledger, name, known);
    return { ...known, principal, isVouched: known.isVouched || isVouched };
  });
}

function assertAlone(ledger: LedgerWriter, name: ObserverName, { principal }: KnownObserver): void {
  const own = individualHash(ledger, name);
  const others = ledger.sources
    .observers()
    .filter((known) => known.principal === principal && known.observer !== own);
  if (others.length === 0) return;
  throw new OperatorError(
    `${name.observer} is one principal with another observer, which is permanent: to enrol all of them, link one of them with an observer of that principal`,
  );
}

/** Suspends an observer, or ends its suspension. */
export function setSuspended(ledger: LedgerWriter, name: ObserverName, isSuspended: boolean): KnownObserver {
  return change(ledger, name, (known) => ({ ...known, isSuspended }));
}

/** Two observers, of whichever operators, are one principal from now on. Throws OperatorError when they are already. */
export function link(ledger: LedgerWriter, first: ObserverName, second: ObserverName): KnownObserver {
  const { principal } = knownObserver(ledger, first);
  const other = knownObserver(ledger, second);
  if (other.principal === principal)
    throw new OperatorError(`${first.observer} and ${second.observer} are already one principal`);
  change(ledger, first, (known) => known);
  return change(ledger, second, (known) => ({ ...known, principal }));
}

function knownObserver(ledger: LedgerWriter, name: ObserverName): KnownObserver {
  return new Principals(ledger.sources).observer(individualHash(ledger, name));
}

function change(
  ledger: LedgerWriter,
  name: ObserverName,
  changed: (known: KnownObserver) => KnownObserver,
): KnownObserver {
  const was = knownObserver(ledger, name);
  const after = changed(was);
  const known = { ...after, enrolledIn: after.enrolledIn ?? name.source ?? null };
  ledger.transaction(() => {
    if (known.principal !== was.principal) join(ledger.sources, was.principal, known.principal);
    ledger.sources.putObserver(known);
    if (known.isVouched && !known.isSuspended) ledger.sources.establish(known.principal, 0);
    if (known.principal !== was.principal || known.isSuspended !== was.isSuspended)
      reteachPrincipal(ledger, known.principal);
  });
  return known;
}

/** All that is known of a principal holds for the one that it becomes a part of. */
function join(store: LedgerWriter["sources"], part: string, principal: string): void {
  for (const known of store.observers())
    if (known.principal === part) store.putObserver({ ...known, principal });
  for (const known of store.affiliations())
    if (known.principal === part) store.addAffiliation({ ...known, principal });
  const since = store.standings().get(part);
  if (since !== undefined) store.establish(principal, since);
}

/** Names stay with the operator: a principal is known by a keyed hash. */
function namedPrincipal(ledger: LedgerWriter, name: string): string {
  return intakeHashes(ledger.purposeKey).observer(JSON.stringify(["principal", nameKey(name)]));
}

/** What a principal may run: a record, or all records of a brand's name. */
export type Run = { readonly record: string } | { readonly brand: string };

/** The principal of an observer; of a collective source as a whole where no observer is named. */
export function principalOf(ledger: LedgerWriter, source: string, observer: string | undefined): string {
  if (observer !== undefined) return knownObserver(ledger, { source, observer }).principal;
  const known = knownSource(ledger.sources.sources(), source);
  if (known.vetting === "collective") return collectivePrincipal(known);
  throw new OperatorError(`source ${source} is vetted by observer: give the observer that runs the record`);
}

/** The subject of an affiliation. Throws OperatorError for a public id that no live record has. */
export function runSubject(ledger: LedgerWriter, run: Run): string {
  if ("brand" in run) return brandSubject(nameKey(run.brand));
  const known = ledger.live.withPublicId(run.record);
  if (known?.kind === "record") return recordSubject(known.id);
  throw new OperatorError(`${run.record}: no record has this public id`);
}

/** An active source of which no line was accepted for some days. */
export interface SilentSource {
  readonly id: string;
  readonly days: number; // whole ones
}

interface Registered extends Pick<Source, "id" | "state"> {
  readonly registeredAt: number; // ms
}

/** Sources without a line for `days` UTC days or more, the longest silence first. Nothing is known of the time before batches were kept. */
export function silentSources(
  sources: readonly Registered[],
  { since, days: lastDays }: LastIntake,
  { now, days }: { readonly now: number; readonly days: number },
): SilentSource[] {
  if (since === null) return [];
  return sources
    .filter(({ state }) => state === "active")
    .map(({ id, registeredAt }) => {
      const last = lastDays.get(id) ?? Math.max(registeredAt, since);
      return { id, days: (utcDayStart(now) - utcDayStart(last)) / DAY_MS };
    })
    .filter((source) => source.days >= days)
    .sort((a, b) => b.days - a.days || (a.id < b.id ? -1 : 1));
}
