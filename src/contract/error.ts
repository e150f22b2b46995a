import { z } from "zod";

export const ErrorBody = z
  .looseObject({ error: z.string().min(1).describe("Human-readable description of the problem.") })
  .meta({ id: "ErrorBody", description: "Body of every error response." });
export type ErrorBody = z.infer<typeof ErrorBody>;
