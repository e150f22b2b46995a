import type { z } from "zod";
import { build, operator } from "./build.ts";
import { delivery } from "./delivery.ts";
import { desk } from "./desk.ts";
import { intake, online } from "./intake.ts";
import { server, writes } from "./server.ts";
import { type Places, secretsInText, type Variables } from "./setting.ts";
import { backup, ledger, state } from "./stores.ts";
import { mistypedSettings, type UnknownSetting } from "./unknown-settings.ts";

export type { MailSettings } from "./delivery.ts";
export type { SearchSettings } from "./intake.ts";

/** Every setting of the program, by concern. */
const CONCERNS = { build, operator, server, writes, intake, ledger, state, delivery, online, backup, desk };

type Concerns = typeof CONCERNS;
type ConfigOf<Name extends keyof Concerns> = ReturnType<Concerns[Name]["read"]>;
export interface Config
  extends Readonly<
    ConfigOf<"server"> &
      ConfigOf<"writes"> &
      ConfigOf<"build"> &
      ConfigOf<"operator"> &
      ConfigOf<"intake"> &
      ConfigOf<"ledger"> &
      ConfigOf<"state"> &
      ConfigOf<"delivery"> &
      ConfigOf<"online"> &
      ConfigOf<"backup"> &
      ConfigOf<"desk">
  > {
  /** Names of secrets that are given as text, not as files. */
  readonly secretsInText: readonly string[];
  /** Variables that are no settings and look like one. */
  readonly mistyped: readonly UnknownSetting[];
  /** Every setting that is not left to its default. */
  readonly given: readonly GivenSetting[];
}

export interface GivenSetting {
  readonly name: string;
  readonly value: string | undefined; // undefined for a secret
  readonly place: string; // where it stands
}

/** Name of an environment variable that the program reads. */
export type SettingName = { [Name in keyof Concerns]: keyof Concerns[Name]["settings"] }[keyof Concerns];

/** Throws OperatorError naming the variable that is wrong. An empty variable counts as unset. `places` are those of variables that files gave. */
export function configFrom(
  env: Readonly<Record<string, string | undefined>>,
  places: Places = new Map(),
): Config {
  const variables = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
  return {
    ...server.read(variables, places),
    ...writes.read(variables, places),
    ...build.read(variables, places),
    ...operator.read(variables, places),
    ...intake.read(variables, places),
    ...ledger.read(variables, places),
    ...state.read(variables, places),
    ...delivery.read(variables, places),
    ...online.read(variables, places),
    ...backup.read(variables, places),
    ...desk.read(variables, places),
    secretsInText: Object.values(CONCERNS).flatMap(({ settings }) => secretsInText(settings, variables)),
    mistyped: mistypedSettings(Object.keys(variables), settingNames()),
    given: givenSettings(variables, places),
  };
}

function givenSettings(variables: Variables, places: Places): GivenSetting[] {
  return settings().flatMap(({ name, isSecret }) => {
    const file = isSecret ? variables[`${name}_FILE`] : undefined;
    const text = variables[name];
    if (file === undefined && text === undefined) return [];
    return { name, value: isSecret ? undefined : text, place: file ?? places.get(name) ?? "environment" };
  });
}

/** The names of all variables that the program reads, with those of the files of secrets. */
export function settingNames(): ReadonlySet<string> {
  return new Set(
    Object.values(CONCERNS).flatMap(({ settings }) =>
      Object.entries<z.ZodType>(settings).flatMap(([name, schema]) =>
        schema.meta()?.["secret"] === true ? [name, `${name}_FILE`] : [name],
      ),
    ),
  );
}

/** Every setting as it is declared, for the help and the documentation. */
export function settings() {
  return Object.entries(CONCERNS).flatMap(([concern, { settings }]) =>
    Object.entries<z.ZodType>(settings).map(([name, schema]) => {
      const { description = "", secret, isShown, value } = schema.meta() ?? {};
      return {
        concern,
        name,
        isSecret: secret === true,
        isShown: isShown === true,
        description,
        shownValue: typeof value === "string" ? value : undefined,
        fallback: textOf(schema.safeParse(undefined).data), // "" for none
        meaning: secret
          ? `${description}; secret, never logged; \`${name}_FILE\`: file that holds it`
          : description,
      };
    }),
  );
}

function textOf(value: unknown): string {
  return value instanceof Set ? [...value].join(",") : String(value ?? "");
}
