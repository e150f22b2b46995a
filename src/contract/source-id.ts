import { z } from "zod";

/** Names the built-in sources, which together are one principal, in place of a source and of an observer tag. */
export const BUILT_IN = "built-in";

export const MAX_SOURCE_ID = 60;

/** The id of a registered source: lower-case words with hyphens. */
export const SourceId = z
  .string()
  .max(MAX_SOURCE_ID)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "is not the id of a source");
