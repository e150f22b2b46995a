import { spawnSync } from "node:child_process";

/** The commit of the checkout, with `-modified` when tracked files differ from it; `unknown` outside a checkout. */
export function sourceRevision(project: string): string {
  const git = (...args: string[]) => spawnSync("git", ["-C", project, ...args], { encoding: "utf8" });
  const head = git("rev-parse", "HEAD");
  if (head.status !== 0) return "unknown";
  const isModified = git("status", "--porcelain", "--untracked-files=no").stdout.trim() !== "";
  return `${head.stdout.trim()}${isModified ? "-modified" : ""}`;
}
