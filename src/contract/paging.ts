import { z } from "zod";
import { Count } from "./fields.ts";

/** Fields of every response that returns one page of a frozen list. */
export const pageFields = {
  total_count: Count.describe("Matching rows in the frozen snapshot, on all pages."),
  has_more: z.boolean().describe("True when more rows follow this page."),
  next_cursor: z
    .string()
    .nullable()
    .describe("Pass it as `cursor` to get the next page; null on the last page."),
};

const PageFields = z.object(pageFields);
export type PageFields = z.infer<typeof PageFields>;
