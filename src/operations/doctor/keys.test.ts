import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestPatient } from "../../../tests/support/operations/patient.ts";
import { keysOfLedger, stateKey } from "./keys.ts";

let service: TestPatient;
beforeEach(() => {
  service = new TestPatient();
});
afterEach(() => service[Symbol.dispose]());

test("keys that are missing, or those of another ledger", async () => {
  expect(await service.problems(keysOfLedger)).toEqual([]);
  rmSync(service.path("keys", "demo.signing.json"));
  writeFileSync(
    service.path("keys", "demo.intake.json"),
    JSON.stringify({ secret: Buffer.alloc(32, 1).toString("base64") }),
  );
  expect(await service.problems(keysOfLedger)).toEqual([
    expect.stringMatching(/demo\.signing\.json: the key file is missing/),
    "HOME/night/keys/demo.intake.json: not the secret that the ledger was created with",
  ]);
});

test("a state without its key", async () => {
  expect(await service.problems(stateKey)).toEqual([]);
  mkdirSync(service.home.stateFolder);
  writeFileSync(service.home.state, "");
  expect(await service.problems(stateKey)).toEqual([
    expect.stringMatching(/^HOME\/state\/state\.key is missing/),
  ]);
});
