import { forecast, readSizes } from "../disk-sizes.ts";
import { type Check, type CheckContext, findingIf } from "./check.ts";

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

const TASKS = ["nightly", "outbox", "check", "log-import"];
const BACKUP_TASKS = ["backup", "backup-prune", "backup-prove"];

/** The shipped timers that are installed. Where systemd does not answer, nothing is known, and nothing found. */
export const timers: Check = {
  name: "timers",
  find(context) {
    const units = expectedOf(context).map((task) => `presence-${task}.timer`);
    const states = statesIn(
      context.systemctl(["show", "--property=Id,LoadState,ActiveState", ...units]) ?? "",
    );
    return units.flatMap((unit) => {
      const { LoadState, ActiveState } = states.get(unit) ?? {};
      return findingIf(
        LoadState === "loaded" && ActiveState !== "active",
        `${unit} is installed and off`,
        `run \`systemctl enable --now ${unit}\``,
      );
    });
  },
};

function expectedOf({ config: { backupHook } }: CheckContext): string[] {
  return backupHook === undefined ? TASKS : [...TASKS, ...BACKUP_TASKS];
}

/** What `systemctl show` prints: a block of `Name=value` lines for each unit. */
function statesIn(text: string): Map<string, Record<string, string>> {
  const blocks = text.trim().split(/\n\n+/).map(propertiesIn);
  return new Map(blocks.map((properties) => [properties["Id"] ?? "", properties]));
}

function propertiesIn(block: string): Record<string, string> {
  return Object.fromEntries(block.split("\n").map((line) => line.split(/=(.*)/s).slice(0, 2)));
}
