import { tmpdir } from "node:os";
import { join } from "node:path";
import { sha256Hex } from "../../../src/kernel/hash.ts";

/** Of this project alone, and gone with the tests. */
const CACHES = join(tmpdir(), `presence-caches-${sha256Hex(import.meta.dirname).slice(0, 8)}`);

/**
 * Where commands find what an earlier one has made already: what Node made of the sources, which takes a third of a small command's
 * time, and the compiled pages, which take seconds of every build.
 */
export const SHARED_CACHES = {
  NODE_COMPILE_CACHE: join(CACHES, "node"),
  COMPILED_PAGES: join(CACHES, "pages"),
} as const;
