import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { OperatorError } from "../../kernel/errors.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { portOf } from "../../kernel/port.ts";
import { Findings } from "./findings.ts";
import {
  auditFile,
  filesAtUrl,
  filesInFolder,
  filesInFolderByTurns,
  type PublicFiles,
  type SiteOptions,
} from "./site-files.ts";

describe("public files", () => {
  describe("public files", () => {
    describe.each([
      ["one by one", filesInFolder],
      ["with one buffer", filesInFolderByTurns],
    ])("files in a folder, %s", (_, filesIn) => {
      const folder = mkdtempSync(join(tmpdir(), "files-"));
      mkdirSync(join(folder, "below"));
      writeFileSync(join(folder, "below/a"), "short");
      writeFileSync(join(folder, "empty"), "");
      const large = Buffer.alloc(3 * 1024 * 1024 + 1, "large ");
      writeFileSync(join(folder, "large"), large);
      writeFileSync(join(folder, "exact"), large.subarray(0, 1024 * 1024));
      const files = filesIn(folder);

      test("are read whole, whatever their size", async () => {
        expect(String(await files.read("below/a"))).toBe("short");
        expect((await files.read("large"))?.equals(large)).toBe(true);
        expect((await files.read("exact"))?.equals(large.subarray(0, 1024 * 1024))).toBe(true);
        expect(String(await files.read("below/a"))).toBe("short");
        expect(await files.read("empty")).toHaveLength(0);
      });

      test("are undefined where there is none, and where there is a folder, a link or a pipe", async () => {
        expect(await files.read("none")).toBeUndefined();
        expect(await files.read("below/a/b")).toBeUndefined();
        expect(await files.read("below")).toBeUndefined();
        symlinkSync("/etc/passwd", join(folder, "link"));
        execFileSync("mkfifo", [join(folder, "pipe")]); // which nobody writes
        expect([await files.read("link"), await files.read("pipe")]).toEqual([undefined, undefined]);
        rmSync(folder, { recursive: true });
      });
    });
  });

  describe("file audit", () => {
    const BODY = Buffer.from("the file");

    test.each([
      ["that is there", BODY, []],
      ["with another hash", Buffer.from("another"), ["its hash is not the one in the signed list"]],
      ["that is gone", undefined, ["the file is missing"]],
    ])("a file %s", async (_, bytes, problems) => {
      const findings = new Findings();
      const files = { read: () => Promise.resolve(bytes) };
      await auditFile(files, { path: "a.json", sha256: sha256Hex(BODY) }, findings);
      expect(findings.faults).toEqual(problems.map((problem) => ({ subject: "a.json", problem })));
      expect(findings.counts()).toEqual({ files: 1 });
    });
  });
});

