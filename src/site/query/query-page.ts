/** Pages with arguments: their input and their content. */

import type { z } from "zod";
import { citySlug } from "../../contract/cities/city-slug.ts";
import type { PublicError } from "../../kernel/errors.ts";
import { fillPath } from "../../kernel/text/path-template.ts";
import type { PathValues, QueryValues, ReadContext } from "../../resources/define.ts";

/** The path values and the present arguments of a page, as received. */
export interface Asked {
  readonly path: PathValues;
  readonly query: QueryValues;
}

export type Refusal = Pick<PublicError, "status" | "message">;

/** The input with its answer, or with the reason for having none. */
export type Shown<A> = { readonly asked: Asked } & ({ readonly answer: A } | { readonly refusal: Refusal });

/** What a page is rendered with; `L` says where it finds that. */
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
  /** Given where an answer may take tens of milliseconds: it then comes from a thread, as JSON of this form. */
  readonly wire?: z.ZodType<A>;
  /** Throws PublicError 400, 404 or 410. */
  answer(context: ReadContext, asked: Asked): A;
  /** Puts what is shown where the page finds it. */
  place(shown: Shown<A>): L;
  foundNothing?(answer: A): boolean;
}

/** A page as the server sees it. */
export interface QueryPage<L = object>
  extends Pick<Definition<never, L>, "name" | "operation" | "path" | "parameters"> {
  readonly isSlow: boolean;
  /** Answers at once. Throws PublicError 400, 404 or 410. */
  answered(context: ReadContext, asked: Asked): Answered<L>;
  /** The answer as JSON, for another thread; likewise. */
  answerText(context: ReadContext, asked: Asked): string;
  /** What another thread answered. */
  fromText(asked: Asked, text: string): Answered<L>;
  refused(asked: Asked, refusal: Refusal): L;
}

/** A page as the server and its own Astro file see it. */
export function defineQueryPage<A, L>(
  definition: Definition<A, L>,
): QueryPage<L> & Pick<Definition<A, L>, "answer"> {
  const { wire, answer, place, foundNothing } = definition;
  const answered = (asked: Asked, given: A): Answered<L> => ({
    locals: place({ asked, answer: given }),
    foundNothing: foundNothing?.(given) ?? false,
  });
  return {
    ...definition,
    isSlow: wire !== undefined,
    answered: (context, asked) => answered(asked, answer(context, asked)),
    answerText: (context, asked) => JSON.stringify(answer(context, asked)),
    fromText(asked, text) {
      if (wire === undefined) throw new Error(`${definition.name} is not answered by another thread`);
      return answered(asked, wire.parse(JSON.parse(text)));
    },
    refused: (asked, refusal) => place({ asked, refusal }),
  };
}

/** What a page shows: what the server found for a request or, in a file, the answer to `asked`. */
export function shownFor<A>(
  page: { answer(context: ReadContext, asked: Asked): A },
  found: Shown<A> | undefined,
  context: ReadContext,
  asked: Asked,
): Shown<A> {
  return found ?? { asked, answer: page.answer(context, asked) };
}

/** The value of a parameter; one that was given several times has none. */
export function given({ query }: Asked, name: string): string | undefined {
  const value = query[name];
  return typeof value === "string" ? value : undefined;
}

export function isFiltered({ parameters }: Pick<QueryPage, "parameters">, asked: Asked): boolean {
  return parameters.some((name) => given(asked, name) !== undefined);
}

export function pagePath({ path }: Pick<QueryPage, "path">, values: PathValues): string {
  return fillPath(path, values);
}

/** An address with those arguments that are given. */
export function address(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`;
}

/** The same arguments with changes; `undefined` takes one away. */
export function changed(
  { parameters }: Pick<QueryPage, "parameters">,
  asked: Asked,
  changes: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  const before = Object.fromEntries(parameters.map((name) => [name, given(asked, name)]));
  return { ...before, ...changes };
}

/** The arguments of a page out of a query: what was left empty in a form was not given. Undefined when it names none. */
export function argumentsIn(
  { parameters }: Pick<QueryPage, "parameters">,
  query: string,
): QueryValues | undefined {
  const asked = new URLSearchParams(query);
  const named = parameters.filter((name) => asked.has(name));
  if (named.length === 0) return undefined;
  return Object.fromEntries(
    named.flatMap((name): [string, string | string[]][] => {
      const written = asked.getAll(name).filter((value) => value.trim() !== "");
      const values = name === "city" ? written.map(citySlug) : written; // so that the form shows the city as chosen
      const [only, ...more] = values;
      return only === undefined ? [] : [[name, more.length > 0 ? values : only]];
    }),
  );
}
