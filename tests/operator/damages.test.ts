import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Finding, type Level, levelOf } from "../../src/operations/doctor/check.ts";
import { CHECKS } from "../../src/operations/doctor/checks.ts";
import { OPENSSL_MISSING } from "../support/timestamp/authority.ts";
import { oneOfEach } from "../support/trial.ts";
import { DAMAGES, type Damage } from "./damages/damages.ts";
import { Installation } from "./damages/installation.ts";

/** Each damage is made in a sound installation; `presence doctor` finds it, and what it prints cures it. */

let it: Installation;
beforeAll(async () => {
  it = await Installation.make();
});
afterAll(() => it[Symbol.dispose]());
beforeEach(() => it.renew());

const hasFaketime = spawnSync("faketime", ["--version"]).status === 0;

/** What the machine lacks for a damage. */
function missing({ needs }: Damage): string | undefined {
  if (needs === "root" && process.getuid?.() !== 0) return "only root gives files away";
  if (needs === "restic" && !it.isBackedUp) return "restic is not installed";
  if (needs === "openssl") return OPENSSL_MISSING;
  return needs === "faketime" && !hasFaketime ? "faketime is not installed" : undefined;
}

/** The commands of a cure: those in backticks, or the one that it begins with. */
function commandsIn(mend: string): string[] {
  const quoted = Array.from(mend.matchAll(/`([^`]+)`/g), ([, command = ""]) => command);
  return quoted.length > 0 ? quoted : [/^[^;]+/.exec(mend)?.[0] ?? ""];
}

describe("an installation", () => {
  test("that is sound has one finding: that a single user has everything", async () => {
    const findings: Finding[] = [];
    for (const [name] of CHECKS) findings.push(...(await it.findings(name)));
    const at = (level: Level) =>
      findings.filter((finding) => levelOf(finding) === level).map(({ problem }) => problem);
    expect(at("problem")).toEqual([expect.stringContaining("the server shares a user with the ledger")]);
    expect([...at("warning"), ...at("note")]).toEqual([]);
    const missing = at("not set up").map((problem) => /\(([A-Z_]+)\)/.exec(problem)?.[1]);
    expect(missing).toEqual(["TSA_URL", "SMTP_URL", ...(it.isBackedUp ? [] : ["BACKUP_HOOK"])]);
  });

  test("has more than thirty ways to break, and each check of the doctor finds one", () => {
    expect(DAMAGES.length).toBeGreaterThan(30);
    const found = new Set(DAMAGES.map(({ check }) => check));
    expect(CHECKS.filter(([name]) => !found.has(name))).toEqual([]);
  });

  test.each(oneOfEach(DAMAGES, ({ check }) => check))("$name: found, and cured", async (damage) => {
    const lacks = missing(damage);
    if (lacks !== undefined) {
      process.stderr.write(`not tried: ${damage.name}: ${lacks}\n`);
      return;
    }
    const { check, make, byHand, chosen = /./ } = damage;
    const before = (await it.findings(check)).map(({ problem }) => problem);
    await make(it);
    const found = (await it.findings(check)).filter(({ problem }) => !before.includes(problem));
    expect(found).not.toEqual([]);
    const commands = found.flatMap(({ mend }) => commandsIn(mend)).filter((line) => chosen.test(line));
    if (byHand === undefined) for (const command of commands) await it.run(command);
    else await byHand(it);
    const left = (await it.findings(check)).map(({ problem }) => problem);
    expect(left.filter((problem) => !before.includes(problem))).toEqual([]);
  });
});
