/** Sections of docs/quick-start.md for the page `/developers/`, with a release's address and names in the programs. */

export interface QuickStartStep {
  readonly id: string;
  readonly title: string;
  readonly text: string; // text between backticks is code
  readonly programs: readonly Program[];
}

export interface Program {
  readonly language: string; // display name
  readonly code: string;
}

/** Values that readers set at the top of a program. */
export interface QuickStartValues {
  readonly site: string; // no trailing slash
  readonly city: string; // slug
  readonly name: string; // of a record
}

// Values in the file; its programs run unchanged against the demonstration.
export const WRITTEN: QuickStartValues = {
  site: "http://127.0.0.1:4321",
  city: "guelph",
  name: "Old Larkspur Roofing",
};

const LANGUAGES: Readonly<Record<string, string>> = { sh: "curl", js: "JavaScript", python: "Python" };
const FENCE = /^```(\w+)\n([\s\S]*?)^```\n?/gm;

/** Throws for a program in an unknown language. */
export function quickStart(markdown: string, values: QuickStartValues): readonly QuickStartStep[] {
  const [, ...sections] = markdown.split(/^## /m);
  return sections.map((section) => {
    const [title = "", ...rest] = section.split("\n");
    const body = rest.join("\n");
    return {
      id: title.toLowerCase().replace(/[^a-z]+/g, "-"),
      title,
      text: body.replace(FENCE, "").replace(/\s+/g, " ").trim(),
      programs: [...body.matchAll(FENCE)].map(([, language = "", code = ""]) => ({
        language: languageName(language),
        code: filled(code, values),
      })),
    };
  });
}

function languageName(code: string): string {
  const name = LANGUAGES[code];
  if (name === undefined) throw new Error(`quick start: no name for programs in ${code}`);
  return name;
}

// Characters that could end a string or have a meaning in a shell. All others are safe in all three languages.
const PLAIN = /^[\p{L}\p{N} &.,()+-]+$/u;

/** Returns whether a name can be inserted unchanged into programs of all three languages. */
export function isPlainName(name: string): boolean {
  return PLAIN.test(name);
}

function filled(code: string, { site, city, name }: QuickStartValues): string {
  return code
    .replaceAll(WRITTEN.site, () => site)
    .replaceAll(`"${WRITTEN.city}"`, () => `"${city}"`)
    .replaceAll(`CITY=${WRITTEN.city}`, () => `CITY=${city}`)
    .replaceAll(`"${WRITTEN.name}"`, () => `"${name}"`);
}
