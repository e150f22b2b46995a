import { forecast, readSizes } from "../disk-sizes.ts";
import { type Check, findingIf } from "./check.ts";

/** A release with its pages, the logs of the databases and the rebuild of a small ledger after an erasure need at least this. */
const MIN_BYTES = 1 << 30;
const MIB = 1 << 20;

export const diskSpace: Check = {
  name: "disk space",
  find({ home, freeBytes }) {
    const free = freeBytes(home.night);
    return findingIf(
      free < MIN_BYTES,
      `${home.night}: ${Math.floor(free / MIB)} MiB are free, but the next nights may need ${MIN_BYTES / MIB} MiB`,
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
