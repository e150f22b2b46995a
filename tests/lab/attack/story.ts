/**
 * What happens besides visits: owners who opt out and are seen again, records that were a mistake, a merge, splits, and thieves who
 * send names, places and contacts of others.
 */

import { benchSource } from "../../support/towns/observations.ts";
import { Chance } from "../adversary/chance.ts";
import { THEFTS } from "../adversary/identity/thefts.ts";
import type { PublicRelease } from "./public-reader.ts";
import type { AttackedCity, Business, Visit, World } from "./world.ts";

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
  /** Lines of a night that bring back what opted out, in other words, and those of thieves. */
  lines(night: number, visits: readonly Visit[]): readonly Visit[];
  /** Commands after the release of a night, without clock and confirmation. */
  commands(night: number, releases: readonly PublicRelease[]): readonly (readonly string[])[];
}

const OPT_OUTS = 4;
const MISTAKES = 2;
const SPLITS = 3;
/** Of each city: the businesses of whom thieves send lines. Those of the first city opt out. */
const RIVALS = 4;
const THIEVES = 3;
const PLAYED_THEFTS = new Set(["own-contact", "rival-contact", "name", "place", "near-name"]);
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
    lines: (night, visits) => [
      ...world.cities.flatMap((each) => theftsOf(night, visits, each)),
      ...(city === undefined
        ? []
        : linesOf(night, visits, city, night > NIGHT ? owners : [...owners, ...mistakes])),
    ],
    commands(night, releases) {
      if (night !== NIGHT) return [];
      const ids = idsByName(releases.at(-1));
      const id = ({ name }: Business) => ids.get(name) ?? "";
      const [first, second] = merged;
      return [
        ...owners.map((owner) => ["opt-out", id(owner), "--reason", "privacy_request"]),
        ...mistakes.map((business) => ["opt-out", id(business), "--reason", "data_error"]),
        ...leaving.map(({ id: observer, source }) => ["observer", "erase", benchSource(source), observer]),
        ...(suspended ? [["observer", "suspend", benchSource(suspended.source), suspended.id]] : []),
        ...(welcomed ? [["observer", "enrol", benchSource(welcomed.source), welcomed.id, "--vouch"]] : []),
        ...(first && second
          ? [["review", "join", id(first), id(second), "--reason", "same_business", "--as", "review-desk"]]
          : []),
        ...splits(releases.at(-1), [...owners, ...mistakes, ...merged]),
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

/** What thieves send of a city in a night, each at the time of another's visit. */
function theftsOf(night: number, visits: readonly Visit[], city: AttackedCity): Visit[] {
  const models = visits.filter((visit) => visit.city === city && visit.van === undefined);
  if (models.length === 0) return [];
  const chance = new Chance(night);
  return city.businesses.slice(0, RIVALS).flatMap(({ name, lat, lng, website }, rival) => {
    const own = {
      name: `Evil ${name}`,
      lat: 2 * city.place.lat - lat,
      lng,
      contact: { website: `https://evil-${rival}.shop-attack.com` },
    };
    const known = { name, type: "storefront" as const, places: [{ lat, lng }], contacts: [{ website }] };
    const signs = THEFTS.filter((theft) => PLAYED_THEFTS.has(theft.name)).flatMap((theft) =>
      theft.signs(known, own, chance),
    );
    return signs.map((sign, at) => {
      const { line, ...model } = chance.pick(models);
      const sent = {
        observer: `thief-${city.slug}-${chance.whole(1, THIEVES)}`,
        source_ref: `theft-${city.slug}-${night}-${rival}-${at}`,
      };
      return { ...model, business: name, line: { ...line, website: undefined, ...sign, ...sent } };
    });
  });
}

/** Every other observation of the records that have most of them leaves. */
function splits(release: PublicRelease | undefined, others: readonly Business[]): string[][] {
  const names = new Set(others.map(({ name }) => name));
  const counted = (release?.observations ?? []).filter(
    ({ record, asset_type, counts }) =>
      counts && asset_type === "storefront" && !names.has(release?.records.get(record)?.name ?? ""),
  );
  const most = [...Map.groupBy(counted, ({ record }) => record)].sort(([, a], [, b]) => b.length - a.length);
  return most.slice(0, SPLITS).map(([record, rows], at) => {
    const leaving = rows.filter((_, row) => row % 2 === 0).flatMap(({ id }) => ["--row", String(id)]);
    const called = ["--name", `Parted Business ${at + 1}`];
    return [
      ...["review", "split", release?.records.get(record)?.public_id ?? "", ...leaving, ...called],
      ...["--reason", "different_businesses", "--as", "review-desk"],
    ];
  });
}

/** Of records of one name, that which most observations count for: a namesake came later, and a thief's counts for nothing. */
function idsByName(release: PublicRelease | undefined): Map<string, string> {
  const counts = Map.groupBy(
    (release?.observations ?? []).filter((row) => row.counts),
    ({ record }) => record,
  );
  const countOf = ({ id }: { readonly id: number }) => counts.get(id)?.length ?? 0;
  const fewestFirst = [...(release?.records.values() ?? [])].sort(
    (a, b) => countOf(a) - countOf(b) || b.id - a.id,
  );
  return new Map(fewestFirst.map(({ name, public_id }) => [name, public_id]));
}
