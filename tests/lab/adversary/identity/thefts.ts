/**
 * Attackers who want sightings of others to become rows of another record: what each sends about a rival, of whom they know everything.
 * The lines of each are sent in two nights: before the rival's first sighting, and amid them.
 */
import { cellToLatLng, gridRing, latLngToCell } from "h3-js";
import type { MatchLine } from "../../../../build-scripts/match/feed.ts";
import { PLACE_RESOLUTION } from "../../../../src/intake/places/place.ts";
import type { Chance } from "../chance.ts";

type Input = MatchLine["input"];

export interface Rival {
  readonly name: string;
  readonly type: "storefront" | "vehicle_wrap";
  readonly places: readonly { readonly lat: number; readonly lng: number; readonly ref?: string }[];
  readonly contacts: readonly Contact[];
}

type Contact = Pick<Input, "website" | "phone">;
type Sign = Partial<Input> & Pick<Input, "name" | "lat" | "lng">;

/** What an attacker has of their own. */
export interface Own {
  readonly name: string;
  readonly lat: number;
  readonly lng: number;
  readonly contact: Contact;
}

export interface Theft {
  readonly name: string;
  readonly title: string;
  /** The signs that the attacker claims to have seen. */
  readonly signs: (rival: Rival, own: Own, chance: Chance) => Sign[];
}

const elsewhere = ({ lat, lng }: Own) => ({ lat, lng });
const atRival = ({ places: [first] }: Rival) => ({ lat: first?.lat ?? 0, lng: first?.lng ?? 0 });

export const THEFTS: readonly Theft[] = [
  {
    name: "own-contact",
    title: "an own record with a website and a telephone, then the rival's name and place with them",
    signs: (rival, own) => [
      { name: own.name, ...elsewhere(own), ...own.contact },
      { name: rival.name, ...atRival(rival), ...own.contact },
    ],
  },
  {
    name: "rival-contact",
    title: "the rival's website and telephone on an own record",
    signs: (rival, own) =>
      rival.contacts.map((contact) => ({ name: own.name, ...elsewhere(own), ...contact })),
  },
  {
    name: "name",
    title: "the rival's name elsewhere, with the rival's contacts and with own ones",
    signs: (rival, own) =>
      [own.contact, ...rival.contacts].map((contact) => ({
        name: rival.name,
        ...elsewhere(own),
        ...contact,
      })),
  },
  {
    name: "place",
    title: "an own name at the rival's place, with the rival's contacts",
    signs: (rival, own) =>
      [{}, ...rival.contacts].map((contact) => ({ name: own.name, ...atRival(rival), ...contact })),
  },
  {
    name: "around",
    title: "the rival's name in all cells around the rival's",
    signs: (rival) => around(rival, 1).map((place) => ({ name: rival.name, ...place })),
  },
  {
    name: "far-around",
    title: "the rival's name two cells away in all directions",
    signs: (rival) => around(rival, 2).map((place) => ({ name: rival.name, ...place })),
  },
  {
    name: "reference",
    title: "the rival's vehicle references under an own name, and own references under the rival's",
    signs: (rival, own) => [
      ...rival.places.map(({ ref }) => ({ name: own.name, ...elsewhere(own), ...vehicle(ref) })),
      { name: rival.name, ...elsewhere(own), ...vehicle(`ref of ${own.name}`) },
    ],
  },
  {
    name: "vehicle",
    title: "vehicles and storefronts of the rival's name, to make it ambiguous",
    signs: (rival, own) => [
      { name: rival.name, ...elsewhere(own), ...vehicle(undefined) },
      { name: rival.name, ...elsewhere(own) },
      { name: rival.name, lat: own.lat + 0.002, lng: own.lng },
    ],
  },
  {
    name: "near-name",
    title:
      "misspellings of the rival's name at the rival's place, with the rival's contacts and with own ones",
    signs: (rival, own, chance) =>
      [own.contact, ...rival.contacts].map((contact) => ({
        name: misspelled(rival.name, chance),
        ...atRival(rival),
        ...contact,
      })),
  },
  {
    name: "homoglyph",
    title: "the rival's name in letters of other alphabets that look the same",
    signs: (rival, own) =>
      [own.contact, ...rival.contacts].map((contact) => ({
        name: rival.name.replaceAll("a", "а").replaceAll("e", "е").replaceAll("o", "о"),
        ...atRival(rival),
        ...contact,
      })),
  },
  {
    name: "brand",
    title: "a listed brand's name at the rival's place, with the rival's contacts",
    signs: (rival) =>
      [{}, ...rival.contacts].map((contact) => ({ name: "Pizza Hut", ...atRival(rival), ...contact })),
  },
  {
    name: "candidate",
    title: "records of the rival's name all over the city, each with the rival's contacts",
    signs: (rival, own, chance) =>
      Array.from({ length: 8 }, () => ({
        name: rival.name,
        lat: own.lat + chance.within(-0.02, 0.02),
        lng: own.lng + chance.within(-0.02, 0.02),
        ...chance.pick([own.contact, ...rival.contacts]),
      })),
  },
];

function around(rival: Rival, ring: number): { lat: number; lng: number }[] {
  const { lat, lng } = atRival(rival);
  return gridRing(latLngToCell(lat, lng, PLACE_RESOLUTION), ring).map((cell) => {
    const [cellLat, cellLng] = cellToLatLng(cell);
    return { lat: cellLat, lng: cellLng };
  });
}

function vehicle(ref: string | undefined): Partial<Input> {
  return { asset_type: "vehicle_wrap", ...(ref !== undefined && { asset_ref: ref }) };
}

function misspelled(name: string, chance: Chance): string {
  const letters = [...name];
  return letters.toSpliced(chance.whole(1, letters.length - 1), 1).join("");
}
