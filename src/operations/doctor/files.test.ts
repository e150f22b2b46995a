import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { homePaths } from "../../kernel/home.ts";
import { TestPatient } from "../../testing/operations/patient.ts";
import type { CheckContext } from "./check.ts";
import { mendFiles, permissions } from "./files.ts";

let service: TestPatient;
beforeEach(() => {
  service = new TestPatient();
  chmodSync(service.home.root, 0o755);
  chmodSync(service.home.night, 0o755);
});
afterEach(() => service[Symbol.dispose]());

const shown = (text: string) => text.replaceAll(service.home.root, "HOME");
async function findings(patient: CheckContext = service.patient()): Promise<string[]> {
  return (await permissions.find(patient)).map(({ problem, mend }) => shown(`${problem} | ${mend}`));
}
const mode = (...path: string[]) => (statSync(service.path(...path)).mode & 0o7777).toString(8);

test("a home as it is made has nothing to mend", async () => {
  expect(await findings()).toEqual([]);
});

test("keys and databases that others may read", async () => {
  chmodSync(service.path("keys", "demo.signing.json"), 0o640);
  chmodSync(service.home.ledger, 0o644);
  expect((await findings()).toSorted()).toEqual([
    "HOME/night/keys/demo.signing.json: other users may read this file (mode 640) | chmod 600 HOME/night/keys/demo.signing.json; if other users could log in meanwhile, rotate the signing key",
    "HOME/night/ledger.db: other users may read this file (mode 644) | chmod 600 HOME/night/ledger.db; if other users could log in meanwhile, treat its private values as disclosed",
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
  expect(mendFiles(service.patient())).toEqual([expect.stringMatching(/^mended: chmod /)]);
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
  mendFiles(service.patient());
  expect([await findings(), mode("backup-cache/one/two")]).toEqual([[], "700"]);
});

test("a link is neither followed nor changed", async () => {
  writeFileSync(service.path("..secret"), "");
  mkdirSync(service.path("compiled-pages"));
  symlinkSync("/", service.path("compiled-pages", "node_modules"));
  expect(await findings()).toEqual([]);
});

test("another user's files are left, with the command for root", async () => {
  chmodSync(service.home.ledger, 0o644);
  const patient = service.patient();
  const stranger = { ...patient, user: { ...patient.user, uid: 4711 } };
  expect(mendFiles(stranger)).toEqual([]);
  expect(mode("ledger.db")).toBe("644");
});

describe.skipIf(process.getuid?.() !== 0)("with several users (as root only)", () => {
  const OWNER = 64_101;
  const SERVER = 64_102;
  const STATE = 64_112;
  let state: string;
  let patient: CheckContext;
  beforeEach(() => {
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

  test("what root left behind is found, named once for a release, and given back", async () => {
    expect(await findings(patient)).toEqual([]);
    for (const path of ["releases/r1", "releases/r1/site", "releases/r1/site/a.json"])
      chownSync(service.path(path), 0, 0);
    chownSync(service.home.ledger, 0, 0);
    expect((await findings(patient)).toSorted()).toEqual([
      `HOME/night/ledger.db: belongs to root:root, and should to user ${OWNER} | chown -h ${OWNER}:${OWNER} HOME/night/ledger.db as root, or \`presence doctor --mend\` as root`,
      `HOME/night/releases/r1 (3 files and folders): belongs to root:root, and should to user ${OWNER} | chown -hR ${OWNER}:${OWNER} HOME/night/releases/r1 as root, or \`presence doctor --mend\` as root`,
    ]);
    const asOwner = { ...patient, user: { ...patient.user, uid: OWNER } };
    expect(mendFiles(asOwner)).toEqual([]);
    expect(mendFiles(patient)).toHaveLength(2);
    expect(await findings(patient)).toEqual([]);
    expect(lstatSync(service.path("releases/r1/site/a.json")).uid).toBe(OWNER);
  });

  test("the state's folder and files, whichever of the two users made them", async () => {
    chownSync(join(state, "state.db"), OWNER, STATE);
    expect(await findings(patient)).toEqual([]);
    chownSync(join(state, "state.db"), 0, 0);
    chmodSync(state, 0o700);
    chmodSync(join(state, "state.key"), 0o600);
    chmodSync(service.home.night, 0o700);
    chmodSync(service.home.releases, 0o700);
    expect((await findings(patient)).map((line) => line.split(" | ")[1])).toEqual([
      `chown -h ${SERVER}:${STATE} HOME/state/state.db as root, or \`presence doctor --mend\` as root`,
      "chmod 750 HOME/night",
      "chmod 755 HOME/night/releases",
      "chmod 2770 HOME/state",
      "chmod 640 HOME/state/state.key",
    ]);
    expect(mendFiles(patient)).toHaveLength(5);
    expect(await findings(patient)).toEqual([]);
    expect([mode("../state"), mode("../state/state.db"), mode("../state/state.key"), mode(".")]).toEqual([
      "2770",
      "660",
      "640",
      "750",
    ]);
  });
});
