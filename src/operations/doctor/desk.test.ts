import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { TestPatient } from "../../../tests/support/operations/patient.ts";
import { contextFor } from "../../../tests/support/towns/demo-view.ts";
import { writeDecision } from "../../desk/crossing.ts";
import { deskPaths } from "../../kernel/home.ts";
import { HOUR_MS } from "../../kernel/time.ts";
import { writeDeskView } from "../desk/desk-view.ts";

test("decisions that are no rows yet, a view that is old, of another version or missing; nothing without a desk", async () => {
  using service = new TestPatient();
  const { queue, decisions } = deskPaths(service.home);
  const problems = () => service.problems("review desk");
  expect(await problems()).toEqual([]);
  mkdirSync(decisions, { recursive: true });
  const at = service.ledger.time;
  await writeDeskView({ ...contextFor(service.home), clock: () => service.ledger.time });
  writeDecision(decisions, {
    ...{ format: 1, kind: "item", id: "ab".repeat(16), at, by: "reviewer", action: "reject" },
    ...{ subject: "match-1", value: null, reason: "different_businesses", expect: 1 },
  });
  expect(await problems()).toEqual([]);
  service.ledger.time += 3 * HOUR_MS;
  expect(await problems()).toEqual([
    expect.stringMatching(/^1 decision waits to become rows; the oldest is of 20/),
  ]);
  service.ledger.time += 24 * HOUR_MS;
  expect((await problems())[1]).toMatch(/^the review desk shows the queue of 20/);
  writeFileSync(queue, readFileSync(queue, "utf8").replace('"queue_version":1', '"queue_version":9'));
  expect((await problems())[1]).toMatch(/another version of presence wrote it/);
  rmSync(queue);
  expect((await problems())[1]).toBe("the review desk has no queue to show");
});
