import type { z } from "zod";
import { citySlug } from "../../contract/cities/city.ts";
import type { PublicError } from "../../kernel/errors.ts";
import { fillPath } from "../../kernel/text/markup.ts";
import { pageSentence } from "../../render/words/field-labels.ts";
import type { PathValues, QueryValues, ReadContext } from "../../resources/define.ts";

const HEADINGS: Readonly<Record<number, string>> = {
  400: "Check what you entered",
  404: "Nothing was found",
  410: "This list has been replaced by a newer one",
  429: "Too many requests came from your network",
  503: "The service is busy",
};

/** A refusal in words, and a way on. */
export function refusalText(
  page: Pick<QueryPage, "path" | "parameters">,
  input: PageInput,
  { status, message }: Refusal,
) {
  return {
    heading: `${HEADINGS[status] ?? "This could not be shown"}.`,
    sentence: pageSentence(message),
    link: linkAfter(page, input, status),
  };
}

function linkAfter(
  page: Pick<QueryPage, "path" | "parameters">,
  input: PageInput,
  status: number,
): { readonly text: string; readonly href: string } {
  const path = pagePath(page, input.path);
  const again = (changes: Record<string, string | undefined>) => address(path, changed(page, input, changes));
  if (status === 429 || status === 503) return { text: "Try again", href: again({}) };
  if (status === 404) return { text: "Start again", href: path };
  if (argument(input, "cursor") === undefined) return { text: "Start again without filters", href: path };
  return { text: "Start again from the first page", href: again({ cursor: undefined }) };
}

/** Pages with arguments: their input and their content. */

/** The path values and the present arguments of a page, as received. */
export interface PageInput {
  readonly path: PathValues;
  readonly query: QueryValues;
}

export type Refusal = Pick<PublicError, "status" | "message">;

/** The input with its answer, or with the reason for having none. */
export type PageState<A> = { readonly input: PageInput } & (
  | { readonly answer: A }
  | { readonly refusal: Refusal }
);

/** The locals that a page is rendered with. */
export interface Answered<L> {
  readonly locals: L;
  /** Whether a search for records found none. */
  readonly foundNothing: boolean;
}

interface Definition<A, L> {
  readonly name: string; // of its region in the page
  readonly operation: string; // under which its requests are counted
  readonly path: `/${string}/`; // holds one {name} at most
  readonly parameters: readonly string[]; // others are ignored
  /** Schema of slow answers (tens of milliseconds), which come from another thread as JSON. */
  readonly wire?: z.ZodType<A>;
  /** Throws PublicError 400, 404 or 410. */
  answer(context: ReadContext, input: PageInput): A;
  /** The locals of a state. */
  place(state: PageState<A>): L;
  foundNothing?(answer: A): boolean;
}

/** A page as the server sees it. */
export interface QueryPage<L = object>
  extends Pick<Definition<never, L>, "name" | "operation" | "path" | "parameters"> {
  readonly isSlow: boolean;
  /** Answers at once. Throws PublicError 400, 404 or 410. */
  answered(context: ReadContext, input: PageInput): Answered<L>;
  /** The answer as JSON, for another thread; likewise. */
  answerText(context: ReadContext, input: PageInput): string;
  /** Reads the answer of another thread. */
  fromText(input: PageInput, text: string): Answered<L>;
  refused(input: PageInput, refusal: Refusal): L;
}

/** A page as the server and its own Astro file see it. */
export function defineQueryPage<A, L>(
  definition: Definition<A, L>,
): QueryPage<L> & Pick<Definition<A, L>, "answer"> {
  const { wire, answer, place, foundNothing } = definition;
  const answered = (input: PageInput, content: A): Answered<L> => ({
    locals: place({ input, answer: content }),
    foundNothing: foundNothing?.(content) ?? false,
  });
  return {
    ...definition,
    isSlow: wire !== undefined,
    answered: (context, input) => answered(input, answer(context, input)),
    answerText: (context, input) => JSON.stringify(answer(context, input)),
    fromText(input, text) {
      if (wire === undefined) throw new Error(`${definition.name} is not answered by another thread`);
      return answered(input, wire.parse(JSON.parse(text)));
    },
    refused: (input, refusal) => place({ input, refusal }),
  };
}

/** The state from the server, or in a published file the answer to `input`. */
export function shownFor<A>(
  page: { answer(context: ReadContext, input: PageInput): A },
  state: PageState<A> | undefined,
  context: ReadContext,
  input: PageInput,
): PageState<A> {
  return state ?? { input, answer: page.answer(context, input) };
}

/** The value of an argument; undefined when it is absent or repeated. */
export function argument({ query }: PageInput, name: string): string | undefined {
  const value = query[name];
  return typeof value === "string" ? value : undefined;
}

export function isFiltered({ parameters }: Pick<QueryPage, "parameters">, input: PageInput): boolean {
  return parameters.some((name) => argument(input, name) !== undefined);
}

export function pagePath({ path }: Pick<QueryPage, "path">, values: PathValues): string {
  return fillPath(path, values);
}

/** An address with the defined arguments. */
export function address(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`;
}

/** The same arguments with changes; `undefined` removes one. */
export function changed(
  { parameters }: Pick<QueryPage, "parameters">,
  input: PageInput,
  changes: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  const before = Object.fromEntries(parameters.map((name) => [name, argument(input, name)]));
  return { ...before, ...changes };
}

/** The arguments of a page in a query, without empty form fields. Undefined when it names none. */
export function argumentsIn(
  { parameters }: Pick<QueryPage, "parameters">,
  query: string,
): QueryValues | undefined {
  const received = new URLSearchParams(query);
  const named = parameters.filter((name) => received.has(name));
  if (named.length === 0) return undefined;
  return Object.fromEntries(
    named.flatMap((name): [string, string | string[]][] => {
      const written = received.getAll(name).filter((value) => value.trim() !== "");
      const values = name === "city" ? written.map(citySlug) : written; // so that the form shows the city as chosen
      const [only, ...more] = values;
      return only === undefined ? [] : [[name, more.length > 0 ? values : only]];
    }),
  );
}
