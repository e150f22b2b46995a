import { chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestPatient } from "../../../tests/support/operations/patient.ts";
import { homePaths } from "../../kernel/home.ts";
import { createLedger } from "../../ledger/database/create.ts";
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

async function problems(check = separateUsers): Promise<string[]> {
  service.env = { PRESENCE_HOME: root };
  const patient = { ...service.patient(), home: homePaths(root) };
  return (await check.find(patient)).map(({ problem }) => problem.replaceAll(root, "HOME"));
}

function makeShared(): void {
  const { stateFolder } = homePaths(root);
  mkdirSync(stateFolder);
  chmodSync(stateFolder, 0o2770);
}

test("a demonstration may have one user", async () => {
  expect(await service.problems(separateUsers)).toEqual([]);
});

test("one user for all of a real service is a problem", async () => {
  expect(await problems()).toEqual([expect.stringMatching(/^HOME\/state: .* can sign$/)]);
});

test("a state of the ledger's user and group", async () => {
  makeShared();
  writeFileSync(homePaths(root).state, "");
  expect(await problems(separateUsers)).toEqual([
    "HOME/state/state.db and HOME/night/ledger.db belong to the same user and group",
  ]);
});

test.skipIf(process.getuid?.() !== 0)("a state of another group is the server's (as root only)", async () => {
  makeShared();
  writeFileSync(homePaths(root).state, "", { mode: 0o660 });
  chmodSync(homePaths(root).state, 0o660);
  chownSync(homePaths(root).state, 0, 12_345);
  chownSync(homePaths(root).stateFolder, 0, 12_345);
  chmodSync(homePaths(root).stateFolder, 0o2770);
  chmodSync(homePaths(root).night, 0o750);
  chmodSync(root, 0o755);
  expect(await problems(separateUsers)).toEqual([]);
  expect(await problems(permissions)).toEqual([]);
  chmodSync(homePaths(root).state, 0o664);
  expect(await problems(permissions)).toEqual([
    "HOME/state/state.db: other users may read this file (mode 664)",
  ]);
});

test("the installed unit must close ledger and keys", async () => {
  makeShared();
  writeFileSync(
    service.path("presence.service"),
    `[Service]\nInaccessiblePaths=-${root}/night/keys -/etc/shadow\n`,
  );
  expect((await problems(separateUsers)).map((text) => text.split(": ").at(-1))).toEqual([
    "InaccessiblePaths does not name HOME/night/ledger.db",
  ]);
  writeFileSync(
    service.path("presence.service"),
    `[Service]\nInaccessiblePaths=${root}/night/keys\nInaccessiblePaths=-${root}/night/ledger.db\n`,
  );
  expect(await problems(separateUsers)).toEqual([]);
});
