import { expect, test } from "vitest";
import { SourceType, VerificationState } from "../../contract/enums.ts";
import { trustWeight } from "./trust.ts";

test("every source and state, by hand", () => {
  const table = SourceType.options.map((source) => [
    source,
    ...VerificationState.options.map((state) => trustWeight(source, state)),
  ]);
  expect(VerificationState.options).toEqual(["provisional", "corroborated", "verified", "rejected"]);
  expect(table).toEqual([
    ["fleet_cam", 0.56, 0.72, 0.8, 0],
    ["scout", 0.7, 0.9, 1, 0],
    ["telematics_api", 0.42, 0.54, 0.6, 0],
    ["seed_survey", 0.35, 0.45, 0.5, 0],
  ]);
});
