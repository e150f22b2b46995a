import { didYouMean } from "../text/near-name.ts";

/** Variables of the programs that a unit or a hook starts; those of an operator's own programs begin with HOOK_. */
const OTHER_PROGRAMS =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|COLUMNS|LANG|TZ|TMPDIR|DEBUG|PG[A-Z]+|(HTTPS?|ALL|NO)_PROXY|(https?|all|no)_proxy|(LC|NO|NODE|UV|LD|SSL|FAKETIME|ASTRO|HOOK|BACKUP|RESTIC|RCLONE|AWS|AZURE|B2|GOOGLE|OS|ST)_\w+)$/;

/** A variable that looks like a setting and is none. */
export interface UnknownSetting {
  readonly name: string;
  readonly hint: string | undefined; // names the setting that was meant, if one is near
}

/** Of the names in a file of settings: those that neither this program nor a known other one reads. */
export function unknownSettings(
  names: Iterable<string>,
  settings: ReadonlySet<string>,
): readonly UnknownSetting[] {
  return unknownTo(names, settings).filter(
    ({ name, hint }) => hint !== undefined || !OTHER_PROGRAMS.test(name),
  );
}

/** Of the names in the environment of a process, which has many of others: those that are near to a setting. */
export function mistypedSettings(
  names: Iterable<string>,
  settings: ReadonlySet<string>,
): readonly UnknownSetting[] {
  return unknownTo(names, settings).filter(({ hint }) => hint !== undefined);
}

function unknownTo(names: Iterable<string>, settings: ReadonlySet<string>): UnknownSetting[] {
  return [...names]
    .filter((name) => !settings.has(name))
    .map((name) => ({ name, hint: didYouMean(name, settings) }));
}
