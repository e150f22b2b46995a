import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { OperatorError } from "../../kernel/errors.ts";
import type { NightlyStatus } from "../../kernel/status-files.ts";
import { DAY_MS, HOUR_MS } from "../../kernel/time.ts";
import { EXIT, monitorLine, type NightStep, runSteps } from "./run-steps.ts";

const NAMES = ["seal", "online_checks", "build", "deliver"];
const ESSENTIAL = ["seal", "build"];

/** A night of steps that note that they were done. Those in `failing` fail. */
class Night {
  readonly done: string[] = [];
  readonly saved: NightlyStatus[] = [];
  failing: string[] = [];
  time = Date.parse("2026-05-02T00:10:00Z");

  steps(): NightStep[] {
    return NAMES.map((name) => this.#step(name));
  }

  run(before?: NightlyStatus, steps: readonly NightStep[] = this.steps()): Promise<NightlyStatus> {
    return runSteps({
      steps,
      before,
      clock: () => this.time,
      pid: 7,
      save: (status) => this.saved.push(status),
      say: () => undefined,
    });
  }

  #step(name: string): NightStep {
    return {
      name,
      isEssential: ESSENTIAL.includes(name),
      ...(name === "build" && { stillDone: ({ release }) => release === "r1" }),
      run: async () => {
        this.done.push(name);
        this.time += 1500;
        if (this.failing.includes(name)) throw new OperatorError(`${name} is broken`);
        if (name === "online_checks") return "nobody to ask";
        return { release: "r1" };
      },
    };
  }
}

test("each step is saved before it begins and after it ended", async () => {
  const night = new Night();
  const status = await night.run();
  expect(status).toMatchObject({ state: "done", exit_code: 0, pid: 7, finished_at: "2026-05-02T00:10:06Z" });
  expect(night.saved.map(({ steps }) => steps.map(({ outcome }) => outcome))).toEqual([
    ["running"],
    ["done", "running"],
    ["done", "skipped", "running"],
    ["done", "skipped", "done", "running"],
    ["done", "skipped", "done", "done"],
  ]);
  expect(status.steps[1]).toMatchObject({ seconds: 1.5, facts: { reason: "nobody to ask" } });
  expect(monitorLine(status)).toBe("NIGHTLY DONE seconds=6");
});

test.each([
  ["seal", "failed", 1, ["seal"]],
  ["online_checks", "degraded", 2, NAMES],
  ["build", "failed", 1, ["seal", "online_checks", "build"]],
  ["deliver", "degraded", 2, NAMES],
])("when %s fails the night has %s with exit code %i", async (name, state, exit_code, done) => {
  const night = new Night();
  night.failing = [name];
  const status = await night.run();
  expect(status).toMatchObject({ state, exit_code });
  expect(night.done).toEqual(done);
  expect(status.steps.at(NAMES.indexOf(name))?.facts).toEqual({ error: `presence: ${name} is broken` });
  expect(monitorLine(status)).toContain(`step=${name}`);
});

describe("a night that was cut off", () => {
  test.each([0, 1, 2])("before its build was done (%i) is done anew", async (cut) => {
    const night = new Night();
    await night.run();
    const again = new Night();
    expect(await again.run(night.saved[cut])).toMatchObject({ state: "done" });
    expect(again.done).toEqual(NAMES);
  });

  test("after its build does not build again, unless the release is another one now", async () => {
    const night = new Night();
    await night.run();
    const cut = night.saved[3];
    const again = new Night();
    const status = await again.run(cut);
    expect(again.done).toEqual(["seal", "online_checks", "deliver"]);
    expect(status.steps[2]).toMatchObject({ outcome: "done", facts: { release: "r1" } });
    const other = new Night();
    const steps = cut?.steps.map((step) => ({ ...step, facts: { release: "r0" } })) ?? [];
    if (cut !== undefined) await other.run({ ...cut, steps });
    expect(other.done).toEqual(NAMES);
  });

  test("is done anew by one of another day, whose release must be of that day", async () => {
    const night = new Night();
    await night.run();
    const again = new Night();
    again.time += DAY_MS;
    await again.run(night.saved[3]);
    expect(again.done).toEqual(NAMES);
  });
});

test("a second run in one night leaves out what is done; one of the next day leaves out nothing", async () => {
  const night = new Night();
  const before = await night.run();
  const again = new Night();
  again.time += HOUR_MS;
  const status = await again.run(before);
  expect(again.done).toEqual(["seal", "online_checks", "deliver"]);
  expect(status).toMatchObject({ state: "done", exit_code: 0 });
  expect(status.steps[2]?.facts).toEqual({ release: "r1", resumed: "done earlier this night" });
  const third = new Night();
  third.time += 2 * HOUR_MS;
  await third.run(status);
  expect(third.done).toEqual(again.done);
  const next = new Night();
  next.time += DAY_MS;
  await next.run(status);
  expect(next.done).toEqual(NAMES);
});

test("a step whose result waits for the operator ends the night as held, and is done again", async () => {
  const night = new Night();
  const steps = night.steps().map((step) => ({ ...step, isHeld: () => step.name === "build" }));
  const status = await night.run(undefined, steps);
  expect(status).toMatchObject({ state: "held", exit_code: 3 });
  expect(status.steps.map(({ outcome }) => outcome)).toEqual(["done", "skipped", "held", "done"]);
  expect(monitorLine(status)).toBe("NIGHTLY HELD seconds=6");
  const again = new Night();
  await again.run(status);
  expect(again.done).toEqual(["seal", "online_checks", "build", "deliver"]);
});

test("the timer's unit does not repeat a night that only waits for the operator", () => {
  const unit = join(import.meta.dirname, "../../../deploy/systemd/presence-nightly.service");
  const [, codes = ""] = /^RestartPreventExitStatus=(.*)$/m.exec(readFileSync(unit, "utf8")) ?? [];
  expect(codes.split(" ")).toEqual([EXIT.degraded, EXIT.held].map(String));
});
