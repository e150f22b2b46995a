import { chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestPatient } from "../../../tests/support/operations/patient.ts";
import { madeBasemap } from "../../../tests/support/pages/made-basemap.ts";
import { type Home, homePaths } from "../../kernel/home.ts";
import { createLedger } from "../../ledger/database/ledger-file.ts";
import { openState } from "../../state/open-state.ts";
import { examine, findingsOf } from "./checks.ts";

let service: TestPatient;
let real: Home; // of a service with real data
beforeEach(() => {
  service = new TestPatient();
  real = homePaths(service.path("real"));
  const { random } = service.ledger;
  const clock = () => 0;
  const named = { environment: "production", origin: "example.org/real" } as const;
  createLedger(real.ledger, { ...named, keysDir: real.keys, clock, random });
});
afterEach(() => service[Symbol.dispose]());

test("settings that do not fit a real service", async () => {
  const wrong = {
    ...service.env,
    WEBHOOKS_ALLOW_LOOPBACK: "true",
    METRICS_PORT: "9464",
    METRICS_ADDRESS: "0.0.0.0",
  };
  service.env = wrong;
  expect(await service.problems("settings of a real service")).toEqual([]); // a demonstration
  const found = async (env: Record<string, string>) =>
    (await realFindings(env)).map(({ problem }) => problem.split(" ")[0]);
  expect(await found(wrong)).toEqual(["BASE_URL", "WEBHOOKS_ALLOW_LOOPBACK", "METRICS_ADDRESS"]);
  expect(await found({ BASE_URL: "http://presence.example.org" })).toEqual(["BASE_URL", "TRUSTED_PROXIES"]);
  expect(await found(SOUND)).toEqual([]);
});

