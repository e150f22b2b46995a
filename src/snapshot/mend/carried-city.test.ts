import { expect, test } from "vitest";
import { fakeSnapshot } from "../../../tests/support/release/fake-snapshot.ts";
import { CarriedCity, carriedCity } from "./carried-city.ts";

const [city] = fakeSnapshot().cities();
const carried = carriedCity(fakeSnapshot(), city?.slug ?? "");

test("the values of a city survive their way through a file", () => {
  expect(CarriedCity.parse(JSON.parse(JSON.stringify(carried)))).toEqual(carried);
  expect(Object.keys(carried.records).length).toBeGreaterThan(0);
});

test.each([
  ["no object", null],
  ["a city without coverage", { ...carried, coverage: {} }],
  ["a tree of no rows", { ...carried, treeSize: 0 }],
  ["a score that is text", { ...carried, records: { pr_1: { standing: { pps: "100" }, history: [] } } }],
  ["a member too many", { ...carried, name: "x" }],
])("%s is refused", (_, value) => {
  expect(CarriedCity.safeParse(value).success).toBe(false);
});

test("a city that the release does not have", () => {
  expect(() => carriedCity(fakeSnapshot(), "nowhere")).toThrow("no city nowhere in the release");
});
