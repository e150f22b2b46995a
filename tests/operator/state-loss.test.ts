import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { type Home, homePaths } from "../../src/kernel/home.ts";
import { type DemoServer, homeBeside, presence, serveHome } from "../support/towns/demo-home.ts";
import { TOWN_SLUG } from "../support/towns/town.ts";

/** What happens to the files of the state under a live server, as operators did it. What was answered 201 must be there afterwards. */

let home: Home;
let folder: string;
let server: DemoServer | undefined;
let log: string;
let asked = 0;
let accepted: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "presence-loss-"));
  home = homePaths(homeBeside(inject("townHome")));
  accepted = [];
  await start();
});
afterEach(async () => {
  await server?.kill();
  server = undefined;
  for (const path of [home.root, folder]) rmSync(path, { recursive: true });
});

async function start(): Promise<void> {
  log = "";
  const onLog = (text: string) => {
    log += text;
  };
  server = await serveHome(home.root, { onLog });
}

async function stop(): Promise<void> {
  const stopping = server;
  server = undefined;
  expect(await stopping?.stop()).toBe(0);
}

const addressOf = (path: string) => `${server?.url}${path}`;

async function subscribe(): Promise<number> {
  asked += 1;
  const email = `reader-${asked}@example.org`;
  const response = await fetch(addressOf("/api/v1/alerts/subscribe"), {
    method: "POST",
    headers: { "content-type": "application/json", "x-forwarded-for": `203.0.113.${asked}` },
    body: JSON.stringify({ email, city: TOWN_SLUG }),
  });
  await response.text();
  if (response.status === 201) accepted.push(email);
  else expect(response.status).toBe(503);
  return response.status;
}

const ready = async () => (await fetch(addressOf("/readyz"))).status;
const goesOn = () => expect.poll(subscribe, { timeout: 60_000, interval: 500 }).toBe(201);

async function stopAndFind(): Promise<void> {
  await stop();
  const database = new Database(home.state, { readonly: true });
  const kept = database.prepare<[], string>("SELECT email FROM subscription_requests").pluck().all();
  database.close();
  expect(accepted.filter((email) => !kept.includes(email))).toEqual([]);
}

test("its write-ahead log is removed, and it is stopped", async () => {
  expect(await subscribe()).toBe(201);
  rmSync(`${home.state}-wal`);
  await stopAndFind();
});

test("its write-ahead log is removed again and again, while subscriptions come", async () => {
  for (let turn = 0; turn < 2; turn += 1) {
    await goesOn();
    rmSync(`${home.state}-wal`);
    expect(await subscribe()).toBe(503);
    expect(await ready()).toBe(503);
  }
  await goesOn();
  expect(await ready()).toBe(200);
  expect(log.match(/"state_lost"/g)).toHaveLength(2);
  await stopAndFind();
});

test("a restored home takes its place, as other files or written over them; a home that is held is refused", async () => {
  await goesOn();
  for (const name of ["ledger.db", "keys"])
    cpSync(join(inject("townHome"), "night", name), join(folder, "town/night", name), { recursive: true });
  cpSync(home.stateKey, homePaths(join(folder, "town")).stateKey);
  await presence(home.root, "deliver", "--once");
  cpSync(join(folder, "town"), home.root, { recursive: true });
  await presence(home.root, "backup", join(folder, "backup"));
  await expect(presence(home.root, "restore", join(folder, "backup"), "--into", home.root)).rejects.toThrow(
    /state\.db: (another process|process \d+) has it open: stop the server/,
  );
  const restored: string[] = [];
  for (const name of ["one", "two"]) {
    await presence(home.root, "restore", join(folder, "backup"), "--into", join(folder, name));
    restored.push(homePaths(join(folder, name)).state);
  }
  const [first = "", second = ""] = restored;

  const before = [...accepted];
  expect(await subscribe()).toBe(201);
  accepted = [...before]; // what was accepted after the backup is in the files that were put away
  for (const ending of ["", "-wal", "-shm"])
    renameSync(`${home.state}${ending}`, join(folder, `old${ending}`));
  cpSync(first, home.state);
  expect(await subscribe()).toBe(503);
  await goesOn();

  accepted = [...before];
  execFileSync("cp", [second, home.state]);
  expect(await subscribe()).toBe(503);
  await goesOn();
  expect(log).toContain("was replaced by another file");
  expect(log).toContain("was overwritten with another copy");
  await stopAndFind();
});

test("a damaged file ends a delivery at once with a plain error, and the server answers 503 and stays", async () => {
  for (let n = 0; n < 20; n += 1) await goesOn();
  await stop();
  const { size } = statSync(home.state);
  const program = `const fs = require("fs"); const file = fs.openSync(process.argv[1], "r+");
    fs.writeSync(file, Buffer.alloc(${size - 4096}, 255), 0, ${size - 4096}, 4096);`;
  execFileSync(process.execPath, ["-e", program, home.state]);
  for (const how of ["--once", "--follow"]) {
    const outcome = await presence(home.root, "deliver", how).catch((error: Error) => error.message);
    expect(outcome).toMatch(/ended with 1:\npresence: .*state\.db: the database is damaged/);
    expect(outcome).not.toMatch(/^ +at /m);
  }
  expect(statSync(home.state).size).toBe(size);
  await start();
  expect(await subscribe()).toBe(503);
  expect(await ready()).toBe(503);
  expect((await fetch(addressOf("/api/v1/cities"))).status).toBe(200);
  await stop();
});
