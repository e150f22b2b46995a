/** For tests: what the answers of tools say, sentence by sentence, as somebody may quote it. */

/** Members that name a business or a place; a name may say anything. */
const NAMES = new Set(["name", "entity_name", "query", "city"]);

const NAME = "NAME";

/** Each sentence of the texts once; `names` stand as NAME in them, so that none of their own words counts. */
export function sentencesOf(texts: ReadonlySet<string>, names: readonly string[]): ReadonlySet<string> {
  const longestFirst = names.filter(({ length }) => length > 2).toSorted((a, b) => b.length - a.length);
  const sentences = [...texts].flatMap((text) =>
    longestFirst.reduce((rest, name) => rest.replaceAll(name, NAME), text).split(/(?<=[.!?]"?) +(?=\S)/),
  );
  return new Set(sentences);
}

/** Texts of an answer, at any depth, with a blank: ids, codes, times and addresses have none. */
export function textsIn(value: unknown, member = ""): string[] {
  if (typeof value === "string") return NAMES.has(member) || !/\s/.test(value) ? [] : [value];
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(item, member));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => textsIn(inner, key));
}

/** What says that something is not there, is shut, or was looked for in vain. */
const ABSENCE = [
  /\bno\b.*\b(record|citation|observation|presence|evidence|sighting|match|relationship)s?\b/i,
  /\b(does|do|did) not (exist|show|operate)\b/i,
  /\bnot (been )?(found|seen|observed|recorded|listed|detected|there)\b/i,
  /\bnothing\b/i,
  /\b(has|have|had) (no|not|0)\b/i,
  /\b0 (accepted|records|observations)\b/i,
  /\b(closed|closures?|shut|vacan\w+|inactiv\w+|absen\w+|unreal|never|gone|missing|withdrawn|no longer)\b/i,
];

/** What takes it back in the same sentence. */
const NOTHING_FOLLOWS = [
  /\bnothing follows\b/i,
  /\bproves nothing\b/i,
  /\bsays nothing about\b/i,
  /\bnever (proves|proof)\b/i,
  /\bnot evidence of absence\b/i,
  /\bnot treated as absence\b/i,
  /\bdoes not (show|mean)\b/i,
  /\bnobody has confirmed\b/i,
];

/** Words of these are about the evidence, and not about the business. */
const HARMLESS = [
  /^Evidence out of date: /,
  /\b(not listed before|not yet (independently )?corroborated)\b/g,
];

const OBSERVED = /\b(observed|seen)\b|\b(\d+|one) accepted\b/i;
const STATE =
  /\bnot yet (?:independently )?corroborated\b|\bis corroborated yet\b|\bcorroborated by\b|\bindependent observers\b|\b(verified|rejected) in review\b/;

/** Why a sentence may not stand alone; undefined when it may. */
export function faultOf(sentence: string): string | undefined {
  const said = HARMLESS.reduce((rest, words) => rest.replace(words, ""), sentence);
  if (ABSENCE.some((claim) => claim.test(said)))
    return NOTHING_FOLLOWS.some((words) => words.test(said)) ? undefined : "claims absence";
  return OBSERVED.test(said) && !STATE.test(sentence) ? "drops the state of the evidence" : undefined;
}
