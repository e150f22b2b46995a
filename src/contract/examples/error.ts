import type { ErrorBody } from "../error.ts";
import { exampleOnly } from "./base.ts";

export const errorExample: ErrorBody = {
  error: "parameter limit: must be a whole number from 1 to 100",
  ...exampleOnly,
};
