import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { filesBelow } from "../../src/kernel/files/durable-file.ts";
import { Operator } from "../support/operations/operator.ts";
import { asUser, giveTo, missingForUsers, USERS } from "../support/operations/service-users.ts";
import { SHARED_CACHES } from "../support/towns/shared-caches.ts";
import { DAYS, foundTown, ndjson, townObservations } from "../support/towns/town.ts";

/** An installation has one owner: whoever runs a command, no file of another user is left in its home. */

const missing = missingForUsers();
const INBOX = 64_113; // the group of those who take what is delivered

let operator: Operator;
beforeEach(() => {
  operator = new Operator();
  chmodSync(operator.folder, 0o755);
  mkdirSync(operator.home.root, { mode: 0o755 });
  mkdirSync(operator.home.night, { mode: 0o750 });
  if (missing === undefined) giveTo(operator.home.night, USERS.owner, USERS.files);
});
afterEach(() => operator[Symbol.dispose]());

/** Everything of the night that belongs to another user than its owner. */
function foreign(): string[] {
  const options = [operator.home.night, "!", "-uid", String(USERS.owner)];
  const { stdout } = spawnSync("find", options, { encoding: "utf8" });
  return stdout.split("\n").filter((line) => line !== "");
}

describe.skipIf(missing !== undefined)(`as root (${missing ?? "here"})`, () => {
  const giveAll = (uid: number, path = operator.home.night) =>
    spawnSync("chown", ["-hR", `${uid}:${uid}`, path]);
  const asOwner = (...groups: number[]) => ({ shell: asUser(USERS.owner, ...groups) });

  test("a command of root or another user is refused with the line to type, and leaves no file", async () => {
    await operator.ok(["init", "--origin", "test.example/log", "--environment", "demo"], asOwner());
    for (const [shell, line] of [
      [undefined, `setpriv --reuid=${USERS.owner} --regid=${USERS.files} --clear-groups presence seal`],
      [asUser(USERS.other), `sudo -u '#${USERS.owner}' -- presence seal`],
    ] as const)
      expect(await operator.refused(["seal"], shell === undefined ? {} : { shell })).toMatch(
        new RegExp(`^presence: FOLDER/var/night belongs to user ${USERS.owner}, but .*: ${line}$`),
      );
    expect(foreign()).toEqual([]);
    await operator.ok(["seal", "--now"], asOwner());
  });

  test("a night says what it may not remove", async () => {
    const env = { COMPILED_PAGES: join(operator.home.night, "compiled-pages") };
    cpSync(SHARED_CACHES.COMPILED_PAGES, env.COMPILED_PAGES, { recursive: true });
    giveAll(0);
    await foundTown(operator);
    giveAll(USERS.owner);
    const lines = ndjson(townObservations({ seed: 5, observations: 40, records: 3 }));
    const file = operator.write("one.ndjson", lines);
    const rejects = join(operator.home.night, "rejects.ndjson");
    const ingest = ["ingest", file, "--synthetic", "--rejects", rejects, "--clock", DAYS.ingest];
    await operator.ok(ingest, asOwner());
    const night = ["nightly", "--now", "--clock", DAYS.seal];
    await operator.ok(night, { env, ...asOwner() });
    expect(foreign()).toEqual([]);

    giveAll(0, operator.home.releases); // the owner can add a release, and cannot remove this one
    giveTo(operator.home.releases, USERS.owner);
    const changed = { env: { ...env, RELEASES_KEPT: "1", OPERATOR_NAME: "Tiny Watch Ltd" }, ...asOwner() };
    const degraded = await operator.run([...night, "--json"], changed);
    expect(degraded.code, degraded.stderr).toBe(2);
    expect(degraded.stderr).toContain("nightly: prune failed: 1 older release could not be removed (EACCES");
    expect((await operator.run(["doctor"], changed)).stdout).toMatch(
      /MEND {3}permissions: .*belongs to root:root, and should to user 64101\n {7}\S/,
    );
    giveAll(USERS.owner, operator.home.releases);
    await operator.ok(night, changed);
    expect(readdirSync(operator.home.releases)).toHaveLength(1);
  });

  test("a supplier delivers without a way to anything else, and the night takes what is its own", async () => {
    const { inbox, kept, root } = operator.home;
    const folder = join(inbox, "fleet");
    for (const [path, uid, mode] of [
      [inbox, 0, 0o751],
      [folder, USERS.other, 0o2770],
      [join(inbox, "rival"), 0, 0o2770],
    ] as const) {
      mkdirSync(path);
      giveTo(path, uid, INBOX);
      chmodSync(path, mode);
    }
    const secret = join(root, "secret");
    writeFileSync(secret, "not for suppliers", { mode: 0o600 });
    const supplier = (script: string) => {
      const user = ["--reuid", String(USERS.other), "--regid", String(USERS.other), "--clear-groups"];
      return spawnSync("setpriv", [...user, "sh", "-c", `cd ${folder} && ${script}`]).status;
    };
    const night = asOwner(INBOX);
    await operator.ok(["init", "--origin", "test.example/log", "--environment", "demo"], night);
    const terms = ["--vetting", "collective", "--operator", "F", "--licence", "own", "--consent", "own"];
    const added = await operator.run(["source", "add", "fleet", "--kind", "fleet_cam", ...terms], night);
    expect(added.stderr).toContain(`install -d -o USER -g presence-inbox -m 2770 ${folder}`);

    for (const script of [
      "ls ..",
      "ls ../rival",
      "mv ../fleet ../other",
      "ln ../../night/ledger.db x",
      "touch ../y",
    ])
      expect(supplier(script), script).not.toBe(0);
    expect(
      supplier(`umask 027; echo '{"name":1}' > .a; sleep 0.1; mv .a a.ndjson; ln -s ${secret} b.ndjson`),
    ).toBe(0);
    expect(supplier("umask 077; echo x > .c; sleep 0.1; mv .c c.ndjson")).toBe(0);
    const { stdout, code } = await operator.run(["inbox", "take", "--wait", "1"], night);
    expect(stdout).toContain("inbox/fleet/a.ndjson: failed (1 read, 0 accepted");
    expect(stdout).toContain("inbox/fleet/b.ndjson: left: it is a link");
    expect(stdout).toContain("inbox/fleet/c.ndjson: left: this user may not read it");
    expect(code).toBe(1);
    const unreadable = await operator.refused(["ingest", join(folder, "c.ndjson")], night);
    expect(unreadable).toMatch(
      /c\.ndjson: the user who runs this command may not read it: hand it over with `presence ingest - < FILE`/,
    );
    expect(readdirSync(folder)).toEqual(["b.ndjson", "c.ndjson"]);
    const copies = filesBelow(kept).filter((path) => path.includes("/rejects/"));
    expect(copies.map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600]);
    expect(copies.map((path) => readFileSync(path, "utf8")).join("")).not.toContain("not for suppliers");
    expect(foreign()).toEqual([]);
    chmodSync(inbox, 0o777);
    chmodSync(folder, 0o777);
    const { stdout: found } = await operator.run(["doctor"], night);
    expect(found).toContain(`install -d -o root -g presence-inbox -m 0751 ${inbox}`);
    expect(found).toContain(`chmod o-rwx ${folder}`);
  });

  test("deliver runs as whoever has the state, and another command of that user is refused", async () => {
    const { stateFolder } = operator.home;
    mkdirSync(stateFolder);
    giveTo(stateFolder, USERS.server, USERS.state);
    chmodSync(stateFolder, 0o2770);
    const server = { shell: asUser(USERS.server, USERS.files, USERS.state) };
    await operator.ok(
      ["init", "--origin", "test.example/log", "--environment", "demo"],
      asOwner(USERS.state),
    );
    const client = ["partner", "create", "Example Maps", "--contact", "ops@maps.example"];
    expect(await operator.refused(client, asOwner())).toMatch(
      /FOLDER\/var\/state: this user cannot access it/,
    );
    await operator.ok(client, asOwner(USERS.state));
    await operator.ok(["deliver"], server);
    expect(await operator.refused(client, server)).toMatch(`FOLDER/var/night belongs to user ${USERS.owner}`);
    expect(await operator.refused(["deliver"], { shell: asUser(USERS.other) })).toMatch(
      `FOLDER/var/state belongs to user ${USERS.server}`,
    );
    expect(foreign()).toEqual([]);
  });
});
