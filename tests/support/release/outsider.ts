import { execFile, spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { promisify } from "node:util";
import { installDebianPackages } from "../../../build-scripts/ensure-browser.ts";

const run = promisify(execFile);
const BUSY_MS = 20_000;
const COUNT = "SELECT count(*) FROM sqlite_schema";
const PYTHON = `import sqlite3, sys
database = sqlite3.connect(sys.argv[1], timeout=${BUSY_MS / 1000})
print(database.execute(sys.argv[2]).fetchone()[0])
database.close()`;

/** A program that is not ours: it opens a database with an SQLite of its own, asks one question and closes it. Returns the first value. */
export type Outsider = (path: string, sql?: string) => Promise<string>;

const sqlite3: Outsider = async (path, sql = COUNT) => {
  const { stdout } = await run("sqlite3", ["-cmd", `.timeout ${BUSY_MS}`, path, sql]);
  return stdout.trim();
};

const python3: Outsider = async (path, sql = COUNT) => {
  const { stdout } = await run("python3", ["-c", PYTHON, path, sql]);
  return stdout.trim();
};

const worksHere = (program: string, ...args: readonly string[]) => spawnSync(program, args).status === 0;

/** Debian's `sqlite3`, installed where it is missing and we are root, and Python's module: whichever this machine has. */
export async function outsiders(): Promise<readonly Outsider[]> {
  if (!worksHere("sqlite3", "--version")) await installDebianPackages("sqlite3");
  return [
    ...(worksHere("sqlite3", "--version") ? [sqlite3] : []),
    ...(worksHere("python3", "-c", "import sqlite3") ? [python3] : []),
  ];
}

/** The endings (`""`, `-wal`, `-shm`) of a database's files on which a process has locks; undefined where the system does not tell. */
export function lockedFiles(path: string, pid: number): string[] | undefined {
  if (!existsSync("/proc/locks")) return undefined;
  const held = readFileSync("/proc/locks", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1] === "POSIX" && fields[4] === String(pid))
    .map((fields) => Number(fields[5]?.split(":")[2]));
  return ["", "-wal", "-shm"].filter((ending) => held.includes(inodeOf(path + ending) ?? -1));
}

/** Tells a file from another one that took its name; undefined when there is none. */
export function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
