import { z } from "zod";

const MAX_ENDPOINT_URL = 2000;

/** The form of a webhook's address. Where it may lead is decided by whoever sends to it, at every delivery. */
export const WebhookUrl = z
  .string({ error: ({ input }) => (input === undefined ? "is required" : "must be a text") })
  .max(MAX_ENDPOINT_URL, `must have at most ${MAX_ENDPOINT_URL} characters`)
  .refine((url) => URL.canParse(url), "must be an absolute https address")
  .overwrite((url) => URL.parse(url)?.href ?? url)
  .meta({ format: "uri" });
