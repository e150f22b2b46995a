/** The desk as a program, killed with SIGKILL after it was told of a decision; and who may run which of its commands. */
import { mkdirSync } from "node:fs";
import { expect, test } from "vitest";
import { madeUpQueue } from "../../../tests/support/desk/made-up-queue.ts";
import { presenceAt } from "../../../tests/support/operations/presence-here.ts";
import { startPresence } from "../../../tests/support/operations/presence-process.ts";
import { DeskDecision, readQueue, readResults } from "../../desk/crossing.ts";
import { openDeskStore } from "../../desk/desk-store.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { deskPaths } from "../../kernel/home.ts";
import { systemClock } from "../../kernel/time.ts";
import { wantedUser } from "../../operations/home-access.ts";

test("with one user the desk makes rows itself; after a SIGKILL it goes on where it was", async () => {
  using it = await madeUpQueue(systemClock());
  const paths = deskPaths(it.home);
  await presenceAt(it.home, ["desk", "view"], { clock: systemClock });
  mkdirSync(paths.own, { recursive: true });
  const item = readQueue(paths.queue)?.items.find(({ kind }) => kind === "match");
  const decision = DeskDecision.parse({
    ...{ format: 1, kind: "item", id: "ab".repeat(16), at: 1, by: "reviewer", action: "reject" },
    ...{ subject: item?.id, value: null, reason: "different_businesses", expect: item?.version },
  });
  const run = () =>
    startPresence(["desk"], { home: it.home.root, env: { DESK_PORT: "0", SERVER_SECRETS: "allow" } });
  const first = run();
  await first.said("review desk http://localhost:");
  first.child.kill("SIGKILL");
  await first.done;
  {
    using store = openDeskStore(paths.database);
    store.invite("Anna", "reviewer", { token: "t", until: 1, now: 0 });
    store.decide(1, 1, decision);
    store.due(2); // it was being handed over when the kill came
  }
  const second = run();
  await second.said("decisions become rows at once");
  while (readResults(paths.results).length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
  expect(readResults(paths.results)).toMatchObject([{ id: decision.id, outcome: "decided" }]);
  second.child.kill("SIGTERM");
  const { code, stdout, stderr } = await second.done;
  expect(code).toBe(0);
  expect(stdout + stderr).not.toMatch(/Anna|Quince|Larkspur/);
});

test("a name is a name, and a link is for a day", async () => {
  using it = await madeUpQueue();
  const presence = (...typed: string[]) => presenceAt(it.home, typed, { clock: () => it.clock.time });
  await expect(presence("desk", "enrol", "a\nb", "--role", "lead")).rejects.toThrow(OperatorError);
  const { stdout, stderr } = await presence("desk", "enrol", "Anna", "--role", "lead", "--json");
  expect(JSON.parse(stdout)).toMatchObject({
    link: expect.stringMatching(/^http:\/\/localhost:4322\/enrol#[\w-]{32}$/),
    valid_until: "2026-05-11T12:00:00Z",
  });
  expect(stderr).toContain("hand it over in private");
  expect((await presence("desk", "people")).stdout).toBe("Anna  lead  0 passkeys  signed out\n");
  await presence("desk", "remove", "Anna");
  await expect(presence("desk", "remove", "Anna")).rejects.toThrow(/nobody of that name reviews here/);
});

test("the desk's user runs the desk alone, and the ledger's owner does not run it for him", () => {
  const owners = { home: { uid: 10, gid: 10 }, state: undefined, desk: { uid: 12, gid: 12 } };
  const asked = (uid: number, need: "desk" | "owner") =>
    wantedUser({ uid, groups: [uid] }, need, owners)?.uid;
  expect([asked(12, "desk"), asked(10, "desk"), asked(0, "desk")]).toEqual([undefined, 12, 12]);
  expect([asked(10, "owner"), asked(12, "owner")]).toEqual([undefined, 10]);
});
