import { chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { homePaths } from "../../kernel/home.ts";
import { createLedger } from "../../ledger/database/create.ts";
import { TestPatient } from "../../testing/operations/patient.ts";
import { permissions } from "./files.ts";
import { separateUsers } from "./separate-users.ts";

let service: TestPatient;
let root: string;

beforeEach(() => {
  service = new TestPatient();
  root = service.path("real");
  const { ledger, keys } = homePaths(root);
  const { random } = service.ledger;
  createLedger(ledger, {
    environment: "production",
    origin: "example.org/real",
    keysDir: keys,
    clock: () => 0,
    random,
  });
});
afterEach(() => service[Symbol.dispose]());

async function problems(check = separateUsers, stateFolder?: string): Promise<string[]> {
  service.env = { PRESENCE_HOME: root, ...(stateFolder !== undefined && { STATE_FOLDER: stateFolder }) };
  const patient = { ...service.patient(), home: homePaths(root, stateFolder) };
  return (await check.find(patient)).map(({ problem }) => problem.replaceAll(root, "HOME"));
}

test("a demonstration may have one user", async () => {
  expect(await service.problems(separateUsers)).toEqual([]);
});

test("one user for all of a real service is a problem", async () => {
  expect(await problems()).toEqual([expect.stringMatching(/^STATE_FOLDER is unset: .* can sign$/)]);
});

test("a state of the ledger's user and group", async () => {
  const folder = join(root, "state");
  mkdirSync(folder);
  writeFileSync(join(folder, "state.db"), "");
  expect(await problems(separateUsers, folder)).toEqual([
    "HOME/state/state.db and HOME/ledger.db belong to the same user and group",
  ]);
});

test.skipIf(process.getuid?.() !== 0)("a state of another group is the server's (as root only)", async () => {
  const folder = join(root, "state");
  mkdirSync(folder);
  writeFileSync(join(folder, "state.db"), "", { mode: 0o660 });
  chmodSync(join(folder, "state.db"), 0o660);
  chownSync(join(folder, "state.db"), 0, 12_345);
  chownSync(folder, 0, 12_345);
  chmodSync(folder, 0o2770);
  chmodSync(root, 0o750);
  expect(await problems(separateUsers, folder)).toEqual([]);
  expect(await problems(permissions, folder)).toEqual([]);
  chmodSync(join(folder, "state.db"), 0o664);
  expect(await problems(permissions, folder)).toEqual([
    "HOME/state/state.db: other users may read this file (mode 664)",
  ]);
});

test("the installed unit must close ledger and keys", async () => {
  const folder = join(root, "state");
  writeFileSync(
    service.path("presence.service"),
    `[Service]\nInaccessiblePaths=-${root}/keys -/etc/shadow\n`,
  );
  expect((await problems(separateUsers, folder)).map((text) => text.split(": ").at(-1))).toEqual([
    "InaccessiblePaths does not name HOME/ledger.db",
  ]);
  writeFileSync(
    service.path("presence.service"),
    `[Service]\nInaccessiblePaths=${root}/keys\nInaccessiblePaths=-${root}/ledger.db\n`,
  );
  expect(await problems(separateUsers, folder)).toEqual([]);
});
