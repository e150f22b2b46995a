import type { z } from "zod";
import type { ToolContract } from "../../contract/mcp/tools.ts";
import type { ReadContext } from "../../resources/define.ts";
import { ArgumentError } from "./tool-error.ts";

/** A tool as the protocol calls it. */
export interface Tool {
  readonly contract: ToolContract;
  /** Parse the arguments and run. Throws ArgumentError naming the argument, and whatever the reads throw. */
  call(context: ReadContext, given: unknown): { readonly [member: string]: unknown };
}

/** Closes over the types of one tool: `run` gets parsed arguments and gives what the contract says. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  contract: ToolContract<Input, Output>,
  run: (context: ReadContext, given: z.output<Input>) => z.output<Output>,
): Tool {
  return {
    contract,
    call: (context, given) => run(context, parsed(contract, given)),
  };
}

/** The arguments that were given, as the query of a read. */
export function definedOnly(given: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}

function parsed<Input extends z.ZodObject>({ name, input }: ToolContract<Input>, given: unknown) {
  const result = input.safeParse(given ?? {});
  if (result.success) return result.data;
  throw argumentError({ name, input }, faults(result.error));
}

/** What is wrong with the arguments, with the names of those that the tool takes. */
export function argumentError(
  { name, input }: Pick<ToolContract, "name" | "input">,
  fault: string,
): ArgumentError {
  return new ArgumentError(`${name}: ${fault}. Arguments: ${Object.keys(input.shape).join(", ")}.`);
}

const MAX_FAULTS = 5;

function faults({ issues }: z.ZodError): string {
  return issues.slice(0, MAX_FAULTS).map(faultText).join("; ");
}

function faultText(issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys") return `unknown argument ${issue.keys.join(", ").slice(0, 200)}`;
  const place = issue.path.map(String).join(".");
  if (issue.code === "invalid_type" && issue.message.endsWith("received undefined"))
    return place === "" ? "the arguments are missing" : `argument ${place} is missing`;
  return place === "" ? "the arguments must be an object" : `argument ${place}: ${issue.message}`;
}
