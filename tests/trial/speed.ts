import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { againstText, benchAgainst } from "../../build-scripts/bench/against.ts";

const PROJECT = join(import.meta.dirname, "../..");
const PARENT = "HEAD~1";

/** Benches of seconds. The bound is generous, so that a machine with other work passes and a doubled cost does not. */
const SHORT = { names: ["intake", "search"], rounds: 3, isQuick: true, bound: 0.5 };

/** The short benches of this tree and of the commit before, in the terms of the trial's table; skipped outside a checkout. */
export async function runSpeed() {
  const { status } = spawnSync("git", ["-C", PROJECT, "rev-parse", "--verify", "--quiet", PARENT]);
  if (status !== 0) {
    process.stdout.write("skipped: there is no commit before this one to compare with\n");
    return { cases: 0, failed: 0, skipped: 1 };
  }
  const report = await benchAgainst({ ref: PARENT, ...SHORT });
  process.stdout.write(againstText(report));
  return { cases: report.lines.length, failed: report.worse.length, skipped: 0 };
}
