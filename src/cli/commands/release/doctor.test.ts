import { chmodSync } from "node:fs";
import { Command } from "@commander-js/extra-typings";
import { expect, test } from "vitest";
import { TestPatient } from "../../../../tests/support/operations/patient.ts";
import { contextFor } from "../../../demo/demo-view.ts";
import { define as defineDoctor } from "./doctor.ts";

test("says for each check that all is well, or what is wrong and how to mend it", async () => {
  using service = new TestPatient();
  chmodSync(service.home.ledger, 0o644);
  let said = "";
  const output = { write: (text: string) => (said += text) };
  const context = { ...contextFor(service.home), clock: () => service.ledger.time, stdout: output };
  const program = new Command("presence");
  defineDoctor(program.command("doctor"), context);
  await expect(program.parseAsync(["node", "presence", "doctor"])).rejects.toThrow(/^\d problems found$/);
  expect(said).toMatch(/^ok {5}disk space$/m);
  expect(said).toContain(
    `MEND   permissions: ${service.home.ledger}: other users may read this file (mode 644)\n       \`chmod 600 `,
  );
});
