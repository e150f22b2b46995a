/** The changes of a city, as far back as there are any. */

import type { z } from "zod";
import type { PulseResponse } from "../../contract/cities/pulse.ts";
import { PulseParams } from "../../contract/params.ts";
import { pulse } from "../../resources/cities/pulse.ts";
import { argument, defineQueryPage, type PageState } from "./query-page.ts";

export type Changes = z.infer<typeof PulseResponse>;

export const SHOWN_CHANGES = 20;

/** Before every change: without an argument the resource would answer for its default window. */
const FROM_THE_FIRST = "1970-01-01";

export const changes = defineQueryPage({
  name: "changes",
  operation: "changes_page",
  path: "/city/{city}/changes/",
  parameters: PulseParams.omit({ city: true, limit: true }).keyof().options,
  answer: (context, input): Changes => {
    const since = argument(input, "since") ?? FROM_THE_FIRST;
    return pulse.read(context, input.path, { since, ...input.query, limit: String(SHOWN_CHANGES) });
  },
  place: (shown: PageState<Changes>) => ({ changes: shown }),
});
