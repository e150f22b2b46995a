import { afterEach, beforeEach, expect, test } from "vitest";
import { TestPatient } from "../../../tests/support/operations/patient.ts";
import { timers } from "./machine.ts";

let service: TestPatient;
beforeEach(() => {
  service = new TestPatient();
});
afterEach(() => service[Symbol.dispose]());

const block = (task: string, load: string, active: string) =>
  `Id=presence-${task}.timer\nLoadState=${load}\nActiveState=${active}\n`;

test("a timer that is installed and off is found; one that is not installed, and no systemd, say nothing", async () => {
  expect(await service.problems(timers)).toEqual([]);
  service.systemctl = () =>
    [
      block("nightly", "loaded", "inactive"),
      block("outbox", "loaded", "active"),
      block("check", "not-found", "inactive"),
    ].join("\n");
  expect(await service.problems(timers)).toEqual(["presence-nightly.timer is installed and off"]);
});

test("with backups their timers are asked for", async () => {
  const asked: string[] = [];
  service.systemctl = (args) => {
    asked.push(args.join(" "));
    return "";
  };
  await service.problems(timers);
  service.env = { ...service.env, BACKUP_HOOK: "/usr/local/bin/presence-backup" };
  await service.problems(timers);
  expect(asked.map((line) => line.includes("presence-backup-prune.timer"))).toEqual([false, true]);
});
