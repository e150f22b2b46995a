import { crc32, deflateRawSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodingName, gunzip } from "./decode.ts";
import { type Line, newReadState, readLines } from "./read-lines.ts";

describe("gunzip", () => {
  async function read(bytes: Buffer, size = bytes.length + 1) {
    async function* pieces() {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    }
    let garbage = 0;
    const output: Buffer[] = [];
    let damage: string | undefined;
    try {
      for await (const piece of gunzip(pieces(), (ignored) => (garbage += ignored))) output.push(piece);
    } catch (error) {
      damage = String(error);
    }
    return { text: Buffer.concat(output).toString(), garbage, damage };
  }

  const TEXT = "a line of text\nand another one\n".repeat(40);
  const whole = (text = TEXT, garbage = 0) => ({ text, garbage, damage: undefined });

  describe("as gzip -d", () => {
    const zeros = Buffer.alloc(600);
    test.for([
      ["one member", gzipSync(TEXT), whole()],
      ["no content", gzipSync(""), whole("")],
      ["two members", Buffer.concat([gzipSync(TEXT), gzipSync("b")]), whole(`${TEXT}b`)],
      ["an empty member between", Buffer.concat([gzipSync("a"), gzipSync(""), gzipSync("b")]), whole("ab")],
      ["zero padding", Buffer.concat([gzipSync(TEXT), zeros]), whole()],
      ["one zero byte", Buffer.concat([gzipSync(TEXT), Buffer.alloc(1)]), whole()],
      ["garbage", Buffer.concat([gzipSync(TEXT), Buffer.from("garbage")]), whole(TEXT, 7)],
      ["one byte of garbage", Buffer.concat([gzipSync(TEXT), Buffer.from("x")]), whole(TEXT, 1)],
      ["a member after padding", Buffer.concat([gzipSync(TEXT), zeros, gzipSync("b")]), whole(TEXT, 621)],
    ] as const)("%s", async ([, bytes, expected]) => {
      for (const size of [1, 2, 7, 10_000]) expect(await read(bytes, size)).toEqual(expected);
    });

    test("every optional part of a header", async () => {
      const name = Buffer.from("log.txt\0");
      const extra = Buffer.from([3, 0, 1, 2, 3]);
      const header = Buffer.concat([
        Buffer.from([0x1f, 0x8b, 8, 2 | 4 | 8 | 16, 0, 0, 0, 0, 0, 3]),
        ...[extra, name, name],
      ]);
      const headerCrc = Buffer.alloc(2);
      headerCrc.writeUInt16LE(crc32(header) & 0xffff);
      const trailer = Buffer.alloc(8);
      trailer.writeUInt32LE(crc32(TEXT));
      trailer.writeUInt32LE(TEXT.length, 4);
      const bytes = Buffer.concat([header, headerCrc, deflateRawSync(TEXT), trailer]);
      expect(await read(bytes, 3)).toEqual(whole());
      bytes[12] = 9;
      expect((await read(bytes)).damage).toContain("the checksum of the header is wrong");
    });
  });

  describe("damage", () => {
    const two = Buffer.concat([gzipSync(TEXT), gzipSync(TEXT)]);

    test("a stream cut at any byte ends, and says so unless a member ends there", async () => {
      const first = gzipSync(TEXT).length;
      for (let cut = 1; cut < two.length; cut++) {
        const { damage, garbage, text } = await read(two.subarray(0, cut), 50);
        expect(`${TEXT}${TEXT}`.startsWith(text)).toBe(true);
        const expected = cut === first ? undefined : "Error: unexpected end of file";
        expect({ cut, damage, garbage }).toEqual({ cut, damage: expected, garbage: 0 });
      }
    });

    test("any changed byte ends the stream; of content, checksum and length with a word", async () => {
      const zipped = gzipSync(TEXT);
      await fc.assert(
        fc.asyncProperty(fc.nat(zipped.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
          const bytes = Buffer.from(zipped);
          bytes[at] = (bytes[at] ?? 0) ^ change;
          const { damage } = await read(bytes, 64);
          if (at >= 10) expect(damage).toBeDefined();
        }),
      );
    });
  });
});

