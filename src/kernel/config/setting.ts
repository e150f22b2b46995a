import { z } from "zod";
import { OperatorError } from "../errors.ts";
import { readSecretText } from "../files/secret-file.ts";
import { Secret } from "../secret.ts";

/** Variables of the environment, without the empty ones, which count as unset. */
export type Variables = Readonly<Record<string, string>>;

/** The settings of one concern: each variable's schema, default and description, and what they give together. */
export interface Concern<Shape extends z.ZodRawShape, Config> {
  readonly settings: Shape;
  /** Throws OperatorError naming the variable that is wrong, with its place where it stands in a file, and never repeating a secret. */
  read(variables: Variables, places?: Places): Config;
}

/** Where a variable stands that is none of the environment: a file and its line. */
export type Places = ReadonlyMap<string, string>;

/** Declares a concern. `configOf` gives defaults that depend on other settings, and throws OperatorError for settings that contradict each other. */
export function concern<Shape extends z.ZodRawShape, Config>(
  settings: Shape,
  configOf: (values: z.output<z.ZodObject<Shape>>) => Config,
): Concern<Shape, Config> {
  const schema = z.object(settings);
  return {
    settings,
    read(variables, places) {
      const parsed = schema.safeParse({ ...variables, ...fileSecrets(settings, variables) });
      if (parsed.success) return configOf(parsed.data);
      const [issue] = parsed.error.issues;
      const name = String(issue?.path[0]);
      const place = places?.get(name);
      const where = place === undefined ? `environment variable ${name}` : `${place}: ${name}`;
      throw new OperatorError(`${where} ${issue?.message ?? "is invalid"}`);
    },
  };
}

/** An optional setting whose value is kept in a Secret: the value itself, or with `_FILE` after its name the file that holds it. */
export function secret(schema: z.ZodType<string, string>, description: string, shown: object = {}) {
  const setting = z
    .unknown()
    .transform((value, context): Secret | undefined => {
      if (value === undefined || value instanceof Secret) return value;
      const parsed = schema.safeParse(value);
      if (parsed.success) return new Secret(parsed.data);
      context.addIssue(parsed.error.issues[0]?.message ?? "is invalid");
      return z.NEVER;
    })
    .optional()
    .meta({ description, secret: true, ...shown });
  VALUES.set(setting, schema);
  return setting;
}

/** Marks a setting that operators meet: it stands in the example of the settings file, as a comment unless `value` is what the manual sets. */
export function shown(value?: string) {
  return { isShown: true, value };
}

/** What the value of each secret setting must be. */
const VALUES = new WeakMap<object, z.ZodType<string, string>>();

/** The names of the secrets that stand in variables, not in files of their own. */
export function secretsInText(settings: z.ZodRawShape, variables: Variables): string[] {
  return Object.entries(settings).flatMap(([name, setting]) =>
    VALUES.has(setting) && name in variables ? [name] : [],
  );
}

/** The secrets that lie in files. Each is read when it is first used, because a process has settings of others whose files it may not read. */
function fileSecrets(settings: z.ZodRawShape, variables: Variables): Record<string, Secret> {
  const secrets: Record<string, Secret> = {};
  for (const [name, setting] of Object.entries(settings)) {
    const schema = VALUES.get(setting);
    const [option, path] = [`${name}_FILE`, variables[`${name}_FILE`]];
    if (schema === undefined || path === undefined) continue;
    if (name in variables)
      throw new OperatorError(`environment variables ${name} and ${option}: set only one of them`);
    secrets[name] = new Secret(() => checked(option, schema, readSecretText(path, option)));
  }
  return secrets;
}

function checked(option: string, schema: z.ZodType<string, string>, text: string): string {
  const parsed = schema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new OperatorError(
    `${option}: the value in the file ${parsed.error.issues[0]?.message ?? "is invalid"}`,
  );
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
