import { z } from "zod";
import type { JsonObject } from "../../src/kernel/text/canonical-json.ts";
import { DAY_MS } from "../../src/kernel/time.ts";

const WARNING_DAYS = 90;

const Deprecations = z.object({
  deprecations: z.array(z.object({ tool: z.string(), removal_after: z.iso.date() })),
});

/** A sentence for each tool of the MCP contract that is still served and whose `removal_after` is past or less than 90 days off. `now` in ms. */
export function removalWarnings(contract: JsonObject, now: number): string[] {
  return Deprecations.parse(contract).deprecations.flatMap(({ tool, removal_after }) => {
    const days = Math.floor((Date.parse(removal_after) - now) / DAY_MS);
    if (days >= WARNING_DAYS) return [];
    const when = days < 0 ? "is past" : `comes in ${days} days`;
    return [
      `removal_after of the tool ${tool} (${removal_after}) ${when}, and the tool is still served: remove it, list the break as intended, or choose a later date and say so in docs/api-changelog.md`,
    ];
  });
}
