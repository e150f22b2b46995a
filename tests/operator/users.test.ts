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

/** Owner, group (where others reach a file through it) and mode of what a home is made of. */
function modesOf(home: string): Record<string, string> {
  const names = [".", "keys", "ledger.db", "state", "state/state.db", "state/state.key"];
  return Object.fromEntries(
    names.map((name) => {
      const { uid, gid, mode } = lstatSync(join(home, name));
      const group = /^(\.$|state)/.test(name) ? `:${gid}` : "";
      return [name, `${uid}${group} ${(mode & 0o7777).toString(8)}`];
    }),
  );
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

    // What a root of an earlier version left: the owner can add a release, and cannot remove this one.
    spawnSync("chown", ["-hR", "0:0", operator.home.releases]);
    giveTo(operator.home.releases, USERS.owner);
    const changed = { ...env, RELEASES_KEPT: "1", OPERATOR_NAME: "Tiny Watch Ltd" };
    const asOwner = { env: changed, shell: asUser(USERS.owner) };
    const degraded = await operator.run([...night, "--json"], asOwner);
    expect(degraded.code, degraded.stderr).toBe(2);
    expect(degraded.stderr).toContain("nightly: prune failed: 1 older release could not be removed (EACCES");
    const outcomes = JSON.parse(degraded.stdout).steps.map(
      ({ name, outcome }: { name: string; outcome: string }) => `${name} ${outcome}`,
    );
    expect(outcomes.slice(2)).toEqual([
      "build done",
      "prune failed",
      "incidents done",
      "alerts skipped",
      "deliver skipped",
      "ledger_check done",
    ]);
    expect((await operator.run(["doctor"], asOwner)).stdout).toMatch(
      /MEND {3}permissions: .*belongs to root:root, and should to user 64101\n {7}chown -hR 64101:64111 /,
    );
    const mended = await operator.run(["doctor", "--mend"], { env: changed });
    expect(mended.stderr).toContain("mended: chown -hR");
    expect(mended.stdout).toContain("ok     permissions");
    await operator.ok(night, asOwner);
    expect(readdirSync(operator.home.releases)).toHaveLength(1);
    expect(foreign()).toEqual([]);

    rmSync(operator.home.nightly);
    const refused = await operator.refused(night, { shell: asUser(USERS.other) });
    expect(refused).toBe(
      `presence: FOLDER/var belongs to user ${USERS.owner}, but this command runs as user ${USERS.other}: ` +
        `run it as user ${USERS.owner} (sudo -u '#${USERS.owner}' presence nightly --now --clock ${DAYS.seal}) or as root, who becomes user ${USERS.owner}`,
    );
    expect(readdirSync(operator.home.root)).not.toContain("nightly.json");
  }, 400_000);

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
  }, 200_000);

  test("restore gives a home its owners, or says how to make its folders", async () => {
    const { root } = operator.home;
    const state = join(root, "state");
    const env = { STATE_FOLDER: state, PRESENCE_HOME: root };
    const makeFolders = () => {
      mkdirSync(root, { recursive: true });
      chmodSync(root, 0o750);
      mkdirSync(state, { recursive: true });
      giveTo(root, USERS.owner, USERS.files);
      giveTo(state, USERS.server, USERS.state);
      chmodSync(state, 0o2770);
    };
    makeFolders();
    const own = join(operator.folder, "own"); // where the service's user may make folders
    mkdirSync(own);
    giveTo(own, USERS.owner);
    const asOwner = { env, shell: asUser(USERS.owner, USERS.files, USERS.state) };
    await operator.ok(["init", "--origin", "test.example/log"], { env });
    await operator.ok(["partner", "create", "Example Maps", "--contact", "ops@maps.example"], asOwner);
    const backup = join(own, "backup");
    await operator.ok(["backup", backup], { env });

    const drill = await operator.refused(
      ["restore", backup, "--into", join(operator.folder, "drill")],
      asOwner,
    );
    expect(drill).toBe(
      `presence: FOLDER/drill: ${USERS.owner} may not create a folder in FOLDER. Nothing was done. As root, make the folders with their owners (docs/operations/install.md), and run this command again as root:
  install -d -o presence -g presence-files -m 0750 FOLDER/drill
  install -d -o presence-web -g presence-state -m 2770 FOLDER/drill/state`,
    );
    await operator.ok(["restore", backup, "--into", join(own, "drill")], asOwner);
    expect(modesOf(join(own, "drill"))).toEqual({
      ".": `${USERS.owner}:${USERS.files} 750`,
      keys: `${USERS.owner} 700`,
      "ledger.db": `${USERS.owner} 600`,
      state: `${USERS.owner}:${USERS.state} 2770`,
      "state/state.db": `${USERS.owner}:${USERS.state} 660`,
      "state/state.key": `${USERS.owner}:${USERS.state} 640`,
    });

    rmSync(root, { recursive: true });
    expect(await operator.refused(["restore", backup, "--into", root], { env })).toContain(
      "its owner is unknown",
    );
    makeFolders();
    await operator.ok(["restore", backup, "--into", root], { env });
    expect(modesOf(root)).toEqual({
      ".": `${USERS.owner}:${USERS.files} 750`,
      keys: `${USERS.owner} 700`,
      "ledger.db": `${USERS.owner} 600`,
      state: `${USERS.server}:${USERS.state} 2770`,
      "state/state.db": `${USERS.server}:${USERS.state} 660`,
      "state/state.key": `${USERS.server}:${USERS.state} 640`,
    });
    expect(await operator.ok(["partner", "list"], { env })).toContain("Example Maps");
    await operator.ok(["deliver"], { env, shell: asUser(USERS.server, USERS.files, USERS.state) });
    expect((await operator.run(["doctor"], { env })).stdout).toContain("ok     permissions");
  }, 300_000);
});
