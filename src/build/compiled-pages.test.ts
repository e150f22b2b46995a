/** Pages of a few lines, compiled as the service's own are. Each test goes on from the one before: a compilation takes seconds. */

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
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fakeContext } from "../../tests/support/release/fake-snapshot.ts";
import { isTrial } from "../../tests/support/trial.ts";
import { PageProgram } from "../site/page-program.ts";
import { Site } from "../site/site.ts";
import { compiledPages } from "./compiled-pages.ts";

const PROJECT = join(import.meta.dirname, "../..");
const OURS = ["astro.config.mjs", "tsconfig.json", "package.json", "src/middleware.ts"];

let folder: string;
const kept = () => join(folder, "kept");

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "compiled-pages-"));
  for (const path of OURS) cpSync(join(PROJECT, path), join(folder, "project", path));
  symlinkSync(join(PROJECT, "node_modules"), join(folder, "project", "node_modules"));
  for (const name of ["data", "docs"]) mkdirSync(join(folder, "project", name));
  write("public/icon.svg", "<svg/>");
  write(
    "src/site/page-files.ts",
    `export const STYLES = { plain: "src/plain.css" };\nexport const SCRIPTS = { small: "src/small.ts" };`,
  );
  write("src/plain.css", "p { color: red }");
  write("src/small.ts", "document.title = 'small';");
  write("src/pages/index.astro", "<h1>Home</h1>");
  write("src/pages/404.astro", "<h1>Not found</h1>");
  write("src/pages/colours.css.ts", `export const GET = () => new Response("a{}");`);
  write(
    "src/pages/[name]/index.astro",
    `---
const { name } = Astro.params;
if (name === "b") throw new Error("b has no data");
---
<h1>{name} of {Astro.locals.site.release.baseUrl}</h1>{name === "styled" && <i>{Astro.locals.site.file("plain.css")}</i>}`,
  );
});

afterAll(() => rmSync(folder, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, "project", path)), { recursive: true });
  writeFileSync(join(folder, "project", path), text);
}

const compile = (scratch = "scratch") =>
  compiledPages(join(folder, "project"), kept(), join(folder, scratch));

test("a server and a build that compile at the same time come to the same folder", async () => {
  const [first, second] = await Promise.all([compile("one"), compile("two")]);
  expect(second).toEqual(first);
  expect(readFileSync(first.program, "utf8")).toContain("export {");
  expect(readdirSync(folder).sort()).toEqual(["kept", "project"]);
});

test("they render page by page with a release, and a page that fails says why", async () => {
  const { program, routes, shared } = await compile();
  const site = new Site(fakeContext(), shared);
  const pages = await PageProgram.load(program);
  const render = (pathname: string) => pages.render(pathname, site).then(String, String);
  expect(routes.map(({ pattern }) => pattern).sort()).toEqual(["/", "/404", "/[name]", "/colours.css"]);
  expect(await render("/")).toContain("<h1>Home</h1>");
  expect(await render("/404/")).toContain("<h1>Not found</h1>");
  expect(await render("/colours.css")).toBe("a{}");
  expect(await render("/a/")).toContain(`<h1>a of ${site.release.baseUrl}</h1>`);
  expect(await render("/styled/")).toMatch(/<i>\/assets\/plain\.[\w-]{8}\.css<\/i>/);
  expect(await render("/b/")).toBe("Error: b has no data");
  expect(await render("/a/b/")).toMatch(/<h1>Not found|no page at/);
  expect(readdirSync(join(shared, "assets")).sort()).toEqual([
    expect.stringMatching(/^plain\..{8}\.css$/),
    expect.stringMatching(/^small\..{8}\.js$/),
  ]);
  expect(readFileSync(join(shared, "icon.svg"), "utf8")).toBe("<svg/>");
  expect(readdirSync(folder).sort()).toEqual(["kept", "project"]); // nothing else is left behind
});

test("what a lost power left in pieces is compiled again", async () => {
  const { program } = await compile();
  const hashes = join(dirname(dirname(program)), "hashes.json");
  for (const broken of isTrial ? [program, hashes] : [program]) {
    writeFileSync(broken, "");
    expect(await compile()).toMatchObject({ program });
    expect(readFileSync(program, "utf8")).toContain("export {");
  }
});

test("equal sources are compiled once, others stay beside one before them, unless they do not compile", async () => {
  const first = await compile();
  write("src/pages/index.test.ts", "not a source");
  write("docs/pictures/town.svg", "nor this");
  expect(await compile()).toEqual(first);
  write("src/pages/index.astro", "<h1>At home</h1>");
  const second = await compile();
  expect(second.program).not.toBe(first.program);
  write("src/pages/index.astro", "<h1>At home again</h1>");
  const third = await compile();
  const folders = [second, third].map(({ program }) => basename(dirname(dirname(program)))).sort();
  expect(readdirSync(kept()).sort()).toEqual(folders);
  write("src/pages/broken.astro", "---\nimport { nothing } from './nowhere.ts';\n---\n{nothing}");
  await expect(compile()).rejects.toThrow(/astro build ended with code 1:[\s\S]*nowhere\.ts/);
  expect(readdirSync(kept()).sort()).toEqual(folders);
});
