/**
 * Details of a person in the name on a sign: a telephone number, an email address, a number plate, or a personal form of address.
 * Such a name waits for review, because it would be published as it is. The patterns prefer missing a doubtful case to holding store
 * numbers and trade names ("7-Eleven #2366-24139C", "Mr. Sub"); docs/operations/review.md states what they find.
 */
import givenNames from "../../../data/given-names.json" with { type: "json" };
import { plainMarks } from "../../kernel/text/plain-marks.ts";

export type PersonalDetail = "email_in_name" | "phone_in_name" | "plate_in_name" | "person_in_name";

const START = String.raw`(?<![\p{L}\p{N}#])`;
const END = String.raw`(?![\p{L}\p{N}])`;

const EMAIL = /[^\s@,;]+@[^\s@,;]+\.\p{L}{2,}|\S+\s?[[(]at[\])]\s?\S+\s?(?:\.|[[(]dot[\])])\s?\p{L}{2,}/iu;

// "#" and words such as "Store No." begin a number of a store, a unit or a license.
const NUMBERED = String.raw`#\s?|(?<![\p{L}\p{N}])(?:n[or]\.?|n[°º]|№|num|number|store|unit|suite|ste|loc|location|branch|site|kiosk|stand|id|lic|permit)[ .:#-]{0,2}`;
const FREE = `${START}(?<!${NUMBERED})`;
const PHONES = [
  // 519-555-0199, (519) 555 0199, 1.519.555.0199, 5195550199: neither the area nor the exchange begins with 0 or 1
  String.raw`${FREE}(?:\+?1[ .-]?)?(?:\([2-9]\d{2}\)|[2-9]\d{2})[ ./-]{0,3}[2-9]\d{2}[ .-]?\d{4}${END}`,
  // 555-0199
  String.raw`(?<![\p{L}\p{N}#-])(?<!${NUMBERED})[2-9]\d{2}[.-]\d{4}(?![\p{L}\p{N}-])`,
  // +49 30 1234567, +44 (0)20 7946 0958; not "Fuel + 12345678"
  String.raw`\+(?=\d|\s\d{1,3}[ ()./-])\s?[1-9](?:[ ()./-]{0,3}\d){7,14}${END}`,
  // 020 7946 0958, 06 12 34 56 78, 030/1234567, 0049 30 1234567; not "02345 10", nor a store's "00123-45678"
  String.raw`${FREE}\(?0(?:0?[1-9](?=(?:\D{0,2}\d){8})|[1-9](?=\d{0,3}(?:\D{1,2}\d{2,4}){2})(?=(?:\D{0,2}\d){7}))\d{0,3}\)?(?:[ ./-]{1,2}\d{2,8}){1,5}${END}`,
  // Call 55501, Tel: 416.555.0100
  String.raw`${START}(?:call|tel|tél|tel[eé]fono|ph|fax|whatsapp|(?:text|phone|cell|mobile|ring)(?=[ .:#]{1,3}\+?\d(?:\D{0,2}\d){6}|[ ]?[.:]))[ .:#]{1,3}\+?\d(?:[ ()./-]{0,2}\d){4,14}${END}`,
].map((pattern) => new RegExp(pattern, "iu"));
const MIN_PHONE_DIGITS = 5;

const PLATES = [
  // California 8ABC123, Ontario ABCD123; with a space they look like "CAFE 300"
  String.raw`${START}\d[A-Z]{3}\d{3}${END}`,
  String.raw`${START}[A-Z]{4}-?\d{3}${END}`,
  // United Kingdom AB12 CDE, France AB-123-CD, Germany B-AB 1234
  String.raw`${START}[A-Z]{2}\d{2} ?[A-Z]{3}${END}`,
  String.raw`${START}[A-Z]{2}-\d{3}-[A-Z]{2}${END}`,
  String.raw`${START}[A-ZÄÖÜ]{1,3}-[A-Z]{1,2} \d{1,4}[EH]?${END}`,
].map((pattern) => new RegExp(pattern, "u"));
const NAMED_PLATE = new RegExp(
  String.raw`${START}(?:licen[cs]e(?: plate)?|plate|reg|registration|kennzeichen|immatriculation|matr[ií]cula)(?: ?(?:no|number|nr)\.?)?[ .:#]{1,3}(?=[\p{L}-]{0,5}[ -]?\d)[\p{L}\d]{1,4}(?:[ -]?[\p{L}\d]{1,4}){1,3}${END}`,
  "iu",
);

const TITLE = "mr|mrs|ms|miss|mx|mister|mme|mlle|madame|monsieur|herr|frau|señora?|senora?|sra?|dr|dra";
const PERSON = new RegExp(
  String.raw`${START}(?:${TITLE})(?:\. ?| )(?<first>\p{L}[\p{L}'’-]*)\.? (?:\p{L}\.? )?\p{L}[\p{L}'’-]+(?=$| ?[,;:|(/–—])`,
  "iu",
);
const LABELED = new RegExp(
  String.raw`${START}(?:driver|owner|operator|proprietor|manager|contact|attn|attention|conductor|chauffeur|fahrer|inhaber|propietario)s? ?[:=] ?\p{L}`,
  "iu",
);
const GIVEN_NAMES: ReadonlySet<string> = new Set(givenNames.names);

/** The first kind of detail that a cleaned name holds; undefined for none. */
export function personalDetail(name: string): PersonalDetail | undefined {
  const text = plainDigits(name);
  if (EMAIL.test(text)) return "email_in_name";
  if (hasPhone(text)) return "phone_in_name";
  if (NAMED_PLATE.test(text) || PLATES.some((plate) => plate.test(text))) return "plate_in_name";
  return namesPerson(text) ? "person_in_name" : undefined;
}

const KEYCAP = "\u20e3";

/** Full-width and other digits as ASCII ones, and keycaps; of other scripts only that they are digits matters. */
function plainDigits(name: string): string {
  return plainMarks(name)
    .normalize("NFKC")
    .replaceAll(KEYCAP, "")
    .replace(/(?![0-9])\p{Nd}/gu, "5");
}

function hasPhone(text: string): boolean {
  return PHONES.some((pattern) => (pattern.exec(text)?.[0].match(/\d/g) ?? []).length >= MIN_PHONE_DIGITS);
}

/** A title with a given name or an initial and a surname at the end; "Mr. Sub" and "Ms. Eva Steak and Sub" are trade names. */
function namesPerson(text: string): boolean {
  if (LABELED.test(text)) return true;
  const first = PERSON.exec(text)?.groups?.["first"]?.toLowerCase();
  return first !== undefined && (first.length === 1 || GIVEN_NAMES.has(first));
}
