import { chmodSync } from "node:fs";
import { expect, test } from "vitest";
import { TestPatient } from "../../../tests/support/operations/patient.ts";
import { presenceAt } from "../../../tests/support/operations/presence-here.ts";

test("says for each check that all is well, or what is wrong and how to mend it", async () => {
  using service = new TestPatient();
  chmodSync(service.home.ledger, 0o644);
  let said = "";
  const output = { write: (text: string) => (said += text) };
  const changes = { clock: () => service.ledger.time, stdout: output };
  await expect(presenceAt(service.home, ["doctor"], changes)).rejects.toThrow(/^\d problems found$/);
  expect(said).toMatch(/^ok {5}disk space$/m);
  expect(said).toContain(
    `MEND   permissions: ${service.home.ledger}: other users may read this file (mode 644)\n       \`chmod 600 `,
  );
});
