import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Home, homePaths } from "../kernel/home.ts";
import { silentLog } from "../kernel/log.ts";
import { assertSecretsClosed, readableSecrets } from "./readable-secrets.ts";

let home: Home;
let warned: string[];
const log = { ...silentLog, error: (event: string) => void warned.push(event) };

beforeEach(() => {
  home = homePaths(mkdtempSync(join(tmpdir(), "secrets-")));
  warned = [];
  mkdirSync(home.keys);
});
afterEach(() => rmSync(home.root, { recursive: true }));

function start(serverSecrets: "refuse" | "warn" | "allow", environment?: "production" | "demo"): void {
  assertSecretsClosed({ config: { serverSecrets }, home, environment, log });
}

test("a server that can read nothing of it starts", () => {
  expect(readableSecrets(home)).toEqual([]);
  start("refuse", "production");
});

test.each([
  "ledger.db",
  "keys/production.signing.json",
  "keys/production.manifest.json",
  "keys/production.intake.json",
])("one that may read %s does not", (name) => {
  const path = join(home.root, name);
  writeFileSync(path, "");
  expect(() => start("refuse", "production")).toThrow(
    `the server may read ${path}: run it as a user of its own`,
  );
  expect(() => start("refuse", undefined)).toThrow("SERVER_SECRETS");
  start("warn", "production");
  expect(warned).toEqual(["secrets_open_to_server"]);
  start("allow", "production");
  start("refuse", "demo");
  expect(warned).toHaveLength(1);
});
