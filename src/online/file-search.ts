import { z } from "zod";
import { OperatorError } from "../kernel/errors.ts";
import type { SearchApi } from "./search-api.ts";

/** Query -> its results. */
const Answers = z.record(
  z.string(),
  z.array(z.strictObject({ title: z.string(), url: z.string(), description: z.string() })),
);

/**
 * Searches with answers from a file: for tests, and where no network is. A query that is not in it has no results. Throws OperatorError for
 * a text that is no such file; `name` says which.
 */
export function fileSearch(text: string, name: string): SearchApi {
  const answers = new Map(Object.entries(parse(text, name)));
  return {
    name: "file",
    search: async (query) => ({ kind: "results", results: answers.get(query) ?? [] }),
  };
}

function parse(text: string, name: string): z.infer<typeof Answers> {
  try {
    return Answers.parse(JSON.parse(text));
  } catch (cause) {
    throw new OperatorError(
      `${name}: expected a JSON object of queries, each with a list of results (title, url, description)`,
      { cause },
    );
  }
}
