import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TestPatient } from "../../../tests/support/operations/patient.ts";
import type { ProcessUser } from "../../kernel/home.ts";
import { restoreDatabase, restoreFile, restoreHome } from "./remedy.ts";

const OWNER = 64_101;
const SERVER = 64_102;
const STATE = 64_112;
const NIGHT = `setpriv --reuid=${OWNER} --regid=${OWNER} --clear-groups`;
const WEB = `setpriv --reuid=${SERVER} --regid=${STATE} --clear-groups`;

let service: TestPatient;
beforeEach(() => {
  service = new TestPatient();
});
afterEach(() => service[Symbol.dispose]());

const shown = (text: string) => text.replaceAll(service.home.root, "HOME");
const linesIn = (mend: string) => Array.from(mend.matchAll(/`([^`]+)`/g), ([, line = ""]) => line);

/** A machine without names for these users. */
function place(user: Partial<ProcessUser> = {}) {
  const patient = service.patient();
  const nameless = { ...patient.user, accountOf: () => undefined, groupOf: () => undefined };
  return { ...patient, user: { ...nameless, ...user } };
}

test("a home of one user is restored as that user", () => {
  const { key, home } = { key: join(service.home.keys, "demo.signing.json"), home: service.home };
  expect(linesIn(shown(restoreFile(place(), key)))).toEqual([
    "presence restore BACKUP --into HOME.restored",
    "cp -p HOME.restored/night/keys/demo.signing.json HOME/night/keys/demo.signing.json",
    "rm -r HOME.restored",
  ]);
  service.env = { ...service.env, BACKUP_HOOK: "/usr/local/bin/presence-backup" };
  expect(linesIn(shown(restoreFile(place(), key))).slice(0, 2)).toEqual([
    "presence-backup fetch HOME.fetched",
    "presence restore HOME.fetched/home --keys HOME.fetched/keys --into HOME.restored",
  ]);
  service.env = {};
  const other = restoreHome(place({ uid: 4711 }));
  expect(other).toContain(`then run as user ${statSync(home.night).uid} \``);
  expect(restoreHome(place())).toContain("then run `presence restore");
});

describe.skipIf(process.getuid?.() !== 0)("a home of two users (as root only)", () => {
  let tools: string;
  beforeEach(() => {
    const { root, night, stateFolder, state, ledger } = service.home;
    mkdirSync(stateFolder, { recursive: true });
    writeFileSync(state, "damaged");
    execFileSync("chown", ["-R", `${OWNER}:${OWNER}`, night]);
    for (const path of [stateFolder, state]) chownSync(path, SERVER, STATE);
    chmodSync(stateFolder, 0o2770);
    chmodSync(root, 0o755);
    chmodSync(night, 0o750);
    for (const ending of ["-wal", "-shm"]) rmSync(ledger + ending, { force: true });
    tools = mkdtempSync("/tmp/presence-remedy-");
    chmodSync(tools, 0o755);
  });
  afterEach(() => rmSync(tools, { recursive: true }));

  /** Runs the lines with a `presence` that restores a home of its own folder, as far as it may. */
  function run(mend: string): void {
    const restore = `#!/bin/sh
if [ "$1" != restore ]; then exit 0; fi
umask 077 && mkdir -p "$4/night/keys" "$4/state" && echo key > "$4/night/keys/demo.signing.json"
for name in state.db state.key; do echo "restored $name" > "$4/state/$name"; done`;
    writeFileSync(join(tools, "presence"), restore, { mode: 0o755 });
    const env = { PATH: `${tools}:/usr/bin:/bin` };
    for (const line of linesIn(mend)) execFileSync("bash", ["-c", line], { env, cwd: "/" });
  }

  test("is restored in two steps, and each line has the power of one user", () => {
    const mend = shown(restoreHome(place()));
    expect(mend).toContain("then run as root `install");
    expect(mend).toContain("and the lines that this one prints, which restore the state; then `mv");
    expect(linesIn(mend)).toEqual([
      "install -d -m 755 HOME.restored",
      `install -d -o ${OWNER} -g ${OWNER} -m 750 HOME.restored/night`,
      `install -d -o ${SERVER} -g ${STATE} -m 2770 HOME.restored/state`,
      `${NIGHT} presence restore BACKUP --into HOME.restored --published HOME/night/current/site/ledger/checkpoint`,
      "mv HOME HOME.damaged",
      "mv HOME.restored HOME",
      `${NIGHT} presence build`,
    ]);
  });

  test("gets a key back by its owner", () => {
    const key = join(service.home.keys, "demo.signing.json");
    rmSync(key);
    run(restoreFile(place(), key));
    const { uid, mode } = statSync(key);
    expect([uid, mode & 0o777, readFileSync(key, "utf8")]).toEqual([OWNER, 0o600, "key\n"]);
    expect(existsSync(service.path("restored"))).toBe(false);
  });

  test("gets state and key of the state back by the server's user, who may not read the backup", () => {
    const { state, stateKey } = service.home;
    run(restoreDatabase(place(), state));
    run(restoreFile(place(), stateKey));
    const files = [state, stateKey].map((path) => {
      const { uid, gid, mode } = statSync(path);
      return [uid, gid, (mode & 0o777).toString(8), readFileSync(path, "utf8")];
    });
    expect(files).toEqual([
      [SERVER, STATE, "660", "restored state.db\n"],
      [SERVER, STATE, "640", "restored state.key\n"],
    ]);
    expect(readFileSync(`${state}.damaged`, "utf8")).toBe("damaged");
    expect(linesIn(restoreDatabase(place(), state)).slice(0, 2)).toEqual([
      `${WEB} mv ${state} ${state}.damaged`,
      `${WEB} rm -f ${state}-wal ${state}-shm`,
    ]);
  });

  test("writes through no link that lies in the place of what is restored", () => {
    const { stateKey } = service.home;
    const ledger = readFileSync(service.home.ledger);
    symlinkSync(service.home.ledger, stateKey);
    expect(() => run(restoreFile(place(), stateKey))).toThrow(/cannot/);
    expect(readFileSync(service.home.ledger).equals(ledger)).toBe(true);
  });
});
