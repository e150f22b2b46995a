import { type Check, type CheckContext, findingIf } from "./check.ts";

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
