/** Looking for a business on the public web (interface 1, 2.5). Nothing here knows the ledger: subjects come in, results go out. */

import { type OnlinePresence, SignalType } from "../../contract/enums.ts";
import { ONLINE_RECHECK_DAYS, ONLINE_RETRY_DAYS } from "../../contract/limits.ts";
import { sideBySide } from "../../kernel/concurrency.ts";
import { type Clock, DAY_MS } from "../../kernel/time.ts";

/** The three ways to look. */
export const SIGNALS = ["website", "name_search", "phone_lookup"] as const;
export type Signal = (typeof SIGNALS)[number];

/** A Presence Record, as far as it is needed for looking. */
export interface OnlineSubject {
  readonly record: number; // ledger row
  readonly name: string;
  readonly city: string; // display name
  readonly website: string | null; // as published
  /** Private: a number is looked for only where the operator wants it, and is in no log. `digits` are those that are compared. */
  readonly phone: { readonly number: string; readonly digits: string } | undefined;
  readonly lastCheck: { readonly checkedAt: number; readonly verdict: OnlinePresence } | undefined; // ms
}

/**
 * The outcome of one way to look. `found`: with what was found; `absent`: there is nothing; `failed`: unknown, a later attempt may
 * succeed. `note` gives the reason in our own words, without names, numbers or text from a foreign server.
 */
export type Finding =
  | {
      readonly signal: Signal;
      readonly outcome: "found";
      readonly types: readonly SignalType[];
      readonly matches: number;
    }
  | { readonly signal: Signal; readonly outcome: "absent" | "failed"; readonly note: string };

export interface OnlineProvider {
  readonly name: string;
  readonly signals: readonly Signal[];
  /** Never throws for a failure of the web. Throws ProviderUnavailable when it cannot answer any further request tonight. */
  check(subject: OnlineSubject, signal: Signal): Promise<Finding>;
}

/** A provider as a whole is down, refuses requests, or its daily quota is used up; the record is not the cause. */
export class ProviderUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ProviderUnavailable";
  }
}

/** The ways in which a subject can be looked for. */
export function signalsOf({ website, phone }: OnlineSubject): Signal[] {
  return SIGNALS.filter((signal) => {
    if (signal === "website") return website !== null;
    return signal === "name_search" || phone !== undefined;
  });
}

export interface OnlineVerdict {
  readonly verdict: OnlinePresence;
  readonly signalTypes: SignalType[]; // each once, in the order of the contract
  readonly matchCount: number;
}

/**
 * `detected` if any way to look found something. `none` only if the name was searched for and every way that was tried ended without
 * a result: a dead website alone proves nothing. Everything else is `unknown`.
 */
export function verdictOf(findings: readonly Finding[]): OnlineVerdict {
  const hits = findings.filter((finding) => finding.outcome === "found");
  if (hits.length > 0) {
    const types = new Set(hits.flatMap((finding) => finding.types));
    return {
      verdict: "detected",
      signalTypes: SignalType.options.filter((type) => types.has(type)),
      matchCount: hits.reduce((sum, { matches }) => sum + matches, 0),
    };
  }
  const wasSearched = findings.some(({ signal }) => signal === "name_search");
  const isComplete = findings.every(({ outcome }) => outcome === "absent");
  return { verdict: wasSearched && isComplete ? "none" : "unknown", signalTypes: [], matchCount: 0 };
}

/** Hosts, and what having a page there is called. A subdomain counts as its host. */
const HOSTS: Readonly<Record<Exclude<SignalType, "website" | "other">, readonly string[]>> = {
  maps_listing: [
    "maps.app.goo.gl",
    "maps.apple.com",
    "maps.google.com",
    "here.com",
    "mapquest.com",
    "openstreetmap.org",
    "waze.com",
  ],
  social_profile: [
    "facebook.com",
    "instagram.com",
    "linkedin.com",
    "linktr.ee",
    "pinterest.com",
    "threads.net",
    "tiktok.com",
    "twitter.com",
    "vk.com",
    "x.com",
    "youtube.com",
  ],
  directory_listing: [
    "bbb.org",
    "doordash.com",
    "foursquare.com",
    "grubhub.com",
    "just-eat.com",
    "opentable.com",
    "skipthedishes.com",
    "tripadvisor.ca",
    "tripadvisor.com",
    "ubereats.com",
    "yellowpages.ca",
    "yellowpages.com",
    "yelp.ca",
    "yelp.com",
  ],
};

const MAPS_PATH = /^(www\.)?(google|bing)\.[a-z.]+\/maps(\/|$)/;

/** What kind of page an address is; undefined for a host of its own, which may be the website of the business. */
export function sharedHostType({ hostname, pathname }: URL): SignalType | undefined {
  if (MAPS_PATH.test(`${hostname}${pathname}`)) return "maps_listing";
  const host = `.${hostname}`;
  if (HOSTS.maps_listing.some((known) => host.endsWith(`.${known}`))) return "maps_listing";
  if (HOSTS.social_profile.some((known) => host.endsWith(`.${known}`))) return "social_profile";
  if (HOSTS.directory_listing.some((known) => host.endsWith(`.${known}`))) return "directory_listing";
  return undefined;
}

