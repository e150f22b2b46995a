/** The order of the table of cities. */

import { z } from "zod";
import { PublicError } from "../../kernel/errors.ts";
import { argument, defineQueryPage, type PageInput, type PageState } from "./query-page.ts";

export const CityOrder = z.enum(["name", "areas", "observers", "density", "new"]);
export type CityOrder = z.infer<typeof CityOrder>;

export interface CitiesAnswer {
  readonly order: CityOrder;
}

export const coverage = defineQueryPage({
  name: "coverage",
  operation: "coverage_page",
  path: "/coverage/",
  parameters: ["sort"],
  answer: (_context, input): CitiesAnswer => ({ order: orderOf(input) }),
  place: (shown: PageState<CitiesAnswer>) => ({ coverage: shown }),
});

function orderOf(input: PageInput): CityOrder {
  const order = CityOrder.safeParse(input.query["sort"] ?? CityOrder.enum.name);
  if (order.success) return order.data;
  const given = argument(input, "sort") ?? "several";
  throw new PublicError(400, `sort must be one of ${CityOrder.options.join(", ")} (got ${given})`);
}
