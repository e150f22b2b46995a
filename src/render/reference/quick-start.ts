/** docs/quick-start.md for the page `/developers/`: its sections, with the address and the names of a release put into the programs. */

export interface QuickStartStep {
  readonly id: string;
  readonly title: string;
  readonly text: string; // what stands between backticks is code
  readonly programs: readonly Program[];
}

export interface Program {
  readonly language: string; // as it is said
  readonly code: string;
}

/** What readers put in at the top of a program. */
export interface QuickStartValues {
  readonly site: string; // without a slash at its end
  readonly city: string; // slug
  readonly name: string; // of a record
}

/** As they stand in the file, so that its programs run as they are against the demonstration. */
export const WRITTEN: QuickStartValues = {
  site: "http://127.0.0.1:4321",
  city: "guelph",
  name: "Old Larkspur Roofing",
};

const LANGUAGES: Readonly<Record<string, string>> = { sh: "curl", js: "JavaScript", python: "Python" };
const FENCE = /^```(\w+)\n([\s\S]*?)^```\n?/gm;

/** Throws for a program in a language that has no name here. */
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

/** Quotes would end the texts that the values stand in, and a shell knows more signs; whatever else a name holds stays one text in all three languages. */
const PLAIN = /^[\p{L}\p{N} &.,()+-]+$/u;

/** Whether the name can be put into programs of all three languages as it is. */
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
