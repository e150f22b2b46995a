import { z } from "zod";
import type { BreakingChange } from "./breaking-changes.ts";

/** The entries of `fixtures/released/intended-breaks.json`: changes that break clients on purpose, since the last release of the contracts. */
export const IntendedBreaks = z.array(
  z.strictObject({
    path: z.string(),
    change: z.string(), // as the check prints it: another change at the same path is another break
    reason: z.string().min(1),
    api_version: z.string(),
  }),
);
export type IntendedBreaks = z.infer<typeof IntendedBreaks>;

/** What is wrong: breaks that are not listed, entries that are no break or are of another API version, and a version that was not raised for them. */
export function contractFaults(
  breaks: readonly BreakingChange[],
  intended: IntendedBreaks,
  apiVersion: string,
  releasedVersion: string,
): string[] {
  const textOf = ({ path, change }: BreakingChange) => `${path}: ${change}`;
  const [found, listed] = [new Set(breaks.map(textOf)), new Set(intended.map(textOf))];
  return [
    ...[...found].filter((text) => !listed.has(text)).map((text) => `breaking: ${text}`),
    ...[...listed].filter((text) => !found.has(text)).map((text) => `intended, but no break: ${text}`),
    ...intended
      .filter(({ api_version }) => api_version !== apiVersion)
      .map(
        (entry) =>
          `intended in API version ${entry.api_version}, and this is ${apiVersion}: ${textOf(entry)}`,
      ),
    ...(intended.length > 0 && apiVersion === releasedVersion
      ? [`API version ${apiVersion} is released without the breaks that are listed: raise API_VERSION`]
      : []),
  ];
}
