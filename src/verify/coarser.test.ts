import { cellToParent, latLngToCell } from "h3-js";
import { expect, test } from "vitest";
import { isPublishedAs } from "./coarser.ts";

const OLD = { methodology_version: "pps-2026-11.v1", presence_kind: "location_presence" };
const OLD_VAN = { ...OLD, presence_kind: "mobile_presence" };
const NEW = { ...OLD, methodology_version: "pps-2026-11.v2" };

test.each([
  ["2026-05-01T13:00:00Z", "2026-05-01T05:00:00Z", true],
  ["2026-05-01T04:00:00Z", "2026-04-30T05:00:00Z", true],
  ["2026-05-01T05:00:00Z", "2026-05-01T05:00:00Z", true],
  ["2026-05-01T13:00:00Z", "2026-04-30T13:00:00Z", false],
  ["2026-05-01T13:00:00Z", "2026-05-01T14:00:00Z", false],
  ["2026-05-01T13:00:00Z", "2026-05-01T05:00:01Z", false],
  ["2026-05-01T13:00:00Z", "yesterday", false],
])("the hour %s of an old row, published as %s: %s", (inRow, published, isSame) => {
  expect(isPublishedAs("observed_at", OLD, inRow, published)).toBe(isSame);
});

test("rows that hold days are published as they are", () => {
  expect(isPublishedAs("observed_at", NEW, "2026-05-01T05:00:00Z", "2026-05-01T04:00:00Z")).toBe(false);
  expect(isPublishedAs("observed_at", OLD_VAN, "2026-05-01T05:00:00Z", "2026-05-01T04:00:00Z")).toBe(false);
  expect(isPublishedAs("source_type", OLD, "scout", "fleet_cam")).toBe(false);
});

test.each([
  [43.65, -79.38],
  [-41.29, 174.78],
  [64.15, -21.94],
  [0, 0],
])("a small cell of a mobile asset at %d, %d is published as its parent", (lat, lng) => {
  const small = latLngToCell(lat, lng, 7);
  const wide = cellToParent(small, 5);
  expect(isPublishedAs("h3_cell", OLD_VAN, small, wide)).toBe(true);
  expect(isPublishedAs("h3_cell", OLD_VAN, small, latLngToCell(-lat - 20, lng + 20, 5))).toBe(false);
  expect(isPublishedAs("h3_cell", OLD, small, wide)).toBe(false);
  expect(isPublishedAs("h3_cell", { ...OLD_VAN, ...NEW }, small, wide)).toBe(false);
});
