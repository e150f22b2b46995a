/** The shell blocks of the manual, in the order in which an operator copies them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { anchors } from "../../../build-scripts/documents/markdown.ts";

export interface Block {
  readonly page: string; // below docs/operations
  readonly line: number; // of its first command in the page
  readonly text: string;
}

/** What a set-up needs: install.md, and the sections to which its last step sends a reader. */
export const SET_UP = [
  { page: "install.md", section: "install" },
  { page: "backup.md", section: "set-up" },
  { page: "delivery.md", section: "email" },
  { page: "monitoring.md", section: "alarms" },
] as const;

/** What proves a backup: commands of the manual as well, run once the service is up. */
export const DRILL = { page: "backup.md", section: "the-drill" } as const;

export interface Section {
  readonly page: string;
  readonly section: string; // the anchor of its heading
}

export function manualBlocks(project: string, sections: readonly Section[]): Block[] {
  return sections.flatMap(({ page, section }) => {
    const markdown = readFileSync(join(project, "docs/operations", page), "utf8");
    const blocks = blocksOf(markdown, section).map((block) => ({ page, ...block }));
    if (blocks.length === 0) throw new Error(`docs/operations/${page} has no shell block below #${section}`);
    return blocks;
  });
}

const PART = /^#+ (?<title>.+)$|^(?<indent> *)```(?<language>\w*)\n(?<code>[\s\S]*?)^\k<indent>```$/gm;

/** The `sh` blocks below one heading, up to the next heading, without the indentation of their fence. */
export function blocksOf(markdown: string, section: string): Omit<Block, "page">[] {
  const blocks: Omit<Block, "page">[] = [];
  let heading: string | undefined;
  for (const { 0: whole, index, groups = {} } of markdown.matchAll(PART)) {
    const { title, indent = "", language, code = "" } = groups;
    if (title !== undefined) [heading] = anchors(whole);
    else if (language === "sh" && heading === section)
      blocks.push({
        line: markdown.slice(0, index).split("\n").length + 1,
        text: code.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      });
  }
  return blocks;
}
