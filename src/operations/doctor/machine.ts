import { statSync } from "node:fs";
import { hasErrorCode } from "../../kernel/errors.ts";
import { forecast, readSizes } from "../disk-sizes.ts";
import { type Check, findingIf } from "./check.ts";

/** A release with its pages and the journals of the databases need at least this. */
const MIN_BYTES = 1 << 30;
/** The rebuild of the ledger after an erasure writes it twice more. */
const LEDGER_FACTOR = 3;
const MIB = 1 << 20;

export const diskSpace: Check = {
  name: "disk space",
  find({ home, freeBytes }) {
    const needed = Math.max(MIN_BYTES, LEDGER_FACTOR * sizeOf(home.ledger));
    const free = freeBytes(home.night);
    return findingIf(
      free < needed,
      `${home.night}: ${Math.floor(free / MIB)} MiB are free, but the next nights may need ${Math.ceil(needed / MIB)} MiB`,
      "free some space, lower RELEASES_KEPT, or use a larger disk",
    );
  },
};

/** Time to order a disk and to move. */
const MIN_DAYS = 30;

export const diskForecast: Check = {
  name: "disk forecast",
  find({ home, freeBytes }) {
    const nights = readSizes(home);
    const filling = nights.length === 0 ? undefined : forecast(nights, freeBytes(home.night));
    if (filling === undefined) return [];
    const { days, bytesADay } = filling;
    return findingIf(
      days < MIN_DAYS,
      `${home.night}: the disk will be full in ${days} days, by the last nights: ${Math.ceil(bytesADay / MIB)} MiB a day`,
      "free some space, lower RELEASES_KEPT, or use a larger disk",
    );
  },
};

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return 0;
    throw error;
  }
}
