import { z } from "zod";

export const ErrorBody = z
  .looseObject({ error: z.string().min(1).describe("What was wrong, for a human reader.") })
  .meta({ id: "ErrorBody", description: "The body of every error answer." });
export type ErrorBody = z.infer<typeof ErrorBody>;
