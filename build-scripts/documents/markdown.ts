/** The project's Markdown files, and the parts of them that tests compare with the code. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

export const PROJECT = dirname(dirname(import.meta.dirname));

/** Paths below the project of the documents that people write. */
export const DOCUMENTS = globSync(["*.md", "docs/**/*.md", ".github/**/*.md"], { cwd: PROJECT }).toSorted();

export function projectText(path: string): string {
  return readFileSync(join(PROJECT, path), "utf8");
}

export function projectHas(path: string): boolean {
  return existsSync(join(PROJECT, path));
}

/** Fenced blocks are replaced by empty lines, so that line numbers stay. */
export function withoutCode(markdown: string): string {
  return markdown.replace(/^ *```[\s\S]*?^ *```/gm, (block) => block.replace(/[^\n]/g, ""));
}

/** Anchors of the headings, as GitHub makes them. */
export function anchors(markdown: string): ReadonlySet<string> {
  const headings = withoutCode(markdown).matchAll(/^#+ (.+)$/gm);
  return new Set(
    Array.from(headings, ([, title = ""]) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

/** Cells of the rows below the table's head whose first column is called `head`; empty without such a table. */
export function tableRows(markdown: string, head: string): readonly (readonly string[])[] {
  const lines = markdown.split("\n");
  return lines.flatMap((line, at) => {
    if (!line.startsWith(`| ${head} |`)) return [];
    const after = lines.slice(at + 2);
    const end = after.findIndex((row) => !row.startsWith("|"));
    return after.slice(0, end === -1 ? undefined : end).map(cells);
  });
}

function cells(row: string): string[] {
  return row
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** Paths of the project in backticks: files, folders, and patterns with `*`. */
export function namedPaths(markdown: string): string[] {
  const roots =
    /`((?:src|build-scripts|tests|docs|deploy|fixtures|data|public|bin|\.github|\.ci)\/[\w./*@{}-]*)`/g;
  return Array.from(markdown.matchAll(roots), ([, path = ""]) => path);
}
