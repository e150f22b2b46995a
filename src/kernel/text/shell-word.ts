/** One argument of a shown command: a shell reads it back as it is. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A command as an operator may copy it. */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}
