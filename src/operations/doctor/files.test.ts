import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TestPatient } from "../../../tests/support/operations/patient.ts";
import { homePaths } from "../../kernel/home.ts";
import type { CheckContext } from "./check.ts";
import { permissions } from "./files.ts";

let service: TestPatient;
beforeEach(() => {
  service = new TestPatient();
  chmodSync(service.home.root, 0o755);
  chmodSync(service.home.night, 0o755);
});
afterEach(() => service[Symbol.dispose]());

const shown = (text: string) => text.replaceAll(service.home.root, "HOME");
async function findings(patient: CheckContext = service.patient()): Promise<string[]> {
  return permissions(patient).map(({ problem, mend }) => shown(`${problem} | ${mend}`));
}
/** Runs the lines that the findings print, as an operator copies them. */
async function runLines(patient: CheckContext = service.patient()): Promise<void> {
  for (const { mend } of permissions(patient))
    for (const [, line = ""] of mend.matchAll(/`([^`]+)`/g)) execFileSync("bash", ["-c", line]);
}
const mode = (...path: string[]) => (statSync(service.path(...path)).mode & 0o7777).toString(8);

test("a home as it is made has nothing to mend", async () => {
  expect(await findings()).toEqual([]);
});

test("keys and databases that others may read", async () => {
  chmodSync(service.path("keys", "demo.signing.json"), 0o640);
  chmodSync(service.home.ledger, 0o644);
  expect((await findings()).toSorted()).toEqual([
    "HOME/night/keys/demo.signing.json: other users may read this file (mode 640) | `chmod 600 HOME/night/keys/demo.signing.json`; if other users could log in meanwhile, rotate the signing key",
    "HOME/night/ledger.db: other users may read this file (mode 644) | `chmod 600 HOME/night/ledger.db`; if other users could log in meanwhile, treat its private values as disclosed",
  ]);
});

const WRONG: readonly [path: string, mode: number, problem: RegExp, mended: string][] = [
  [".", 0o777, /write here \(mode 777\)/, "755"],
  ["keys", 0o777, /enter this folder \(mode 777\)/, "700"],
  ["keys/demo.head", 0o666, /write here/, "644"],
  ["ledger.db", 0o666, /read this file/, "600"],
  ["releases", 0o777, /write here/, "755"],
  ["releases/r1", 0o777, /write here/, "755"],
  [
    "releases/r1/site/a.json",
    0o666,
    /HOME\/night\/releases\/r1 \(1 files and folders\): other users may write/,
    "644",
  ],
  ["compiled-pages", 0o775, /write here/, "755"],
  ["build.log", 0o666, /write here/, "644"],
  ["purge", 0o755, /enter this folder/, "700"],
];

test.each(WRONG)("%s with mode %o is found, and mended", async (path, wrong, problem, mended) => {
  for (const folder of ["releases/r1/site", "compiled-pages"])
    mkdirSync(service.path(folder), { recursive: true });
  mkdirSync(service.path("purge"), { mode: 0o700 });
  for (const file of ["releases/r1/site/a.json", "build.log", "keys/demo.head"])
    writeFileSync(service.path(file), "", { mode: 0o644 });
  expect(await findings()).toEqual([]);
  chmodSync(service.path(path), wrong);
  expect(await findings()).toEqual([expect.stringMatching(problem)]);
  await runLines();
  expect([await findings(), mode(path)]).toEqual([[], mended]);
});

test("a closed folder is closed with all that lies in it", async () => {
  const inner = service.path("backup-cache/one/two");
  mkdirSync(inner, { recursive: true, mode: 0o755 });
  writeFileSync(join(inner, "index"), "", { mode: 0o644 });
  chmodSync(service.path("backup-cache"), 0o700);
  expect(await findings()).toEqual([
    expect.stringContaining("chmod -R u+rwX,go-rwx HOME/night/backup-cache/one"),
  ]);
  await runLines();
  expect([await findings(), mode("backup-cache/one/two")]).toEqual([[], "700"]);
});

test("a link is neither followed nor changed", async () => {
  writeFileSync(service.path("..secret"), "");
  mkdirSync(service.path("compiled-pages"));
  symlinkSync("/", service.path("compiled-pages", "node_modules"));
  expect(await findings()).toEqual([]);
});

test("another user's files, with that user's power alone", async () => {
  chmodSync(service.home.ledger, 0o644);
  const patient = service.patient();
  const stranger = { ...patient, user: { ...patient.user, uid: 4711 } };
  if (process.getuid?.() === 0)
    expect(await findings(stranger)).toEqual([
      expect.stringContaining("`chmod 600 HOME/night/ledger.db` as root"),
    ]);
});

describe.skipIf(process.getuid?.() !== 0)("with several users (as root only)", () => {
  const OWNER = 64_101;
  const SERVER = 64_102;
  const STATE = 64_112;
  let state: string;
  let patient: CheckContext;
  beforeEach(() => {
    service[Symbol.dispose]();
    // Nobody but root can exchange an entry of this folder; where temporary files lie, some machines let everybody.
    service = new TestPatient("/var/lib");
    chmodSync(service.home.root, 0o755);
    state = service.home.stateFolder;
    for (const folder of [state, service.path("releases/r1/site")]) mkdirSync(folder, { recursive: true });
    for (const file of ["../state/state.db", "../state/state.key", "releases/r1/site/a.json"])
      writeFileSync(service.path(file), "");
    const all = [
      ".",
      "ledger.db",
      "keys",
      "releases",
      "releases/r1",
      "releases/r1/site",
      "releases/r1/site/a.json",
    ];
    for (const path of all) chownSync(service.path(path), OWNER, OWNER);
    rmSync(service.path("keys"), { recursive: true });
    for (const path of ["../state", "../state/state.db", "../state/state.key"])
      chownSync(service.path(path), SERVER, STATE);
    chmodSync(state, 0o2770);
    chmodSync(join(state, "state.db"), 0o660);
    chmodSync(join(state, "state.key"), 0o640);
    chmodSync(service.home.night, 0o750);
    for (const name of ["ledger.db-wal", "ledger.db-shm", "ledger.db.lock"])
      rmSync(service.path(name), { force: true });
    patient = { ...service.patient(), home: homePaths(service.home.root) };
  });

  const OWN = `setpriv --reuid=${OWNER} --regid=${OWNER} --clear-groups`;

  test("what root left behind is found, named once for a release, and replaced with the owner's power", async () => {
    expect(await findings(patient)).toEqual([]);
    for (const path of ["releases/r1", "releases/r1/site", "releases/r1/site/a.json"])
      chownSync(service.path(path), 0, 0);
    chownSync(service.home.ledger, 0, 0);
    expect((await findings(patient)).toSorted()).toEqual([
      expect.stringMatching(
        /^HOME\/night\/ledger\.db: belongs to root:root, .* \| `chown --no-dereference 64101:64101 HOME\/night\/ledger\.db`$/,
      ),
      expect.stringContaining(
        `HOME/night/releases/r1 (3 files and folders): belongs to root:root, and should to user ${OWNER} | \`${OWN} sh -c `,
      ),
    ]);
    await runLines(patient);
    expect(await findings(patient)).toEqual([]);
    expect(lstatSync(service.path("releases/r1/site/a.json")).uid).toBe(OWNER);
  });

  test("where the home's own folder can be exchanged, root names nothing in it", async () => {
    chownSync(service.home.root, OWNER, OWNER);
    chownSync(service.home.ledger, 0, 0);
    const lines = (await findings(patient)).filter((line) => line.includes("ledger.db:"));
    expect(lines).toEqual([expect.stringContaining(`\`${OWN} sh -c`)]);
    expect((await findings(patient))[0]).toContain("HOME: belongs to user 64101");
  });

  /** Puts links, hard links as far as the kernel allows them, and the right file or folder in turn where each target is. */
  const EXCHANGE = `alarm 60; my ($secret, $outside, @targets) = @ARGV;
    while (1) { for my $target (@targets) {
      rename $target, "$target.kept"; symlink $secret, $target; select undef, undef, undef, 0.001;
      unlink $target; link $secret, $target; select undef, undef, undef, 0.001;
      unlink $target; symlink $outside, $target; select undef, undef, undef, 0.001;
      unlink $target; rename "$target.kept", $target; select undef, undef, undef, 0.001;
    } }`;

  test("the lines touch nothing while their owners exchange what they name for links and hard links", async () => {
    const outside = service.path("../outside");
    mkdirSync(outside, { mode: 0o755 });
    for (const name of ["site", "state.key"])
      writeFileSync(join(outside, name), "root's alone", { mode: 0o600 });
    const seen = () => {
      const files = ["site", "state.key"].map((name) => join(outside, name));
      return [outside, ...files].map((path) => {
        const { uid, gid, mode: bits } = lstatSync(path);
        return [uid, gid, bits, path === outside ? readdirSync(path) : readFileSync(path, "utf8")];
      });
    };
    for (const path of ["releases/r1", "releases/r1/site"]) chownSync(service.path(path), 0, 0);
    chownSync(service.home.ledger, 0, 0);
    chmodSync(join(state, "state.key"), 0o666);
    chmodSync(service.home.releases, 0o777);
    const lines = permissions(patient).flatMap(({ mend }) =>
      Array.from(mend.matchAll(/`([^`]+)`/g), ([, line = ""]) => line),
    );
    expect(lines.length).toBeGreaterThan(4);
    const before = seen();
    const exchange = (uid: number, gid: number, targets: readonly string[]) =>
      spawn("perl", ["-e", EXCHANGE, join(outside, "site"), outside, ...targets], {
        uid,
        gid,
        stdio: "ignore",
      });
    const ofNight = ["ledger.db", "releases/r1", "releases/r1.foreign", "releases"];
    const running = [
      exchange(
        OWNER,
        OWNER,
        ofNight.map((name) => service.path(name)),
      ),
      exchange(SERVER, STATE, [join(state, "state.key")]),
    ];
    try {
      for (let round = 0; round < 10; round += 1) for (const line of lines) spawnSync("sh", ["-c", line]);
    } finally {
      for (const each of running) each.kill("SIGKILL");
    }
    expect(running.map(({ exitCode }) => exitCode)).toEqual([null, null]); // until now
    expect(seen()).toEqual(before);
  });

  test("the lines touch nothing that the owners put in the way: links, hard links, exchanged folders", async () => {
    const outside = service.path("../outside");
    mkdirSync(outside, { mode: 0o700 });
    const secret = join(outside, "site");
    writeFileSync(secret, "root's alone", { mode: 0o600 });
    for (const path of ["releases/r1", "releases/r1/site"]) chownSync(service.path(path), 0, 0);
    chownSync(service.home.ledger, 0, 0);
    chmodSync(service.home.ledger, 0o644); // so that owner and mode are wrong
    chmodSync(join(state, "state.key"), 0o666);
    const lines = permissions(patient).flatMap(({ mend }) =>
      Array.from(mend.matchAll(/`([^`]+)`/g), ([, line = ""]) => line),
    );
    expect(lines.length).toBeGreaterThan(3);
    // meanwhile:
    rmSync(service.home.ledger);
    symlinkSync(secret, service.home.ledger);
    rmSync(service.path("releases/r1"), { recursive: true });
    symlinkSync(outside, service.path("releases/r1"));
    rmSync(join(state, "state.key"));
    symlinkSync(secret, join(state, "state.key"));
    const before = statSync(secret);
    for (const line of lines) spawnSync("bash", ["-c", line]);
    const { uid, gid, mode: after, ctimeMs } = statSync(secret);
    expect({ uid, gid, after, ctimeMs }).toEqual({
      uid: before.uid,
      gid: before.gid,
      after: before.mode,
      ctimeMs: before.ctimeMs,
    });
    expect([statSync(outside).uid, readFileSync(secret, "utf8")]).toEqual([0, "root's alone"]);
  });

  test("the state's folder and files, whichever of the two users made them", async () => {
    chownSync(join(state, "state.db"), OWNER, STATE);
    expect(await findings(patient)).toEqual([]);
    chownSync(join(state, "state.db"), 0, 0);
    chmodSync(state, 0o700);
    chmodSync(join(state, "state.key"), 0o600);
    chmodSync(service.home.night, 0o700);
    chmodSync(service.home.releases, 0o700);
    const web = `setpriv --reuid=${SERVER} --regid=${SERVER} --clear-groups`;
    expect((await findings(patient)).map((line) => line.split(" | ")[1])).toEqual([
      `\`chown --no-dereference ${SERVER}:${STATE} HOME/state/state.db\``,
      `\`${OWN} chmod 750 HOME/night\` as root`,
      `\`${OWN} chmod 755 HOME/night/releases\` as root`,
      `\`${web} chmod 2770 HOME/state\` as root`,
      `\`${web} chmod 640 HOME/state/state.key\` as root`,
    ]);
    await runLines(patient);
    expect((await findings(patient)).filter((line) => !line.includes("HOME/state:"))).toEqual([]);
    expect([mode("../state/state.db"), mode("../state/state.key"), mode(".")]).toEqual(["660", "640", "750"]);
  });
});
