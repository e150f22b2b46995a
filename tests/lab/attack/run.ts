/** The whole attack: plays a world, reads its releases as files, tries every method and returns the lines of the table. */

import { MAX_DELAY_DAYS } from "../../../src/intake/sources/judge-ledger.ts";
import type { Operator } from "../../support/operations/operator.ts";
import { changeLines, movedTags, moveLines } from "./changes.ts";
import { exportedLists, exportLines } from "./exports.ts";
import { homeLines } from "./homes.ts";
import { hourLines } from "./hours.ts";
import { observerLines } from "./observers.ts";
import { optOutLines } from "./opt-outs.ts";
import { playWorld } from "./play.ts";
import type { AttackLine } from "./score.ts";
import { type Sight, sightsOf } from "./sight.ts";
import { makeStory } from "./story.ts";
import { makeWorld } from "./world.ts";

export interface AttackOptions {
  readonly seed: number;
  readonly nights: number; // at least 3: the story's decisions follow the second
  readonly share?: number; // of the businesses
}

const LEAST_SEEN = 0.8;
/** From so many nights on, all rows of those who left are gone in the end. */
const FULL_NIGHTS = 6;
const START = Date.UTC(2026, 4, 4);

export async function attackPrivacy(
  operator: Operator,
  { seed, nights, share }: AttackOptions,
): Promise<AttackLine[]> {
  const world = makeWorld(seed, START, nights, share);
  const story = makeStory(world);
  const quietNights = nights >= FULL_NIGHTS ? MAX_DELAY_DAYS : 2;
  const played = await playWorld(operator, { world, story, quietNights });
  // Which rows of those who leave are gone yet depends on the ledger's keys.
  const sights = sightsOf(played).filter(({ visit }) => !story.leaving.has(visit.scout.id));
  const newest = played.releases.at(-1);
  const linkedTags = new Map([...(newest?.mergedTags ?? []), ...movedTags(newest)]);
  // An attack on nothing would meet every goal.
  const visits = world.visits.filter(({ scout }) => !story.leaving.has(scout.id)).length;
  if (sights.length < LEAST_SEEN * visits || newest?.lists.length === 0)
    throw new Error(`only ${sights.length} of ${visits} visits were found in the public files`);
  const lists = newest === undefined ? [] : [...newest.lists, ...(await exportedLists(newest.folder))];
  return [
    ...linkageLines(sights, lists, linkedTags),
    ...optOutLines(played.releases, story),
    ...changeLines(played, story),
    ...moveLines(played),
    ...(await exportLines(played.releases, world, story.websites)),
  ];
}

/** The attacks on rows: hours, home cells and observers. */
export function linkageLines(
  sights: readonly Sight[],
  lists: readonly (readonly number[])[],
  linkedTags: ReadonlyMap<string, string>,
): AttackLine[] {
  return [...hourLines(sights, lists), ...homeLines(sights), ...observerLines(sights, linkedTags)];
}
