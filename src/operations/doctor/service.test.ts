import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { expect, test } from "vitest";
import { TestPatient } from "../../../tests/support/operations/patient.ts";
import { DAY_MS } from "../../kernel/time.ts";
import { ask, askCertificate } from "./ask.ts";
import { type CheckContext, levelOf } from "./check.ts";
import { type CheckName, findingsOf } from "./checks.ts";

const PUBLIC = { BASE_URL: "https://presence.example", PORT: "4321" };
const DOWN = async () => "ECONNREFUSED";

async function found(service: TestPatient, check: CheckName, of: Partial<CheckContext> = {}) {
  const findings = await findingsOf(check, { ...service.patient(), ...of });
  return findings.map((each) => `${levelOf(each)}: ${each.problem}`);
}

async function serving(status: number, body: string) {
  const server = createServer((_, response) => response.writeHead(status).end(body)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { port: String(port), [Symbol.dispose]: () => server.close() };
}

test("the server is asked at its own address, and what it answers is told", async () => {
  using service = new TestPatient();
  using ready = await serving(200, "ready");
  Object.assign(service.env, PUBLIC, { PORT: ready.port, HOST: "0.0.0.0" });
  expect(await found(service, "running server", { ask })).toEqual([]);
  using empty = await serving(503, "no release\n");
  Object.assign(service.env, { PORT: empty.port, HOST: "127.0.0.1" });
  expect(await found(service, "running server", { ask })).toEqual([
    `problem: http://127.0.0.1:${empty.port}/readyz answers 503 (no release)`,
  ]);
});

test("a service that does not answer is a problem; a demonstration or a server elsewhere is a note", async () => {
  using service = new TestPatient();
  expect(await found(service, "running server", { ask: DOWN })).toEqual([
    "note: no server answers on this machine (http://127.0.0.1:4321/readyz: ECONNREFUSED): not running",
  ]);
  Object.assign(service.env, PUBLIC);
  expect(await found(service, "running server", { ask: DOWN })).toEqual([
    "problem: no response from http://127.0.0.1:4321/readyz: ECONNREFUSED",
  ]);
  const elsewhere = async (url: string) =>
    url.startsWith("https:") ? { status: 200, body: "ready" } : "ECONNREFUSED";
  expect((await found(service, "running server", { ask: elsewhere }))[0]).toMatch(/^note: .* reaches one$/);
  service.env = { PORT: "0" };
  expect((await found(service, "running server", { ask: DOWN }))[0]).toMatch(/^note: PORT is 0/);
});

test("the public address is asked through the front server", async () => {
  using service = new TestPatient();
  expect(await found(service, "public address", { ask: DOWN })).toEqual([]); // BASE_URL leads to this machine only
  Object.assign(service.env, PUBLIC);
  expect(await found(service, "public address", { ask: DOWN })).toEqual([
    "problem: no response from https://presence.example/readyz: ECONNREFUSED",
  ]);
  const bad = async () => ({ status: 502, body: "Bad Gateway" });
  expect(await found(service, "public address", { ask: bad })).toEqual([
    "problem: https://presence.example/readyz answers 502 (Bad Gateway)",
  ]);
});

test("the end of the certificate is told 21 days before, and is a problem 7 days before", async () => {
  using service = new TestPatient();
  Object.assign(service.env, PUBLIC);
  const ending = (days: number) =>
    found(service, "certificate", {
      askCertificate: async () => ({
        endsAt: service.ledger.time + (days + 0.5) * DAY_MS,
        problem: undefined,
      }),
    });
  expect(await ending(21)).toEqual([]);
  expect((await ending(20))[0]).toMatch(/^warning: .* ends on .*, in 20 days$/);
  expect((await ending(7))[0]).toMatch(/^warning/);
  expect((await ending(6))[0]).toMatch(/^problem: .*, in 6 days$/);
  expect((await ending(-1))[0]).toMatch(/^problem/);
  expect(await found(service, "certificate", { askCertificate: DOWN })).toEqual([
    "problem: no certificate of presence.example could be read: ECONNREFUSED",
  ]);
});

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

test.skipIf(!hasOpenssl)("a certificate is read as the host shows it (needs openssl)", async () => {
  using service = new TestPatient();
  const [key, cert] = [service.path("key.pem"), service.path("cert.pem")];
  const made = [
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-days",
    "5",
  ];
  execFileSync("openssl", [...made, "-keyout", key, "-out", cert, "-subj", "/CN=localhost"], {
    stdio: "ignore",
  });
  const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const shown = await askCertificate("127.0.0.1", port);
  expect(shown).toMatchObject({ problem: "DEPTH_ZERO_SELF_SIGNED_CERT" });
  expect(typeof shown !== "string" && Math.round((shown.endsAt - Date.now()) / DAY_MS)).toBe(5);
  server.close();
  expect(await askCertificate("127.0.0.1", port)).toBe(`connect ECONNREFUSED 127.0.0.1:${port}`);
});

test("settings that others may change, and secrets that every user reads", async () => {
  using service = new TestPatient();
  const settingsFolder = service.path("settings");
  const secrets = join(settingsFolder, "presence");
  mkdirSync(secrets, { recursive: true, mode: 0o750 });
  mkdirSync(join(settingsFolder, "maps"));
  writeFileSync(join(settingsFolder, "maps/fleet.json"), "{}", { mode: 0o644 }); // everybody may read that
  const [shared, secret] = [join(settingsFolder, "presence.toml"), join(secrets, "smtp-url")];
  for (const path of [shared, secret]) writeFileSync(path, "x");
  chmodSync(shared, 0o664);
  chmodSync(secret, 0o644);
  const of = { settingsFolder };
  const problems = await found(service, "modes of the configuration", of);
  expect(problems.filter((text) => !text.includes("another user than root"))).toEqual([
    `problem: ${shared}: others than root may change it (mode 664)`,
    `problem: ${secret}: every user may read it (mode 644), and it may hold secrets`,
  ]);
  chmodSync(shared, 0o644);
  chmodSync(secret, 0o640);
  const left = await found(service, "modes of the configuration", of);
  expect(left.filter((text) => !text.includes("another user than root"))).toEqual([]);
});
