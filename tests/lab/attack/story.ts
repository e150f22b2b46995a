/** What happens besides visits: owners who opt out and are seen again, records that were a mistake, and a merge. */

import type { PublicRelease } from "./public-reader.ts";
import { ATTACK_SOURCES, type AttackedCity, type Business, type Visit, type World } from "./world.ts";

export interface Story {
  /** The names that asked to go. */
  readonly optedOut: ReadonlySet<string>;
  /** These, and the names of records that were a mistake. */
  readonly gone: ReadonlySet<string>;
  /** Ids of the observers that leave, in another city than the opt-outs. */
  readonly leaving: ReadonlySet<string>;
  /** An observer that is suspended, and a newcomer that is vouched for, in a third city. */
  readonly suspended: string | undefined;
  readonly welcomed: string | undefined;
  /** Websites of those that asked to go. */
  readonly websites: ReadonlySet<string>;
  /** Lines of a night that bring back what opted out, in other words. */
  returning(night: number, visits: readonly Visit[]): readonly Visit[];
  /** Commands after the release of a night, without clock and confirmation. */
  commands(night: number, releases: readonly PublicRelease[]): readonly (readonly string[])[];
}

const OPT_OUTS = 4;
const MISTAKES = 2;
/** Observers that leave on one day. */
const LEAVING = 2;
/** Decisions follow the release of this night. */
const NIGHT = 2;

/** The first businesses of the first city opt out, the next ones are mistakes; each has a namesake across the city that stays. */
export function makeStory(world: World): Story {
  const [city] = world.cities;
  const owners = city?.businesses.slice(0, OPT_OUTS) ?? [];
  const mistakes = city?.businesses.slice(OPT_OUTS, OPT_OUTS + MISTAKES) ?? [];
  const merged = city?.businesses.slice(OPT_OUTS + MISTAKES, OPT_OUTS + MISTAKES + 2) ?? [];
  const leaving = world.cities[1]?.scouts.slice(0, LEAVING) ?? [];
  const scouts = world.cities[2]?.scouts ?? [];
  const suspended = scouts.find(({ isVouched }) => isVouched);
  const welcomed = scouts.find(({ isVouched }) => !isVouched);
  return {
    suspended: suspended?.id,
    welcomed: welcomed?.id,
    leaving: new Set(leaving.map(({ id }) => id)),
    optedOut: new Set(owners.map(({ name }) => name)),
    gone: new Set([...owners, ...mistakes].map(({ name }) => name)),
    websites: new Set(owners.map(({ website }) => website)),
    returning: (night, visits) =>
      city === undefined
        ? []
        : linesOf(night, visits, city, night > NIGHT ? owners : [...owners, ...mistakes]),
    commands(night, releases) {
      if (night !== NIGHT) return [];
      const ids = idsByName(releases.at(-1));
      const id = ({ name }: Business) => ids.get(name) ?? "";
      const [first, second] = merged;
      return [
        ...owners.map((owner) => ["opt-out", id(owner), "--reason", "privacy_request"]),
        ...mistakes.map((business) => ["opt-out", id(business), "--reason", "data_error"]),
        ...leaving.map(({ id: observer, source }) => ["observer", "erase", ATTACK_SOURCES[source], observer]),
        ...(suspended ? [["observer", "suspend", ATTACK_SOURCES[suspended.source], suspended.id]] : []),
        ...(welcomed ? [["observer", "enrol", ATTACK_SOURCES[welcomed.source], welcomed.id, "--vouch"]] : []),
        ...(first && second
          ? [["review", "join", id(first), id(second), "--reason", "same_business", "--as", "review-desk"]]
          : []),
      ];
    },
  };
}

/** The owners, then their namesakes, and after the opt-out other forms of the name with the same website. */
function linesOf(
  night: number,
  visits: readonly Visit[],
  city: AttackedCity,
  owners: readonly Business[],
): Visit[] {
  const model = visits.find((visit) => visit.city === city && visit.van === undefined);
  if (model === undefined) return [];
  return owners.map((owner, at) => {
    const { name, website, lat, lng } = formOf(night, owner, at, city);
    const source_ref = `story-${night}-${at}`;
    return { ...model, business: name, line: { ...model.line, name, website, lat, lng, source_ref } };
  });
}

function formOf(night: number, owner: Business, at: number, { place }: AttackedCity) {
  if (night < NIGHT) return owner;
  if (night > NIGHT) return { ...owner, name: `${owner.name} & Sons` };
  return { ...owner, website: `https://namesake-${at}.shop-attack.com`, lat: 2 * place.lat - owner.lat };
}

/** A namesake came later. */
function idsByName(release: PublicRelease | undefined): Map<string, string> {
  const latestFirst = [...(release?.records.values() ?? [])].sort((a, b) => b.id - a.id);
  return new Map(latestFirst.map(({ name, public_id }) => [name, public_id]));
}
