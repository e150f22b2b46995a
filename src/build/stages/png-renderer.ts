import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import { readFont } from "../../pictures/labels.ts";
import type { SocialFonts } from "../../pictures/social/social-image.ts";

/** Renders an SVG as PNG with these fonts only: the same bytes on every machine. */
export interface PngRenderer {
  readonly fonts: SocialFonts;
  render(svg: string): Uint8Array;
}

let renderer: Promise<PngRenderer> | undefined;

/** The only renderer of the process, because the package can be initialized only once. */
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
