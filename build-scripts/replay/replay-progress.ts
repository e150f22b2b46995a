export type ReplayProgress = (what: "rows" | "documents", done: number, total: number) => void;
