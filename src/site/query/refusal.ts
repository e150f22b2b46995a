import {
  address,
  argument,
  changed,
  type PageInput,
  pagePath,
  type QueryPage,
  type Refusal,
} from "./query-page.ts";

const HEADINGS: Readonly<Record<number, string>> = {
  400: "This address asks for something that cannot be answered",
  404: "Nothing is at this address",
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
    sentence: `${message.charAt(0).toUpperCase()}${message.slice(1)}.`,
    wayOn: wayOn(page, input, status),
  };
}

function wayOn(
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
