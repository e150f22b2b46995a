import { expect, test } from "vitest";
import { releaseLateness } from "./release-lateness.ts";

const due = Date.parse("2026-07-01T00:00:00Z");
const promise = { nextReleaseDue: due, graceSeconds: 60, staleAfterSeconds: 600 };
const at = (seconds: number) => releaseLateness(promise, due + seconds * 1000);

test("a release is late after its grace, and stale later", () => {
  expect(at(-1e6)).toEqual({ level: "on_time", lateSince: undefined, changesAt: due + 60_000 });
  expect(at(60).level).toBe("on_time");
  expect(at(60.001)).toEqual({ level: "late", lateSince: due + 60_000, changesAt: due + 600_000 });
  expect(at(600).level).toBe("late");
  expect(at(600.001)).toEqual({ level: "stale", lateSince: due + 60_000, changesAt: undefined });
});

test("without a promise nothing is ever late", () => {
  expect(releaseLateness(null, Number.MAX_SAFE_INTEGER)).toEqual({
    level: "on_time",
    lateSince: undefined,
    changesAt: undefined,
  });
});