/** The subjects whose turn it is at `now` (ms), at most `budget`: those never looked for first, then those looked for longest ago. */
export function planChecks(subjects: Iterable<OnlineSubject>, now: number, budget: number): OnlineSubject[] {
  return Array.from(subjects)
    .filter((subject) => isDue(subject, now))
    .sort((a, b) => lastLook(a) - lastLook(b) || a.record - b.record)
    .slice(0, budget);
}

/** An unknown verdict is checked again sooner than a known one: a failure does not use up the check of 30 days. */
function isDue({ lastCheck }: OnlineSubject, now: number): boolean {
  if (lastCheck === undefined) return true;
  const days = lastCheck.verdict === "unknown" ? ONLINE_RETRY_DAYS : ONLINE_RECHECK_DAYS;
  return now - lastCheck.checkedAt >= days * DAY_MS;
}

function lastLook({ lastCheck }: OnlineSubject): number {
  return lastCheck?.checkedAt ?? -1;
}

export interface OnlineResult extends OnlineVerdict {
  readonly record: number; // ledger row
  readonly checkedAt: number; // ms
  readonly provider: string; // the names of those that were names
}

export interface OnlineRunDeps {
  readonly subjects: Iterable<OnlineSubject>;
  readonly providers: readonly OnlineProvider[];
  readonly budget: number; // records
  readonly clock: Clock;
  /** Called with some results at a time, as they come; never twice at once. What it throws ends the run. */
  record(results: readonly OnlineResult[]): void | Promise<void>;
  readonly progress?: (done: number, total: number) => void;
}

/**
 * Counts of a run. `left`: planned but not kept, because a provider that was needed became unavailable; they stay due.
 * `unavailable`: messages of unavailable providers.
 */
export type OnlineRunSummary = Awaited<ReturnType<typeof runOnlineChecks>>;

const SIDE_BY_SIDE = 4;
const BATCH = 25;

/** The subjects that a run would look for now. */
export function plannedChecks({
  subjects,
  providers,
  clock,
  budget,
}: Pick<OnlineRunDeps, "subjects" | "providers" | "clock" | "budget">): OnlineSubject[] {
  const known = new Set(providers.flatMap(({ signals }) => signals));
  const askable = Array.from(subjects).filter((subject) =>
    signalsOf(subject).some((signal) => known.has(signal)),
  );
  return planChecks(askable, clock(), budget);
}

/** Looks for the records that are due. Throws what `record` throws; every failure of the web is a result. */
export async function runOnlineChecks(deps: OnlineRunDeps) {
  const planned = plannedChecks(deps);
  const providers = new Providers(deps.providers);
  const counts = { detected: 0, none: 0, unknown: 0 };
  let waiting: OnlineResult[] = [];
  let done = 0;
  let writing = Promise.resolve();
  const flush = () => {
    const batch = waiting;
    waiting = [];
    if (batch.length > 0) writing = writing.then(() => deps.record(batch));
    return writing;
  };
  await sideBySide(planned, SIDE_BY_SIDE, async (subject) => {
    const checked = await providers.check(subject);
    if (checked !== undefined) {
      counts[checked.verdict] += 1;
      waiting.push({ ...checked, record: subject.record, checkedAt: deps.clock() });
    }
    if (waiting.length >= BATCH) await flush();
    done += 1;
    deps.progress?.(done, planned.length);
  });
  await flush();
  const left = planned.length - counts.detected - counts.none - counts.unknown;
  return { planned: planned.length, ...counts, left, unavailable: [...providers.unavailable] };
}

/** Asks the providers, and skips those that became unavailable. */
class Providers {
  readonly unavailable = new Set<string>();
  readonly #providers: readonly OnlineProvider[];
  readonly #stopped = new Set<OnlineProvider>();

  constructor(providers: readonly OnlineProvider[]) {
    this.#providers = providers;
  }

  /** Undefined when a provider that was needed became unavailable. */
  async check(subject: OnlineSubject): Promise<(OnlineVerdict & { readonly provider: string }) | undefined> {
    const findings: Finding[] = [];
    const names = new Set<string>();
    let isMissing = false;
    for (const signal of signalsOf(subject)) {
      const provider = this.#providers.find(({ signals }) => signals.includes(signal));
      if (provider === undefined) continue;
      const finding = await this.#ask(provider, subject, signal);
      if (finding === undefined) isMissing = true;
      else findings.push(finding);
      names.add(provider.name);
    }
    const verdict = verdictOf(findings);
    if (isMissing && verdict.verdict !== "detected") return undefined;
    return { ...verdict, provider: [...names].join(" ") };
  }

  async #ask(provider: OnlineProvider, subject: OnlineSubject, signal: Signal): Promise<Finding | undefined> {
    if (this.#stopped.has(provider)) return undefined;
    try {
      return await provider.check(subject, signal);
    } catch (error) {
      if (!(error instanceof ProviderUnavailable)) throw error;
      this.#stopped.add(provider);
      this.unavailable.add(error.message);
      return undefined;
    }
  }
}
