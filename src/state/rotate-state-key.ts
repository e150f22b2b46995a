import { replaceFile } from "../kernel/files/durable-file.ts";
import type { RandomBytes } from "../kernel/ids.ts";
import { rotatedKeyFile, type StateKeyPlace } from "./state-key.ts";
import { inTransaction, lockName, type Store } from "./store.ts";

/**
 * Replaces the secret of the state. The file comes first, and names both secrets; the database follows, and a process that opens
 * it in between completes the step (see `tiedKey`). Returns what identifies the new key. Running processes keep the previous one
 * until they are restarted.
 */
export function rotateStateKey(
  store: Pick<Store, "db" | "engine">,
  place: StateKeyPlace,
  random: RandomBytes,
): Promise<string> {
  return inTransaction(store, async ({ db, engine }) => {
    await lockName({ db, engine }, "state key");
    const { text, mode, keys } = rotatedKeyFile(place, random);
    replaceFile(place.stateKey, text, mode);
    await db.updateTable("store").set({ key_check: keys.check }).execute();
    return keys.check;
  });
}
