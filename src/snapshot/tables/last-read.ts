/**
 * Keeps the result of the last read for the next one with the same key: the parts of an answer, and the documents about one
 * record, ask for the same rows in turn. For tables that never change; callers must not change what they get.
 */
export function lastRead<K, V>(read: (key: K) => V): (key: K) => V {
  let last: { readonly key: K; readonly value: V } | undefined;
  return (key) => {
    if (last === undefined || last.key !== key) last = { key, value: read(key) };
    return last.value;
  };
}
