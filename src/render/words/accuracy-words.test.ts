import { expect, test } from "vitest";
import type { SignShare } from "../../contract/cities/accuracy.ts";
import { measuredText, signShareText } from "./accuracy-words.ts";

const share: SignShare = {
  value: 0.847,
  hits: 72,
  signs: 85,
  confidence_interval: { low: 0.753, high: 0.916, level: 0.95, method: "exact" },
  not_yet_known: null,
};
const plain = (text: string) => text.replaceAll("\u00a0", " ");

test("a share with its counts and its interval", () => {
  expect(plain(signShareText(share))).toBe("84.7 % (72 of 85; 95 % interval 75.3 % to 91.6 %)");
});

test("a share that is not known says why, and shows no number", () => {
  const unknown = {
    value: null,
    hits: 2,
    signs: 3,
    confidence_interval: null,
    not_yet_known: "Not yet known: fewer than 30 signs.",
  };
  expect(signShareText(unknown)).toBe("2 of 3. Not yet known: fewer than 30 signs.");
});

test("when it was measured, and how much was visited", () => {
  const measurement = {
    visited_from: "2026-05-02",
    visited_until: "2026-05-04",
    age_days: 1,
    supports_high: true,
    plan_row: 5,
    result_row: 7,
    manifest_sha256: "0".repeat(64),
    assets_drawn: 40,
    assets_visited: 38,
    cells_drawn: 1,
    cells_visited: 1,
    precision: { total: share, by_asset_type: { storefront: share, billboard: share, site_sign: share } },
    detection_rate: {
      total: share,
      by_asset_type: { storefront: share, billboard: share, site_sign: share },
    },
  };
  expect(measuredText(measurement)).toBe(
    "Measured from 2026-05-02 to 2026-05-04, 1 day ago. Scouts visited 38 of 40 drawn assets and searched 1 of 1 drawn cell.",
  );
  expect(measuredText({ ...measurement, visited_until: "2026-05-02" })).toMatch(/^Measured on 2026-05-02, /);
});
