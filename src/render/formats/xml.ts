const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** The text without the characters that XML 1.0 cannot write: control characters, noncharacters and lone surrogates. */
export function xmlCharacters(text: string): string {
  return text.replace(/[^\P{Cc}\t\n\r]|[\uFFFE\uFFFF]|\p{Cs}/gu, "");
}

/** The text as the content of an element or an attribute. */
export function xmlText(text: string): string {
  return xmlCharacters(text).replace(/[&<>"]/g, (character) => ENTITIES[character] ?? "");
}

/** `<name>text</name>`. */
export function textElement(name: string, text: string): string {
  return `<${name}>${xmlText(text)}</${name}>`;
}
