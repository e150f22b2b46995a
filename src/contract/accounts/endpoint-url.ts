import { z } from "zod";

const MAX_ENDPOINT_URL = 2000;

/** Syntax of a webhook URL. The sender checks at each delivery where it may lead. */
export const WebhookUrl = z
  .string({ error: ({ input }) => (input === undefined ? "is required" : "must be a string") })
  .max(MAX_ENDPOINT_URL, `must be at most ${MAX_ENDPOINT_URL} characters long`)
  .refine((url) => URL.canParse(url), "must be an absolute https URL")
  .overwrite((url) => URL.parse(url)?.href ?? url)
  .meta({ format: "uri" });
