import type { z } from "zod";
import { build, operator } from "./build.ts";
import { delivery } from "./delivery.ts";
import { intake, online } from "./intake.ts";
import { server, writes } from "./server.ts";
import { secretsInText } from "./setting.ts";
import { backup, ledger, state } from "./stores.ts";

export type { MailSettings } from "./delivery.ts";
export type { SearchSettings } from "./intake.ts";

/** Every setting of the program, by concern. */
const CONCERNS = { server, writes, build, operator, intake, ledger, state, delivery, online, backup };

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
      ConfigOf<"backup">
  > {
  /** Names of secrets that are given as text, not as files. */
  readonly secretsInText: readonly string[];
}

/** Name of an environment variable that the program reads. */
export type SettingName = { [Name in keyof Concerns]: keyof Concerns[Name]["settings"] }[keyof Concerns];

/** Throws OperatorError naming the variable that is wrong. An empty variable counts as unset. */
export function configFrom(env: Readonly<Record<string, string | undefined>>): Config {
  const variables = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
  return {
    ...server.read(variables),
    ...writes.read(variables),
    ...build.read(variables),
    ...operator.read(variables),
    ...intake.read(variables),
    ...ledger.read(variables),
    ...state.read(variables),
    ...delivery.read(variables),
    ...online.read(variables),
    ...backup.read(variables),
    secretsInText: Object.values(CONCERNS).flatMap(({ settings }) => secretsInText(settings, variables)),
  };
}

/** Every setting as it is declared, for the help and the documentation. */
export function settings() {
  return Object.entries(CONCERNS).flatMap(([concern, { settings }]) =>
    Object.entries<z.ZodType>(settings).map(([name, schema]) => {
      const { description = "", secret } = schema.meta() ?? {};
      return {
        concern,
        name,
        isSecret: secret === true,
        fallback: String(schema.safeParse(undefined).data ?? ""), // "" for none
        meaning: secret
          ? `${description}; secret, never logged; \`${name}_FILE\`: file that holds it`
          : description,
      };
    }),
  );
}
