import mono from "@fontsource/ibm-plex-mono/LICENSE?raw";
import sans from "@fontsource-variable/public-sans/LICENSE?raw";

/** The licences of the fonts that the release carries, whole: the Open Font License asks for them beside each copy. */
export function GET(): Response {
  const text = `Public Sans\n\n${sans.trim()}\n\n\nIBM Plex Mono\n\n${mono.trim()}\n`;
  return new Response(text, { headers: { "Content-Type": "text/plain; charset=utf-8" } });
}
