/** Which parts of a home a user restores: the whole of one that is to be made, or the folders that wait for it and belong to it. */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { OperatorError } from "../../kernel/errors.ts";
import { homePaths } from "../../kernel/home.ts";
import type { ProcessUser } from "../../kernel/system-user.ts";
import { shellLine } from "../../kernel/text/shell-word.ts";
import { accountOrNumber, homeOwners } from "../acting-user.ts";
import { type Part, STATE_TO_RESTORE } from "./restore-home.ts";

export const PARTS: readonly Part[] = ["night", "state"];

type Machine = Pick<ProcessUser, "uid" | "accountOf">;

/** Throws OperatorError where both folders are other users'. */
export function ownParts(target: string, user: Machine): "whole" | readonly Part[] {
  const waiting = existsSync(target) ? readdirSync(target) : [];
  if (!PARTS.some((part) => waiting.includes(part))) return "whole";
  const { home, state } = homeOwners(homePaths(target));
  const owners = { night: waiting.includes("night") ? home : undefined, state };
  const own = PARTS.filter((part) => owners[part]?.uid === user.uid);
  if (own.length > 0) return own;
  const names = PARTS.flatMap((part) => {
    const owner = owners[part];
    return owner === undefined ? [] : [`${part}/ as ${accountOrNumber(user, owner).name}`];
  });
  throw new OperatorError(`${target}: its folders belong to other users: restore ${names.join(", and ")}`);
}

/** The lines that follow a restore. Each acts as one user alone, so that no folder which another user exchanges leads it elsewhere. */
export function nextSteps(
  target: string,
  parts: "whole" | readonly Part[],
  hasState: boolean,
  user: Machine,
): string[] {
  const end = "Next: presence build, presence verify.";
  if (parts === "whole" || parts.length === PARTS.length) return [end];
  const { home, state } = homeOwners(homePaths(target));
  const as = (owner: typeof home, ...words: readonly string[]) =>
    shellLine([
      "runuser",
      "-u",
      owner === undefined ? "OWNER" : accountOrNumber(user, owner).name,
      "--",
      ...words,
    ]);
  const handedOver = join(target, "night", STATE_TO_RESTORE);
  const remove = `  ${as(home, "rm", "-r", handedOver)}`;
  if (parts.includes("state")) return ["Next, as root:", remove, end];
  if (!hasState) return [end];
  return [
    `The state is not restored yet: it belongs to another user, who may not read the backup. It lies in ${handedOver}. As root:`,
    `  folder=$(${as(state, "mktemp", "-d")})`,
    `  ${as(home, "tar", "-C", handedOver, "-c", ".")} | ${as(state, "tar", "-x", "-C")} "$folder"`,
    `  ${as(state, "presence", "restore")} "$folder" --into ${shellLine([target])}`,
    `  ${as(state, "rm", "-r")} "$folder"`,
    remove,
    end,
  ];
}
