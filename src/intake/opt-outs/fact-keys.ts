/** Keyed hashes of what a line can share with an opt-out. All are of one city; most are of one place, too. */
import type { AssetType } from "../../contract/enums.ts";
import { addressKey } from "../lines/contact.ts";
import { type IntakeHashes, nonBlank, type ReadLine } from "../lines/sighting.ts";
import { assetRefKey, NOWHERE } from "../places/anchors.ts";

const KEY_DIGITS = 32;

export type FactKeys = ReturnType<typeof factKeys>;

/** `at` is a place (see `placeOf`), `contact` a key of `contactKeys`, `ref` one of `assetRefKey`, `address` one of `addressKey`. */
export function factKeys(city: string, hashes: IntakeHashes) {
  const key = (...parts: string[]) =>
    Buffer.from(hashes.optOut(JSON.stringify([city, ...parts])).slice(0, KEY_DIGITS), "hex");
  return {
    name: (nameKey: string) => key(nameKey),
    place: (at: string) => key("place", at),
    nameAt: (nameKey: string, at: string) => key("name_at", nameKey, at),
    contact: (contact: string) => key("contact", contact),
    contactAt: (contact: string, at: string) => key("contact_at", contact, at),
    ref: (ref: string) => key("ref", ref),
    refAt: (ref: string, at: string) => key("ref_at", ref, at),
    address: (address: string) => key("address", address),
    addressAt: (address: string, at: string) => key("address_at", address, at),
  };
}

/** What opt-outs are compared with. */
export interface OptOutSubject extends Pick<ReadLine, "nameKey" | "contacts" | "place"> {
  readonly input: Pick<ReadLine["input"], "asset_type" | "asset_ref" | "address">;
}

/** The keys of all facts of a line. */
export function keysOf(sighting: OptOutSubject, keys: FactKeys, hashes: IntakeHashes): Buffer[] {
  const { input, nameKey, contacts, place } = sighting;
  const at = placeOf(place, input.asset_type);
  const ref = nonBlank(input.asset_ref);
  const address = nonBlank(input.address);
  const refs = ref === undefined ? [] : [assetRefKey(ref, hashes.sourceRef)];
  const addresses = address === undefined ? [] : [addressKey(address)];
  return [
    keys.place(at),
    keys.nameAt(nameKey, at),
    ...contacts.flatMap((contact) => [keys.contact(contact), keys.contactAt(contact, at)]),
    ...refs.flatMap((key) => [keys.ref(key), keys.refAt(key, at)]),
    ...addresses.flatMap((key) => [keys.address(key), keys.addressAt(key, at)]),
  ];
}

/** A place as opt-outs know it. Vehicles without a reference have their type in place of one. */
export function placeOf(place: string, assetType: AssetType): string {
  return place === NOWHERE ? `nowhere ${assetType}` : place;
}

/** The hash under which the words of an opt-out's names are kept. */
export function wordHash(optOut: Buffer, hashes: IntakeHashes): (spelling: string) => string {
  const id = optOut.toString("hex");
  return (spelling) => hashes.optOut(JSON.stringify(["word", id, spelling])).slice(0, KEY_DIGITS);
}
