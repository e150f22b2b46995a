import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MAX_INCIDENTS } from "../contract/service/status.ts";
import { configFrom } from "../kernel/config/config.ts";
import { readIncidents } from "./operator-incidents.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "incidents-"));
  mkdirSync(join(home, "night"));
});
afterEach(() => rmSync(home, { recursive: true }));

const config = () => configFrom({ PRESENCE_HOME: home });
const put = (content: unknown) =>
  writeFileSync(
    join(home, "night/incidents.json"),
    typeof content === "string" ? content : JSON.stringify(content),
  );
const outage = { started: "2026-05-01T10:00:00Z", title: "No search", text: "The server was down." };

test("without a file there are none; one that is named must be there", () => {
  expect(readIncidents(config())).toEqual([]);
  const named = configFrom({ PRESENCE_HOME: home, INCIDENTS_FILE: join(home, "other.json") });
  expect(() => readIncidents(named)).toThrow(/INCIDENTS_FILE .*other\.json: there is no such file/);
});

test("an incident without `resolved` lasts", () => {
  put([outage, { ...outage, title: "Late", resolved: "2026-05-01T11:00:00Z" }]);
  expect(readIncidents(config()).map(({ title, resolved }) => [title, resolved])).toEqual([
    ["No search", null],
    ["Late", "2026-05-01T11:00:00Z"],
  ]);
});

test.each([
  ["[", /incidents\.json: is not JSON/],
  [{}, /expected array/],
  [[outage, { ...outage, started: "yesterday", title: "x" }], /incident 2, started: /],
  [[{ ...outage, resolved: "2026-05-01T09:59:59Z" }], /incident 1, resolved: is before `started`/],
  [[{ ...outage, text: " " }], /incident 1, text: /],
  [[{ ...outage, severity: "high" }], /incident 1: .*severity/],
  [[outage, outage], /two incidents have the same/],
  [Array.from({ length: MAX_INCIDENTS + 1 }, (_, at) => ({ ...outage, title: `${at}` })), /<=50 items/],
])("%j is refused", (content, message) => {
  put(content);
  expect(() => readIncidents(config())).toThrow(message);
});
