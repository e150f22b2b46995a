import { expect, test } from "vitest";
import { businesses, clubDelivery, firmDelivery } from "./deliveries.ts";

const END = Date.UTC(2026, 2, 3);
const SPAN = { end: END, days: 3, times: 3 };

test("the same end gives the same files, with names and references of their own", () => {
  const all = businesses(150);
  expect(new Set(all.map(({ name }) => name)).size).toBe(150);
  const firm = firmDelivery(all, SPAN);
  expect(firmDelivery(all, SPAN)).toEqual(firm);
  expect(firm.lines).toBe(450);
  const [title = "", , header, first = ""] = firm.bytes.toString("latin1").split("\r\n");
  expect(title).toContain("\u0096");
  expect(header).toMatch(/^Kenmerk;/);
  expect(first).toMatch(
    /^sb-\d+-0-0;WAGEN-1;0[123]-03-2026 \d\d:\d\d;53,\d{6};6,\d{6};caf. de blauwe anker;Horeca: caf.;0,91$/i,
  );
  expect(clubDelivery(all, SPAN).bytes.toString()).toMatch(
    /^Mitglied;Tag;Uhrzeit;Schild;Art;Breite;Länge;Nummer\nanke;/,
  );
});
