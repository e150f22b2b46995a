import { spawnSync } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Operator } from "../../src/testing/operations/operator.ts";
import { asUser, giveTo, missingForUsers, USERS } from "../../src/testing/operations/service-users.ts";
import { DAYS, foundTown, ndjson, townObservations } from "../../src/testing/towns/town.ts";

/** An installation has one owner: whoever runs a command, no file of another user is left in its home. */

const missing = missingForUsers();

let operator: Operator;
beforeEach(() => {
  operator = new Operator();
  chmodSync(operator.folder, 0o755);
  mkdirSync(operator.home.root, { mode: 0o750 });
  if (missing === undefined) giveTo(operator.home.root, USERS.owner, USERS.files);
});
afterEach(() => operator[Symbol.dispose]());

/** Everything in the home that belongs to another user than its owner. */
function foreign(): string[] {
  const options = [operator.home.root, "!", "-uid", String(USERS.owner)];
  const { stdout } = spawnSync("find", options, { encoding: "utf8" });
  return stdout.split("\n").filter((line) => line !== "");
}

describe.skipIf(missing !== undefined)(`as root (${missing ?? "here"})`, () => {
  test("root's commands leave no file of root, and the owner's night goes on after root's", async () => {
    const pages = join(operator.home.root, "compiled-pages"); // not those that the tests share
    const env = { COMPILED_PAGES: pages };
    await foundTown(operator);
    const file = operator.write(
      "one.ndjson",
      ndjson(townObservations({ seed: 5, observations: 40, records: 3 })),
    );
    const rejects = join(operator.home.root, "rejects.ndjson");
    await operator.ok(["ingest", file, "--synthetic", "--rejects", rejects, "--clock", DAYS.ingest]);
    const night = ["nightly", "--now", "--clock", DAYS.seal];
    await operator.ok(night, { env });
    expect(foreign()).toEqual([]);
    expect(lstatSync(operator.home.current).uid).toBe(USERS.owner);
    const next = ["nightly", "--now", "--clock", "2026-05-03T08:00:00Z"];
    await operator.ok(next, { env, shell: asUser(USERS.owner) });
    expect(foreign()).toEqual([]);

    rmSync(operator.home.nightly);
    const refused = await operator.refused(night, { shell: asUser(USERS.other) });
    expect(refused).toBe(
      `presence: FOLDER/var belongs to user ${USERS.owner}, but this command runs as user ${USERS.other}: ` +
        `run it as user ${USERS.owner} (sudo -u '#${USERS.owner}' presence nightly --now --clock ${DAYS.seal}) or as root, who becomes user ${USERS.owner}`,
    );
    expect(readdirSync(operator.home.root)).not.toContain("nightly.json");
  }, 180_000);

  test("deliver runs as whoever has the state, and another command of that user is refused", async () => {
    const state = join(operator.home.root, "state");
    mkdirSync(state);
    giveTo(state, USERS.server, USERS.state);
    chmodSync(state, 0o2770);
    const env = { STATE_FOLDER: state };
    await foundTown(operator);
    const client = ["partner", "create", "Example Maps", "--contact", "ops@maps.example"];
    await operator.ok(client, { env, shell: asUser(USERS.owner, USERS.state) });
    await operator.ok(["deliver"], { env, shell: asUser(USERS.server, USERS.files, USERS.state) });
    await operator.ok(["deliver"], { env });
    expect(
      await operator.refused(client, { env, shell: asUser(USERS.server, USERS.files, USERS.state) }),
    ).toMatch(`FOLDER/var belongs to user ${USERS.owner}, but`);
    expect(await operator.refused(["deliver"], { env, shell: asUser(USERS.other) })).toMatch(
      `presence deliver) or as root`,
    );
    expect(foreign().filter((name) => !name.includes("/var/state"))).toEqual([]);
  });
});
