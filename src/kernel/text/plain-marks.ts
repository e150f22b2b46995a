/**
 * Marks that people type for an apostrophe: quotes and primes, accents without a letter, modifier letters (okina, hamza, saltillo), and
 * the geresh of Hebrew. Unicode takes some of them for letters, and others for a space with an accent.
 */
const APOSTROPHES = /[`´‘’‛ʹʻ-ʿˈˊˋ˴\u0374\u0384՚׳ߴߵ\u1fbd\u1fbf\u1fef\u1ffd\u1ffe′‵❛❜Ꞌꞌ＇｀]/g;
// Joiners and variation selectors among them: they change how a name looks, not which name it is. The zero-width space parts words.
const INVISIBLE = /[[\p{Cf}\p{Default_Ignorable_Code_Point}]--\u200b]/gv;
const MAY_HAVE_EITHER = /[`\u00ad´\u02b0-\uffff]/; // most accented names have neither

/** The text with one apostrophe for all marks that stand for it, and without what shows nothing. Comes before any normalization. */
export function plainMarks(text: string): string {
  return MAY_HAVE_EITHER.test(text) ? text.replace(INVISIBLE, "").replace(APOSTROPHES, "'") : text;
}