describe("decode", () => {
  async function read(
    bytes: Buffer,
    encoding: string,
    size = 3,
  ): Promise<{ lines: Line[]; damage?: string }> {
    async function* pieces() {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    }
    const state = newReadState();
    const lines: Line[] = [];
    for await (const some of readLines(pieces(), state, encoding)) lines.push(...some);
    return { lines, ...(state.damage !== undefined && { damage: state.damage }) };
  }

  test.for([
    ["windows-1252", Buffer.from([0x43, 0x61, 0x66, 0xe9, 0x0a, 0x80])],
    ["utf-16le", Buffer.from("\uFEFFCafé\n€", "utf16le")],
    ["utf-8", Buffer.from("Café\n€")],
  ] as const)("%s, however the bytes arrive", async ([encoding, bytes]) => {
    const lines = [
      { number: 1, text: "Café" },
      { number: 2, text: "€" },
    ];
    for (const size of [1, 2, 100]) expect(await read(bytes, encoding, size)).toEqual({ lines });
  });

  test("bytes that the encoding does not have end the file there", async () => {
    const bytes = Buffer.from([0x41, 0x0a, 0x82, 0xa0, 0x0a, 0x81, 0x0a, 0x42]); // Shift_JIS, then half a character
    const { lines, damage } = await read(bytes, "shift_jis");
    expect(lines.slice(0, 2)).toEqual([
      { number: 1, text: "A" },
      { number: 2, text: "あ" },
    ]);
    expect(damage).toBe("it has bytes that shift_jis does not: name another --encoding");
  });

  test.for(["utf-16le", "utf-16be"] as const)(
    "%s is recognized, with a byte order mark and without",
    async (encoding) => {
      for (const mark of ["\uFEFF", ""]) {
        const bytes = Buffer.from(`${mark}Café\r\n€`, "utf16le");
        if (encoding === "utf-16be") bytes.swap16();
        const lines = [
          { number: 1, text: "Café" },
          { number: 2, text: "€" },
        ];
        for (const size of [1, 3, 100]) expect(await read(bytes, "utf-8", size)).toEqual({ lines });
      }
    },
  );

  test("carriage returns alone end lines where no line feed does", async () => {
    const texts = async (text: string, size?: number) =>
      (await read(Buffer.from(text), "utf-8", size)).lines.map((line) => ("text" in line ? line.text : "!"));
    expect(await texts("a\rb\rc\r")).toEqual(["a", "b", "c"]);
    expect(await texts("a\rb\r\nc\n", 2)).toEqual(["a\rb", "c"]);
    expect(await texts("a\r")).toEqual(["a"]);
  });

  test.for([
    ["PK\x03\x04rest", "a ZIP archive or an Excel workbook"],
    ["\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel workbook"],
    ["%PDF-1.7", "a PDF: ask for the table as CSV"],
    ["\n<?xml version='1.0'?>", "a web page or XML"],
    ["\0".repeat(99), "binary"],
    ['{"type": "FeatureCollection","features":[]}', "GeoJSON: write each feature as a line"],
    ['[{"name":1},\n{"name":2}]', "a JSON array: write one observation a line"],
    ['{\n "name": 1\n}', "JSON over several lines: write one observation a line"],

    ["\x28\xb5\x2f\xfdrest", "compressed with zstd"],
  ] as const)("what is no text is told as that: %j", async ([bytes, message]) => {
    await expect(read(Buffer.from(bytes, "latin1"), "utf-8")).rejects.toThrow(message);
  });

  test("labels are those of the standard", () => {
    expect(encodingName("Latin1")).toBe("windows-1252");
    expect(() => encodingName("klingon")).toThrow("unknown encoding klingon: use a label");
  });
});