describe("site files", () => {
  const FAST = { pause: async () => undefined };

  /** A site that answers as the listener says; how often it was asked. */
  async function site(listener: RequestListener, options: Partial<SiteOptions> = {}, below = "") {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? "");
      listener(request, response);
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${portOf(server)}${below}`;
    return { url, asked, files: filesAtUrl(url, { ...FAST, ...options }) };
  }

  describe("files at a URL", () => {
    test("are those below it, by their names, as they are", async () => {
      const { files, asked } = await site((request, response) => {
        expect(request.headers["accept-encoding"]).toBe("identity");
        response.end(`body of ${request.url}`);
      });
      expect(String(await files.read("ledger/tile/0/x001/234"))).toBe("body of /ledger/tile/0/x001/234");
      await files.read("a b?c#d%/é");
      expect(asked.at(-1)).toBe("/a%20b%3Fc%23d%25/%C3%A9");
    });

    test("may lie below a path, with or without a slash at its end", async () => {
      const { files, asked, url } = await site((_, response) => response.end("x"), {}, "/logs/one");
      await files.read("checkpoint");
      await filesAtUrl(`${url}///`, FAST).read("checkpoint");
      expect(asked).toEqual(["/logs/one/checkpoint", "/logs/one/checkpoint"]);
    });

    test("are asked of no other host, whatever their name", async () => {
      const { files, asked } = await site((_, response) => response.writeHead(404).end());
      for (const path of ["//127.0.0.1:1/x", "http://127.0.0.1:1/x", "\\\\127.0.0.1:1\\x"])
        expect(await files.read(path)).toBeUndefined();
      expect(asked).toHaveLength(3);
    });

    test.each([404, 410])("are undefined for %i", async (status) => {
      const { files } = await site((_, response) => response.writeHead(status).end("gone"));
      expect(await files.read("a")).toBeUndefined();
    });

    test("decoded when a server encodes all the same", async () => {
      const { files } = await site((_, response) =>
        response.writeHead(200, { "Content-Encoding": "gzip" }).end(gzipSync("plain")),
      );
      expect(String(await files.read("a"))).toBe("plain");
    });

    test.each([301, 302, 307, 308])("are not looked for where a %i leads", async (status) => {
      const { files, asked } = await site((request, response) => {
        if (request.url === "/elsewhere") response.end("other evidence");
        else response.writeHead(status, { Location: "/elsewhere" }).end();
      });
      await expect(files.read("a")).rejects.toThrow(
        `the server answered ${status}: redirections are not followed`,
      );
      expect(asked).toEqual(["/a"]);
    });

    test.each([204, 206, 400, 403])("are at fault when the answer is %i", async (status) => {
      const { files, asked } = await site((_, response) => response.writeHead(status).end());
      const error = await files.read("a").catch((error: unknown) => error);
      expect(error).toEqual(new Error(`the server answered ${status}`));
      expect(error).not.toBeInstanceOf(OperatorError);
      await files.read("b").catch(() => undefined);
      expect(asked).toEqual(["/a", "/b"]);
    });

    test.each([429, 500, 503])("cannot be judged when the answer stays %i", async (status) => {
      const { files, asked, url } = await site((_, response) => response.writeHead(status).end());
      const error = await files.read("a").catch((error: unknown) => error);
      expect(error).toEqual(
        new OperatorError(`${url}/a: could not be fetched: the server answered ${status}: try again later`),
      );
      // Asked thrice, and after that no more.
      await expect(files.read("b")).rejects.toBe(error);
      expect(asked).toEqual(["/a", "/a", "/a"]);
    });

    test("are waited for as long as the server asks to", async () => {
      const { files, asked } = await site(
        (_, response) => {
          if (asked.length < 6) response.writeHead(429, { "Retry-After": "1" }).end();
          else response.end("in time");
        },
        { attempts: 1 },
      );
      expect(String(await files.read("a"))).toBe("in time");
      expect(asked).toHaveLength(6);
    });

    test("are had from a server that fails now and then", async () => {
      let turn = 0;
      const { files } = await site((request, response) => {
        turn += 1;
        if (turn === 1) request.socket.destroy();
        else if (turn === 2) response.writeHead(503).end();
        else response.end("at last");
      });
      expect(String(await files.read("a"))).toBe("at last");
    });

    test("come as slowly as they like, as long as they come", async () => {
      const { files } = await site(
        async (_, response) => {
          for (let part = 0; part < 8; part += 1) {
            response.write(String(part));
            await pause(200);
          }
          response.end();
        },
        { silenceMs: 1200 },
      );
      expect(String(await files.read("a"))).toBe("01234567");
    });

    test.each([
      ["before the head", () => undefined],
      ["within the body", (response: { write(text: string): unknown }) => response.write("a part")],
    ])("are not waited for for ever: silence %s", async (_, begin) => {
      const { files, url } = await site((_, response) => void begin(response), {
        attempts: 2,
        silenceMs: 150,
      });
      await expect(files.read("a")).rejects.toThrow(
        `${url}/a: could not be fetched: nothing came for 0.15 s: try again later`,
      );
    });

    test("that never end are cut off", async () => {
      const { files, asked } = await site(
        (_, response) => {
          const more = () => {
            while (response.write(Buffer.alloc(4096)));
          };
          response.on("drain", more);
          more();
        },
        { maxFileBytes: 1_000_000 },
      );
      await expect(files.read("a")).rejects.toThrow("it is larger than any file of a release");
      expect(asked).toHaveLength(1);
    });

    test("cut short by the server cannot be judged", async () => {
      const { files } = await site((request, response) => {
        response.writeHead(200, { "Content-Length": "100" });
        response.write("only this");
        setTimeout(() => request.socket.destroy(), 10);
      });
      await expect(files.read("a")).rejects.toBeInstanceOf(OperatorError);
    });

    test("need a site that is there", async () => {
      const files = filesAtUrl("http://127.0.0.1:9", FAST);
      await expect(files.read("a")).rejects.toThrow(/^http:\/\/127\.0\.0\.1:9\/a: could not be fetched: /);
    });

    test.each([
      "example.org",
      "ftp://example.org",
      "file:///etc",
      "https://",
      "https://example.org/?a=1",
      "https://example.org/#a",
      "https://user:secret@example.org",
      "",
    ])("need an address that can be one: %s", (text) => {
      expect(() => filesAtUrl(text, FAST)).toThrow(OperatorError);
    });
  });

  describe("reading ends, whatever a server does:", () => {
    /** A clock that moves when it is looked at, and while somebody waits. */
    function hurried(msALook = 0) {
      let now = 0;
      return {
        clock: () => (now += msALook),
        pause: async (ms: number) => {
          now += ms;
        },
      };
    }

    test("a server that asks to wait for ever", async () => {
      const { files, asked, url } = await site(
        (_, response) => response.writeHead(429, { "Retry-After": "60" }).end(),
        hurried(),
      );
      await expect(files.read("a")).rejects.toThrow(
        `${url}/a: the server asked to wait (429) for more than 10 minutes: try again later`,
      );
      expect(asked).toHaveLength(11);
      await expect(files.read("b")).rejects.toThrow("/a: ");
      expect(asked).toHaveLength(11);
    });

    test("one that sends a byte a second", async () => {
      const { files, url } = await site((_, response) => void drip(response), hurried(500));
      await expect(files.read("a")).rejects.toThrow(
        new RegExp(`^${url}/a: \\d+ bytes came in 6\\d s, less than 1000 bytes a second: try again later`),
      );
    });

    test("one that takes a minute for each file", async () => {
      const { files, url } = await site((_, response) => response.end("x"), {
        ...hurried(10_000),
        maxMs: HOUR,
      });
      await expect(readAll(files)).rejects.toThrow(
        new RegExp(
          `^${url}: not read within 1 h \\(\\d+ files and \\d+ bytes, then ${url}/\\d+\\): raise --max-hours, or try`,
        ),
      );
    });

    test("one that asks to wait before each file", async () => {
      const { files, asked } = await site(
        (_, response) => {
          if (asked.length % 2 === 1) response.writeHead(429, { "Retry-After": "120" }).end();
          else response.end("x");
        },
        { ...hurried(), maxMs: HOUR },
      );
      await expect(readAll(files)).rejects.toThrow("not read within 1 h (30 files and 30 bytes, then");
    });

    test("one with more than anybody wants", async () => {
      const { files, asked, url } = await site((_, response) => response.end(Buffer.alloc(100_000)), {
        maxBytes: 1_000_000,
      });
      await expect(readAll(files)).rejects.toThrow(`${url}: more than 0.001 GB came (10 files and 1,0`);
      expect(asked).toHaveLength(11);
    });

    test.each([true, false])(
      "large files come one at a time, beside small ones; announced: %s",
      async (isAnnounced) => {
        const begun = new Set<string | undefined>();
        let [alone, mostAlone] = [0, 0];
        const comeAlone = async () => {
          alone += 1;
          mostAlone = Math.max(mostAlone, alone);
          await pause(20);
          alone -= 1;
        };
        const { files, asked } = await site(
          async ({ url }, response) => {
            const body = Buffer.alloc(url?.startsWith("/small") ? 1000 : 1_000_000);
            if (isAnnounced) response.setHeader("Content-Length", body.length);
            response.write(body.subarray(0, 100));
            await (begun.has(url) ? comeAlone() : until(() => begun.add(url).size === 5));
            response.end(body.subarray(100));
          },
          { maxBytesBeside: 100_000 },
        );
        const names = ["large1", "large2", "large3", "small1", "small2"];
        const bodies = await Promise.all(names.map((name) => files.read(name)));
        expect(bodies.map((body) => body?.length)).toEqual([1_000_000, 1_000_000, 1_000_000, 1000, 1000]);
        expect(asked).toHaveLength(8);
        expect(mostAlone).toBe(1);
      },
    );

    test("one that announces more than any file has", async () => {
      const { files, asked } = await site((_, response) => {
        response.setHeader("Content-Length", 1e12);
        response.write("x");
      });
      await expect(files.read("a")).rejects.toThrow("it is larger than any file of a release");
      expect(asked).toHaveLength(1);
    });

    test("one that leads from place to place", async () => {
      const { files, asked } = await site((request, response) =>
        response.writeHead(302, { Location: `${request.url}x` }).end(),
      );
      await expect(files.read("a")).rejects.toThrow("redirections are not followed");
      expect(asked).toEqual(["/a"]);
    });

    test("one that announces an answer for ever", async () => {
      const { files } = await site(
        async (_, response) => {
          for (; !response.closed; await pause(1)) response.writeProcessing();
        },
        { silenceMs: 100, attempts: 1 },
      );
      await expect(files.read("a")).rejects.toThrow("could not be fetched: nothing came for 0.1 s");
    });

    test("downloads beside the one that met a bound end with it", async () => {
      const { files } = await site((request, response) => {
        if (request.url === "/busy") response.writeHead(429, { "Retry-After": "60" }).end();
        else response.write("begun");
      }, hurried());
      const both = await Promise.allSettled([files.read("idle"), files.read("busy")]);
      expect(both.map((outcome) => outcome.status === "rejected" && String(outcome.reason))).toEqual(
        Array(2).fill(expect.stringContaining("/busy: the server asked to wait")),
      );
    });
  });

  const HOUR = 3_600_000;

  /** One file after the other, as long as they come. */
  async function readAll(files: PublicFiles): Promise<never> {
    for (let at = 0; ; at += 1) await files.read(String(at));
  }

  /** One byte after the other. */
  async function drip(response: ServerResponse): Promise<void> {
    for (; !response.closed; await pause(1)) response.write("x");
  }

  async function until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await pause(1);
  }
});
