import { z } from "zod";
import { BusinessName, CoverageContext, DataAsOf, PublicId } from "./fields.ts";

/** Deprecation of a tool: its replacement and its removal date. */
export const Deprecation = z.looseObject({ replacement: z.string(), removal_after: z.iso.date() });
export type Deprecation = z.infer<typeof Deprecation>;

export interface ToolContract<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly deprecated?: Deprecation;
  /** Arguments of the canonical example; fixtures/examples has its result. */
  readonly example: z.input<Input>;
}

/** Keeps the exact types of a contract's schemas. */
export function tool<Input extends z.ZodObject, Output extends z.ZodObject>(
  contract: ToolContract<Input, Output>,
): ToolContract<Input, Output> {
  return contract;
}

export const EXAMPLE_CITY = "exampleville";
export const EXAMPLE_NAME = "Example Bakery";

export const context = { coverage_context: CoverageContext, data_as_of: DataAsOf };

/** Exactly one of the two is required. The tools check this, because plain object schemas cannot express it. */
export const byNameOrId = { business_name: BusinessName.optional(), public_id: PublicId.optional() };
