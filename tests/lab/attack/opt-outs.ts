/** Attacks on opt-outs: which names asked to go, by what the newest release says and by what earlier ones said of the same rows. */

import type { PublicRelease } from "./public-reader.ts";
import { publicTexts } from "./public-reader.ts";
import { type AttackLine, countLine, shareLine } from "./score.ts";
import type { Story } from "./story.ts";

const ASKED = new Set(["privacy_request", "owner_request"]);

export function optOutLines(
  releases: readonly PublicRelease[],
  { optedOut, gone, websites }: Story,
): AttackLine[] {
  const newest = releases.at(-1);
  if (newest === undefined) return [];
  const line = (attack: string, method: string, found: number) =>
    countLine({ attack, method, tried: optedOut.size, found });
  const lonely = [...new Set(withoutNamesake(newest))].filter((name) => gone.has(name));
  const named = (names: Iterable<string>) => [...new Set(names)].filter((name) => optedOut.has(name)).length;
  return [
    line("opted-out names", "candidates of surviving records", named(byCandidates(newest))),
    line("opted-out names", "erasures with a reason, and earlier releases", named(byReason(releases))),
    line("opted-out names", "counts of reasons, and what is gone", named(byCounts(releases))),
    shareLine({
      attack: "why a record is gone",
      method: "match review without a namesake",
      tried: lonely.length,
      guess: optedOut.size / gone.size,
      found: named(lonely) / Math.max(1, lonely.length),
    }),
    line("opted-out names", "websites in any file", shownWebsites(newest, websites)),
    line("opt-outs that came back", "same website or near name", cameBack(newest, websites, optedOut)),
  ];
}

/** A surviving record that might have been the same as an erased one has its name. */
function byCandidates({ records, erasures }: PublicRelease): string[] {
  const erased = new Set(erasures.flatMap(({ rows }) => rows));
  return [...records.values()].flatMap(({ name, match_candidates }) =>
    match_candidates.some((id) => erased.has(id)) ? [name] : [],
  );
}

function byReason(releases: readonly PublicRelease[]): string[] {
  const asked = releases.flatMap(({ erasures }) =>
    erasures.flatMap(({ reason, rows }) => (reason !== undefined && ASKED.has(reason) ? rows : [])),
  );
  return releases.flatMap(({ records }) => asked.flatMap((id) => records.get(id)?.name ?? []));
}

/** A record that waits for a match review, and shares its name with none: the other one is gone, for whatever reason. */
function withoutNamesake({ records }: PublicRelease): string[] {
  const byName = Map.groupBy(records.values(), ({ name }) => name);
  return [...records.values()].flatMap(({ name, match_review }) =>
    match_review && byName.get(name)?.length === 1 ? [name] : [],
  );
}

/** When everything that is gone has asked to go, by the counts, its names are known. */
function byCounts(releases: readonly PublicRelease[]): string[] {
  const last = releases.at(-1);
  const before = new Map(releases.flatMap(({ records }) => [...records]));
  const missing = [...before].filter(([id]) => last?.records.has(id) === false).map(([, { name }]) => name);
  const counts = [...(last?.reasonCounts.matchAll(/"reason":"(\w+)"/g) ?? [])].map(
    ([, reason = ""]) => reason,
  );
  if (last?.reasonCounts.includes('"reasons_withheld":true')) return [];
  return counts.length > 0 && counts.every((reason) => ASKED.has(reason)) ? missing : [];
}

function shownWebsites({ folder }: PublicRelease, websites: ReadonlySet<string>): number {
  const hosts = [...websites].map((website) => new URL(website).hostname);
  const present = new Set<string>();
  for (const [, text] of publicTexts(folder)) {
    for (const host of hosts) if (text.includes(host)) present.add(host);
  }
  return present.size;
}

function cameBack(
  { records }: PublicRelease,
  websites: ReadonlySet<string>,
  names: ReadonlySet<string>,
): number {
  const hosts = new Set([...websites].map((website) => new URL(website).hostname));
  const near = new Set([...names].map((name) => `${name} & Sons`));
  return [...records.values()].filter(
    ({ name, website }) => near.has(name) || (website !== null && hosts.has(new URL(website).hostname)),
  ).length;
}
