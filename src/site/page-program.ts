import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { handler } from "@astrojs/node/server.js";
import { plainPageAt } from "./markup/index.ts";
import type { QueryLocals } from "./query/index.ts";
import type { Site } from "./site.ts";
import { UsedFiles } from "./used-files.ts";

/** What a page is rendered with, as `Astro.locals`. */
export interface PageLocals extends QueryLocals {
  readonly site: Site; // one release, from the beginning of the page to its end
  readonly files: UsedFiles;
  /** Takes what the page throws: Astro says that a page failed, and not why. */
  readonly fail: (fault: unknown) => void;
}

type Handler = typeof handler;

/** The compiled pages as a program: renders one page of a release at a time, for the build and for the server alike. */
export class PageProgram {
  readonly #handler: Handler;

  constructor(pageHandler: Handler) {
    this.#handler = pageHandler;
  }

  /** `entry` is the path of the compiled module. Rejects when it cannot be loaded. */
  static async load(entry: string): Promise<PageProgram> {
    crashOnUnhandledRejections();
    const compiled: { readonly handler: Handler } = await import(entry);
    return new PageProgram(compiled.handler);
  }

  /**
   * The page at a path of the site, whole; `query` is what was asked of it, if anything. The handler sees neither the reader's request nor
   * the response: headers, status and errors are the caller's. Rejects with what the page throws.
   */
  async render(pathname: string, site: Site, query: QueryLocals = {}): Promise<Buffer> {
    const plain = plainPageAt(pathname);
    if (plain !== undefined) return Buffer.from(String(plain.document(site, query)));
    const request = new PageRequest(pathname);
    const page = new WholePage(request);
    let fault: unknown;
    const locals: PageLocals = {
      ...query,
      site,
      files: new UsedFiles(site),
      fail(thrown) {
        fault = thrown;
      },
    };
    await this.#handler(request, page, () => page.end(), locals);
    if (fault !== undefined) throw fault;
    if (page.length === 0) throw new Error(`no page at ${pathname}: status ${page.statusCode}`);
    return page.body;
  }
}

/** Never connected: a request needs one to be made. Each page that is under way listens to it. */
const NO_SOCKET = new Socket().setMaxListeners(0);

class PageRequest extends IncomingMessage {
  constructor(pathname: string) {
    super(NO_SOCKET);
    this.method = "GET";
    this.url = pathname;
  }
}

/** Keeps what is written. */
class WholePage extends ServerResponse {
  readonly #parts: Uint8Array[] = [];

  get body(): Buffer {
    const [only, ...more] = this.#parts;
    if (only === undefined || more.length > 0) return Buffer.concat(this.#parts);
    return Buffer.from(only.buffer, only.byteOffset, only.byteLength); // the usual case, without a copy
  }

  get length(): number {
    return this.#parts.length;
  }

  override writeHead(status: number): this {
    this.statusCode = status;
    return this;
  }

  override write(part: string | Uint8Array): boolean {
    this.#parts.push(typeof part === "string" ? Buffer.from(part) : part);
    return true;
  }

  override end(): this {
    this.emit("finish"); // for what the handler cleans up
    return this;
  }
}

let isCrashing = false;

/** @astrojs/node listens for unhandled rejections, which hides them. A fault must end the process as it does without the package. */
function crashOnUnhandledRejections(): void {
  if (isCrashing) return;
  isCrashing = true;
  process.on("unhandledRejection", (fault) => {
    throw fault;
  });
}
