/** What pages read of the release that they show. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BoundedCache } from "../kernel/bounded-cache.ts";
import type { ReadContext } from "../resources/define.ts";
import type { ScriptName, StyleName } from "./page-files.ts";

type FileName = `${StyleName}.css` | `${ScriptName}.js` | `${string}.woff2`;

/** `refine.BLBTVIvh.js`: name, hash and ending of a file below `assets/`. */
const HASHED = /^(.+)\.[\w-]{8}\.(css|js|woff2)$/;

/** One release: its data, and the files that the build has written for it so far. */
export class Site {
  readonly context: ReadContext;
  readonly release: ReturnType<ReadContext["snapshot"]["release"]>;
  readonly isDemonstration: boolean;
  readonly #folder: string;
  readonly #assets: readonly string[] | undefined;
  #files: ReadonlyMap<string, string> | undefined;

  /** `folder` holds the release's public files. Where they are elsewhere, `assets` are the names of those below `assets/`. */
  constructor(context: ReadContext, folder: string, assets?: readonly string[]) {
    this.context = context;
    this.release = context.snapshot.release();
    this.isDemonstration = this.release.environment === "demo";
    this.#folder = folder;
    this.#assets = assets;
  }

  /** The text of a file that an earlier stage has written, such as `openapi.json`. Throws when there is none. */
  text(path: string): string {
    return readFileSync(join(this.#folder, path), "utf8");
  }

  /** Address of a style, script or font; undefined where this release, made by another version of the program, has none. */
  file(name: FileName): string | undefined {
    this.#files ??= new Map((this.#assets ?? readdirSync(join(this.#folder, "assets"))).flatMap(namedFile));
    return this.#files.get(name);
  }
}

function namedFile(file: string): [string, string][] {
  const [, name, ending] = HASHED.exec(file) ?? [];
  return name === undefined ? [] : [[`${name}.${ending}`, `/assets/${file}`]];
}

/** Makes something once for each release, however many pages show it. */
export function perSite<T>(make: (site: Site) => T): (site: Site) => T {
  const made = new WeakMap<Site, { readonly value: T }>();
  return (site) => {
    const entry = made.get(site) ?? { value: make(site) };
    made.set(site, entry);
    return entry.value;
  };
}

/** Number of cities whose data is cached: a page of records needs a few, the largest release has hundreds. */
const MAX_KEPT = 300;

/** The same for each release and city. */
export function perCity<T>(make: (site: Site, slug: string) => T): (site: Site, slug: string) => T {
  const madeOf = perSite(() => new BoundedCache<string, { readonly value: T }>(MAX_KEPT));
  return (site, slug) => madeOf(site).take(slug, () => ({ value: make(site, slug) })).value;
}
