import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { pages } from "../page-renderer.ts";
import { compiledPages } from "./compiled-pages.ts";

/** Pages of a few lines, compiled as the service's own are. */

const PROJECT = join(import.meta.dirname, "../..");
const OURS = ["astro.config.mjs", "tsconfig.json", "package.json", "src/page-renderer.ts"];

let folder: string;
const kept = () => join(folder, "kept");

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "compiled-pages-"));
  for (const path of OURS) cpSync(join(PROJECT, path), join(folder, "project", path));
  symlinkSync(join(PROJECT, "node_modules"), join(folder, "project", "node_modules"));
  for (const name of ["data", "docs"]) mkdirSync(join(folder, "project", name));
  write("public/icon.svg", "<svg/>");
  write("src/pages/index.astro", "<h1>Home</h1>");
  write("src/pages/404.astro", "<h1>Not found</h1>");
  write("src/pages/colours.css.ts", `export const GET = () => new Response("a{}");`);
  write(
    "src/pages/[name]/index.astro",
    `---
export const getStaticPaths = () => ["a", "b"].map((name) => ({ params: { name } }));
const { name } = Astro.params;
if (name === "b") throw new Error("b has no data");
---
<h1>{name} of {process.env.PRESENCE_SNAPSHOT ?? "none"}</h1>`,
  );
});

afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, "project", path)), { recursive: true });
  writeFileSync(join(folder, "project", path), text);
}

const compile = () => compiledPages(join(folder, "project"), kept(), join(folder, "scratch"));

test("they render page by page, and a page that fails says why", async () => {
  const { renderer, shared } = await compile();
  const program: { pages: typeof pages } = await import(renderer);
  const rendered = await Promise.all(
    (await program.pages()).map(async ({ path, render }) => [path, await render().catch(String)]),
  );
  expect(Object.fromEntries(rendered)).toEqual({
    "index.html": expect.stringContaining("<h1>Home</h1>"),
    "404.html": expect.stringContaining("<h1>Not found</h1>"),
    "colours.css": "a{}",
    "a/index.html": expect.stringContaining("<h1>a of none</h1>"),
    "b/index.html": "Error: b has no data",
  });
  expect(readFileSync(join(shared, "icon.svg"), "utf8")).toBe("<svg/>");
  expect(readdirSync(folder).sort()).toEqual(["kept", "project"]); // nothing else is left behind
});

test("equal sources are compiled once, others take their place, unless they do not compile", async () => {
  const first = await compile();
  write("src/pages/index.test.ts", "not a source");
  write("docs/pictures/town.svg", "nor this");
  expect(await compile()).toEqual(first);
  write("src/pages/index.astro", "<h1>At home</h1>");
  const second = await compile();
  expect(second.renderer).not.toBe(first.renderer);
  const [name] = readdirSync(kept());
  expect(readdirSync(kept())).toEqual([name]);
  write("src/pages/broken.astro", "---\nimport { nothing } from './nowhere.ts';\n---\n{nothing}");
  await expect(compile()).rejects.toThrow(/astro build ended with code 1:[\s\S]*nowhere\.ts/);
  expect(readdirSync(kept())).toEqual([name]);
});

test("what a lost power left in pieces is compiled again", async () => {
  const { renderer } = await compile();
  for (const broken of [renderer, join(dirname(dirname(renderer)), "hashes.json")]) {
    writeFileSync(broken, "");
    expect(await compile()).toMatchObject({ renderer });
    expect(readFileSync(renderer, "utf8")).toContain("export {");
  }
});
