import { expect, test } from "vitest";
import { encodingName } from "./decode.ts";
import { type Line, newReadState, readLines } from "./read-lines.ts";

async function read(bytes: Buffer, encoding: string, size = 3): Promise<{ lines: Line[]; damage?: string }> {
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
  ["\x28\xb5\x2f\xfdrest", "compressed with zstd"],
] as const)("what is no text is told as that: %j", async ([bytes, message]) => {
  await expect(read(Buffer.from(bytes, "latin1"), "utf-8")).rejects.toThrow(message);
});

test("labels are those of the standard", () => {
  expect(encodingName("Latin1")).toBe("windows-1252");
  expect(() => encodingName("klingon")).toThrow("--encoding klingon: unknown");
});
