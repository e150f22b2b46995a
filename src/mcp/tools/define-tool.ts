import type { z } from "zod";
import { faultSentence, PLAIN_FAULTS, shownNames } from "../../contract/faults.ts";
import type { ToolContract } from "../../contract/mcp/evidence-tools.ts";
import type { ReadContext } from "../../resources/define.ts";

/** A caller error: becomes an `isError` result whose text names the fix. All other errors are masked. */
export class ToolError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ToolError";
  }
}

/** Arguments that do not match the tool's schema. */
export class ArgumentError extends ToolError {}

/** A tool that the protocol can call. */
export interface Tool {
  readonly contract: ToolContract;
  /** Parses the arguments of a call. Throws ArgumentError that names the argument. */
  parse(args: unknown): ParsedCall;
}

/** A call with valid arguments. */
export interface ParsedCall {
  /** In the order of the contract, with defaults. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Runs the tool. Throws ArgumentError, ToolError and errors of the reads. */
  run(context: ReadContext): { readonly [member: string]: unknown };
}

/** Creates a tool from its contract and `run`, which receives parsed arguments. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  contract: ToolContract<Input, Output>,
  run: (context: ReadContext, args: z.output<Input>) => z.output<Output>,
): Tool {
  return {
    contract,
    parse(given) {
      const args = parsed(contract, given);
      return { args, run: (context) => run(context, args) };
    },
  };
}

/** Returns the defined arguments as the query of a read. */
export function definedOnly(args: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(args).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}

function parsed<Input extends z.ZodObject>({ name, input }: ToolContract<Input>, args: unknown) {
  const given = args ?? {};
  const first = input.safeParse(given, PLAIN_FAULTS);
  if (first.success) return first.data;
  const result = input.safeParse(mended(given, first.error), PLAIN_FAULTS);
  if (result.success) return result.data;
  throw argumentError({ name, input }, faults(result.error));
}

/** As models mean it: null for an argument is none, and a number may be written as text. */
function mended(given: unknown, { issues }: z.ZodError): unknown {
  const faulty = issues.filter(({ path }) => path.every((name) => typeof name === "string"));
  return faulty.slice(0, MAX_MENDED).reduce((value, issue) => mendedAt(value, issue.path, issue), given);
}

function mendedAt(
  value: unknown,
  [name, ...inner]: readonly PropertyKey[],
  issue: z.core.$ZodIssue,
): unknown {
  if (typeof value !== "object" || value === null || typeof name !== "string") return value;
  const member: unknown = Object.getOwnPropertyDescriptor(value, name)?.value;
  const others = Object.entries(value).filter(([other]) => other !== name);
  if (member === null) return Object.fromEntries(others);
  if (inner.length > 0) return Object.fromEntries([...others, [name, mendedAt(member, inner, issue)]]);
  const isNumber = issue.code === "invalid_type" && NUMERIC.has(issue.expected);
  if (!isNumber || typeof member !== "string" || !NUMBER_TEXT.test(member)) return value;
  return Object.fromEntries([...others, [name, Number(member)]]);
}

const MAX_MENDED = 20;
const NUMERIC: ReadonlySet<string> = new Set(["number", "int"]);
const NUMBER_TEXT = /^\s{0,9}[+-]?\d{1,15}(\.\d{1,15})?\s{0,9}$/;

/** Returns an error that states the fault and lists the tool's arguments. */
export function argumentError(
  { name, input }: Pick<ToolContract, "name" | "input">,
  fault: string,
): ArgumentError {
  return new ArgumentError(`${fault}. Arguments of ${name}: ${Object.keys(input.shape).join(", ")}.`);
}

const MAX_FAULTS = 5;

/** Words the first fault of each value. */
function faults({ issues }: z.ZodError): string {
  const byPath = Map.groupBy(issues, ({ path }) => path.join("."));
  return [...byPath.values()]
    .slice(0, MAX_FAULTS)
    .flatMap(([first]) => (first ? faultText(first) : []))
    .join("; ");
}

function faultText(issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys") return `unknown argument ${shownNames(issue.keys)}`;
  return issue.path.length === 0 ? "the arguments must be an object" : faultSentence(issue);
}
