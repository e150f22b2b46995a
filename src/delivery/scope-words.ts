import { findIndustry } from "../contract/cities/industry.ts";

/** The scope of a subscription in words: `Café Lumière in Toronto`, `every record in Toronto`. Names are as published. */
export function scopeWords(scope: {
  readonly city: string; // display name
  readonly record: string | null; // display name
  readonly industryCode: string | null;
}): string {
  const title = scope.industryCode === null ? undefined : findIndustry(scope.industryCode)?.title;
  const industry = title === undefined ? "" : ` of the industry “${title}”`;
  const what = scope.record ?? (industry === "" ? "every record" : `records${industry}`);
  return `${what} in ${scope.city}`;
}
