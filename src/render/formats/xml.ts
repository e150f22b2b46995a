const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Text for an element or a quoted attribute. XML 1.0 cannot write control characters, noncharacters and lone surrogates: they are left out. */
export function xmlText(text: string): string {
  return text
    .replace(/[^\P{Cc}\t\n\r]|[\uFFFE\uFFFF]|\p{Cs}/gu, "")
    .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? "");
}

/** `<name>text</name>`. */
export function textElement(name: string, text: string): string {
  return `<${name}>${xmlText(text)}</${name}>`;
}
