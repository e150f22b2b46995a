import { z } from "zod";
import { OperatorError } from "../errors.ts";
import { Secret } from "../secret.ts";

/** Variables of the environment, without the empty ones, which count as unset. */
export type Variables = Readonly<Record<string, string>>;

/** The settings of one concern: each variable's schema, default and description, and what they give together. */
export interface Concern<Shape extends z.ZodRawShape, Config> {
  readonly settings: Shape;
  /** Throws OperatorError naming the variable that is wrong, and never repeating a secret. */
  read(variables: Variables): Config;
}

/** Declares a concern. `configOf` gives defaults that depend on other settings, and throws OperatorError for settings that contradict each other. */
export function concern<Shape extends z.ZodRawShape, Config>(
  settings: Shape,
  configOf: (values: z.output<z.ZodObject<Shape>>) => Config,
): Concern<Shape, Config> {
  const schema = z.object(settings);
  return {
    settings,
    read(variables) {
      const parsed = schema.safeParse(variables);
      if (parsed.success) return configOf(parsed.data);
      const [issue] = parsed.error.issues;
      throw new OperatorError(
        `environment variable ${String(issue?.path[0])} ${issue?.message ?? "is invalid"}`,
      );
    },
  };
}

/** An optional setting whose value is kept in a Secret. */
export function secret(schema: z.ZodType<string, string>, description: string) {
  return schema
    .transform((value) => new Secret(value))
    .optional()
    .meta({ description, secret: true });
}

export function wholeNumber(min: number, max: number) {
  return z
    .string()
    .refine((text) => Number.isInteger(Number(text)) && Number(text) >= min && Number(text) <= max, {
      error: ({ input }) => `must be a whole number from ${min} to ${max} (got ${String(input)})`,
    })
    .transform(Number);
}

export const port = wholeNumber(0, 65_535);

export function oneOf<const Names extends readonly string[]>(names: Names) {
  return z.enum(names, { error: ({ input }) => `must be one of ${names.join(", ")} (got ${String(input)})` });
}

export const flag = oneOf(["true", "false"])
  .transform((value) => value === "true")
  .default(false);

/** A file or folder. */
export const path = z.string().min(1);

export const httpUrl = z.url({ protocol: /^https?$/, error: "must be an http:// or https:// address" });