test("secrets that are given as text in the common settings, each by its name alone", async () => {
  const secrets = {
    REDIS_URL: "redis://:geheim@127.0.0.1:6379",
    SEARCH_API_KEY: "geheim-key",
    SMTP_URL: "smtps://me:geheim@mail.example",
    STATE_URL: "postgres://me:geheim@127.0.0.1/presence",
  };
  const names = Object.keys(secrets);
  const file = service.path("secret");
  writeFileSync(file, "geheim", { mode: 0o600 });
  const env = { ...SOUND, MAIL_FROM: "a@b.example" };
  expect(
    await realFindings({ ...env, ...Object.fromEntries(names.map((name) => [`${name}_FILE`, file])) }),
  ).toEqual([]);
  const found = await realFindings({ ...env, ...secrets });
  expect(JSON.stringify(found)).not.toContain("geheim");
  expect(found.map(({ problem }) => problem).toSorted()).toEqual(
    names.map((name) => `${name} is set in the environment, which every process of this user passes on`),
  );
  for (const { mend } of found) expect(mend).toMatch(/a file of the user's secrets .*, and remove \w+$/);
});

const SOUND = { BASE_URL: "https://presence.example.org", TRUSTED_PROXIES: "1" };

function realFindings(env: Record<string, string>) {
  service.env = { ...env, PRESENCE_HOME: real.root };
  return findingsOf("settings of a real service", { ...service.patient(), home: real });
}

test("files that the configuration names and that are not there or wrong", async () => {
  expect(await service.problems("files of the configuration")).toEqual([]);
  service.env = {
    ...service.env,
    SMTP_URL: "smtp://mail.example",
    MAIL_FROM: "a@b.example",
    DKIM_KEY_FILE: service.path("dkim.pem"),
    DKIM_SELECTOR: "s1",
    TSA_URL: "https://tsa.example",
    TSA_CA_FILE: service.path("roots.pem"),
    OPERATOR_TEXTS: service.path("texts"),
  };
  writeFileSync(service.path("roots.pem"), "no certificate");
  writeFileSync(service.home.incidents, "[{}]");
  expect(await service.problems("files of the configuration")).toEqual([
    expect.stringMatching(/^DKIM_KEY_FILE: ENOENT/),
    expect.stringMatching(/^TSA_CA_FILE: /),
    expect.stringMatching(/^OPERATOR_TEXTS: .* is not a readable folder/),
    expect.stringMatching(/^HOME\/night\/incidents\.json: incident 1/),
  ]);
});

test("a map that pages could not draw, or show without its attribution", async () => {
  const found = async (bytes?: Uint8Array | string) => {
    const basemap = service.path("here.pmtiles");
    if (bytes !== undefined) writeFileSync(basemap, bytes);
    service.env = { ...service.env, BASEMAP: basemap };
    return (await service.problems("map of the operator")).map(
      (problem) => problem.split("here.pmtiles: ")[1],
    );
  };
  expect(await service.problems("map of the operator")).toEqual([]);
  expect(await found()).toEqual([expect.stringMatching(/^ENOENT/)]);
  expect(await found("")).toEqual([expect.any(String)]);
  expect(await found("no archive at all")).toEqual(["Wrong magic number for PMTiles archive"]);
  const place = { lat: 43.5, lng: -80.2, attribution: "OpenStreetMap" };
  const sound = madeBasemap(place);
  expect(await found(sound)).toEqual([]);
  const changed = (at: number, value: number) => sound.fill(value, at, at + 1);
  expect(await found(madeBasemap({ ...place, attribution: " ", layers: ["earth", "water"] }))).toEqual([
    "lacks the layers roads, places, so the map shows none of them",
    expect.stringMatching(/^states no attribution/),
  ]);
  expect(await found(changed(98, 3))).toEqual([expect.stringMatching(/^browsers cannot unpack/)]);
  expect(await found(changed(99, 2))).toEqual([expect.stringMatching(/^has pictures as tiles/)]);
  expect(await found(changed(7, 2))).toEqual(["is no PMTiles archive of version 3"]);
});

test("mail that waits for a mail server, and deliveries that nobody sends", async () => {
  const { home, ledger } = service;
  expect(await service.problems("email")).toEqual([]);
  const state = await openState(undefined, home, { clock: () => ledger.time });
  await state.outbox.enqueue([{ key: "one", kind: "mail", target: "sub_1", payload: "{}" }]);
  await state.close();
  expect(await service.problems("email")).toEqual([expect.stringMatching(/^1 emails wait, and SMTP_URL/)]);
  service.at("2026-05-01T13:00:01Z");
  expect(await service.problems("outbox")).toEqual([]); // the same fault is not told twice
  service.env = { ...service.env, DELIVERY: "off" };
  expect(await service.problems("email")).toEqual([
    expect.stringMatching(/^1 deliveries wait, and DELIVERY is off/),
  ]);
  expect(await service.problems("outbox")).toEqual([]);
  service.env = {
    ...service.env,
    DELIVERY: "server",
    SMTP_URL: "smtp://mail.example",
    MAIL_FROM: "a@b.example",
  };
  expect(await service.problems("email")).toEqual([]);
  expect(await service.problems("outbox")).toEqual([
    "deliveries have been due since 2026-05-01T12:00:00Z, and nothing sends them",
  ]);
});

test("a check that breaks off is a finding, and the others go on", async () => {
  const patient = {
    ...service.patient(),
    freeBytes: () => {
      throw new Error("EIO");
    },
  };
  const found = (await examine(patient)).filter(({ findings }) => findings.length > 0);
  expect(found.map(({ check }) => check)).toEqual(["disk space", "release"]);
  expect(found[0]?.findings[0]?.problem).toBe("the check failed: EIO");
});

const USERS = "users of server and ledger";
const problems = (check: "permissions" | typeof USERS = USERS) => service.problems(check, { home: real });

function makeShared(): void {
  mkdirSync(real.stateFolder);
  chmodSync(real.stateFolder, 0o2770);
}

test("a demonstration may have one user", async () => {
  expect(await service.problems(USERS)).toEqual([]);
});

test("one user for all of a real service is a problem", async () => {
  expect(await problems()).toEqual([expect.stringMatching(/^HOME\/state: .* can sign$/)]);
});

test("a state of the ledger's user and group", async () => {
  makeShared();
  writeFileSync(real.state, "");
  expect(await problems()).toEqual([
    "HOME/state/state.db and HOME/night/ledger.db belong to the same user and group",
  ]);
});

test.skipIf(process.getuid?.() !== 0)("a state of another group is the server's (as root only)", async () => {
  makeShared();
  writeFileSync(real.state, "", { mode: 0o660 });
  chmodSync(real.state, 0o660);
  chownSync(real.state, 0, 12_345);
  chownSync(real.stateFolder, 0, 12_345);
  chmodSync(real.stateFolder, 0o2770);
  chmodSync(real.night, 0o750);
  chmodSync(real.root, 0o755);
  expect(await problems()).toEqual([]);
  expect(await problems("permissions")).toEqual([]);
  chmodSync(real.state, 0o664);
  expect(await problems("permissions")).toEqual([
    "HOME/state/state.db: other users may read this file (mode 664)",
  ]);
});

test("the installed unit must close ledger and keys", async () => {
  makeShared();
  writeFileSync(
    service.path("presence.service"),
    `[Service]\nInaccessiblePaths=-${real.root}/night/keys -/etc/shadow\n`,
  );
  expect((await problems()).map((text) => text.split(": ").at(-1))).toEqual([
    "InaccessiblePaths does not name HOME/night/ledger.db",
  ]);
  writeFileSync(
    service.path("presence.service"),
    `[Service]\nInaccessiblePaths=${real.root}/night/keys\nInaccessiblePaths=-${real.root}/night/ledger.db\n`,
  );
  expect(await problems()).toEqual([]);
});
