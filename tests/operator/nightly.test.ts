import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { homePaths } from "../../src/kernel/home.ts";
import { type NightlyStatus, readNightlyStatus, writeNightlyStatus } from "../../src/kernel/status-files.ts";
import { openState } from "../../src/state/open-state.ts";
import { Operator } from "../support/operations/operator.ts";
import { endGroup } from "../support/operations/presence-process.ts";
import { currentName } from "../support/release/whole-release.ts";
import { DAYS, foundTown, ndjson, townObservations } from "../support/towns/town.ts";

/** `presence nightly` as a timer runs it: killed in each step and run again, two at once, with a clock that was set back. */

const NIGHT = ["nightly", "--now", "--clock", DAYS.seal, "--json"];
const STEPS = [
  "inbox",
  "seal",
  "desk_view",
  "online_checks",
  "build",
  "prune",
  "incidents",
  "alerts",
  "deliver",
  "ledger_check",
];

const operator = new Operator();
beforeAll(async () => {
  await foundTown(operator);
  const sightings = townObservations({ seed: 5, observations: 60, records: 3 });
  const file = operator.write("observations.ndjson", ndjson(sightings));
  await operator.ok(["ingest", file, "--synthetic", "--clock", DAYS.ingest]);
  const incident = { started: "2026-05-01T01:00:00Z", title: "Slow search", text: "A disk failed." };
  writeFileSync(operator.home.incidents, JSON.stringify([incident]));
  await (await openState(undefined, homePaths(operator.home.root))).close();
});
afterAll(() => operator[Symbol.dispose]());

const status = (): NightlyStatus | undefined => readNightlyStatus(operator.home.nightly);

const TRIES = 10; // a step may be over before this process hears of it

/** The night that ended, as one that was cut short: the next one takes it up. */
function cutShort(): void {
  const ended = status();
  if (ended === undefined) throw new Error("there was no night");
  writeNightlyStatus(operator.home.nightly, { ...ended, finished_at: null });
}

/** Starts the night and kills it as soon as it says that the step begins; once more where that came too late. */
async function killedIn(step: string): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const command = operator.start(NIGHT);
    command.child.stderr?.on("data", (text: Buffer) => {
      if (String(text).includes(`${step} …`)) endGroup(command);
    });
    const { signal } = await command.done;
    if (signal === "SIGKILL" && status()?.state === "running") return;
    expect(status()?.state, step).toBe("done");
    cutShort();
  }
  throw new Error(`${step}: always over before it could be killed`);
}

describe("nightly", () => {
  test("killed in each step, it is taken up by the next one", { timeout: 240_000 }, async () => {
    for (const step of STEPS) {
      await killedIn(step);
      expect(status()).toMatchObject({ state: "running", exit_code: null });
    }
    const release = currentName(operator.home);
    expect(release).toBeDefined(); // the night that was killed in `alerts` had published
    const summary = JSON.parse(await operator.ok(NIGHT));
    expect(summary).toEqual(status());
    expect(summary).toMatchObject({ state: "done", exit_code: 0 });
    expect(summary.steps.map(({ name }: { name: string }) => name)).toEqual(STEPS);
    expect(summary.steps[STEPS.indexOf("build")].facts).toMatchObject({ resumed: "done earlier this night" });
    expect(currentName(operator.home)).toBe(release);
    expect(readdirSync(operator.home.releases)).toHaveLength(1);
    await operator.ok(["verify"]);
    const answer = join(operator.home.current, "site", "api", "v1", "status.json");
    expect(JSON.parse(readFileSync(answer, "utf8")).incidents).toMatchObject([{ message: "A disk failed." }]);
    await operator.ok(["replay"]); // which knows the incidents from the status alone
  });

  test("an upgrade is released by the night, though no row is new", { timeout: 60_000 }, async () => {
    const before = currentName(operator.home);
    const upgraded = { env: { SOURCE_REVISION: "the next version" } };
    await operator.ok(NIGHT, upgraded);
    const after = currentName(operator.home);
    expect(after).not.toBe(before);
    await operator.ok(NIGHT, upgraded);
    expect(currentName(operator.home)).toBe(after);
    const manifest = readFileSync(join(operator.home.current, "site", "manifest.json"), "utf8");
    expect(JSON.parse(manifest).inputs.source_revision).toBe("the next version");
  });

  test("a second one says who runs since when, and ends with 75", async () => {
    const lock = new Database(`${operator.home.night}/nightly.lock`);
    lock.pragma("user_version = 4711");
    lock.exec("BEGIN IMMEDIATE");
    const before = readFileSync(operator.home.nightly, "utf8");
    const { code, stdout, stderr } = await operator.run(NIGHT);
    lock.close();
    expect(stderr).toMatch(/another night is running \(pid 4711, since 20\d\d-\d\d-\d\dT[0-9:]+Z\)/);
    expect([code, stdout, readFileSync(operator.home.nightly, "utf8")]).toEqual([75, "", before]);
  });

  test("a clock that was set back is refused", async () => {
    expect(await operator.refused(["nightly", "--clock", DAYS.register])).toMatch(
      /clock set back: it says 2026-05-01T06:00:00Z, but the last row of .* was accepted at 2026-05-01T08:00:00Z/,
    );
    const ended = status();
    if (ended === undefined) throw new Error("there was no night");
    writeNightlyStatus(operator.home.nightly, { ...ended, finished_at: "2999-01-01T00:00:00Z" });
    expect(await operator.refused(["nightly"])).toMatch(/but the last night ended at 2999-01-01/);
    writeNightlyStatus(operator.home.nightly, ended);
  });

  test("a step after the release that fails makes it end with 2, one before with 1", {
    timeout: 60_000,
  }, async () => {
    const state = { STATE_URL: "postgres://nobody@127.0.0.1:9/none" };
    cutShort(); // so that it need not build
    const degraded = await operator.run(NIGHT, { env: state });
    expect(degraded.code, degraded.stderr).toBe(2);
    expect(degraded.stderr).toMatch(/nightly: alerts failed: .*STATE_URL/);
    const failed = await operator.run(NIGHT, {
      env: { TSA_URL: "https://tsa.example", TSA_CA_FILE: "gone.pem" },
    });
    expect([failed.code, status()?.state]).toEqual([1, "failed"]);
    expect(existsSync(operator.home.current)).toBe(true);
  });
});
