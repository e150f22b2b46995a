/** The shell blocks of the manual, in the order in which an operator copies them. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { anchors } from "../../../build-scripts/documents/markdown.ts";

export interface Block {
  readonly page: string; // below docs
  readonly section: string; // the anchor of the heading above it
  readonly line: number; // of its first command in the page
  readonly text: string;
}

export interface Section {
  readonly page: string;
  readonly section: string;
}

/** Sections of the reference that pages of the manual send a reader to. */
export const REFERENCE = {
  email: { page: "operations/delivery.md", section: "email" },
  desk: { page: "operations/desk.md", section: "set-up" },
  alarms: { page: "operations/monitoring.md", section: "alarms" },
  restore: { page: "operations/backup.md", section: "restore" },
} as const;

/** Page 7 shows the beginning of the alarms, and names the section that has the whole. */
const ALARMS = { page: "manual/07-backups.md", section: "alarms" } as const;

/** The pages until the service runs. Those after them are for later days. */
const SET_UP_PAGES = 7;

/** The pages of the manual, in their order, below the folder of the documents. */
export function manualPages(docs: string): string[] {
  return globSync("manual/[0-9][0-9]-*.md", { cwd: docs }).sort();
}

/** Everything that is typed until the service runs with backups, email and alarms. */
export function setUpBlocks(docs: string): Block[] {
  const pages = manualPages(docs).slice(0, SET_UP_PAGES);
  const isAlarms = ({ page, section }: Block) => page === ALARMS.page && section === ALARMS.section;
  const typed = pages.flatMap((page) => blocksIn(docs, page)).filter((block) => !isAlarms(block));
  const further = [REFERENCE.email, REFERENCE.alarms, REFERENCE.desk];
  return [...typed, ...further.flatMap((section) => sectionBlocks(docs, section))];
}

/** The `sh` blocks of one section. */
export function sectionBlocks(docs: string, { page, section }: Section): Block[] {
  const blocks = blocksIn(docs, page).filter((block) => block.section === section);
  if (blocks.length === 0) throw new Error(`docs/${page} has no shell block below #${section}`);
  return blocks;
}

function blocksIn(docs: string, page: string): Block[] {
  return blocksOf(readFileSync(join(docs, page), "utf8")).map((block) => ({ page, ...block }));
}

const PART = /^#+ (?<title>.+)$|^(?<indent> *)```(?<language>\w*)\n(?<code>[\s\S]*?)^\k<indent>```$/gm;

/** The `sh` blocks with the headings above them, without the indentation of their fence. */
export function blocksOf(markdown: string): Omit<Block, "page">[] {
  const blocks: Omit<Block, "page">[] = [];
  let section = "";
  for (const { 0: whole, index, groups = {} } of markdown.matchAll(PART)) {
    const { title, indent = "", language, code = "" } = groups;
    if (title !== undefined) [section = ""] = anchors(whole);
    else if (language === "sh")
      blocks.push({
        section,
        line: markdown.slice(0, index).split("\n").length + 1,
        text: code.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      });
  }
  return blocks;
}

/** A block in which the reader has put values of their own: `NAME=…` at the beginning of a line. */
export function withValues(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/^(\w+)=('[^'\n]*'|[\w.:/@-]*)(?=\s|$)/gm, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : `${name}=${value}`;
  });
}
