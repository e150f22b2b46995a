import { existsSync, truncateSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestPatient } from "../../../tests/support/operations/patient.ts";
import { homePaths } from "../../kernel/home.ts";
import { createLedger } from "../../ledger/database/create.ts";
import { openState } from "../../state/open-state.ts";
import type { Finding } from "./check.ts";
import { emailSettings, namedFiles, realService } from "./configuration.ts";
import { examine } from "./examine.ts";
import { diskSpace } from "./machine.ts";
import { outbox, stateOpens } from "./state.ts";

let service: TestPatient;
beforeEach(() => {
  service = new TestPatient();
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
  expect(await service.problems(realService)).toEqual([]); // a demonstration
  const real = async (env: Record<string, string>) =>
    (await realFindings(env)).map(({ problem }) => problem.split(" ")[0]);
  expect(await real(wrong)).toEqual(["BASE_URL", "WEBHOOKS_ALLOW_LOOPBACK", "METRICS_ADDRESS"]);
  expect(await real({ BASE_URL: "http://presence.example.org" })).toEqual(["BASE_URL", "TRUSTED_PROXIES"]);
  expect(await real(SOUND)).toEqual([]);
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
    names.map((name) => `${name} stands in the environment, which every process of this user hands on`),
  );
  for (const { mend } of found)
    expect(mend).toMatch(/a file that only this user may read, name that as \w+_FILE/);
});

const SOUND = { BASE_URL: "https://presence.example.org", TRUSTED_PROXIES: "1" };

/** Of a real service with such settings. */
async function realFindings(env: Record<string, string>): Promise<readonly Finding[]> {
  const root = service.path("real");
  const { ledger, keys } = homePaths(root);
  const { random } = service.ledger;
  if (!existsSync(ledger))
    createLedger(ledger, {
      environment: "production",
      origin: "example.org/real",
      keysDir: keys,
      clock: () => 0,
      random,
    });
  service.env = { ...env, PRESENCE_HOME: root };
  return realService.find({ ...service.patient(), home: homePaths(root) });
}

test("files that the configuration names and that are not there or wrong", async () => {
  expect(await service.problems(namedFiles)).toEqual([]);
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
  expect(await service.problems(namedFiles)).toEqual([
    expect.stringMatching(/^DKIM_KEY_FILE: ENOENT/),
    expect.stringMatching(/^TSA_CA_FILE: /),
    expect.stringMatching(/^OPERATOR_TEXTS: .* is not a readable folder/),
    expect.stringMatching(/^HOME\/night\/incidents\.json: incident 1/),
  ]);
});

test("mail that waits for a mail server, and deliveries that nobody sends", async () => {
  const { home, ledger } = service;
  expect(await service.problems(emailSettings)).toEqual([]);
  const state = await openState(undefined, home, { clock: () => ledger.time });
  await state.outbox.enqueue([{ key: "one", kind: "mail", target: "sub_1", payload: "{}" }]);
  await state.close();
  expect(await service.problems(emailSettings)).toEqual([
    expect.stringMatching(/^1 emails wait, and SMTP_URL/),
  ]);
  service.at("2026-05-01T13:00:01Z");
  expect(await service.problems(outbox)).toEqual([]); // the same fault is not told twice
  service.env = { ...service.env, DELIVERY: "off" };
  expect(await service.problems(emailSettings)).toEqual([
    expect.stringMatching(/^1 deliveries wait, and DELIVERY is off/),
  ]);
  expect(await service.problems(outbox)).toEqual([]);
  service.env = {
    ...service.env,
    DELIVERY: "server",
    SMTP_URL: "smtp://mail.example",
    MAIL_FROM: "a@b.example",
  };
  expect(await service.problems(emailSettings)).toEqual([]);
  expect(await service.problems(outbox)).toEqual([
    "deliveries have been due since 2026-05-01T12:00:00Z, and nothing sends them",
  ]);
});

test("a state that cannot be reached", async () => {
  expect(await service.problems(stateOpens)).toEqual([]);
  service.env = { ...service.env, STATE_URL: "postgres://nobody@127.0.0.1:9/none" };
  expect(await service.problems(stateOpens)).toEqual([
    expect.stringMatching(/STATE_URL: PostgreSQL at 127\.0\.0\.1:9 cannot be opened/),
  ]);
});

test("a disk that is nearly full", async () => {
  expect(await service.problems(diskSpace)).toEqual([]);
  service.freeBytes = 300 * (1 << 20);
  expect(await service.problems(diskSpace)).toEqual([
    "HOME/night: 300 MiB are free, but the next nights may need 1024 MiB",
  ]);
});

test("a large ledger, which no erasure rebuilds, needs no more room", async () => {
  truncateSync(service.home.ledger, 8 * (1 << 30)); // most of it a hole
  service.freeBytes = 2 * (1 << 30);
  expect(await service.problems(diskSpace)).toEqual([]);
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
