/** Faults as pages say them. This file imports nothing, so that the scripts of pages can use it. */

const GOT = / \(got (.*)\)$/;
const CODES = /must be one (?:or more )?of .*/;

/** `Percentile must be a number between 0 and 100; you entered 150`: a label in place of the field's name, and no list of codes. */
export function shownFault(label: string, fault: string): string {
  const got = GOT.exec(fault)?.[1];
  const problem = fault.replace(GOT, "");
  if (CODES.test(problem)) return `${label} ${problem.replace(CODES, "must be one of the choices offered")}`;
  return `${label} ${problem}${got === undefined ? "" : `; you entered ${got}`}`;
}
