import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import { readFont } from "../../pictures/font.ts";
import type { SocialFonts } from "../../pictures/social/social-frame.ts";

/** Draws an SVG as PNG with the fonts given here and no others: the same bytes on every machine. */
export interface PngRenderer {
  readonly fonts: SocialFonts;
  render(svg: string): Uint8Array;
}

let renderer: Promise<PngRenderer> | undefined;

/** The package can be started once in a process, so there is one renderer. */
export function pngRenderer(): Promise<PngRenderer> {
  renderer ??= startRenderer();
  return renderer;
}

async function startRenderer(): Promise<PngRenderer> {
  const require = createRequire(import.meta.url);
  const regular = readFileSync(require.resolve("dejavu-fonts-ttf/ttf/DejaVuSans.ttf"));
  const bold = readFileSync(require.resolve("dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf"));
  await initWasm(readFileSync(require.resolve("@resvg/resvg-wasm/index_bg.wasm")));
  const font = { fontBuffers: [regular, bold], defaultFontFamily: "DejaVu Sans" };
  return {
    fonts: { regular: readFont(regular), bold: readFont(bold) },
    render(svg) {
      const drawing = new Resvg(svg, { font });
      const image = drawing.render();
      const png = image.asPng();
      image.free();
      drawing.free();
      return png;
    },
  };
}
