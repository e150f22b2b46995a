/** Every ink can be read on every surface, by the strictest rule of WCAG 2.2 (1.4.6, contrast of 7 to 1), so that any two may be combined. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const ENHANCED = 7;
const INKS = ["ink", "soft", "accent", "accent-strong", "warn", "good", "bad"];
const SURFACES = ["paper", "card", "accent-tint", "warn-tint", "good-tint", "bad-tint"];

const tokens = readFileSync(new URL("tokens.css", import.meta.url), "utf8");

function colour(name: string, scheme: "light" | "dark"): string {
  const [, light, dark] = new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(tokens) ?? [];
  const found = scheme === "light" ? light : dark;
  if (found === undefined) throw new Error(`tokens.css has no colour --${name}`);
  return found;
}

/** WCAG 2.2, "relative luminance". */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** WCAG 2.2, "contrast ratio". */
function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

describe.each(["light", "dark"] as const)("in %s", (scheme) => {
  test.each(INKS)("%s can be read on every surface", (ink) => {
    for (const surface of SURFACES) {
      expect(contrast(colour(ink, scheme), colour(surface, scheme)), surface).toBeGreaterThanOrEqual(
        ENHANCED,
      );
    }
  });

  test("a button's words can be read", () => {
    expect(contrast(colour("button-ink", scheme), colour("accent", scheme))).toBeGreaterThanOrEqual(ENHANCED);
  });
});
