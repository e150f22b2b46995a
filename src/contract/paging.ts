import { z } from "zod";
import { Count } from "./fields.ts";

/** Members of every answer that lists one page of a frozen list. */
export const pageFields = {
  total_count: Count.describe("Rows that match the filters in the frozen snapshot, on all pages."),
  has_more: z.boolean().describe("Whether rows follow those of this page."),
  next_cursor: z.string().nullable().describe("Pass as `cursor` to read on; null on the last page."),
};

const PageFields = z.object(pageFields);
export type PageFields = z.infer<typeof PageFields>;
