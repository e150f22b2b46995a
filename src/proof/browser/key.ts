import { toHex } from "../tlog/bytes.ts";
import { ED25519_TYPE, keyIdInput, type NoteKey, parseNoteKey } from "../tlog/note.ts";
import { importKey, type Subtle, sha256 } from "./hashes.ts";
import { type Fact, type Passed, Stop } from "./outcome.ts";
import type { SiteReader } from "./site-reader.ts";

const ADDRESS = "/ledger/vkey";
const KEY_ID_DIGITS = 8;

/** Reads the site's key. `known` is what the reader got as the service's key elsewhere; "" for nothing. */
export async function checkKey(known: string, reader: SiteReader, subtle: Subtle): Promise<Passed<NoteKey>> {
  if (known !== "") assertKey(known);
  const vkey = (await reader.readText(ADDRESS)).replace(/\n$/, "");
  const key = parseNoteKey(vkey);
  const digest = toHex(await sha256(subtle, keyIdInput(key))).slice(0, KEY_ID_DIGITS);
  const facts: Fact[] = [
    { name: "Key name", value: key.name },
    { name: "Key id as published", value: key.keyId },
    { name: "Key id recomputed", value: digest },
    { name: "Whole key", value: vkey },
    ...(known === "" ? [] : [{ name: "Key that you entered", value: known }]),
  ];
  if (digest !== key.keyId)
    throw new Stop("failed", `The key's id is ${digest}, but the published id is ${key.keyId}.`, facts);
  if (!(await isEd25519(key, subtle)))
    throw new Stop("failed", "The published key is not an Ed25519 key.", facts);
  if (known !== "" && known !== vkey)
    throw new Stop(
      "failed",
      "The site's key differs from the one that you entered. If the service has changed its key, /ledger/keys.json lists the earlier ones.",
      facts,
    );
  return { says: sayWhose(key, known !== ""), facts, found: key };
}

function sayWhose({ name, keyId }: NoteKey, isKnown: boolean): string {
  const which = `${name}, id ${keyId}, recomputed from the key itself.`;
  return isKnown ? `${which} It is the key that you entered.` : `${which} It comes from this site.`;
}

async function isEd25519({ type, key }: NoteKey, subtle: Subtle): Promise<boolean> {
  if (type !== ED25519_TYPE) return false;
  return importKey(subtle, key).then(
    () => true,
    () => false,
  );
}

function assertKey(text: string): void {
  try {
    parseNoteKey(text);
  } catch {
    throw new Stop(
      "could not check",
      "The text that you entered is not a verification key. Its form is name+id+key, as in /ledger/vkey.",
    );
  }
}
