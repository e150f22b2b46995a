import { userInfo } from "node:os";
import { OperatorError } from "../errors.ts";
import { type Config, configFrom } from "./config.ts";
import { withSettingsFile } from "./settings-file.ts";

// This file alone reads the environment of the process.

export function readConfig(): Config {
  const { variables, places } = withSettingsFile(process.env, userName());
  return configFrom(variables, places);
}

/** The name of this process's user; its number where the machine has no name for it, as in containers. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.geteuid?.() ?? "");
  }
}

/** Where a test may find a browser. */
export function readBrowserSettings(): { path: string | undefined; chromiumPath: string | undefined } {
  return { path: process.env["PATH"], chromiumPath: process.env["CHROMIUM_PATH"] };
}

/** Where commands and the programs that they start are looked for. */
export const COMMAND_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const KEPT = [
  "HOME",
  "USER",
  "LOGNAME",
  "TERM",
  "COLUMNS",
  "LANG",
  "LC_ALL",
  "NO_COLOR",
  "NODE_COMPILE_CACHE",
];

/** What a command gets besides the variables of a file: its user and terminal, and no setting that the caller's shell happens to have. */
export function commandVariables(): Record<string, string> {
  const kept = KEPT.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { PATH: COMMAND_PATH, ...Object.fromEntries(kept) };
}

/** Files of variables as systemd reads them (systemd.exec(5), EnvironmentFile): the same file gives units and commands the same configuration. */

export interface EnvironmentFile {
  readonly variables: ReadonlyMap<string, string>;
  /** Numbers of the lines that systemd passes over, because they assign nothing. */
  readonly ignoredLines: readonly number[];
}

type State =
  | "before key"
  | "key"
  | "before value"
  | "value"
  | "escape"
  | "single quotes"
  | "double quotes"
  | "escape in double quotes"
  | "comment"
  | "escape in comment";

interface Scan {
  readonly variables: Map<string, string>;
  readonly ignoredLines: number[];
  key: string;
  value: string;
  end: number | undefined; // where the trailing white space of an unquoted value begins
  line: number;
  firstLine: number; // of the assignment
}

const NEWLINE = /[\n\r]/;
const SPACE = /[ \t\n\r]/;
/** What a backslash escapes between double quotes; before other characters it stays. */
const ESCAPED = /["\\`$]/;

/** The states of systemd's own reader (src/basic/env-file.c), one character at a time. */
const STEPS: Readonly<Record<State, (character: string, scan: Scan) => State>> = {
  "before key"(character, scan) {
    if (/[#;]/.test(character)) return "comment";
    if (SPACE.test(character)) return "before key";
    Object.assign(scan, { key: character, value: "", end: undefined, firstLine: scan.line });
    return "key";
  },
  key(character, scan) {
    if (character === "=") return "before value";
    if (NEWLINE.test(character)) {
      scan.ignoredLines.push(scan.firstLine);
      return "before key";
    }
    scan.key += character;
    return "key";
  },
  "before value"(character, scan) {
    if (NEWLINE.test(character)) return assign(scan);
    if (character === "'") return "single quotes";
    if (character === '"') return "double quotes";
    if (character === "\\") return "escape";
    if (SPACE.test(character)) return "before value";
    scan.value += character;
    return "value";
  },
  value(character, scan) {
    if (NEWLINE.test(character)) return assign(scan);
    if (character === "\\") {
      scan.end = undefined;
      return "escape";
    }
    scan.end = SPACE.test(character) ? (scan.end ?? scan.value.length) : undefined;
    scan.value += character;
    return "value";
  },
  escape(character, scan) {
    if (!NEWLINE.test(character)) scan.value += character;
    return "value";
  },
  "single quotes"(character, scan) {
    if (character === "'") return "before value";
    scan.value += character;
    return "single quotes";
  },
  "double quotes"(character, scan) {
    if (character === '"') return "before value";
    if (character === "\\") return "escape in double quotes";
    scan.value += character;
    return "double quotes";
  },
  "escape in double quotes"(character, scan) {
    if (ESCAPED.test(character)) scan.value += character;
    else if (character !== "\n") scan.value += `\\${character}`;
    return "double quotes";
  },
  comment(character) {
    if (character === "\\") return "escape in comment";
    return NEWLINE.test(character) ? "before key" : "comment";
  },
  "escape in comment"(character, scan) {
    if (!NEWLINE.test(character)) return "comment";
    throw new OperatorError(
      `line ${scan.line}: a comment ends with a backslash, which hides the next line from systemd before version 254 and from no later one: remove the backslash`,
    );
  },
};

/** Names that systemd accepts, and values without control characters other than tab and line feed. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that systemd refuses
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/;

function assign(scan: Scan): State {
  const name = scan.key.replace(/[ \t]+$/, "");
  const value = scan.end === undefined ? scan.value : scan.value.slice(0, scan.end);
  if (NAME.test(name) && !CONTROL.test(value)) scan.variables.set(name, value);
  else scan.ignoredLines.push(scan.firstLine);
  return "before key";
}

/** Throws OperatorError naming the line for what one version of systemd reads in another way than the next. */
export function parseEnvironmentFile(text: string): EnvironmentFile {
  const zero = text.indexOf("\0");
  if (zero !== -1)
    throw new OperatorError(`line ${text.slice(0, zero).split("\n").length}: a NUL character: remove it`);
  const scan: Scan = {
    variables: new Map(),
    ignoredLines: [],
    key: "",
    value: "",
    end: undefined,
    line: 1,
    firstLine: 1,
  };
  let state: State = "before key";
  for (const character of text) {
    state = STEPS[state](character, scan);
    if (character === "\n") scan.line += 1;
  }
  if (state === "key") scan.ignoredLines.push(scan.firstLine);
  else if (state !== "before key" && !state.includes("comment")) assign(scan);
  return { variables: scan.variables, ignoredLines: scan.ignoredLines };
}
